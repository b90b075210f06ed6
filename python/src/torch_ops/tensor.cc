#include "torch_ops/tensor.h"

#include <algorithm>
#include <limits>

#include "torch_ops/threads.h"

namespace detops_torch {
namespace {

using torch::headeronly::ScalarType;

mluOpDataType_t TypeOf(ScalarType type) {
  switch (type) {
    case ScalarType::Half:
      return MLUOP_DTYPE_HALF;
    case ScalarType::Float:
      return MLUOP_DTYPE_FLOAT;
    case ScalarType::Double:
      return MLUOP_DTYPE_DOUBLE;
    case ScalarType::BFloat16:
      return MLUOP_DTYPE_BFLOAT16;
    case ScalarType::Int:
      return MLUOP_DTYPE_INT32;
    case ScalarType::Long:
      return MLUOP_DTYPE_INT64;
    default:
      return MLUOP_DTYPE_INVALID;
  }
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
    default:
      return aoti_torch_dtype_int32();
  }
}

std::string NameOf(const Tensor& tensor) {
  const ScalarType type = tensor.scalar_type();
  const mluOpDataType_t known = TypeOf(type);
  return known == MLUOP_DTYPE_INVALID ? torch::headeronly::toString(type) : detops_binding::NameOfType(known);
}

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

// Type, shape and address of a tensor on the CPU, which is copied if it has gaps.
View ViewOf(Tensor& tensor, const Argument& argument) {
  if (!tensor.is_cpu()) argument.Refuse("is not in the memory of the CPU.");
  if (tensor.dim() > detops_binding::kMaxRank) {
    argument.Refuse("has rank " + std::to_string(tensor.dim()) + ", expected 8 or less.");
  }
  if (!tensor.is_contiguous()) tensor = torch::stable::contiguous(tensor);
  View view = {.given = true,
               .rank = static_cast<int>(tensor.dim()),
               .type = TypeOf(tensor.scalar_type()),
               .data = tensor.data_ptr()};
  const auto sizes = tensor.sizes();
  std::copy(sizes.begin(), sizes.end(), view.extents.begin());
  return view;
}

}  // namespace

Input Input::Numbers(const Tensor& tensor, const Argument& argument, const View* like) {
  Input input;
  input.tensor_ = tensor;
  const mluOpDataType_t type = TypeOf(tensor.scalar_type());
  const bool fits = detops_binding::IsFloating(type) && (like == nullptr || type == like->type);
  if (!fits) detops_binding::RequireFloating(type, NameOf(tensor), like, argument);
  input.view_ = ViewOf(*input.tensor_, argument);
  return input;
}

Input Input::Indices(const Tensor& tensor, const Argument& argument) {
  Input input;
  input.tensor_ = tensor;
  const mluOpDataType_t type = TypeOf(tensor.scalar_type());
  if (type != MLUOP_DTYPE_INT32 && type != MLUOP_DTYPE_INT64) {
    argument.RefuseType("has type " + NameOf(tensor) + ", expected int32 or int64.");
  }
  input.view_ = ViewOf(*input.tensor_, argument);
  if (type == MLUOP_DTYPE_INT32) return input;
  const int64_t count = input.view_.elements();
  // One element more, because an empty tensor still has an address.
  input.narrowed_ = std::make_unique_for_overwrite<int32_t[]>(static_cast<size_t>(count) + 1);
  const auto* wide = static_cast<const int64_t*>(input.view_.data);
  detops_binding::Int32Range range;
  for (int64_t i = 0; i < count; ++i) input.narrowed_[i] = range.Take(wide[i], i);
  range.Check(input.view_.shape(), argument);
  input.view_.type = MLUOP_DTYPE_INT32;
  input.view_.data = input.narrowed_.get();
  return input;
}

Input Input::IndicesIf(bool needed, const std::optional<Tensor>& tensor, const Argument& argument) {
  return needed && tensor.has_value() ? Indices(*tensor, argument) : Input();
}

std::vector<int64_t> Counts(const Tensor& tensor, const Argument& argument) {
  const Input input = Input::Indices(tensor, argument);
  if (input.view().rank != 1) argument.Refuse("has rank " + std::to_string(input.view().rank) + ", expected 1.");
  const auto* values = static_cast<const int32_t*>(input.view().data);
  return {values, values + input.view().elements()};
}

int Int(int64_t number, const Argument& argument) {
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
    argument.Refuse("has " + std::to_string(number) + ", expected numbers that fit int32.");
  }
  return static_cast<int>(number);
}

std::vector<int> Ints(const Sizes& numbers, size_t count, const Argument& argument) {
  if (numbers.size() == 1) return std::vector<int>(count, Int(numbers[0], argument));
  if (numbers.size() != count) {
    argument.Refuse("has " + std::to_string(numbers.size()) + " numbers, expected one or " + std::to_string(count) +
                    ".");
  }
  std::vector<int> ints;
  ints.reserve(count);
  for (const int64_t number : numbers) ints.push_back(Int(number, argument));
  return ints;
}

View TorchCall::Output(int result, mluOpDataType_t type, std::span<const int64_t> shape) {
  for (const int64_t extent : shape) {
    if (extent < 0) throw std::invalid_argument("detops: a result would have an axis of " + std::to_string(extent));
  }
  const Tensor& made = results_[result].emplace(NewTensor(shape, type));
  View view = {.given = true, .rank = static_cast<int>(shape.size()), .type = type, .data = made.data_ptr()};
  std::copy(shape.begin(), shape.end(), view.extents.begin());
  return view;
}

Tensor TorchCall::Result(int result) {
  constexpr std::array<int64_t, 1> kNothing = {0};
  if (!results_[result].has_value()) results_[result].emplace(NewTensor(kNothing, MLUOP_DTYPE_INT32));
  return *results_[result];
}

void TorchCall::RunErased(ErasedWork work, const void* erased) {
  const mluOpHandle_t handle = detops_binding::Handle(WorkersOfThisThread());
  detops_binding::Check(work(erased, handle), handle);
}

}  // namespace detops_torch
