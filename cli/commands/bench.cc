#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>

#include "case_file/find_cases.h"
#include "cases/suites.h"
#include "commands/commands.h"
#include "commands/option_checks.h"
#include "run/message.h"
#include "text/errors.h"
#include "text/input_file.h"
#include "text/terminal_text.h"

namespace detops_cli {
namespace {

struct BenchArguments {
  std::vector<std::string> operators, types, shapes;
  std::string suite = "documents", filter = "*", baseline;
  std::vector<int> threads;
  double seconds = 0.5;
};

std::vector<Recipe> ChooseCases(const BenchArguments& arguments) {
  std::vector<Recipe> recipes;
  if (!arguments.shapes.empty() && arguments.operators.empty()) throw UsageError("--shape needs --op");
  for (const Operator* op : FindOperators(arguments.operators)) {
    for (const std::string& shape : arguments.shapes) {
      for (const mluOpDataType_t type : arguments.types.empty() ? op->contract_types() : AllTypes(*op)) {
        recipes.push_back(MakeFreeCase(*op, Shape(shape), type));
      }
    }
  }
  if (arguments.shapes.empty()) recipes = MakeSuite(arguments.suite);
  for (const std::string& name : arguments.types) ParseType(name);
  std::erase_if(recipes, [&](const Recipe& recipe) {
    const auto matches = [&](const std::string& glob) { return MatchesFilter(glob, recipe.about.op); };
    const auto& ops = arguments.operators;
    const auto& types = arguments.types;
    return (!ops.empty() && std::none_of(ops.begin(), ops.end(), matches)) ||
           (!types.empty() && std::find(types.begin(), types.end(), recipe.about.type) == types.end()) ||
           !MatchesFilter(arguments.filter, recipe.about.id);
  });
  if (recipes.empty()) throw UsageError("no case is left: --op, --dtype or --filter leave nothing");
  if (arguments.threads.empty()) return recipes;
  std::vector<Recipe> with_threads;
  for (const Recipe& recipe : recipes) {
    for (const int threads : arguments.threads) {
      with_threads.push_back(recipe);
      with_threads.back().threads = threads;
      with_threads.back().about.id += fmt::format("/{} threads", threads);
    }
  }
  return with_threads;
}

RunResultFile ReadResults(const std::string& path) {
  constexpr uint64_t kMost = 1 << 30;
  const std::string text = ReadInputFile(path, kMost, "results ever have");
  try {
    const RunResultFile results = ParseJson(text).get<RunResultFile>();
    if (results.format != RunResultFile{}.format) throw FileError(path + ": is not a file of detops results");
    return results;
  } catch (const std::length_error& error) {
    throw FileError(fmt::format("{}: {}", path, error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw FileError(fmt::format("{}: {}", path, error.what()));
  }
}

// Ratios to the bound of their own run are compared, as a shared machine is not the same an hour later. A difference
// counts if it is larger than what the times of both runs scatter, and than a floor that best times never go below.
constexpr double kFloor = 0.05;

struct Comparison {
  double change;  // new / old
  double noise;
  const char* verdict;
};

Comparison Compare(const TimingResult& before, const TimingResult& after) {
  const double noise = std::max({kFloor, before.spread, after.spread});
  const double change = after.ratio / before.ratio;
  const char* const verdict = change > 1 + noise ? "slower" : change < 1 / (1 + noise) ? "faster" : "same";
  return {change, noise, verdict};
}

// False if a case has become slower.
bool PrintComparison(const RunResultFile& before, const RunResultFile& after) {
  std::map<std::string, const CaseResult*> old;
  for (const CaseResult& result : before.cases) {
    if (result.timed && result.timing.ratio > 0) old[result.id] = &result;
  }
  fmt::print("\nagainst {} of {}\n", TerminalText(before.library.name), TerminalText(before.started));
  if (before.machine.cpu != after.machine.cpu) {
    fmt::print("another machine ({}): ratios to the bound say something, times nothing\n",
               TerminalText(before.machine.cpu));
  }
  fmt::print("{:<82}{:>11} {:>11} {:>8} {:>8} {:>7}  verdict\n", "case", "old us", "new us", "old x", "new x", "noise");
  bool good = true, any = false;
  for (const CaseResult& result : after.cases) {
    const auto found = old.find(result.id);
    if (!result.timed || found == old.end()) continue;
    any = true;
    const TimingResult &was = found->second->timing, &is = result.timing;
    const Comparison comparison = Compare(was, is);
    good = good && std::string_view(comparison.verdict) != "slower";
    fmt::print("{:<82}{:>11.1f} {:>11.1f} {:>8.2f} {:>8.2f} {:>6.0f}%  {}\n", TerminalText(result.id), was.best_us,
               is.best_us, was.ratio, is.ratio, 100 * comparison.noise, comparison.verdict);
  }
  if (!any) throw UsageError("--baseline: no case of this run is in it");
  return good;
}

int Bench(const BenchArguments& arguments, RunOptions& options) {
  const std::vector<Recipe> recipes = ChooseCases(arguments);
  options.suite = arguments.shapes.empty() ? arguments.suite : "free";
  options.accuracy = options.repeat = options.bad_input = false;
  options.timing_seconds = arguments.seconds;
  options.table = Table::kBench;
  RunResultFile before, after;
  if (!arguments.baseline.empty()) before = ReadResults(arguments.baseline);
  const int code = RunCases(recipes, options, &after);
  if (arguments.baseline.empty() || code != kExitPass) return code;
  return PrintComparison(before, after) ? kExitPass : kExitFail;
}

}  // namespace

void AddBenchCommand(CLI::App& app, RunOptions& options, int& exit_code) {
  const auto arguments = std::make_shared<BenchArguments>();
  CLI::App* bench = app.add_subcommand(
      "bench", "Measure: best, median and slowest times, spread, the machine's bound, GFLOP/s and GB/s");
  bench->add_option("--suite", arguments->suite, "smoke, documents or large")
      ->check(CLI::IsMember(SuiteNames()))
      ->capture_default_str();
  bench->add_option("--op", arguments->operators, "Only these operators")->type_name("NAME...");
  bench->add_option("--dtype", arguments->types, "Only these types: float, half, double, bfloat16, int32")
      ->type_name("TYPE...");
  bench
      ->add_option("--shape", arguments->shapes,
                   "Free shapes instead of a suite, as height=64,width=64; needs --op. "
                   "detops list --op NAME tells the keys")
      ->type_name("KEY=VALUE,...");
  bench->add_option("--filter", arguments->filter, "Only cases whose name matches")->type_name("GLOB[:GLOB...]");
  bench->add_option("--threads", arguments->threads, "Numbers of threads, as 1,2,4; default: the library's choice")
      ->delimiter(',')
      ->check(NumberFrom(1, kMostThreads));
  bench->add_option("--seconds", arguments->seconds, "For each case, about")
      ->check(NumberFrom(kLeastSeconds, kMostSeconds))
      ->capture_default_str();
  bench->add_option("--perf_repeat", options.perf_repeat, "Exactly so many timed calls instead")
      ->check(NumberFrom(1, kMostCalls));
  bench
      ->add_option("--baseline", arguments->baseline,
                   "Compare with results that --json has written; exit code 1 if a case has become slower")
      ->type_name("FILE");
  AddLibraryOption(*bench, options);
  AddReportOptions(*bench, options);
  bench->callback([arguments, &options, &exit_code] { exit_code = Bench(*arguments, options); });
}

}  // namespace detops_cli
