#include "torch_ops/tensor.h"

#include <torch/csrc/stable/ops.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <string>

namespace detops_torch {
namespace {

// Torch's numbers for types are asked for each time: they are those of the torch that runs, not of the one we know.
mluOpDataType_t TypeOf(int32_t type) {
  if (type == aoti_torch_dtype_float32()) return MLUOP_DTYPE_FLOAT;
  if (type == aoti_torch_dtype_int32()) return MLUOP_DTYPE_INT32;
  if (type == aoti_torch_dtype_float16()) return MLUOP_DTYPE_HALF;
  if (type == aoti_torch_dtype_bfloat16()) return MLUOP_DTYPE_BFLOAT16;
  if (type == aoti_torch_dtype_float64()) return MLUOP_DTYPE_DOUBLE;
  if (type == aoti_torch_dtype_int64()) return MLUOP_DTYPE_INT64;
  return MLUOP_DTYPE_INVALID;
}

int32_t TorchTypeOf(mluOpDataType_t type) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
      return aoti_torch_dtype_float16();
    case MLUOP_DTYPE_FLOAT:
      return aoti_torch_dtype_float32();
    case MLUOP_DTYPE_DOUBLE:
      return aoti_torch_dtype_float64();
    case MLUOP_DTYPE_BFLOAT16:
      return aoti_torch_dtype_bfloat16();
    case MLUOP_DTYPE_INT64:
      return aoti_torch_dtype_int64();
    default:
      return aoti_torch_dtype_int32();
  }
}

int32_t TorchTypeOf(const Tensor& tensor) {
  int32_t type = 0;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_dtype(tensor.get(), &type));
  return type;
}

std::string NameOf(const Tensor& tensor) {
  const int32_t type = TorchTypeOf(tensor);
  const mluOpDataType_t known = TypeOf(type);
  if (known != MLUOP_DTYPE_INVALID) return detops_binding::NameOfType(known);
  using torch::headeronly::ScalarType;
  return torch::headeronly::toString(torch::stable::detail::to<ScalarType>(torch::stable::detail::from(type)));
}

Tensor CopyWithoutGaps(const Tensor& tensor, const View& view, const Argument& argument) {
  AtenTensorHandle same = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_new_tensor_handle(tensor.get(), &same));
  const torch::stable::Tensor original(same);
  const torch::stable::Tensor copy = [&] {
    try {
      return torch::stable::contiguous(original);
    } catch (const std::exception&) {
      // Torch's own text is gone by then. What can go wrong is the allocation.
      argument.RefuseCopy(view.shape());
    }
  }();
  AtenTensorHandle made = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_new_tensor_handle(copy.get(), &made));
  return Tensor(made);
}

}  // namespace

Tensor NewTensor(std::span<const int64_t> shape, mluOpDataType_t type) {
  std::array<int64_t, detops_binding::kMaxRank> strides;
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= std::max<int64_t>(shape[axis], 1);
  }
  AtenTensorHandle made = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(static_cast<int64_t>(shape.size()), shape.data(),
                                                         strides.data(), TorchTypeOf(type),
                                                         aoti_torch_device_type_cpu(), 0, &made));
  return Tensor(made);
}

void* AddressOf(const Tensor& tensor) {
  void* data = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_data_ptr(tensor.get(), &data));
  return data;
}

View ShapeOf(const Tensor& tensor, const Argument& argument) {
  int64_t rank = 0;
  int64_t* sizes = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_dim(tensor.get(), &rank));
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_sizes(tensor.get(), &sizes));
  if (rank > detops_binding::kMaxRank) argument.Refuse("has rank " + std::to_string(rank) + ", expected 8 or less.");
  View view = {.given = true, .rank = static_cast<int>(rank), .type = MLUOP_DTYPE_INT32};
  std::copy_n(sizes, rank, view.extents.begin());
  return view;
}

Input::Input(const Tensor& tensor, const Argument& argument) {
  int32_t device = 0;
  int64_t rank = 0;
  bool has_no_gaps = false;
  int64_t* sizes = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_device_type(tensor.get(), &device));
  if (device != aoti_torch_device_type_cpu()) argument.Refuse("is not in the memory of the CPU.");
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_dim(tensor.get(), &rank));
  if (rank > detops_binding::kMaxRank) {
    argument.Refuse("has rank " + std::to_string(rank) + ", expected 8 or less.");
  }
  if (rank == 0) {
    argument.Refuse("has rank 0, expected a tensor with axes.");
  }
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_is_contiguous(tensor.get(), &has_no_gaps));
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_sizes(tensor.get(), &sizes));
  view_ = {.given = true, .rank = static_cast<int>(rank), .type = TypeOf(TorchTypeOf(tensor))};
  std::copy(sizes, sizes + rank, view_.extents.begin());
  if (!has_no_gaps) copy_ = CopyWithoutGaps(tensor, view_, argument);
  view_.data = AddressOf(has_no_gaps ? tensor : copy_);
}

Input Input::Numbers(const Tensor& tensor, const Argument& argument, const View* like) {
  const mluOpDataType_t type = TypeOf(TorchTypeOf(tensor));
  const bool fits = detops_binding::IsFloating(type) && (like == nullptr || type == like->type);
  if (!fits) detops_binding::RequireFloating(type, NameOf(tensor), like, argument);
  return Input(tensor, argument);
}

Input Input::Integers(const Tensor& tensor, const Argument& argument) {
  const mluOpDataType_t type = TypeOf(TorchTypeOf(tensor));
  if (type != MLUOP_DTYPE_INT32 && type != MLUOP_DTYPE_INT64) {
    argument.RefuseType("has type " + NameOf(tensor) + ", expected int32 or int64.");
  }
  return Input(tensor, argument);
}

Input Input::Indices(const Tensor& tensor, const Argument& argument) {
  Input input = Integers(tensor, argument);
  if (input.view_.type == MLUOP_DTYPE_INT32) return input;
  const int64_t count = input.view_.elements();
  // One element more, because an empty tensor still has an address.
  input.narrowed_.reset(new (std::nothrow) int32_t[static_cast<size_t>(count) + 1]);
  if (input.narrowed_ == nullptr) argument.RefuseCopy(input.view_.shape());
  const auto* wide = static_cast<const int64_t*>(input.view_.data);
  detops_binding::Int32Range range;
  for (int64_t i = 0; i < count; ++i) input.narrowed_[i] = range.Take(wide[i], i);
  range.Check(input.view_.shape(), argument);
  input.view_.type = MLUOP_DTYPE_INT32;
  input.view_.data = input.narrowed_.get();
  return input;
}

Tensor FirstRows(Tensor made, int64_t rows) {
  int64_t rank = 0;
  int64_t* sizes = nullptr;
  int64_t* strides = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_dim(made.get(), &rank));
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_sizes(made.get(), &sizes));
  if (rows >= sizes[0]) return made;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_strides(made.get(), &strides));
  std::array<int64_t, detops_binding::kMaxRank> fewer = {};
  std::copy(sizes, sizes + rank, fewer.begin());
  fewer[0] = rows;
  AtenTensorHandle first = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch__reinterpret_tensor(made.get(), rank, fewer.data(), strides, 0, &first));
  return Tensor(first);
}

}  // namespace detops_torch
