#include "core/tensor.h"

#include <algorithm>
#include <new>

#include "core/checked_math.h"
#include "core/data_type.h"

using detops::SaturatingMultiply;

mluOpTensorStruct::~mluOpTensorStruct() {
  if (extents_ != inline_extents_) delete[] extents_;  // strides_ is the second half of the same block
}

bool mluOpTensorStruct::Reserve(int rank) {
  if (rank <= capacity_) return true;
  auto* block = new (std::nothrow) int64_t[2 * static_cast<size_t>(rank)];
  if (block == nullptr) return false;
  std::copy_n(extents_, rank_, block);
  std::copy_n(strides_, rank_, block + rank);
  if (extents_ != inline_extents_) delete[] extents_;
  extents_ = block;
  strides_ = block + rank;
  capacity_ = rank;
  return true;
}

template <typename Integer>
void mluOpTensorStruct::SetShape(int rank, const Integer* extents, const Integer* strides) {
  rank_ = rank;
  first_strided_axis_ = -1;
  element_count_ = 1;  // of rank 0: a scalar
  for (int axis = rank - 1; axis >= 0; --axis) {
    extents_[axis] = extents[axis];
    strides_[axis] = strides != nullptr ? strides[axis] : element_count_;
    if (first_strided_axis_ < 0 && extents_[axis] != 1 && strides_[axis] != element_count_) first_strided_axis_ = axis;
    element_count_ = SaturatingMultiply(element_count_, extents_[axis]);
  }
  if (element_count_ == 0) first_strided_axis_ = -1;
}
template void mluOpTensorStruct::SetShape(int, const int*, const int*);
template void mluOpTensorStruct::SetShape(int, const int64_t*, const int64_t*);

void mluOpTensorStruct::Reset() {
  layout = MLUOP_LAYOUT_ARRAY;
  type = MLUOP_DTYPE_FLOAT;
  onchip_type = MLUOP_DTYPE_INVALID;
  pointer_mode = MLUOP_POINTER_MODE_DEVICE;
  position = 0;
  scale = 1.0f;
  offset = 0;
  rank_ = 0;
  first_strided_axis_ = -1;
  element_count_ = 0;
}

int64_t mluOpTensorStruct::byte_count() const {
  return SaturatingMultiply(element_count_, static_cast<int64_t>(detops::SizeOfType(type)));
}

int64_t mluOpTensorStruct::DenseStride(int axis) const {
  int64_t stride = 1;
  for (int later = axis + 1; later < rank_; ++later) stride = SaturatingMultiply(stride, extents_[later]);
  return stride;
}
