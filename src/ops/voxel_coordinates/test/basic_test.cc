// voxel_coordinates by hand: borders of voxels, and points that have none.
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using Row = std::vector<double>;

class VoxelCoordinates : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, VoxelCoordinates, testing::ValuesIn(kTypes), TypeName);

// A grid of 4 x 3 x 2 voxels of 1 x 0.5 x 2 from (-1, 2, 0) on.
Call Of(const std::vector<Row>& points, mluOpDataType_t type) {
  Call call = CallOf("detopsVoxelCoordinates",
                     "features=3,grid=4x3x2,min=-1x2x0,size=1x0.5x2,points=" + std::to_string(points.size()), type);
  for (size_t i = 0; i < points.size(); ++i) SetRow(call, "points", static_cast<int64_t>(i), points[i]);
  return call;
}

// (x + 1) / 1, (y - 2) / 0.5, z / 2: a lower border belongs to its voxel, an upper one to the next.
TEST_P(VoxelCoordinates, Borders) {
  ExpectNumbersEverywhere(
      Of({{-1, 2, 0}, {2.5, 3.25, 3.75}, {0, 2.5, 2}, {3, 2, 0}, {0, 3.5, 0}, {0, 2, 4}}, GetParam()),
      {{"coordinates", {0, 0, 0, 1, 2, 3, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1}}});
}

// mmcv's kernel for GPUs writes -1 only up to the first axis that fails, and takes a NaN for cell 0.
TEST_P(VoxelCoordinates, AllOfAPointOutsideIsMinusOne) {
  std::vector<Row> points;
  for (const double bad : {kNan, kInf, -kInf, -9.0, 99.0}) {
    points.insert(points.end(), {{bad, 2, 0}, {0, bad, 0}, {0, 2, bad}});
  }
  ExpectNumbersEverywhere(Of(points, GetParam()), {{"coordinates", Row(45, -1)}});
}

// V4, V7 and V8 of voxelization: float arithmetic, and a division.
TEST(VoxelCoordinatesBorders, Division) {
  const auto expect = [](const std::string& size, double x, double cell) {
    Call call = CallOf("detopsVoxelCoordinates", "points=1,features=1,grid=100,min=0,size=" + size);
    Assign(call, "points", {x});
    ExpectNumbersEverywhere(call, {{"coordinates", {cell}}});
  };
  expect("0.1", static_cast<double>(1.3f), 12);
  expect("0.16", static_cast<double>(5 * 0.16f), 5);
  expect("0.075", 1.125, 14);
}

// No number of bits is too large: nothing is packed.
TEST(VoxelCoordinatesBorders, LargeGrids) {
  Call call = CallOf("detopsVoxelCoordinates", "points=2,features=3,grid=2147483647x2147483647x2147483647,min=0,size=1",
                     MLUOP_DTYPE_DOUBLE);
  Assign(call, "points", {2147483646, 0, 2147483646.5, 2147483647, 0, 0});
  ExpectNumbersEverywhere(call, {{"coordinates", {2147483646, 0, 2147483646, -1, -1, -1}}});
}

}  // namespace
}  // namespace detops_test
