// The commands that work on case files: `run` and `convert`.
#ifndef DETOPS_CLI_CASE_FILE_RUN_COMMAND_H_
#define DETOPS_CLI_CASE_FILE_RUN_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "case_file/find_cases.h"
#include "run/runner.h"

namespace detops_cli {

// One recipe per file, which is not read here but by make(), in the process that judges: a broken file makes it throw
// the reason, and whatever else a file does to the process, the run goes on.
std::vector<Recipe> MakeRecipes(const std::vector<FoundCase>& cases, const std::string& profile);

using Runner = std::function<int(const std::vector<Recipe>&, const RunOptions&)>;

// Adds `run`. When the arguments are parsed, it runs the files and sets exit_code. `common` and `exit_code` must
// outlive the parsing. Without a runner it is RunCases; tests have their own.
void AddRunCommand(CLI::App& app, RunOptions& common, int& exit_code, Runner runner = nullptr);

// Adds `convert`: from text to binary and back.
void AddConvertCommand(CLI::App& app);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASE_FILE_RUN_COMMAND_H_
