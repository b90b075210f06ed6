// point_to_voxel by hand: clouds small enough to be worked out on paper.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "detops.h"
#include "gtest/gtest.h"
#include "ops/point_to_voxel/test/expect_cloud.h"

namespace detops_test {
namespace {

using detops_harness::Call;

class PointToVoxel : public testing::TestWithParam<mluOpDataType_t> {};

INSTANTIATE_TEST_SUITE_P(Types, PointToVoxel, testing::ValuesIn(kTypes), TypeName);

// Two dimensions, voxels of 2 x 0.5 from (-4, 1) on, 4 x 3 of them. Columns: x, y, weight.
//   0: x (-3 + 4) / 2 = 0.5 -> 0, y (1.25 - 1) / 0.5 = 0.5 -> 0    voxel (y 0, x 0), new: row 0
//   1: x (3.5 + 4) / 2 = 3.75 -> 3, y (2.25 - 1) / 0.5 = 2.5 -> 2   (2, 3), new: row 1
//   2: x (-4 + 4) / 2 = 0, y 0 (on the lower border)                (0, 0): row 0
//   3: x 4, (4 + 4) / 2 = 4: outside (the upper border)             dropped
//   4: y 0.75, (0.75 - 1) / 0.5 = -0.5 -> -1: outside                dropped
//   5: x (-3.5 + 4) / 2 = 0.25, y (1 - 1) / 0.5 = 0                 (0, 0): row 0, but it is the third of 2
//   6: x (0 + 4) / 2 = 2, y (1.5 - 1) / 0.5 = 1                     (1, 2), new: row 2
Call Plane(mluOpDataType_t type, const std::string& shape = "kept=2,rows=5") {
  return CloudCall("grid=4x3,min=-4x1,size=2x0.5," + shape, type, 3,
                   {-3, 1.25, 1, 3.5, 2.25, 2, -4, 1, 3, 4, 1.25, 4, -3, 0.75, 5, -3.5, 1, 6, 0, 1.5, 7});
}

TEST_P(PointToVoxel, Plane) {
  ExpectNumbers(Plane(GetParam()), {3,
                                    {0, 0, 2, 3, 1, 2},
                                    {2, 1, 1},
                                    {-3, 1.25, 1, -4, 1, 3, 3.5, 2.25, 2, 0, 0, 0, 0, 1.5, 7, 0, 0, 0},
                                    {-3.5, 1.125, 2, 3.5, 2.25, 2, 0, 1.5, 7},
                                    {0, 1, 0, -1, -1, 0, 2}});
}

// The same voxels, numbered by (y, x): (0, 0), (1, 2), (2, 3).
TEST_P(PointToVoxel, PlaneAscending) {
  ExpectNumbers(Plane(GetParam(), "kept=2,rows=5,order=ascending"),
                {3,
                 {0, 0, 1, 2, 2, 3},
                 {2, 1, 1},
                 {-3, 1.25, 1, -4, 1, 3, 0, 1.5, 7, 0, 0, 0, 3.5, 2.25, 2, 0, 0, 0},
                 {-3.5, 1.125, 2, 0, 1.5, 7, 3.5, 2.25, 2},
                 {0, 2, 0, -1, -1, 0, 1}});
}

// No limit of points: the mean of voxel (0, 0) is over 0, 2 and 5: ((-3 - 4 - 3.5) / 3, 3.25 / 3, 10 / 3). To stay
// exact the third point becomes a copy of the first: (-3 - 4 - 3.5 ...) is replaced by x (-3 - 4 - 3.5 - 3.5) / 4.
TEST_P(PointToVoxel, MeanOverAllPoints) {
  Call call = Plane(GetParam(), "kept=0,rows=5");
  for (const int64_t f : {0, 1, 2}) call["points"].Set(4 * 3 + f, call["points"].Get(5 * 3 + f));  // four in (0, 0)
  // x: -3 - 4 - 3.5 - 3.5 = -14, y: 1.25 + 1 + 1 + 1 = 4.25, weight: 1 + 3 + 6 + 6 = 16; a quarter of each.
  ExpectNumbers(
      call, {3, {0, 0, 2, 3, 1, 2}, {4, 1, 1}, {}, {-3.5, 1.0625, 4, 3.5, 2.25, 2, 0, 1.5, 7}, {0, 1, 0, -1, 0, 0, 2}});
}

// Two voxels are allowed: (1, 2), which is new at point 6, gets no row, while point 5 still enters row 0. In ascending
// order it is still (1, 2) that has no row, though it comes before (2, 3).
TEST_P(PointToVoxel, LimitOfVoxels) {
  for (const bool by_room : {false, true}) {
    for (const bool ascending : {false, true}) {
      const std::string limit = by_room ? "kept=2,rows=2" : "kept=2,rows=5,most=2";
      ExpectNumbers(Plane(GetParam(), limit + (ascending ? ",order=ascending" : "")),
                    {2,
                     {0, 0, 2, 3},
                     {2, 1},
                     {-3, 1.25, 1, -4, 1, 3, 3.5, 2.25, 2, 0, 0, 0},
                     {-3.5, 1.125, 2, 3.5, 2.25, 2},
                     {0, 1, 0, -1, -1, 0, -1}});
    }
  }
}

// Points 0 to 4 are the first cloud, the second is empty, 5 and 6 are the third. Voxel (0, 0) of the third is another
// one than that of the first.
TEST_P(PointToVoxel, Clouds) {
  Call call = Plane(GetParam(), "kept=2,rows=5,clouds=3");
  Assign(call, "cloud_begins", {0, 5, 5, 7});
  ExpectNumbers(call, {4,
                       {0, 0, 0, 0, 2, 3, 2, 0, 0, 2, 1, 2},
                       {2, 1, 1, 1},
                       {-3, 1.25, 1, -4, 1, 3, 3.5, 2.25, 2, 0, 0, 0, -3.5, 1, 6, 0, 0, 0, 0, 1.5, 7, 0, 0, 0},
                       {-3.5, 1.125, 2, 3.5, 2.25, 2, -3.5, 1, 6, 0, 1.5, 7},
                       {0, 1, 0, -1, -1, 2, 3}});
}

// One voxel per cloud, so the first of each; then room for one voxel in all.
TEST_P(PointToVoxel, LimitsOfClouds) {
  Call call = Plane(GetParam(), "kept=2,rows=5,most=1,clouds=3");
  Assign(call, "cloud_begins", {0, 5, 5, 7});
  ExpectNumbers(call, {2,
                       {0, 0, 0, 2, 0, 0},
                       {2, 1},
                       {-3, 1.25, 1, -4, 1, 3, -3.5, 1, 6, 0, 0, 0},
                       {-3.5, 1.125, 2, -3.5, 1, 6},
                       {0, -1, 0, -1, -1, 1, -1}});
  Call room_for_one = Plane(GetParam(), "kept=2,rows=1,most=1,clouds=3");
  Assign(room_for_one, "cloud_begins", {0, 5, 5, 7});
  ExpectNumbers(room_for_one,
                {1, {0, 0, 0}, {2}, {-3, 1.25, 1, -4, 1, 3}, {-3.5, 1.125, 2}, {0, -1, 0, -1, -1, -1, -1}});
}

// One to four dimensions: coordinates are written from the last axis to the first.
TEST_P(PointToVoxel, Dimensions) {
  const std::vector<double> points = {0.5, 1.5, 2.5, 3.5, 4.5, 3.5, 2.5, 1.5};
  std::string grid = "5";
  for (int dims = 1; dims <= 4; ++dims, grid += "x5") {
    std::vector<double> coordinates;
    for (int axis = dims - 1; axis >= 0; --axis) coordinates.push_back(axis);
    for (int axis = dims - 1; axis >= 0; --axis) coordinates.push_back(4 - axis);
    ExpectNumbers(CloudCall("kept=1,rows=2,grid=" + grid, GetParam(), 4, points),
                  {2, coordinates, {1, 1}, points, points, {0, 1}});
  }
}

// Points that are beyond any grid, and a grid whose differences overflow.
TEST_P(PointToVoxel, HugeCoordinates) {
  const double most = GetParam() == MLUOP_DTYPE_HALF     ? 65504
                      : GetParam() == MLUOP_DTYPE_DOUBLE ? std::numeric_limits<double>::max()
                                                         : 3e38;
  const std::vector<double> points = {most, 0, 0, -most, 0, 0, 0, 0, 0, 0, -most, most};
  ExpectNumbers(CloudCall("grid=7x7x7,kept=2,rows=4", GetParam(), 3, points),
                {1, {0, 0, 0}, {1}, {0, 0, 0, 0, 0, 0}, {0, 0, 0}, {-1, -1, 0, -1}});
  ExpectNumbers(CloudCall("grid=7x7x7,kept=2,rows=4,min=-3e38,size=1e-30", GetParam(), 3, points),
                {0, {}, {}, {}, {}, {-1, -1, -1, -1}});
}

// ---- detopsGetVoxelGrid: the numbers that detectors use ----

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
}  // namespace detops_test
