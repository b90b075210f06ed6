// Operators that the program does not take from the catalogue yet.
#ifndef DETOPS_CLI_OPERATORS_OLD_OPERATOR_H_
#define DETOPS_CLI_OPERATORS_OLD_OPERATOR_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/machine.h"
#include "case.h"
#include "harness/shape.h"
#include "operator.h"

namespace detops_cli::old {

using detops_harness::Shape;
using detops_harness::ShapeKey;
using UsageError = detops_harness::ShapeError;

// Scalar arguments.
struct GetIndicePairsParams {
  int dimnb = 5;  // spatial axes + 2
  int batch = 1;
  std::vector<int> pad{}, stride{}, dilation{}, input_space{}, filter_space{}, output_space{};  // one per spatial axis
  int sub_m = 0, transpose = 0, inverse = 0;
};
struct IndiceConvolutionParams {
  int64_t num_active_out = 0;  // forward only
  int64_t inverse = 0, sub_m = 0;
  std::vector<int64_t> indice_num{};  // one per filter offset
};
using Params = std::variant<GetIndicePairsParams, IndiceConvolutionParams>;

class Operator;

struct Baseline {
  std::vector<std::vector<double>> outputs;
  std::optional<int64_t> num_act_out{};
};

struct Case {
  const Operator* op = nullptr;
  bool full_profile = false;
  Params params;
  std::vector<HostTensor> inputs, outputs;
};

// As the classes name functions: library->mluOpCreate.
struct Library {
  const detops_harness::Functions& functions;
  const detops_harness::Functions* operator->() const { return &functions; }
};

struct TensorArgument {
  mluOpTensorDescriptor_t desc = nullptr;
  void* data = nullptr;
};

// The arguments of one call, ready for the library. A bad call is a good one with something spoilt.
struct Invocation {
  mluOpHandle_t handle = nullptr;
  Params params;
  std::vector<TensorArgument> inputs, outputs;  // in the order of the case
  const int64_t* indice_num = nullptr;          // host memory
  mluOpSparseConvolutionDescriptor_t sparse = nullptr;
  void* workspace = nullptr;
  size_t workspace_size = 0;
  int num_act_out = 0;  // answer of get_indice_pairs
};

struct BadCall {
  std::string what;  // as "bboxes: element 3 is NaN"
  Basis basis;
  std::vector<mluOpStatus_t> expected;     // any of them
  std::function<void(Invocation&)> spoil;  // arguments; may be empty
  int input = -1;                          // >= 0: this input gets `element` set to `value` for the call
  int64_t element = 0;
  double value = 0;
};

// The arithmetic and the bytes of the acceptance formulas, and what no implementation can avoid.
struct Theory {
  double operations = 0;
  double io_bytes = 0;
  detops_bench::Work work;  // for the bound
};

class Operator {
 public:
  virtual ~Operator() = default;

  virtual std::string_view name() const = 0;      // as in case files
  virtual std::string_view function() const = 0;  // the C function
  virtual std::vector<mluOpDataType_t> contract_types() const = 0;
  virtual std::vector<mluOpDataType_t> full_types() const = 0;
  virtual std::vector<ShapeKey> keys() const = 0;

  // The library has everything a call needs.
  virtual bool Available(const Library& library) const = 0;

  // Throws UsageError if a case of this shape cannot be made. `shape` has all keys.
  virtual void Validate(const Shape& shape) const = 0;
  // Inputs are the same for the same shape, type and seed on every machine. `shape` has all keys.
  virtual Case Make(const Shape& shape, mluOpDataType_t type, bool full_profile, uint64_t seed) const = 0;
  virtual std::string Summary(const Shape& shape) const = 0;  // short, for tables

  // Bytes for `invocation.workspace`. 0 where the operator has no such function.
  virtual mluOpStatus_t WorkspaceSize(const Library& library, const Invocation& invocation, size_t* bytes) const = 0;
  virtual mluOpStatus_t Call(const Library& library, Invocation& invocation) const = 0;

  virtual Baseline Reference(const Case& the_case) const = 0;
  virtual Theory TheoryOf(const Case& the_case) const = 0;

  // True if this output may be NULL or of any shape.
  virtual bool OptionalOutput(const Case&, size_t) const { return false; }

  // Beyond what can be spoilt in any operator (NULL, rank, type, overlap, workspace).
  virtual std::vector<BadCall> BadCalls(const Case& the_case) const = 0;
};

}  // namespace detops_cli::old

#endif  // DETOPS_CLI_OPERATORS_OLD_OPERATOR_H_
