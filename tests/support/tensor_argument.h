// What a call says of one tensor, for tests that say it wrongly.
#ifndef DETOPS_TESTS_SUPPORT_TENSOR_ARGUMENT_H_
#define DETOPS_TESTS_SUPPORT_TENSOR_ARGUMENT_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

#include "mlu_op.h"
#include "support/status.h"

namespace detops_test {

// Extents follow from the call's shape; here stands only what deviates from it, so that two faults in one tensor do not
// undo each other.
struct TensorArgument {
  mluOpTensorLayout_t layout;
  mluOpDataType_t type;
  void* data;
  int rank = 4;                 // above the right one: ones are appended; below: the last extents are missing
  bool described = true;        // false: the descriptor is NULL
  int64_t surplus[4] = {};      // added to the extents
  int64_t odd_strides[4] = {};  // added to the dense strides
};

struct DestroyDescriptor {
  void operator()(mluOpTensorDescriptor_t desc) const { mluOpDestroyTensorDescriptor(desc); }
};
using OwnedDescriptor = std::unique_ptr<std::remove_pointer_t<mluOpTensorDescriptor_t>, DestroyDescriptor>;

// On top of the dense strides, which the descriptor itself tells.
inline void SetOddStrides(mluOpTensorDescriptor_t desc, const int64_t* surplus, std::vector<int64_t> extents) {
  std::vector<int64_t> strides(extents.size());
  mluOpTensorLayout_t layout;
  mluOpDataType_t type;
  int rank;
  Must(mluOpGetTensorDescriptorEx_v2(desc, &layout, &type, &rank, extents.data(), strides.data()),
       "mluOpGetTensorDescriptorEx_v2");
  for (size_t axis = 0; axis < std::min<size_t>(strides.size(), 4); ++axis) strides[axis] += surplus[axis];
  Must(mluOpSetTensorDescriptorEx_v2(desc, layout, type, rank, extents.data(), strides.data()),
       "mluOpSetTensorDescriptorEx_v2");
}

// The tensor with these extents, at most four, and its faults.
inline OwnedDescriptor Describe(const TensorArgument& tensor, std::vector<int64_t> extents) {
  for (size_t axis = 0; axis < extents.size(); ++axis) extents[axis] += tensor.surplus[axis];
  extents.resize(static_cast<size_t>(tensor.rank), 1);
  if (!tensor.described) return nullptr;
  mluOpTensorDescriptor_t desc = nullptr;
  Must(mluOpCreateTensorDescriptor(&desc), "mluOpCreateTensorDescriptor");
  OwnedDescriptor owned(desc);
  if (tensor.rank == 0) {
    Must(mluOpSetTensorDescriptorPointerMode(desc, MLUOP_POINTER_MODE_HOST), "mluOpSetTensorDescriptorPointerMode");
  }
  Must(mluOpSetTensorDescriptor_v2(desc, tensor.layout, tensor.type, tensor.rank, extents.data()),
       "mluOpSetTensorDescriptor_v2");
  if (std::any_of(std::begin(tensor.odd_strides), std::end(tensor.odd_strides), [](int64_t s) { return s != 0; })) {
    SetOddStrides(desc, tensor.odd_strides, extents);
  }
  return owned;
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_TENSOR_ARGUMENT_H_
