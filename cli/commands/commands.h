// The subcommands. Each Add function declares options on `app` and, when chosen, does its work and sets exit_code.
#ifndef DETOPS_CLI_COMMANDS_COMMANDS_H_
#define DETOPS_CLI_COMMANDS_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "run/runner.h"

namespace detops_cli {

void AddAcceptCommand(CLI::App& app, RunOptions& options, int& exit_code);
void AddBenchCommand(CLI::App& app, RunOptions& options, int& exit_code);
void AddInfoCommand(CLI::App& app, RunOptions& options);
void AddListCommand(CLI::App& app);
void AddCompletionCommand(CLI::App& app);

// Options that all commands on a library share.
void AddLibraryOption(CLI::App& command, RunOptions& options);
void AddReportOptions(CLI::App& command, RunOptions& options);

// A script for "bash" or "zsh" made from the program's own options.
std::string CompletionScript(const CLI::App& app, const std::string& shell);

}  // namespace detops_cli

#endif  // DETOPS_CLI_COMMANDS_COMMANDS_H_
