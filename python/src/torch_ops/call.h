// One call through torch's dispatcher.
#ifndef DETOPS_PYTHON_SRC_TORCH_OPS_CALL_H_
#define DETOPS_PYTHON_SRC_TORCH_OPS_CALL_H_

#include <torch/csrc/stable/library.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/call.h"
#include "torch_ops/tensor.h"

namespace detops_torch {

using detops_binding::Parameter;
using detops_binding::Schema;

// Results are new tensors.
class TorchCall : public detops_binding::Call {
 public:
  // `stack` holds the arguments in 64 bits each; what they own there, the call owns from now on. (TORCH_BOX does the
  // same; it shares each tensor between several owners on the way, which for small problems is a good part of a call's
  // time.)
  TorchCall(const Schema& schema, const StableIValue* stack, detopsRulebook_t rulebook = nullptr);

  View Numbers(const Parameter& parameter, const View* like) override;
  View Indices(const Parameter& parameter) override;
  View ShapeOnly(const Parameter& parameter) override;
  View Integers(const Parameter& parameter) override;
  // Torch has no arguments that only NumPy has.
  bool IsNone(const Parameter& parameter) const override {
    return std::holds_alternative<std::monostate>(values_[parameter.place]);
  }
  bool IsUsual(const Parameter& parameter) const override { return IsNone(parameter); }
  int Int32(const Parameter& parameter) override;
  int64_t Int64(const Parameter& parameter) override { return Get<int64_t>(parameter); }
  double Real(const Parameter& parameter) override { return Get<double>(parameter); }
  bool Flag(const Parameter& parameter) override { return Get<bool>(parameter); }
  std::string_view Word(const Parameter& parameter) override { return Get<std::string>(parameter); }
  void PutInts(const Parameter& parameter, std::span<int> ints) override;
  std::vector<int> Ints(const Parameter& parameter) override;
  std::vector<int64_t> Shape(const Parameter& parameter) override { return Get<std::vector<int64_t>>(parameter); }
  std::vector<double> Reals(const Parameter& parameter) override { return Get<std::vector<double>>(parameter); }
  std::vector<int64_t> Counts(const Parameter& parameter) override;

  View Output(int result, mluOpDataType_t type, std::span<const int64_t> shape) override;
  View OutputAtLeast(int result, mluOpDataType_t type, std::initializer_list<int64_t> shape) override {
    return Output(result, type, {shape.begin(), shape.size()});
  }
  bool IsGiven(int /*result*/) const override { return false; }
  std::optional<int64_t> RowsOfOut() const override { return std::nullopt; }
  void KeepRows(int result, int64_t rows) override;
  detopsRulebook_t rulebook() const override { return rulebook_; }

  // Hands one result over, or, if it was not made, a tensor without elements.
  StableIValue Release(int result);

  // Hands the results over. One that was not made is a tensor without elements: operators have no results that may be
  // missing.
  void PutResults(StableIValue* stack);

 protected:
  void RunErased(ErasedWork work, const void* erased) override;

 private:
  using Value = std::variant<std::monostate, Tensor, int64_t, double, bool, std::string, std::vector<int64_t>,
                             std::vector<double>>;
  static Value Take(detops_binding::Kind kind, StableIValue value);
  template <typename Type>
  const Type& Get(const Parameter& parameter) const {
    return std::get<Type>(values_[parameter.place]);
  }

  std::array<Value, Schema::kMaxParameters> values_;
  std::array<Input, Schema::kMaxParameters> inputs_;
  std::array<Tensor, kMaxResults> results_;
  detopsRulebook_t rulebook_;
};

}  // namespace detops_torch

#endif  // DETOPS_PYTHON_SRC_TORCH_OPS_CALL_H_
