// Tensors of torch as plain memory, on torch's stable ABI.
#ifndef DETOPS_PYTHON_SRC_TORCH_OPS_TENSOR_H_
#define DETOPS_PYTHON_SRC_TORCH_OPS_TENSOR_H_

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/call.h"
#include "common/view.h"

namespace detops_torch {

using detops_binding::Argument;
using detops_binding::Binding;
using detops_binding::View;
using torch::stable::Tensor;
using Sizes = std::vector<int64_t>;

// A word of an operator's arguments. Torch's own conversion to std::string loses memory in each call (as of 2.13).
struct Word {
  std::string text;

  // NOLINTNEXTLINE(google-explicit-constructor): stands for its text.
  operator std::string_view() const { return text; }
};

// An input, and what keeps its memory alive. Tensors with gaps are copied. A new one is an argument that was left out.
class Input {
 public:
  Input() = default;
  // Floating numbers. If `like` is given, it must have the same type.
  static Input Numbers(const Tensor& tensor, const Argument& argument, const View* like = nullptr);
  // int32; int64 is converted.
  static Input Indices(const Tensor& tensor, const Argument& argument);
  static Input IndicesIf(bool needed, const std::optional<Tensor>& tensor, const Argument& argument);

  const View& view() const { return view_; }

 private:
  View view_;
  std::optional<Tensor> tensor_;
  std::unique_ptr<int32_t[]> narrowed_;
};

// The numbers of a tensor of int32 or int64 with one axis.
std::vector<int64_t> Counts(const Tensor& tensor, const Argument& argument);

// As many int as `count`, or one for all.
std::vector<int> Ints(const Sizes& numbers, size_t count, const Argument& argument);

template <size_t kCount>
std::array<int, kCount> IntArray(const Sizes& numbers, const Argument& argument) {
  const std::vector<int> ints = Ints(numbers, kCount, argument);
  std::array<int, kCount> array;
  for (size_t i = 0; i < kCount; ++i) array[i] = ints[i];
  return array;
}

int Int(int64_t number, const Argument& argument);

// One call through torch's dispatcher. Results are new tensors.
class TorchCall : public Binding {
 public:
  View Output(int result, mluOpDataType_t type, std::span<const int64_t> shape) override;
  View Room(int result, mluOpDataType_t type, std::span<const int64_t> shape) override {
    return Output(result, type, shape);
  }
  bool IsGiven(int /*result*/) const override { return false; }

  // A result that was not made is a tensor without elements: operators have no results that may be missing.
  Tensor Result(int result);

 protected:
  void RunErased(ErasedWork work, const void* erased) override;

 private:
  static constexpr size_t kMaxResults = 5;
  std::array<std::optional<Tensor>, kMaxResults> results_;
};

}  // namespace detops_torch

template <>
struct torch::stable::detail::ToImpl<detops_torch::Word> {
  static detops_torch::Word call(StableIValue value, uint64_t /*extension_build_version*/, bool /*is_internal*/) {
    const auto handle = torch::stable::detail::to<StringHandle>(value);
    size_t length = 0;
    const char* text = nullptr;
    STABLE_TORCH_ERROR_CODE_CHECK(torch_string_length(handle, &length));
    STABLE_TORCH_ERROR_CODE_CHECK(torch_string_c_str(handle, &text));
    detops_torch::Word word = {std::string(text, length)};
    STABLE_TORCH_ERROR_CODE_CHECK(torch_delete_string(handle));
    return word;
  }
};

#endif  // DETOPS_PYTHON_SRC_TORCH_OPS_TENSOR_H_
