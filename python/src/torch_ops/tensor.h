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
using Sizes = std::vector<int64_t>;

// The one owner of a tensor. (Torch's own class shares it, and every copy costs.)
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(AtenTensorHandle owned) : handle_(owned) {}

  bool is_made() const { return handle_ != nullptr; }
  AtenTensorHandle get() const { return handle_.get(); }
  AtenTensorHandle Release() { return handle_.release(); }

 private:
  struct Delete {
    void operator()(AtenTensorHandle handle) const { aoti_torch_delete_tensor_object(handle); }
  };
  std::unique_ptr<AtenTensorOpaque, Delete> handle_;
};

// A word of an operator's arguments. Torch's own conversion to std::string loses memory in each call (as of 2.13).
struct Word {
  std::string text;

  // NOLINTNEXTLINE(google-explicit-constructor): stands for its text.
  operator std::string_view() const { return text; }
};

// An input, for as long as its tensor lives. Tensors with gaps are copied. A new one is an argument that was left out.
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
  explicit Input(const Tensor& tensor, const Argument& argument);

  View view_;
  Tensor copy_;
  std::unique_ptr<int32_t[]> narrowed_;
};

// The numbers of a tensor of int32 or int64 with one axis.
std::vector<int64_t> Counts(const Tensor& tensor, const Argument& argument);

// As many int as there is room for, or one for all.
void PutInts(const Sizes& numbers, std::span<int> ints, const Argument& argument);

template <size_t kCount>
std::array<int, kCount> IntArray(const Sizes& numbers, const Argument& argument) {
  std::array<int, kCount> ints;
  PutInts(numbers, ints, argument);
  return ints;
}

int Int(int64_t number, const Argument& argument);

// One call through torch's dispatcher. Results are new tensors.
class TorchCall : public Binding {
 public:
  using Binding::Binding;

  View Output(int result, mluOpDataType_t type, std::span<const int64_t> shape) override;
  View Room(int result, mluOpDataType_t type, std::span<const int64_t> shape) override {
    return Output(result, type, shape);
  }
  bool IsGiven(int /*result*/) const override { return false; }

  // Hands out a result, once. One that was not made is a tensor without elements: operators have no results that may
  // be missing.
  Tensor Result(int result);
  // The same, of which the first axis keeps so many rows.
  Tensor FirstRows(int result, int64_t rows);

 protected:
  void RunErased(ErasedWork work, const void* erased) override;

 private:
  static constexpr size_t kMaxResults = 5;
  std::array<Tensor, kMaxResults> results_;
};

}  // namespace detops_torch

#endif  // DETOPS_PYTHON_SRC_TORCH_OPS_TENSOR_H_
