// One call of one operator as data: what goes in, what comes out, and how close it must be. Suites, case files and the
// command line all make cases; everything after that knows only this.
#ifndef DETOPS_CLI_CASES_CASE_H_
#define DETOPS_CLI_CASES_CASE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "detops.h"
#include "harness/call.h"

namespace detops_cli {

class Operator;

// A tensor in the program's own memory.
struct HostTensor {
  std::string name;  // the C parameter's
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  mluOpDataType_t type = MLUOP_DTYPE_FLOAT;
  std::vector<int64_t> extents;
  std::vector<int64_t> strides{};   // in elements; empty: dense
  detops_harness::Contents data{};  // raw elements; of outputs the expected values of a case file, mostly empty

  // Of the extents; negative extents count as 0.
  int64_t elements() const;
  // Elements from the first to the last address; equals elements() when dense.
  int64_t span() const;
  size_t element_bytes() const;
  // What the tensor occupies.
  size_t bytes() const;

  // Elements as double, by position in memory. `data` must hold them.
  double Get(int64_t position) const;
  void Set(int64_t position, double value);
  std::vector<double> Values() const;
};

// The arguments that are no tensors, by the names of the C parameters.
struct Params {
  detops_harness::Named<int64_t> integers{};
  detops_harness::Named<double> numbers{};
  detops_harness::Named<std::vector<int64_t>> lists{};
  std::vector<std::string> results{};  // numbers that the call writes
};

enum class Formula { kDiff1, kDiff2, kDiff3, kDiff3_2, kDiff4, kDiffKl };

// A formula of the accuracy standard and the largest error it allows. For kDiff4 the threshold only says whether it is
// looked at (>= 0).
struct Criterion {
  Formula formula;
  double threshold;
};

// What the reference says: one list of values per output, in double. Integers are exact.
struct Baseline {
  std::vector<std::vector<double>> outputs;
  detops_harness::Named<int64_t> results{};
};

struct Case {
  const Operator* op = nullptr;
  bool full_profile = false;  // all that the library can do, or what the contract says
  Params params;
  std::vector<HostTensor> inputs;                // in the order of the case files
  std::vector<HostTensor> outputs;               // likewise; those that the call leaves out are not here
  std::vector<std::vector<Criterion>> criteria;  // one list per output; an empty list: not compared
  std::optional<Baseline> baseline{};            // of a case file; otherwise the reference computes it
  std::optional<double> theory_io_bytes{};       // of a case file; otherwise the operator knows
  std::optional<double> theory_operations{};     // likewise
};

// What tables say of a case.
struct CaseDescription {
  std::string op, type, shape, layout;
};
CaseDescription Describe(const Case& the_case);

// The promise of the library for an output of `type`: diff1, diff2 and diff4 within the bars of docs/numerics.md,
// integers exact.
std::vector<Criterion> PromisedCriteria(const Operator& op, mluOpDataType_t type);

}  // namespace detops_cli

#endif  // DETOPS_CLI_CASES_CASE_H_
