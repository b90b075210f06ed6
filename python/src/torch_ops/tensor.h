// Tensors of torch as plain memory, on torch's stable ABI.
#ifndef DETOPS_PYTHON_SRC_TORCH_OPS_TENSOR_H_
#define DETOPS_PYTHON_SRC_TORCH_OPS_TENSOR_H_

#include <torch/csrc/stable/tensor.h>

#include <cstdint>
#include <memory>
#include <span>

#include "common/view.h"

namespace detops_torch {

using detops_binding::Argument;
using detops_binding::View;

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

// An input, for as long as its tensor lives. Tensors with gaps are copied. A new one is an argument that was left out.
class Input {
 public:
  Input() = default;
  // Floating numbers. If `like` is given, it must have the same type.
  static Input Numbers(const Tensor& tensor, const Argument& argument, const View* like = nullptr);
  // int32; int64 is converted.
  static Input Indices(const Tensor& tensor, const Argument& argument);
  // int32 or int64, as it is.
  static Input Integers(const Tensor& tensor, const Argument& argument);

  const View& view() const { return view_; }

 private:
  explicit Input(const Tensor& tensor, const Argument& argument);

  View view_;
  Tensor copy_;
  std::unique_ptr<int32_t[]> narrowed_;
};

// A new tensor, without gaps.
Tensor NewTensor(std::span<const int64_t> shape, mluOpDataType_t type);

void* AddressOf(const Tensor& tensor);

// The shape alone, of a tensor whose numbers nobody reads.
View ShapeOf(const Tensor& tensor, const Argument& argument);

// The same tensor with fewer rows.
Tensor FirstRows(Tensor tensor, int64_t rows);

}  // namespace detops_torch

#endif  // DETOPS_PYTHON_SRC_TORCH_OPS_TENSOR_H_
