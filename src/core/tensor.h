// What a tensor descriptor holds, and the questions operators ask it.
#ifndef DETOPS_CORE_TENSOR_H_
#define DETOPS_CORE_TENSOR_H_

#include <cstdint>

#include "mlu_op/types.h"

struct mluOpTensorStruct {
  mluOpTensorStruct() = default;
  ~mluOpTensorStruct();
  mluOpTensorStruct(const mluOpTensorStruct&) = delete;
  mluOpTensorStruct& operator=(const mluOpTensorStruct&) = delete;

  // Makes room for `rank` extents and strides without changing what the descriptor says.
  // False if memory is short.
  bool Reserve(int rank);

  // Sets the shape; `strides` nullptr means dense. Needs an earlier Reserve(rank), so it cannot fail.
  template <typename Integer>
  void SetShape(int rank, const Integer* extents, const Integer* strides);

  void Reset();

  int rank() const { return rank_; }
  int64_t extent(int axis) const { return extents_[axis]; }
  int64_t stride(int axis) const { return strides_[axis]; }

  // Product of the extents, saturated at the largest int64.
  int64_t element_count() const { return element_count_; }

  // Bytes of a dense tensor of this shape, saturated at the largest int64.
  int64_t byte_count() const;

  // -1 if dense; otherwise the last axis whose stride is not the product of the later extents. Axes of
  // extent 1 and tensors without elements cannot be told apart from dense ones.
  int first_strided_axis() const { return first_strided_axis_; }

  // The stride a dense tensor of this shape has on `axis`, saturated.
  int64_t DenseStride(int axis) const;

  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  mluOpDataType_t type = MLUOP_DTYPE_FLOAT;
  mluOpDataType_t onchip_type = MLUOP_DTYPE_INVALID;
  mluOpPointerMode_t pointer_mode = MLUOP_POINTER_MODE_DEVICE;
  int position = 0;
  float scale = 1.0f;
  int offset = 0;

 private:
  int rank_ = 0;
  int capacity_ = MLUOP_DIM_MAX;
  int first_strided_axis_ = -1;  // of SetShape: every call asks for it
  int64_t element_count_ = 0;
  int64_t* extents_ = inline_extents_;
  int64_t* strides_ = inline_strides_;
  int64_t inline_extents_[MLUOP_DIM_MAX] = {};
  int64_t inline_strides_[MLUOP_DIM_MAX] = {};
};

#endif  // DETOPS_CORE_TENSOR_H_
