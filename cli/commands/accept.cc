#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "case_file/find_cases.h"
#include "cases/suites.h"
#include "commands/commands.h"
#include "commands/option_checks.h"
#include "text/errors.h"

namespace detops_cli {
namespace {

struct AcceptArguments {
  std::vector<std::string> operators, types, shapes;
  std::string suite = "smoke", filter = "*", bad_input = "all";
  bool list = false, no_timing = false;
};

std::vector<mluOpDataType_t> ParseTypes(const std::vector<std::string>& names) {
  std::vector<mluOpDataType_t> types(names.size());
  std::transform(names.begin(), names.end(), types.begin(), ParseType);
  return types;
}

std::vector<Recipe> FreeCases(const AcceptArguments& arguments) {
  if (arguments.operators.empty()) throw UsageError("--shape needs --op");
  std::vector<Recipe> recipes;
  for (const Operator* op : FindOperators(arguments.operators)) {
    std::vector<mluOpDataType_t> types = arguments.types.empty() ? op->contract_types() : ParseTypes(arguments.types);
    for (const std::string& shape : arguments.shapes) {
      for (const mluOpDataType_t type : types) recipes.push_back(MakeFreeCase(*op, Shape(shape), type));
    }
  }
  return recipes;
}

std::vector<Recipe> SuiteCases(const AcceptArguments& arguments) {
  const std::vector<std::string>& types = arguments.types;
  ParseTypes(types);  // or refuses
  const std::vector<const Operator*> operators = FindOperators(arguments.operators);
  const auto wanted = [&](const CaseResult& about) {
    const bool op = operators.empty() || std::any_of(operators.begin(), operators.end(),
                                                     [&](const Operator* one) { return one->name() == about.op; });
    const bool type = types.empty() || std::find(types.begin(), types.end(), about.type) != types.end();
    return op && type && MatchesFilter(arguments.filter, about.id);
  };
  std::vector<Recipe> recipes;
  for (Recipe& recipe : MakeSuite(arguments.suite)) {
    if (wanted(recipe.about)) recipes.push_back(std::move(recipe));
  }
  return recipes;
}

int Accept(const AcceptArguments& arguments, RunOptions& options) {
  const std::vector<Recipe> recipes = arguments.shapes.empty() ? SuiteCases(arguments) : FreeCases(arguments);
  if (recipes.empty()) throw UsageError("no case is left: --op, --dtype or --filter leave nothing of the suite");
  if (arguments.list) {
    for (const Recipe& recipe : recipes) fmt::print("{:<70} {}\n", recipe.about.id, recipe.about.source);
    return kExitPass;
  }
  options.suite = arguments.shapes.empty() ? arguments.suite : "free";
  options.timing = !arguments.no_timing;
  options.bad_input = arguments.bad_input != "none";
  options.documented_bad_input_only = arguments.bad_input == "documents";
  return RunCases(recipes, options);
}

}  // namespace

void AddLibraryOption(CLI::App& command, RunOptions& options) {
  command.add_option("--library", options.library, "Library under test; default: the one of this program")
      ->check(NoPipe())
      ->type_name("FILE");
  command.add_flag("--in-process", options.in_process, "Judge in this process, for debuggers: a crash ends the run");
  command
      .add_option("--timeout", options.timeout_seconds, "Seconds without a sign of life after which a case has failed")
      ->check(NumberFrom(kLeastSeconds, kMostSeconds))
      ->capture_default_str();
}

void AddReportOptions(CLI::App& command, RunOptions& options) {
  command.add_option("--report", options.report, "Write a report for people, one HTML file")->type_name("FILE");
  command.add_option("--json", options.json, "Write all results as JSON")->type_name("FILE");
  command.add_option("--junit", options.junit, "Write the verdicts as JUnit XML")->type_name("FILE");
  command.add_flag("-q,--quiet", options.quiet, "Print only what did not pass");
}

void AddAcceptCommand(CLI::App& app, RunOptions& options, int& exit_code) {
  const auto arguments = std::make_shared<AcceptArguments>();
  CLI::App* accept = app.add_subcommand(
      "accept", "Judge a library: accuracy, determinism, memory, bad input, speed. Exit code 0: everything passed");
  accept
      ->add_option("--suite", arguments->suite, "smoke: small, seconds; documents: the documents' own; large: minutes")
      ->check(CLI::IsMember(SuiteNames()))
      ->capture_default_str();
  accept->add_option("--op", arguments->operators, "Only these operators; * and ? match anything")
      ->type_name("NAME...");
  accept->add_option("--dtype", arguments->types, "Only these types: float, half, double, bfloat16, int32")
      ->type_name("TYPE...");
  accept
      ->add_option("--shape", arguments->shapes,
                   "Free shapes instead of a suite, as height=64,width=64; needs --op. "
                   "detops list --op NAME tells the keys")
      ->type_name("KEY=VALUE,...");
  accept->add_option("--filter", arguments->filter, "Only cases whose name matches; detops accept --list shows names")
      ->type_name("GLOB[:GLOB...]");
  accept->add_flag("--list", arguments->list, "Print the cases instead of running them");
  accept->add_option("--threads", options.threads, "Threads of the library; 0: its own choice")
      ->check(NumberFrom(0, kMostThreads))
      ->capture_default_str();
  accept
      ->add_option("--bad-input", arguments->bad_input,
                   "Which bad calls: all, documents (leave out what only detops promises) or none")
      ->check(CLI::IsMember({"all", "documents", "none"}))
      ->capture_default_str();
  accept->add_flag("--no-timing", arguments->no_timing, "Judge without measuring");
  AddLibraryOption(*accept, options);
  AddReportOptions(*accept, options);
  accept->callback([arguments, &options, &exit_code] { exit_code = Accept(*arguments, options); });
}

}  // namespace detops_cli
