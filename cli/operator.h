// What the program knows of one operator: how to make a case of a given shape, how to call it in a library, what the
// result must be, and what calls a library must refuse.
#ifndef DETOPS_CLI_OPERATOR_H_
#define DETOPS_CLI_OPERATOR_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/machine.h"
#include "case.h"
#include "library.h"

namespace detops_cli {

// A free shape from the command line, as "height=64,width=64"; numbers and lists as "filter=3x3x3", words as
// "boxes=near".
class Shape {
 public:
  Shape() = default;
  // Throws UsageError with the key if the text has another form.
  explicit Shape(std::string_view text);

  void Set(const std::string& key, const std::string& value) { values_[key] = value; }
  bool Has(const std::string& key) const { return values_.count(key) != 0; }
  const std::map<std::string, std::string>& values() const { return values_; }

  // Throw UsageError if the value is not of the kind.
  int64_t Int(const std::string& key, int64_t least = 0) const;
  double Real(const std::string& key) const;  // finite
  std::vector<int> Ints(const std::string& key, size_t count) const;
  const std::string& Word(const std::string& key) const { return values_.at(key); }
  // Which of the words it is.
  size_t Choice(const std::string& key, std::initializer_list<const char*> words) const;

  std::string text() const;

 private:
  std::map<std::string, std::string> values_;
};

struct ShapeKey {
  std::string name, fallback, help;
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

// What a refusal rests on: the operator's documented checks, or the promises that detops adds (values, overlap,
// workspace size).
enum class Basis { kDocument, kPromise };

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
  virtual std::string_view document() const = 0;  // "000" ... "004"
  virtual std::vector<mluOpDataType_t> contract_types() const = 0;
  virtual std::vector<mluOpDataType_t> full_types() const = 0;
  virtual std::string layouts() const = 0;        // for `detops list`
  virtual std::string profile_notes() const = 0;  // what the full profile adds
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

// All ten, in the order of the documents.
std::span<const Operator* const> AllOperators();

// nullptr if there is none of that name. Takes the aliases of case files too.
const Operator* FindOperator(std::string_view name);

}  // namespace detops_cli

#endif  // DETOPS_CLI_OPERATOR_H_
