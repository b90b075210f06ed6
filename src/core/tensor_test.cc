// What operators ask a tensor descriptor: counts, and whether it is dense.
#include "core/tensor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

struct Tensor {
  explicit Tensor(const std::vector<int64_t>& extents, const std::vector<int64_t>& strides = {}) {
    const int rank = static_cast<int>(extents.size());
    EXPECT_TRUE(desc.Reserve(rank));
    desc.SetShape(rank, extents.data(), strides.empty() ? nullptr : strides.data());
  }
  mluOpTensorStruct desc;
};

TEST(TensorTest, DenseTensorsHaveNoStridedAxis) {
  // -1, as the header says; axes of extent 1 may have any stride, and so may all of a tensor without elements.
  EXPECT_EQ(Tensor({}).desc.first_strided_axis(), -1);
  EXPECT_EQ(Tensor({4, 3, 2}).desc.first_strided_axis(), -1);
  EXPECT_EQ(Tensor({4, 3, 2}, {6, 2, 1}).desc.first_strided_axis(), -1);
  EXPECT_EQ(Tensor({4, 1, 2}, {2, 77, 1}).desc.first_strided_axis(), -1);
  EXPECT_EQ(Tensor({4, 0, 2}, {9, 8, 7}).desc.first_strided_axis(), -1);
}

TEST(TensorTest, TheLastStridedAxisIsNamed) {
  EXPECT_EQ(Tensor({4, 3, 2}, {7, 2, 1}).desc.first_strided_axis(), 0);
  EXPECT_EQ(Tensor({4, 3, 2}, {7, 3, 1}).desc.first_strided_axis(), 1);
  EXPECT_EQ(Tensor({4, 3, 2}, {7, 3, 2}).desc.first_strided_axis(), 2);
}

TEST(TensorTest, DenseStridesAreProductsOfTheLaterExtents) {
  const Tensor tensor({5, 4, 3, 2}, {100, 50, 20, 10});
  EXPECT_EQ(tensor.desc.DenseStride(3), 1);
  EXPECT_EQ(tensor.desc.DenseStride(2), 2);
  EXPECT_EQ(tensor.desc.DenseStride(1), 6);
  EXPECT_EQ(tensor.desc.DenseStride(0), 24);
  EXPECT_EQ(Tensor({2, INT64_MAX, 2}).desc.DenseStride(0), INT64_MAX) << "saturated";
}

TEST(TensorTest, CountsSaturate) {
  EXPECT_EQ(Tensor({}).desc.element_count(), 1) << "a scalar";
  EXPECT_EQ(Tensor({5, 4}).desc.element_count(), 20);
  EXPECT_EQ(Tensor({5, 4}).desc.byte_count(), 80) << "of floats";
  EXPECT_EQ(Tensor({int64_t{1} << 32, int64_t{1} << 31}).desc.element_count(), INT64_MAX);
  const Tensor bytes({int64_t{1} << 61});
  EXPECT_EQ(bytes.desc.element_count(), int64_t{1} << 61);
  EXPECT_EQ(bytes.desc.byte_count(), INT64_MAX);
}

TEST(TensorTest, ManyAxesKeepWhatWasThere) {
  const std::vector<int64_t> few = {2, 3, 4}, many(MLUOP_DIM_MAX + 5, 1);
  mluOpTensorStruct desc;
  ASSERT_TRUE(desc.Reserve(3));
  desc.SetShape<int64_t>(3, few.data(), nullptr);
  ASSERT_TRUE(desc.Reserve(static_cast<int>(many.size())));
  ASSERT_EQ(desc.rank(), 3);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(desc.extent(axis), few[static_cast<size_t>(axis)]);
    EXPECT_EQ(desc.stride(axis), desc.DenseStride(axis));
  }
  desc.SetShape<int64_t>(static_cast<int>(many.size()), many.data(), nullptr);
  EXPECT_EQ(desc.rank(), MLUOP_DIM_MAX + 5);
  EXPECT_EQ(desc.element_count(), 1);
}

}  // namespace
