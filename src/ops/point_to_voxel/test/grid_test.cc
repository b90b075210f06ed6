// detopsGetVoxelGrid: the numbers that detectors use.
#include <cstdint>
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

}  // namespace
