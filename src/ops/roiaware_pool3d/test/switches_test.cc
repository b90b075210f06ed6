// The switches of detopsRoiAwarePool3dForward by hand: what the third number of a box is, and the margin around it.
#include <cstdint>
#include <cstring>
#include <vector>

#include "ops/roiaware_pool3d/test/expected.h"
#include "ops/roiaware_pool3d/test/problem.h"

namespace detops_test {
namespace {

class RoiAwarePool3dSwitches : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dSwitches, testing::ValuesIn(kTypes), TypeName);

// Centre 1, dz = 2: z from 0 to 2. With the bottom at 1 it would be from 1 to 3.
TEST_P(RoiAwarePool3dSwitches, ZOriginByHand) {
  Problem problem(GetParam(), {1, 4, 1, 1, 1, 2, 5});
  problem.SetBox(0, {0, 0, 1, 2, 2, 2, 0});
  const double heights[] = {0, 0.5, 2, 2.5};
  for (int64_t p = 0; p < 4; ++p) problem.SetPoint(p, {0, 0, heights[p]});
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    Dense dense = problem.NewDense();
    ASSERT_EQ(problem.Run(handle, kMax, {DETOPS_Z_CENTER, 0}, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
    // z - 1 + 1 over 1: 0, 0 and 2, cut to 1
    ASSERT_EQ(Integers(dense.pts_idx), (std::vector<int32_t>{2, 0, 1, 0, 0, 1, 2, 0, 0, 0}));
    ASSERT_EQ(problem.Run(handle, kMax, {DETOPS_Z_BOTTOM, 0}, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
    // z - 1 over 1: 1 and 1.5
    ASSERT_EQ(Integers(dense.pts_idx), (std::vector<int32_t>{0, 0, 0, 0, 0, 2, 2, 3, 0, 0}));
  });
}

// Sides at -1 and 1, moved outwards by 1/2: 1 and 1.25 and -1.25 are inside then, in the outer voxels; 1.5 is not. A
// box of width 0 then reaches from -1/2 to 1/2, and all it holds is in bin 0.
TEST_P(RoiAwarePool3dSwitches, MarginByHand) {
  Problem problem(GetParam(), {2, 6, 1, 2, 1, 1, 6});
  problem.SetBox(0, {0, 0, 0, 2, 2, 2, 0});
  problem.SetBox(1, {0, 0, 0, 0, 2, 2, 0});
  const double places[] = {1, 1.25, -1.25, 1.5, -0.25, 0.25};
  for (int64_t p = 0; p < 6; ++p) problem.SetPoint(p, {places[p], 0, 1});
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    Dense dense = problem.NewDense();
    ASSERT_EQ(problem.Run(handle, kAverage, {DETOPS_Z_BOTTOM, 0.5}, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(Integers(dense.pts_idx), (std::vector<int32_t>{2, 2, 4, 0, 0, 0, 3, 0, 1, 5, 0, 0,  //
                                                             2, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  });
}

// OpenPCDet's margin of 1e-5 as a float: 1 is inside, and so is 1 + 8e-6 in float, not 1 + 1.2e-5.
TEST(RoiAwarePool3dMargin, OfOpenPcdet) {
  Problem problem(MLUOP_DTYPE_FLOAT, {1, 3, 1, 1, 1, 1, 4});
  problem.SetBox(0, {0, 0, 0, 2, 2, 2, 0});
  const double places[] = {1, 1 + 8e-6, 1 + 1.2e-5};
  for (int64_t p = 0; p < 3; ++p) problem.SetPoint(p, {0, -places[p], 0});
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    Dense dense = problem.NewDense();
    ASSERT_EQ(problem.Run(handle, kMax, {DETOPS_Z_CENTER, 1e-5}, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(Integers(dense.pts_idx), (std::vector<int32_t>{2, 0, 1, 0}));
    ASSERT_EQ(problem.Run(handle, kMax, {DETOPS_Z_CENTER, 0}, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(Integers(dense.pts_idx), (std::vector<int32_t>{0, 0, 0, 0}));
  });
}

// The margin is rounded to float first: a box of width 0 reaches just up to the float next to 1e-5, which is below 1e-5
// and therefore outside; its neighbour towards 0 is inside. In double the margin keeps its digits.
TEST(RoiAwarePool3dMargin, IsAFloatForFloats) {
  const double margin = RoundToElement(MLUOP_DTYPE_FLOAT, 1e-5);
  ASSERT_LT(margin, 1e-5);
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE}) {
    Problem problem(type, {1, 3, 1, 1, 1, 1, 4});
    problem.SetBox(0, {0, 0, 0, 0, 2, 2, 0});
    const double places[] = {margin, NextTowardsZero(MLUOP_DTYPE_FLOAT, margin), 1e-5};
    for (int64_t p = 0; p < 3; ++p) problem.SetPoint(p, {places[p], 0, 1});
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      Dense dense = problem.NewDense();
      ASSERT_EQ(problem.Run(handle, kMax, {DETOPS_Z_BOTTOM, 1e-5}, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(Integers(dense.pts_idx),
                type == MLUOP_DTYPE_FLOAT ? (std::vector<int32_t>{1, 1, 0, 0}) : (std::vector<int32_t>{2, 0, 1, 0}));
    });
  }
}

// With the switches of mmcv it is mluOpRoiAwarePool3dForward to the bit, and a box gives the same alone as among
// others.
TEST_P(RoiAwarePool3dSwitches, SameBitsAsTheContract) {
  Problem problem(GetParam(), {9, 900, 11, 3, 2, 2, 20});
  FillScene(problem, "scattered", 90);
  for (const int method : kMethods) {
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      Dense expected = problem.NewDense(), dense = problem.NewDense();
      ASSERT_EQ(problem.Run(handle, method, expected), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(problem.Run(handle, method, {}, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(dense.SameBytes(expected));
      handle.SetValueChecks(false);
      ASSERT_EQ(problem.Run(handle, method, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(dense.SameBytes(expected));
      handle.SetValueChecks(true);
      Problem alone(GetParam(), {1, 900, 11, 3, 2, 2, 20});
      alone.pts.Assign(problem.pts.Values());
      Dense one = alone.NewDense();
      for (int64_t b = 0; b < 9; ++b) {
        for (int64_t i = 0; i < 7; ++i) alone.rois.Set(i, problem.rois.Get(b * 7 + i));
        ASSERT_EQ(alone.Run(handle, method, one), MLUOP_STATUS_SUCCESS) << handle.LastError();
        const auto* among = static_cast<const unsigned char*>(expected.pooled.data()) + b * one.pooled.bytes();
        ASSERT_EQ(std::memcmp(one.pooled.data(), among, one.pooled.bytes()), 0) << "box " << b;
      }
    });
  }
}

}  // namespace
}  // namespace detops_test
