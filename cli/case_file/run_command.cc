#include "case_file/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <utility>

#include "case_file/case_file.h"
#include "case_file/case_node.h"
#include "commands/commands.h"
#include "commands/option_checks.h"
#include "text/errors.h"
#include "text/shell_quote.h"

namespace detops_cli {
namespace {

struct RunArguments {
  CaseSelection selection;
  std::string profile = "contract";
  std::string bad_input = "none";
  bool no_timing = false;
};

}  // namespace

std::vector<Recipe> MakeRecipes(const std::vector<FoundCase>& cases, const std::string& profile) {
  std::vector<Recipe> recipes;
  for (const FoundCase& found : cases) {
    Recipe recipe;
    recipe.about.id = found.id;
    recipe.about.op = found.id.substr(0, found.id.find('/'));
    recipe.about.profile = profile;
    recipe.about.source = found.file;
    recipe.about.reproduce =
        "detops run " + (profile == "contract" ? "" : "--profile " + profile + " ") + ShellQuoted(found.file);
    recipe.make = [file = found.file, full = profile == "full"] {
      Case c = LoadCaseFile(file);
      c.full_profile = full;
      return c;
    };
    recipes.push_back(std::move(recipe));
  }
  return recipes;
}

void AddRunCommand(CLI::App& app, RunOptions& common, int& exit_code, Runner runner) {
  const auto arguments = std::make_shared<RunArguments>();
  CaseSelection& selection = arguments->selection;
  CLI::App* run = app.add_subcommand("run", "Run case files (.prototxt, .pb): compare, measure, report");
  run->add_option("paths", selection.paths, "Case files, folders of case files, or lists with one path per line")
      ->type_name("PATH");
  run->add_option("--cases_dir", selection.cases_dir, "Folder with one folder of case files per operator")
      ->type_name("FOLDER");
  run->add_option("--cases_list", selection.cases_list, "List of case files, one path per line")->type_name("FILE");
  run->add_option("--case_path", selection.case_path, "One case file")->type_name("FILE");
  run->add_option("--filter,--gtest_filter", selection.filter,
                  "Only cases whose <operator>/<file name> matches, as in GoogleTest: a*:b?-c*")
      ->type_name("GLOB[:GLOB...]");
  run->add_option("--rand_n", selection.rand_n, "Only so many cases, chosen at random")
      ->check(NumberFrom(1, kMostCases));
  run->add_option("--seed", selection.seed, "Of the random choice")->check(WholeNumber())->capture_default_str();
  run->add_option("--perf_repeat", common.perf_repeat, "Exactly so many timed calls")->check(NumberFrom(1, kMostCalls));
  run->add_option("--threads", common.threads, "Threads of the library; 0: its own choice")
      ->check(NumberFrom(0, kMostThreads))
      ->capture_default_str();
  run->add_flag("--no-timing", arguments->no_timing, "Judge without measuring");
  run->add_option("--bad-input", arguments->bad_input, "Make bad calls of each case too: all, documents or none")
      ->check(CLI::IsMember({"all", "documents", "none"}))
      ->capture_default_str();
  run->add_option("--profile", arguments->profile, "contract: the documents' limits; full: all the CPU can do")
      ->check(CLI::IsMember({"contract", "full"}))
      ->capture_default_str();
  AddLibraryOption(*run, common);
  AddReportOptions(*run, common);
  run->callback([arguments, runner = std::move(runner), &common, &exit_code] {
    common.suite = "case files";
    common.timing = !arguments->no_timing;
    common.bad_input = arguments->bad_input != "none";
    common.documented_bad_input_only = arguments->bad_input == "documents";
    const std::vector<Recipe> recipes = MakeRecipes(FindCaseFiles(arguments->selection), arguments->profile);
    exit_code = runner ? runner(recipes, common) : RunCases(recipes, common);
  });
}

void AddConvertCommand(CLI::App& app) {
  const auto from = std::make_shared<std::string>(), to = std::make_shared<std::string>();
  CLI::App* convert = app.add_subcommand("convert", "Convert a case file between text and binary");
  convert->add_option("from", *from, "Case file")->required();
  convert->add_option("to", *to, "Case file to write: *.prototxt or *.pb")->required();
  convert->callback([from, to] {
    const std::string extension = std::filesystem::path(*to).extension().string();
    if (extension != ".pb" && extension != ".prototxt") {
      throw UsageError(fmt::format("convert: {} must end in .prototxt or .pb", *to));
    }
    WriteCaseNode(ReadCaseNode(*from, UnknownFields::kRefuse)->node, *to);
  });
}

}  // namespace detops_cli
