// voxelization by hand: clouds small enough to be worked out on paper, and borders of voxels.
#include <cmath>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using Row = std::vector<double>;

// Points of x, y, z; sizes and ranges of three and six numbers.
Call CloudOf(const std::vector<Row>& points, const Row& size, const Row& range, int64_t kept, int64_t most,
             mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
  Call call = CallOf("mluOpVoxelization",
                     "points=" + std::to_string(points.size()) + ",features=3,kept=" + std::to_string(kept) +
                         ",most=" + std::to_string(most),
                     type);
  Assign(call, "voxel_size", size);
  Assign(call, "coors_range", range);
  for (size_t i = 0; i < points.size(); ++i) SetRow(call, "points", static_cast<int64_t>(i), points[i]);
  return call;
}

// A row of cells along x: only x counts.
Call LineOf(const std::vector<double>& xs, double size, double end, int64_t kept, int64_t most) {
  std::vector<Row> points;
  for (const double x : xs) points.push_back({x, 0, 0});
  return CloudOf(points, {size, 1, 1}, {0, 0, 0, end, 1, 1}, kept, most);
}

// z, y, x of the voxels, and behind them zeros.
void ExpectCoors(const Call& call, std::vector<double> coors, std::vector<double> counts) {
  const auto number = static_cast<double>(counts.size());
  coors.resize(static_cast<size_t>(call["coors"].elements()));
  counts.resize(static_cast<size_t>(call["num_points_per_voxel"].elements()));
  ExpectNumbersEverywhere(call, {{"coors", coors}, {"num_points_per_voxel", counts}, {"voxel_num", {number}}});
}

class VoxelizationByHand : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, VoxelizationByHand, testing::ValuesIn(kTypes), TypeName);

