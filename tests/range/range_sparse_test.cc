// Inputs of more than 2^32 elements, or 2^31 where each is looked at, that hold zeros but for a few far numbers. Only
// the pages with these take memory.
#include <gtest/gtest.h>

#include "range/large_tensor.h"

namespace detops_range {
namespace {

constexpr int64_t kRows = 4097, kLast = kRows - 1;  // 4097 rows of 2^20 channels: 2^32 + 2^20 elements

TEST(RangeSparse, PsRoiPoolForward) {
  const Handle handle(DETOPS_PROFILE_FULL);
  const int channels = static_cast<int>(k2To20);
  LargeTensor input(MLUOP_LAYOUT_NHWC, kHalf, {1, 1, kRows, k2To20});
  ASSERT_GT(input.elements(), k2To32);
  Tensor output(MLUOP_LAYOUT_NHWC, kHalf, {1, 1, 1, k2To20}), rois(MLUOP_LAYOUT_ARRAY, kHalf, {1, 5});
  Tensor mapping(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, {1, 1, 1, k2To20});
  for (const int64_t end : kEnds) input.Set(At(kLast, end), 3);
  rois.Assign({0, kLast, 0, kLast, 0});  // the last pixel alone
  Must(mluOpPsRoiPoolForward(handle.get(), 1, 1, 1.0f, 1, channels, input.desc(), input.data(), rois.desc(),
                             rois.data(), output.desc(), output.data(), mapping.desc(), mapping.data()),
       "mluOpPsRoiPoolForward");
  for (const int64_t end : kEnds) {
    EXPECT_EQ(output.Get(end), 3);
    EXPECT_EQ(mapping.Get(end), static_cast<double>(end));
  }
  EXPECT_EQ(output.Get(5), 0);
}

class RangeSparseConvolution : public testing::Test {
 protected:
  RangeSparseConvolution()
      : features(MLUOP_LAYOUT_ARRAY, kHalf, {kRows, k2To20}),
        filters(MLUOP_LAYOUT_NHWC, kHalf, {1, 1, 1, k2To20}),
        pairs(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1, 2, kRows}),
        out(MLUOP_LAYOUT_ARRAY, kHalf, {1, 1}) {
    filters.Fill(0);
    for (const int64_t end : kEnds) {
      features.Set(At(kLast, end), 3);
      filters.Set(end, 2);
    }
    pairs.Set(0, static_cast<double>(kLast));
    pairs.Set(kRows, 0);
  }
  const Handle handle{DETOPS_PROFILE_FULL};
  LargeTensor features;
  Tensor filters, pairs, out;
  const int64_t count = 1;
};

TEST_F(RangeSparseConvolution, Forward) {
  ASSERT_GT(features.elements(), k2To32);
  Must(mluOpIndiceConvolutionForward(handle.get(), features.desc(), features.data(), filters.desc(), filters.data(),
                                     pairs.desc(), pairs.data(), &count, 1, 0, 0, nullptr, 0, out.desc(), out.data()),
       "mluOpIndiceConvolutionForward");
  EXPECT_EQ(out.Get(0), 12);  // 3 * 2 at both ends
}

TEST_F(RangeSparseConvolution, BackwardFilter) {
  out.Fill(5);
  Must(mluOpIndiceConvolutionBackwardFilter(handle.get(), features.desc(), features.data(), out.desc(), out.data(),
                                            pairs.desc(), pairs.data(), &count, 0, 0, nullptr, 0, filters.desc(),
                                            filters.data()),
       "mluOpIndiceConvolutionBackwardFilter");
  for (const int64_t end : kEnds) EXPECT_EQ(filters.Get(end), 15);
  EXPECT_EQ(filters.Get(5), 0);
}

TEST_F(RangeSparseConvolution, Maximum) {
  Tensor most(MLUOP_LAYOUT_ARRAY, kHalf, {1, k2To20});
  Must(detopsIndicePoolForward(handle.get(), DETOPS_POOL_MAXIMUM, DETOPS_MAXIMUM_FROM_ZERO, features.desc(),
                               features.data(), pairs.desc(), pairs.data(), &count, 1, most.desc(), most.data()),
       "detopsIndicePoolForward");
  for (const int64_t end : kEnds) EXPECT_EQ(most.Get(end), 3);
  EXPECT_EQ(most.Get(5), 0);
}

// All points lie in the first voxel, which keeps one of them, but the last point, which has the second for itself.
TEST(RangeSparse, PointToVoxel) {
  const Handle handle(DETOPS_PROFILE_FULL);
  LargeTensor points(MLUOP_LAYOUT_ARRAY, kHalf, {kRows, k2To20});
  ASSERT_GT(points.elements(), k2To32);
  points.Set(At(kLast, 0), 1.5);
  points.Set(At(kLast, k2To20 - 1), 3);
  Tensor means(MLUOP_LAYOUT_ARRAY, kHalf, {2, k2To20}), coordinates(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {2, 1});
  const double low = 0, size = 1;
  const int grid = 2;
  int64_t voxels = 0;
  Must(detopsPointToVoxel(handle.get(), 1, &low, &size, &grid, 1, 0, DETOPS_VOXEL_ORDER_FIRST_POINT, points.desc(),
                          points.data(), nullptr, nullptr, nullptr, nullptr, means.desc(), means.data(),
                          coordinates.desc(), coordinates.data(), nullptr, nullptr, nullptr, nullptr, &voxels),
       "detopsPointToVoxel");
  EXPECT_EQ(voxels, 2);
  EXPECT_EQ(coordinates.Values(), (std::vector<double>{0, 1}));
  EXPECT_EQ(means.Get(0), 0);
  EXPECT_EQ(means.Get(k2To20), 1.5);
  EXPECT_EQ(means.Get(2 * k2To20 - 1), 3);
  EXPECT_EQ(means.Get(2 * k2To20 - 2), 0);
}

// 2^31 rows and three, all of them in one group but the last.
class RangeGather : public testing::Test {
 protected:
  RangeGather()
      : map(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {kPoints}),
        grad(MLUOP_LAYOUT_ARRAY, kHalf, {1, 1}),
        result(MLUOP_LAYOUT_ARRAY, kHalf, {kPoints, 1}) {
    grad.Set(0, 3);
    map.Set(kPoints - 1, -1);
  }
  void TearDown() override {
    for (const int64_t point : {int64_t{0}, k2To31 - 1, k2To31, kPoints - 2}) EXPECT_EQ(result.Get(point), 3) << point;
    EXPECT_EQ(result.Get(kPoints - 1), 0);
  }
  static constexpr int64_t kPoints = k2To31 + 3;
  const Handle handle{DETOPS_PROFILE_FULL};
  LargeTensor map;
  Tensor grad;
  LargeTensor result;
};

TEST_F(RangeGather, DynamicPointToVoxelBackward) {
  const LargeTensor feats(MLUOP_LAYOUT_ARRAY, kHalf, {kPoints, 1});
  Tensor rows(MLUOP_LAYOUT_ARRAY, kHalf, {1, 1}), counts(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1}),
      number(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1});
  number.Set(0, 1);
  ASSERT_EQ(mluOpDynamicPointToVoxelBackward(handle.get(), MLUOP_REDUCE_DSUM, grad.desc(), grad.data(), feats.desc(),
                                             feats.data(), rows.desc(), rows.data(), map.desc(), map.data(),
                                             counts.desc(), counts.data(), number.desc(), number.data(), nullptr, 0,
                                             result.desc(), result.data()),
            MLUOP_STATUS_SUCCESS)
      << handle.LastError();
}

