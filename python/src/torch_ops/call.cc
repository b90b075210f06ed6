#include "torch_ops/call.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "torch_ops/threads.h"

namespace detops_torch {
namespace {

using torch::stable::detail::to;

// Torch's own conversion to std::string loses memory in each call (as of 2.13).
std::string TakeWord(StableIValue value) {
  const auto handle = to<StringHandle>(value);
  size_t length = 0;
  const char* text = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(torch_string_length(handle, &length));
  STABLE_TORCH_ERROR_CODE_CHECK(torch_string_c_str(handle, &text));
  std::string word(text, length);
  STABLE_TORCH_ERROR_CODE_CHECK(torch_delete_string(handle));
  return word;
}

int IntOf(int64_t number, const Argument& argument) {
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
    argument.Refuse("has " + std::to_string(number) + ", expected numbers that fit int32.");
  }
  return static_cast<int>(number);
}

}  // namespace

TorchCall::TorchCall(const Schema& schema, const StableIValue* stack, detopsRulebook_t rulebook)
    : Call(schema), rulebook_(rulebook) {
  for (const Parameter& parameter : schema.torch_parameters()) {
    const StableIValue value = stack[parameter.place];
    if (!parameter.optional) {
      values_[parameter.place] = Take(parameter.kind, value);
      continue;
    }
    // The value itself is behind a pointer, and whoever takes it deletes that.
    const std::unique_ptr<StableIValue> held(to<StableIValue*>(value));
    if (held != nullptr) values_[parameter.place] = Take(parameter.kind, *held);
  }
}

TorchCall::Value TorchCall::Take(detops_binding::Kind kind, StableIValue value) {
  using detops_binding::Kind;
  switch (kind) {
    case Kind::kTensor:
      return Tensor(to<AtenTensorHandle>(value));
    case Kind::kInt:
      return to<int64_t>(value);
    case Kind::kFloat:
      return to<double>(value);
    case Kind::kBool:
      return to<bool>(value);
    case Kind::kWord:
      return TakeWord(value);
    case Kind::kInts:
      return to<std::vector<int64_t>>(value);
    case Kind::kFloats:
      return to<std::vector<double>>(value);
  }
  return {};
}

View TorchCall::Numbers(const Parameter& parameter, const View* like) {
  inputs_[parameter.place] = Input::Numbers(Get<Tensor>(parameter), At(parameter), like);
  return inputs_[parameter.place].view();
}

View TorchCall::Indices(const Parameter& parameter) {
  inputs_[parameter.place] = Input::Indices(Get<Tensor>(parameter), At(parameter));
  return inputs_[parameter.place].view();
}

View TorchCall::ShapeOnly(const Parameter& parameter) { return ShapeOf(Get<Tensor>(parameter), At(parameter)); }

View TorchCall::Integers(const Parameter& parameter) {
  inputs_[parameter.place] = Input::Integers(Get<Tensor>(parameter), At(parameter));
  return inputs_[parameter.place].view();
}

int TorchCall::Int32(const Parameter& parameter) { return IntOf(Get<int64_t>(parameter), At(parameter)); }

void TorchCall::PutInts(const Parameter& parameter, std::span<int> ints) {
  const auto& numbers = Get<std::vector<int64_t>>(parameter);
  if (numbers.size() != 1 && numbers.size() != ints.size()) {
    At(parameter).Refuse("has " + std::to_string(numbers.size()) + " numbers, expected one or " +
                         std::to_string(ints.size()) + ".");
  }
  for (size_t i = 0; i < ints.size(); ++i) ints[i] = IntOf(numbers[numbers.size() == 1 ? 0 : i], At(parameter));
}

std::vector<int> TorchCall::Ints(const Parameter& parameter) {
  std::vector<int> ints(Get<std::vector<int64_t>>(parameter).size());
  PutInts(parameter, ints);
  return ints;
}

std::vector<int64_t> TorchCall::Counts(const Parameter& parameter) {
  const View view = Indices(parameter);
  if (view.rank != 1) At(parameter).Refuse("has rank " + std::to_string(view.rank) + ", expected 1.");
  const auto* values = static_cast<const int32_t*>(view.data);
  return {values, values + view.elements()};
}

View TorchCall::Output(int result, mluOpDataType_t type, std::span<const int64_t> shape) {
  for (const int64_t extent : shape) {
    if (extent < 0) throw std::invalid_argument("detops: a result would have an axis of " + std::to_string(extent));
  }
  View view = {.given = true, .rank = static_cast<int>(shape.size()), .type = type};
  std::copy(shape.begin(), shape.end(), view.extents.begin());
  Tensor& made = results_[result];
  try {
    made = NewTensor(shape, type);
  } catch (const std::exception&) {
    throw detops_binding::OutOfMemory(std::string(function()) + ": there is no memory for a result of shape " +
                                      detops_binding::TextOf(shape) + ".");
  }
  view.data = AddressOf(made);
  return view;
}

void TorchCall::KeepRows(int result, int64_t rows) {
  Tensor& made = results_[result];
  if (made.is_made()) made = FirstRows(std::move(made), rows);
}

StableIValue TorchCall::Release(int result) {
  constexpr std::array<int64_t, 1> kNothing = {0};
  Tensor& made = results_[static_cast<size_t>(result)];
  if (!made.is_made()) made = NewTensor(kNothing, MLUOP_DTYPE_INT32);
  return torch::stable::detail::from(made.Release());
}

void TorchCall::PutResults(StableIValue* stack) {
  constexpr std::array<int64_t, 1> kNothing = {0};
  for (size_t i = 0; i < schema().results(); ++i) {
    if (!results_[i].is_made()) results_[i] = NewTensor(kNothing, MLUOP_DTYPE_INT32);
  }
  for (size_t i = 0; i < schema().results(); ++i) {
    stack[i] = torch::stable::detail::from(results_[i].Release());
  }
}

void TorchCall::RunErased(ErasedWork work, const void* erased) {
  const mluOpHandle_t handle = detops_binding::Handle(WorkersOfThisThread());
  detops_binding::Check(work(erased, handle), handle, function());
}

}  // namespace detops_torch
