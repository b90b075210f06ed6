// Where decisions fall, and what sums are worth.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "ops/point_to_voxel/test/expect_cloud.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::PlacedCall;

class PointToVoxelNumerics : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // The voxel of one coordinate on one axis, -1 if it is dropped.
  static int64_t VoxelOf(double coordinate, double range_min, double voxel_size, int grid,
                         mluOpDataType_t type = GetParam()) {
    Call call = CloudCall("grid=1,kept=1,rows=1", type, 1, {coordinate});
    call.number_lists.at("range_min")[0] = range_min;
    call.number_lists.at("voxel_size")[0] = voxel_size;
    call.integer_lists.at("grid")[0] = grid;
    PlacedCall placed(call);
    const Handle handle(DETOPS_PROFILE_FULL, 1);
    EXPECT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
    const bool dropped = placed.call().results.at("voxel_num") == 0;
    return dropped ? -1 : static_cast<int64_t>(placed.call()["coordinates"].Get(0));
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
  std::vector<double> points;
  for (int64_t i = 0; i < kPoints; ++i) points.insert(points.end(), {0.5, 1000.0 / 3, i % 2 == 0 ? 1.0 : 3.0});
  PlacedCall placed(CloudCall("grid=1,kept=0,rows=1", GetParam(), 3, points));
  const auto expected = placed.call().function->Reference(placed.call());
  ForEachTarget(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    placed.Reset(0xFF);
    ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
    ASSERT_EQ(Disagreement(placed.call(), expected), "");
    EXPECT_EQ(placed.call()["num_points"].Get(0), kPoints);
    EXPECT_EQ(placed.call()["means"].Get(2), 2.0);
  });
}

// Halves whose sum is beyond half, but not their mean; and means that are rounded once: 1 + 2^-10 and 1 give, in half,
// 1 + 2^-11, a tie that goes to the even 1.
TEST_P(PointToVoxelNumerics, RoundedOnceAtTheEnd) {
  const Call call = CloudCall("grid=1,kept=0,rows=1", GetParam(), 3, {0.5, 60000, 1 + 0x1p-10, 0.5, 60000, 1});
  const double mean = RoundToElement(GetParam(), (call["points"].Get(2) + call["points"].Get(5)) / 2);
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
    EXPECT_EQ(done["means"].Get(1), call["points"].Get(1));
    EXPECT_EQ(done["means"].Get(2), mean);
  });
}

// Values next to the coordinates are data: they are copied bit by bit, and propagate into the mean.
TEST_P(PointToVoxelNumerics, NanAndInfInFeatures) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  const Call call =
      CloudCall("grid=1,kept=2,rows=1", GetParam(), 5, {0.5, kNan, kInf, kInf, -0.0, 0.5, 1, 1, -kInf, -0.0});
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
    const std::vector<std::byte>& points = call["points"].contents;
    EXPECT_EQ(std::memcmp(done["voxels"].address, points.data(), points.size()), 0);
    EXPECT_TRUE(std::isnan(done["means"].Get(1)));
    EXPECT_EQ(done["means"].Get(2), kInf);
    EXPECT_TRUE(std::isnan(done["means"].Get(3)));
    EXPECT_TRUE(done["means"].Get(4) == 0 && std::signbit(done["means"].Get(4)));
  });
}

// A coordinate that is no number drops its point, wherever it stands; in other columns it is data.
TEST_P(PointToVoxelNumerics, NanAndInfInCoordinates) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  for (const double bad : {kNan, kInf, -kInf}) {
    for (const int64_t column : {0, 1, 2, 3}) {
      Call call = CloudCall("grid=2x2x2,kept=3,rows=3", GetParam(), 4, std::vector<double>(12, 0.5));
      call["points"].Set(4 + column, bad);
      const double second = column == 3 ? 0 : -1;
      ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
        EXPECT_EQ(done["point_voxel"].Values(), (std::vector<double>{0, second, 0}));
      });
    }
  }
}

}  // namespace
}  // namespace detops_test
