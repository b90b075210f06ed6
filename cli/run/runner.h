// Runs a list of cases on the library under test, each judged in a child process, so that a library that crashes or
// hangs fails a case and not the run; shows progress; writes the reports.
#ifndef DETOPS_CLI_RUN_RUNNER_H_
#define DETOPS_CLI_RUN_RUNNER_H_

#include <functional>
#include <string>
#include <vector>

#include "cases/case.h"
#include "run/result.h"

namespace detops_cli {

// A case that has not been made yet: data is made where it is needed.
struct Recipe {
  CaseResult about;            // the descriptive fields: id, op, shape, type, layout, profile, suite, source, reproduce
  std::function<Case()> make;  // may throw FileError or UsageError: the verdict is then "error"
  int threads = 0;             // > 0: with so many
};

enum class Table { kAccept, kBench };

struct RunOptions {
  std::string library;   // "": our own
  int threads = 0;       // 0: the library's choice
  bool accuracy = true;  // compare with the baseline
  bool repeat = true;    // second run and other numbers of threads: same bits
  bool bad_input = true;
  bool documented_bad_input_only = false;  // leave out what only detops promises
  bool timing = true;
  int perf_repeat = 0;           // > 0: exactly so many timed calls
  double timing_seconds = 0.3;   // otherwise: about so long
  double timeout_seconds = 600;  // without a sign of life
  bool in_process = false;       // no child process, for debuggers
  bool quiet = false;
  Table table = Table::kAccept;
  std::string report, json, junit;  // files to write; "": none
  std::string command, suite;       // for the reports
};

// The exit code: kExitPass, kExitFail (a case did not pass) or kExitUsage (a broken case file, and nothing failed).
// `results`, if not nullptr, gets what the reports get. Throws UsageError if the library cannot be loaded, FileError if
// a report cannot be written.
int RunCases(const std::vector<Recipe>& recipes, const RunOptions& options, RunResultFile* results = nullptr);

}  // namespace detops_cli

#endif  // DETOPS_CLI_RUN_RUNNER_H_