// V1: two voxels; the fourth point lies below, the last beyond the range, and the fifth is the third of its voxel.
TEST_P(VoxelizationByHand, TwoVoxels) {
  const double a = 0.5, b = 0.625;
  const Call call = CloudOf({{a, a, a}, {1.5, a, a}, {b, b, b}, {-0.125, 0, 0}, {0, 0, 0}, {2, 0, 0}}, {1, 1, 1},
                            {0, 0, 0, 2, 2, 1}, 2, 3, GetParam());
  ExpectNumbersEverywhere(call, {{"voxels", {a, a, a, b, b, b, 1.5, a, a, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
                                 {"coors", {0, 0, 0, 0, 0, 1, 0, 0, 0}},
                                 {"num_points_per_voxel", {2, 1, 0}},
                                 {"voxel_num", {2}}});
}

// V2, and what mmdetection3d once got wrong (issue 406 there): when no further voxel fits, points of those that are
// there still enter them.
TEST_P(VoxelizationByHand, LaterPointsOfFullVoxels) {
  std::vector<Row> points;
  for (const double x : {0.5, 1.5, 0.625, 2.5, 1.625}) points.push_back({x, 0, 0});
  const Call call = CloudOf(points, {1, 1, 1}, {0, 0, 0, 3, 1, 1}, 2, 2, GetParam());
  ExpectNumbersEverywhere(call, {{"voxels", {0.5, 0, 0, 0.625, 0, 0, 1.5, 0, 0, 1.625, 0, 0}},
                                 {"coors", {0, 0, 0, 0, 0, 1}},
                                 {"num_points_per_voxel", {2, 2}},
                                 {"voxel_num", {2}}});
}

// V3
TEST_P(VoxelizationByHand, FirstPointsStay) {
  const Call call =
      CloudOf({{0.125, 0, 0}, {0.25, 0, 0}, {0.375, 0, 0}}, {1, 1, 1}, {0, 0, 0, 1, 1, 1}, 2, 1, GetParam());
  ExpectNumbersEverywhere(
      call,
      {{"voxels", {0.125, 0, 0, 0.25, 0, 0}}, {"coors", {0, 0, 0}}, {"num_points_per_voxel", {2}}, {"voxel_num", {1}}});
}

// V4: 1.3 / 0.1 is below 13 in float.
TEST(VoxelizationBorders, QuotientOfFloats) {
  ExpectCoors(LineOf({static_cast<double>(1.3f)}, static_cast<double>(0.1f), 2, 1, 1), {0, 0, 12}, {1});
}

// The bits that number the voxels of each axis are 65 together, but int64 counts the voxels.
TEST(VoxelizationBorders, LargeGrid) {
  const double x = 1049999, z = 8364999;
  ExpectCoors(CloudOf({{x, 1, z}, {0, x, z}, {x, 1, z - 1}}, {1, 1, 1}, {0, 0, 0, x + 1, x + 1, z + 1}, 1, 3),
              {z, 1, x, z, x, 0, z - 1, 1, x}, {1, 1, 1});
}

// V5: 1 / 0.3 rounds to 3 voxels; what lies behind the third is dropped.
TEST(VoxelizationBorders, RangeIsRounded) {
  ExpectCoors(LineOf({static_cast<double>(0.89f), static_cast<double>(0.9f), static_cast<double>(0.95f)},
                     static_cast<double>(0.3f), 1, 3, 2),
              {0, 0, 2}, {2});
}

// V6: pillars of KITTI. A point before the range, one at its end, one that is no number; the lowest corner of all.
TEST(VoxelizationBorders, Pillars) {
  const Row size = {static_cast<double>(0.16f), static_cast<double>(0.16f), 4};
  const Row range = {0, static_cast<double>(-39.68f), -3, static_cast<double>(69.12f), static_cast<double>(39.68f), 1};
  ExpectCoors(
      CloudOf({{-0.05, 0, 0}, {static_cast<double>(69.12f), 0, 0}, {kNan, 0, 0}, {1, range[1], -3}}, size, range, 1, 4),
      {0, 0, 6}, {1});
}

// V7 and V8: a division, not a product with the reciprocal.
TEST(VoxelizationBorders, Division) {
  const float step = 0.16f;
  ExpectCoors(LineOf({static_cast<double>(5 * step)}, static_cast<double>(step), 16, 1, 1), {0, 0, 5}, {1});
  ExpectCoors(LineOf({1.125}, static_cast<double>(0.075f), 54, 1, 1), {0, 0, 14}, {1});
}

// V9: pillars of CenterPoint.
TEST(VoxelizationBorders, CenterPointPillars) {
  const auto low = static_cast<double>(-51.2f), high = static_cast<double>(51.2f);
  const Row size = {static_cast<double>(0.2f), static_cast<double>(0.2f), 8};
  ExpectCoors(CloudOf({{low, low, -5}, {high, 0, 0}, {static_cast<double>(-50.4f), 0, 0}}, size,
                      {low, low, -5, high, high, 3}, 1, 3),
              {0, 0, 0, 0, 256, 3}, {1, 1});
}

// Double points are decided in double: 0.3 / 0.1 is below 3 there, and 3 in float.
TEST(VoxelizationBorders, DoublesInDouble) {
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE}) {
    Call call = CallOf("mluOpVoxelization", "points=1,features=3,kept=1,most=1,numbers=same", type);
    Assign(call, "voxel_size", {0.1, 1, 1});
    Assign(call, "coors_range", {0, 0, 0, 1, 1, 1});
    Assign(call, "points", {0.3, 0, 0});
    ExpectCoors(call, {0, 0, type == MLUOP_DTYPE_DOUBLE ? 2.0 : 3.0}, {1});
  }
}

// mmdetection3d's kernel read double points as floats (issue 894 there keeps other points in every run): the points
// that are kept are copies, bit by bit.
TEST(VoxelizationDefects, DoublePointsAreCopied) {
  const double third = 1 / 3.0;
  const Call call = CloudOf({{third, third, third}}, {1, 1, 1}, {0, 0, 0, 1, 1, 1}, 1, 1, MLUOP_DTYPE_DOUBLE);
  ExpectNumbersEverywhere(call, {{"voxels", {third, third, third}}, {"voxel_num", {1}}});
}

// Numbers of a grid are looked at with value checks off too: nothing else could come out.
TEST(VoxelizationDefects, SizesAreAlwaysChecked) {
  for (const double size : {0.0, -1.0, kNan, kInf}) {
    Call call = CloudOf({{0, 0, 0}}, {1, 1, 1}, {0, 0, 0, 1, 1, 1}, 1, 1);
    call.value_checks = false;
    call["voxel_size"].Set(1, size);
    ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "voxel_size[1] is ");
  }
}

}  // namespace
}  // namespace detops_test