TEST_F(RangeGather, ScatterReduceBackward) {
  ASSERT_EQ(
      detopsScatterReduceBackward(handle.get(), MLUOP_REDUCE_DSUM, grad.desc(), grad.data(), map.desc(), map.data(),
                                  nullptr, nullptr, nullptr, nullptr, kPoints, result.desc(), result.data()),
      MLUOP_STATUS_SUCCESS)
      << handle.LastError();
}

// The counts of 2^30 voxels are looked at; only the last holds a point.
TEST(RangeSparse, RoiAwarePool3dBackward) {
  const Handle handle(DETOPS_PROFILE_FULL);
  LargeTensor listed(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1, 1025, 1024, 1024, 2});
  LargeTensor argmax(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1, 1025, 1024, 1024, 2});
  LargeTensor grad_out(MLUOP_LAYOUT_ARRAY, kHalf, {1, 1025, 1024, 1024, 2});
  ASSERT_GT(grad_out.elements(), k2To31);
  Tensor grad_in(MLUOP_LAYOUT_ARRAY, kHalf, {3, 2});
  listed.Set(listed.elements() - 2, 1);  // one point,
  listed.Set(listed.elements() - 1, 2);  // the last
  grad_out.Set(grad_out.elements() - 2, 5);
  grad_out.Set(grad_out.elements() - 1, 6);
  Must(mluOpRoiAwarePool3dBackward(handle.get(), 1, 1, 1025, 1024, 1024, 2, 2, listed.desc(), listed.data(),
                                   argmax.desc(), argmax.data(), grad_out.desc(), grad_out.data(), grad_in.desc(),
                                   grad_in.data()),
       "mluOpRoiAwarePool3dBackward");
  EXPECT_EQ(grad_in.Values(), (std::vector<double>{0, 0, 0, 0, 5, 6}));
}

}  // namespace
}  // namespace detops_range
