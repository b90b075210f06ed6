// detopsGetVoxelGrid: the numbers that detectors use, and its refusals.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "detops.h"
#include "gtest/gtest.h"

namespace {

using Numbers = std::vector<double>;

std::vector<int> GridOf(const Numbers& low, const Numbers& high, const Numbers& size) {
  std::vector<int> grid(low.size(), -7);
  EXPECT_EQ(detopsGetVoxelGrid(static_cast<int>(low.size()), low.data(), high.data(), size.data(), grid.data()),
            MLUOP_STATUS_SUCCESS)
      << detopsGetLastError(nullptr);
  EXPECT_STREQ(detopsGetLastError(nullptr), "");
  return grid;
}

TEST(PointToVoxelGrid, OfDetectors) {
  EXPECT_EQ(GridOf({0, -40, -3}, {70.4, 40, 1}, {0.05, 0.05, 0.1}), (std::vector<int>{1408, 1600, 40}));
  EXPECT_EQ(GridOf({-54, -54, -5}, {54, 54, 3}, {0.075, 0.075, 0.2}), (std::vector<int>{1440, 1440, 40}));
  EXPECT_EQ(GridOf({0, -39.68, -3}, {69.12, 39.68, 1}, {0.16, 0.16, 4}), (std::vector<int>{432, 496, 1}));
  EXPECT_EQ(GridOf({-75.2, -75.2, -2}, {75.2, 75.2, 4}, {0.1, 0.1, 0.15}), (std::vector<int>{1504, 1504, 40}));
}

// 2.5 / 1 is rounded to 3, 2.4 to 2; dimensions 1 to 4.
TEST(PointToVoxelGrid, Rounding) {
  EXPECT_EQ(GridOf({0}, {2.5}, {1}), (std::vector<int>{3}));
  EXPECT_EQ(GridOf({0, 0}, {2.4, 0.5}, {1, 1}), (std::vector<int>{2, 1}));
  EXPECT_EQ(GridOf({0, 0, 0, -1}, {1, 2, 3, 3}, {1, 1, 1, 1}), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(GridOf({0}, {0x1p31 - 128}, {1}), (std::vector<int>{INT32_MAX - 127}));
}

void ExpectRefused(const std::string& sentence, int ndim, const double* low, const double* high, const double* size,
                   int* grid) {
  EXPECT_EQ(detopsGetVoxelGrid(ndim, low, high, size, grid), MLUOP_STATUS_BAD_PARAM) << sentence;
  EXPECT_EQ(detopsGetLastError(nullptr), "detopsGetVoxelGrid: " + sentence);
}

TEST(PointToVoxelGrid, Refusals) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  const Numbers low = {0, 0}, high = {4, 4}, size = {1, 1};
  int grid[2] = {-7, -7};
  ExpectRefused("ndim is 0, expected 1 to 4.", 0, nullptr, nullptr, nullptr, nullptr);
  ExpectRefused("ndim is 5, expected 1 to 4.", 5, low.data(), high.data(), size.data(), grid);
  const std::string array = " is NULL, expected an array of ndim numbers.";
  ExpectRefused("range_min" + array, 2, nullptr, nullptr, nullptr, nullptr);
  ExpectRefused("range_max" + array, 2, low.data(), nullptr, nullptr, nullptr);
  ExpectRefused("voxel_size" + array, 2, low.data(), high.data(), nullptr, nullptr);
  ExpectRefused("grid is NULL, expected a place for the result.", 2, low.data(), high.data(), size.data(), nullptr);
  const auto at = [&](size_t axis, double bad_low, double bad_high, double bad_size, const std::string& sentence) {
    Numbers lows = low, highs = high, sizes = size;
    lows[axis] = bad_low;
    highs[axis] = bad_high;
    sizes[axis] = bad_size;
    ExpectRefused(sentence, 2, lows.data(), highs.data(), sizes.data(), grid);
  };
  at(0, kNan, kNan, 0, "range_min[0] is nan, expected a finite number in float.");
  at(1, -1e39, 4, 1, "range_min[1] is -1e+39, expected a finite number in float.");
  at(1, 0, kInf, 0, "range_max[1] is inf, expected a finite number above range_min in float.");
  at(0, 4, 4, 1, "range_max[0] is 4, expected a finite number above range_min in float.");
  at(0, 0, 4, 0, "voxel_size[0] is 0, expected a finite number above 0 in float.");
  at(1, 0, 4, kNan, "voxel_size[1] is nan, expected a finite number above 0 in float.");
  at(1, 0, 0.4, 1, "axis 1 has 0 voxels, expected at least 1 and fewer than 2147483648.");
  at(0, 0, 0x1p31, 1, "axis 0 has 2147483648 voxels, expected at least 1 and fewer than 2147483648.");
  at(0, -3e38, 3e38, 1, "axis 0 has inf voxels, expected at least 1 and fewer than 2147483648.");
  EXPECT_EQ(grid[0], -7);
  EXPECT_EQ(grid[1], -7);
}

}  // namespace
