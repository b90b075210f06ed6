// Everything a tensor descriptor says, read through all getters, to see that a call changed nothing or what it changed.
#ifndef DETOPS_TESTS_DESCRIPTORS_DESCRIPTOR_SNAPSHOT_H_
#define DETOPS_TESTS_DESCRIPTORS_DESCRIPTOR_SNAPSHOT_H_

#include <cstdint>
#include <ostream>
#include <vector>

#include "gtest/gtest.h"
#include "mlu_op.h"

namespace detops_test {

struct DescriptorSnapshot {
  int layout = -1, type = -1, onchip_type = -1, pointer_mode = -1;
  std::vector<int64_t> extents, strides;
  size_t elements = 0;
  int position = -1, offset = -1;
  float scale = -1.0f;

  bool operator==(const DescriptorSnapshot&) const = default;
};

inline void PrintTo(const DescriptorSnapshot& s, std::ostream* out) {
  *out << "layout " << s.layout << ", type " << s.type << ", on-chip type " << s.onchip_type << ", pointer mode "
       << s.pointer_mode << ", extents " << ::testing::PrintToString(s.extents) << ", strides "
       << ::testing::PrintToString(s.strides) << ", " << s.elements << " elements, position " << s.position
       << ", scale " << s.scale << ", offset " << s.offset;
}

inline DescriptorSnapshot Snapshot(mluOpTensorDescriptor_t desc) {
  DescriptorSnapshot snapshot;
  int rank = -1;
  EXPECT_EQ(mluOpGetTensorDescriptor_v2(desc, nullptr, nullptr, &rank, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_GE(rank, 0);
  snapshot.extents.resize(static_cast<size_t>(rank) + 1);  // one more, so that there is a place to point to for rank 0
  snapshot.strides.resize(static_cast<size_t>(rank) + 1);
  mluOpTensorLayout_t layout;
  mluOpDataType_t type, onchip_type;
  mluOpPointerMode_t pointer_mode;
  EXPECT_EQ(
      mluOpGetTensorDescriptorEx_v2(desc, &layout, &type, &rank, snapshot.extents.data(), snapshot.strides.data()),
      MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptorOnchipDataType(desc, &onchip_type), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptorPointerMode(desc, &pointer_mode), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptorPositionScaleAndOffset(desc, &snapshot.position, &snapshot.scale, &snapshot.offset),
            MLUOP_STATUS_SUCCESS);
  snapshot.extents.pop_back();
  snapshot.strides.pop_back();
  snapshot.layout = static_cast<int>(layout);
  snapshot.type = static_cast<int>(type);
  snapshot.onchip_type = static_cast<int>(onchip_type);
  snapshot.pointer_mode = static_cast<int>(pointer_mode);
  snapshot.elements = mluOpGetTensorElementNum(desc);
  return snapshot;
}

// What the contract says about a new or reset descriptor.
inline DescriptorSnapshot FreshDescriptor() {
  return {.layout = MLUOP_LAYOUT_ARRAY,
          .type = MLUOP_DTYPE_FLOAT,
          .onchip_type = MLUOP_DTYPE_INVALID,
          .pointer_mode = MLUOP_POINTER_MODE_DEVICE,
          .extents = {},
          .strides = {},
          .elements = 0,
          .position = 0,
          .offset = 0,
          .scale = 1.0f};
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_DESCRIPTORS_DESCRIPTOR_SNAPSHOT_H_
