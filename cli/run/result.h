// What is known of a case after it has run. This is also the JSON that --json writes and that reports read: the names
// of the fields are the keys.
#ifndef DETOPS_CLI_RUN_RESULT_H_
#define DETOPS_CLI_RUN_RESULT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace detops_cli {

// One criterion on one output. Errors that are not numbers are DBL_MAX; -1 means "not applicable" (diff4 of fewer than
// 100 points).
struct CriterionResult {
  std::string formula;  // "diff1" ...
  double error = 0;
  double threshold = 0;
  bool pass = false;
};

struct OutputResult {
  std::string name, type;
  int64_t elements = 0;
  std::vector<CriterionResult> criteria{};
};

// verdict: "pass", "fail", or "none" when the library lacks what the check needs.
struct CheckResult {
  std::string name;  // "call", "accuracy", "repeat", "threads", "alignment", "guards", "inputs", "bad input"
  std::string verdict;
  std::string detail;  // what was found, for failures and for "none"
};

struct ScalingPoint {
  int threads = 0;
  double microseconds = 0;
};

struct TimingResult {
  int threads = 0;
  int64_t calls = 0;
  double best_us = 0, median_us = 0, mean_us = 0;
  double p99_us = 0, p999_us = 0;  // 99 and 99.9 % of the calls take no longer; 0 of fewer than 100 and 1,000 calls
  double spread = 0;               // (third quartile - first quartile) / median
  double bound_us = 0, ratio = 0;
  double theory_ops = 0, theory_io_bytes = 0;
  double compute_efficiency = 0, io_efficiency = 0;  // shares, 0.6 = 60 %
  std::string bottleneck;                            // "io" or "compute"
  double gflops = 0, gbytes = 0;                     // reached: arithmetic and compulsory bytes per second, in 1e9
  double intensity = 0;                              // compulsory flops per compulsory byte
  double peak_gflops = 0, bandwidth_gbytes = 0;      // of the machine, measured with the case
  std::string target, algorithm;                     // SIMD target in use; what the library says it chose
  int64_t workspace_bytes = 0;
  std::vector<ScalingPoint> scaling{};
};

// verdict: "pass", "fail", "missing" (the library lacks the operator), "crashed", "timeout", "error" (a broken case
// file).
struct CaseResult {
  std::string id;  // unique in a run
  std::string op, shape, type, layout, profile;
  std::string suite, source;  // source: as "document 003, section 3.7, case1", or the case file
  std::string verdict;
  std::string detail;     // the first reason of a verdict that is not "pass"
  std::string reproduce;  // a command line
  double seconds = 0;     // spent on the case
  std::vector<OutputResult> outputs{};
  std::vector<CheckResult> checks{};
  bool timed = false;
  TimingResult timing{};
};

struct MachineResult {
  std::string cpu, system, compiler;
  int cores = 0;
  int64_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0, memory_bytes = 0;
  double bandwidth_gbytes = 0, peak_gflops = 0, peak_gflops_double = 0;
};

struct LibraryResult {
  std::string path;                    // as given or found
  std::string name;                    // file name
  std::string version;                 // detopsGetVersion, or "" if it has none
  std::string contract;                // mluOpGetLibVersion, "1.11.1"
  std::string target, targets;         // SIMD target in use, possible ones
  std::vector<std::string> missing{};  // functions of the API that it lacks
};

struct RunResultFile {
  std::string format = "detops-results-1";
  std::string command, suite, started;  // started: ISO 8601, UTC
  double seconds = 0;
  int threads = 0;
  bool complete = true;  // false after Ctrl-C
  MachineResult machine{};
  LibraryResult library{};
  std::vector<CaseResult> cases{};
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CriterionResult, formula, error, threshold, pass)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(OutputResult, name, type, elements, criteria)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CheckResult, name, verdict, detail)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ScalingPoint, threads, microseconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TimingResult, threads, calls, best_us, median_us, mean_us, p99_us,
                                                p999_us, spread, bound_us, ratio, theory_ops, theory_io_bytes,
                                                compute_efficiency, io_efficiency, bottleneck, gflops, gbytes,
                                                intensity, peak_gflops, bandwidth_gbytes, target, algorithm,
                                                workspace_bytes, scaling)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CaseResult, id, op, shape, type, layout, profile, suite, source,
                                                verdict, detail, reproduce, seconds, outputs, checks, timed, timing)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MachineResult, cpu, system, compiler, cores, l1_bytes, l2_bytes,
                                                l3_bytes, memory_bytes, bandwidth_gbytes, peak_gflops,
                                                peak_gflops_double)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LibraryResult, path, name, version, contract, target, targets, missing)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunResultFile, format, command, suite, started, seconds, threads,
                                                complete, machine, library, cases)

}  // namespace detops_cli

#endif  // DETOPS_CLI_RUN_RESULT_H_
