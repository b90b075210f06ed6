// A public function as the catalogue knows it: its contract, how to make a call of it, how to carry one out, and what
// must come out. One description per function, for the program, the tests, the benchmarks and the fuzz targets.
#ifndef DETOPS_HARNESS_FUNCTION_H_
#define DETOPS_HARNESS_FUNCTION_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/arguments.h"
#include "harness/call.h"
#include "harness/contract.h"
#include "harness/library.h"
#include "harness/shape.h"
#include "support/tolerance.h"

namespace detops_harness {

// What the reference computes, in double.
struct Expected {
  // The outputs, by name; one that is left out is not compared. As many elements as Function::Written says.
  std::map<std::string, std::vector<double>> tensors{};
  std::map<std::string, int64_t> results{};
  // For each element of an output the sum of the magnitudes of its terms, which rounding errors are relative to; an
  // output that is not here is compared by itself.
  std::map<std::string, std::vector<double>> magnitudes{};
  // And how many terms that are: with it every element is held to what their roundings can make of the sum.
  std::map<std::string, std::vector<int64_t>> terms{};
  std::set<std::string> exact{};  // outputs that are copies: nothing is computed, so no tolerance
  // Where rounding leaves decisions open, so that more than these results are right: whether those of a call are. Asked
  // for numbers of any kind only; samples worth testing have one result.
  std::function<bool(const Call&)> may_be{};
};

// Elements [begin, end) of a tensor.
struct Part {
  int64_t begin, end;
};

// The number that a call has written to an output of one element; -1 if nobody may look there.
int64_t NumberIn(const Tensor& output);
// The indices that a call has written to the elements of an output, as many as `count` says.
std::vector<size_t> IndicesIn(const Tensor& count, const Tensor& output);
// Elements of an output whose number the call gives back: what `count` says after a call that ended well, else none.
int64_t WrittenByCount(const Tensor& count, const Tensor& output);

// What no implementation can avoid: every input read once, every output written once, and the arithmetic.
struct Work {
  double bytes = 0;
  double flops = 0;
  bool in_double = false;
};

// Of all tensors that are there.
double AllBytes(const Call& call);

// What the formulas of the documents count.
struct Theory {
  double operations = 0;
  double io_bytes = 0;
};

// A shape worth timing, as networks and documents have it.
struct BenchmarkCase {
  std::string name;  // after the room's: "forward/case1"
  std::string shape;
  std::string variant{};  // after the type: "anywhere"
  // Which types and threads: all types with two threads, the first also with one and without value checks; the first
  // and half with two, the first with one; or the first with two alone.
  enum Settings { kAll, kFew, kOne } settings = kAll;
  bool arithmetic = false;  // its bound is not memory: also shown next to as many multiply-adds in registers
};

// A shape worth testing. The first of a function is the good call of its contract.
struct Sample {
  std::string shape;   // "height=3,width=4": what is not named has its default
  bool large = false;  // enough work for 16 threads
};

class Function {
 public:
  explicit Function(Contract contract) : contract_(std::move(contract)) {}
  virtual ~Function() = default;
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  const std::string& name() const { return contract_.function(); }
  const Contract& contract() const { return contract_; }
  const std::string& room() const { return room_; }  // its folder in src/ops
  void set_room(std::string room) { room_ = std::move(room); }

  // The types of the first tensor with which a profile knows the function.
  virtual std::vector<mluOpDataType_t> contract_types() const { return {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}; }
  virtual std::vector<mluOpDataType_t> full_types() const {
    return {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_BFLOAT16};
  }
  // The good call's profile: contract, unless the function exists in the full one only.
  virtual detopsProfile_t profile() const { return DETOPS_PROFILE_CONTRACT; }

  // False: it only tells sizes or numbers, at once.
  virtual bool computes() const { return true; }

  virtual std::vector<ShapeKey> keys() const = 0;
  virtual std::vector<Sample> samples() const = 0;
  // A good call; the same for the same arguments on every machine. `shape` has all keys.
  virtual Call Make(const Shape& shape, mluOpDataType_t type, uint64_t seed) const = 0;
  // For a function whose tensors have another form in a profile.
  virtual Call MakeIn(detopsProfile_t profile, const Shape& shape, mluOpDataType_t type, uint64_t seed) const;
  // Objects that the function takes and tests do not spoil, made before the call: Arguments::object.
  virtual std::shared_ptr<void> MakeObjects(const Functions&, const Arguments&) const { return nullptr; }
  // Carries the call out. It allocates nothing itself.
  virtual mluOpStatus_t Invoke(const Functions& library, mluOpHandle_t handle, Arguments& arguments) const = 0;
  // Of a call that is to be carried out, or that ends well without work.
  virtual Expected Reference(const Call& call) const = 0;
  // How many elements of an output, from its begin, a call writes that was carried out; the rest stays as it was.
  virtual int64_t Written(const Call&, const Tensor& output) const { return output.elements(); }

  // The same for an output of which a call leaves out some elements in between: those that it writes, ascending.
  virtual std::vector<Part> WrittenParts(const Call& call, const Tensor& output) const {
    return {{0, Written(call, output)}};
  }

  // For benchmarks and the program: shapes, and the least work of a call. By default all bytes and no arithmetic.
  virtual std::vector<BenchmarkCase> benchmarks() const { return {}; }
  virtual Work WorkOf(const Call& call) const;

  // ---- for the program, of functions that the documents know ----

  // Throws ShapeError as Make would, but at once. `shape` has all keys.
  virtual void Validate(const Shape& /*shape*/) const {}
  // The keys with the program's values for what is left out.
  std::vector<ShapeKey> UsersKeys() const;
  // The shape in a few words, for tables.
  virtual std::string Summary(const Shape& shape) const { return shape.text(); }
  // By default the arithmetic of WorkOf, and every tensor once.
  virtual Theory TheoryOf(const Call& call) const;
  // Functions that a call cannot do without, next to this one.
  virtual std::vector<std::string> Needs() const { return {}; }
  virtual bool IsIn(const Functions& library) const;
  // Asks the library how many bytes the workspace of a call must have.
  virtual mluOpStatus_t WorkspaceBytes(const Functions& /*library*/, mluOpHandle_t /*handle*/,
                                       const Arguments& /*arguments*/, size_t* bytes) const {
    *bytes = 0;
    return MLUOP_STATUS_SUCCESS;
  }

  // Throws ShapeError with the contract's own sentence if one of these arguments breaks its rule: shapes have none.
  void Obey(const Call& call, std::initializer_list<const char*> arguments) const;

  // The call of a sample, with the defaults of the keys filled in.
  Call MakeSample(const std::string& shape, mluOpDataType_t type, detopsProfile_t profile, uint64_t seed) const;
  Call Good() const;

  // How far its results may be from the reference: the promise of docs/numerics.md.
  virtual detops_test::Tolerance tolerance(mluOpDataType_t type) const { return detops_test::ToleranceFor(type); }

 private:
  Contract contract_;
  std::string room_;
};

}  // namespace detops_harness

#endif  // DETOPS_HARNESS_FUNCTION_H_
