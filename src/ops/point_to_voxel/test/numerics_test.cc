// Where decisions fall, and what sums are worth.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "ops/point_to_voxel/test/expected.h"
#include "ops/point_to_voxel/test/problem.h"

namespace detops_test {
namespace {

class PointToVoxelNumerics : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // The voxel of one coordinate on one axis, -1 if it is dropped.
  static int64_t VoxelOf(double coordinate, double range_min, double voxel_size, int grid,
                         mluOpDataType_t type = GetParam()) {
    Cloud cloud(type, 1, 1);
    cloud.rows.Set(0, coordinate);
    const VoxelRules rules = {
        .range_min = {range_min}, .voxel_size = {voxel_size}, .grid = {grid}, .max_points = 1, .room = 1};
    Results results = cloud.NewResults(rules);
    const Handle handle(DETOPS_PROFILE_FULL, 1);
    EXPECT_EQ(cloud.Run(handle, rules, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
    return results.voxel_num == 0 ? -1 : static_cast<int64_t>(results.coordinates.Get(0));
  }
};

INSTANTIATE_TEST_SUITE_P(Types, PointToVoxelNumerics, testing::ValuesIn(kTypes), TypeName);

TEST_P(PointToVoxelNumerics, BordersBelongToTheUpperVoxel) {
  for (int k = 0; k < 8; ++k) {
    EXPECT_EQ(VoxelOf(-2 + 0.5 * k, -2, 0.5, 8), k);
    EXPECT_EQ(VoxelOf(-2 + 0.5 * k + 0.25, -2, 0.5, 8), k);
  }
  EXPECT_EQ(VoxelOf(2, -2, 0.5, 8), -1);
  EXPECT_EQ(VoxelOf(-2.25, -2, 0.5, 8), -1);
}

// The smallest numbers on both sides of 0. A negative one has the floor -1, except where the division makes it -0.
TEST_P(PointToVoxelNumerics, AroundTheLowestBorder) {
  EXPECT_EQ(VoxelOf(0.0, 0, 1, 4), 0);
  EXPECT_EQ(VoxelOf(-0.0, 0, 1, 4), 0);
  EXPECT_EQ(VoxelOf(0x1p-14, 0, 1, 4), 0);
  EXPECT_EQ(VoxelOf(-0x1p-14, 0, 1, 4), -1);
  EXPECT_EQ(VoxelOf(-0x1p-24, 0, 1, 4), -1);
  EXPECT_EQ(VoxelOf(-0x1p-140, 0, 0x1p60, 4, MLUOP_DTYPE_FLOAT), 0);  // -2^-200 is -0 in float
  EXPECT_EQ(VoxelOf(-0x1p-140, 0, 0x1p60, 4, MLUOP_DTYPE_DOUBLE), -1);
}

// 0.7 / 0.1: in float exactly 7 (0.69999999 / 0.1 rounds up), in double 6.999...
TEST_P(PointToVoxelNumerics, DecidedInTheDocumentedType) {
  EXPECT_EQ(VoxelOf(0.7, 0, 0.1, 100, MLUOP_DTYPE_FLOAT), static_cast<int64_t>(std::floor(0.7f / 0.1f)));
  EXPECT_EQ(VoxelOf(0.7, 0, 0.1, 100, MLUOP_DTYPE_DOUBLE), static_cast<int64_t>(std::floor(0.7 / 0.1)));
  ASSERT_NE(std::floor(0.7f / 0.1f), std::floor(0.7 / 0.1));
  // Half and bfloat16 are read exactly and decided in float.
  const double half = RoundToElement(MLUOP_DTYPE_HALF, 0.7);
  EXPECT_EQ(VoxelOf(0.7, 0, 0.1, 100, MLUOP_DTYPE_HALF),
            static_cast<int64_t>(std::floor(static_cast<float>(half) / 0.1f)));
}

// Grids that float cannot hold: 2^24 + 1 voxels have a voxel 2^24, which float can name, and 2^31 - 1 is rounded up.
TEST_P(PointToVoxelNumerics, GridsBeyondTheDigitsOfFloat) {
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE}) {
    EXPECT_EQ(VoxelOf(0x1p24, 0, 1, (1 << 24) + 1, type), 1 << 24);
    EXPECT_EQ(VoxelOf(0x1p24, 0, 1, 1 << 24, type), -1);
    EXPECT_EQ(VoxelOf(0x1p31 - 128, 0, 1, INT32_MAX, type), INT32_MAX - 127);
    EXPECT_EQ(VoxelOf(0x1p31, 0, 1, INT32_MAX, type), -1);
    EXPECT_EQ(VoxelOf(0x1p31 - 128, 0, 1, INT32_MAX - 127, type), -1);
    EXPECT_EQ(VoxelOf(0x1p31 - 128, 0, 1, INT32_MAX - 126, type), INT32_MAX - 127);
  }
}

// So many equal numbers that a running float sum would be off by far more than the bar.
TEST_P(PointToVoxelNumerics, LongSums) {
  constexpr int64_t kPoints = 300'000;
  Cloud cloud(GetParam(), kPoints, 3);
  for (int64_t i = 0; i < kPoints; ++i) {
    cloud.rows.Set(i * 3, 0.5);
    cloud.rows.Set(i * 3 + 1, 1000.0 / 3);
    cloud.rows.Set(i * 3 + 2, i % 2 == 0 ? 1.0 : 3.0);
  }
  VoxelRules rules = UnitVoxels({1});
  rules.room = 1;
  const Expected expected(cloud, rules);
  ForEachTarget(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    Results results = cloud.NewResults(rules);
    ASSERT_EQ(cloud.Run(handle, rules, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(expected.WrongIn(results), "");
    EXPECT_EQ(results.num_points.Get(0), kPoints);
    EXPECT_EQ(results.means.Get(2), 2.0);
  });
}

// The cut of long sums is at 512 points.
TEST_P(PointToVoxelNumerics, AroundTheCutOfSums) {
  for (const int64_t points : {511, 512, 513, 1024, 1025}) {
    Cloud cloud(GetParam(), points, 6);
    cloud.rows.FillUniform(0, 1, 5);
    VoxelRules rules = UnitVoxels({1});
    rules.room = 1;
    ExpectAgreement(cloud, rules);
  }
}

// Halves whose sum is beyond half, but not their mean; and means that are rounded once: 1 + 2^-10 and 1 give, in half,
// 1 + 2^-11, a tie that goes to the even 1.
TEST_P(PointToVoxelNumerics, RoundedOnceAtTheEnd) {
  Cloud cloud(GetParam(), 2, 3);
  cloud.rows.Assign({0.5, 60000, 1 + 0x1p-10, 0.5, 60000, 1});
  VoxelRules rules = UnitVoxels({1});
  rules.room = 1;
  const Handle handle(DETOPS_PROFILE_FULL);
  Results results = cloud.NewResults(rules);
  ASSERT_EQ(cloud.Run(handle, rules, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
  EXPECT_EQ(results.means.Get(1), cloud.rows.Get(1));
  EXPECT_EQ(results.means.Get(2), RoundToElement(GetParam(), (cloud.rows.Get(2) + cloud.rows.Get(5)) / 2));
}

// Values beside the coordinates are data: they are copied bit by bit, and propagate into the mean.
TEST_P(PointToVoxelNumerics, NanAndInfInFeatures) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  Cloud cloud(GetParam(), 2, 5);
  cloud.rows.Assign({0.5, kNan, kInf, kInf, -0.0, 0.5, 1, 1, -kInf, -0.0});
  VoxelRules rules = UnitVoxels({1});
  rules.room = 1;
  rules.max_points = 2;
  ForEachTarget(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    Results results = cloud.NewResults(rules);
    ASSERT_EQ(cloud.Run(handle, rules, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
    EXPECT_EQ(std::memcmp(results.voxels.data(), cloud.rows.data(), cloud.rows.bytes()), 0);
    EXPECT_TRUE(std::isnan(results.means.Get(1)));
    EXPECT_EQ(results.means.Get(2), kInf);
    EXPECT_TRUE(std::isnan(results.means.Get(3)));
    EXPECT_TRUE(results.means.Get(4) == 0 && std::signbit(results.means.Get(4)));
  });
}

}  // namespace
}  // namespace detops_test
