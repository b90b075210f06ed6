// point_to_voxel by hand: clouds small enough to be worked out on paper.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/point_to_voxel/test/expected.h"
#include "ops/point_to_voxel/test/problem.h"

namespace detops_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

class PointToVoxel : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // Runs on every configuration and checks what stands in the results by numbers.
  struct Numbers {
    int64_t voxel_num;
    std::vector<double> coordinates, num_points, voxels, means, point_voxel;  // of the rows that are used
  };
  static void ExpectNumbers(const Cloud& cloud, const VoxelRules& rules, const Numbers& numbers) {
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      Results results = cloud.NewResults(rules);
      ASSERT_EQ(cloud.Run(handle, rules, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
      EXPECT_EQ(results.voxel_num, numbers.voxel_num);
      EXPECT_EQ(Front(results.coordinates, numbers.coordinates.size()), numbers.coordinates);
      EXPECT_EQ(Front(results.num_points, numbers.num_points.size()), numbers.num_points);
      EXPECT_EQ(Front(results.voxels, numbers.voxels.size()), numbers.voxels);
      EXPECT_EQ(Front(results.means, numbers.means.size()), numbers.means);
      EXPECT_EQ(results.point_voxel.Values(), numbers.point_voxel);
      ASSERT_FALSE(testing::Test::HasNonfatalFailure());
    });
  }

 private:
  static std::vector<double> Front(const Tensor& tensor, size_t count) {
    std::vector<double> values = tensor.Values();
    values.resize(count);
    return values;
  }
};

INSTANTIATE_TEST_SUITE_P(Types, PointToVoxel, testing::ValuesIn(kTypes), TypeName);

// Two dimensions, voxels of 2 x 0.5 from (-4, 1) on, 4 x 3 of them. Columns: x, y, weight.
//   0: x (-3 + 4) / 2 = 0.5 -> 0, y (1.25 - 1) / 0.5 = 0.5 -> 0    voxel (y 0, x 0), new: row 0
//   1: x (3.5 + 4) / 2 = 3.75 -> 3, y (2.25 - 1) / 0.5 = 2.5 -> 2   (2, 3), new: row 1
//   2: x (-4 + 4) / 2 = 0, y 0 (on the lower border)                (0, 0): row 0
//   3: x 4, (4 + 4) / 2 = 4: outside (the upper border)             dropped
//   4: y 0.75, (0.75 - 1) / 0.5 = -0.5 -> -1: outside                dropped
//   5: x (-3.5 + 4) / 2 = 0.25, y (1 - 1) / 0.5 = 0                 (0, 0): row 0, but it is the third of 2
//   6: x (0 + 4) / 2 = 2, y (1.5 - 1) / 0.5 = 1                     (1, 2), new: row 2
struct PlaneCloud : Cloud {
  explicit PlaneCloud(mluOpDataType_t type) : Cloud(type, 7, 3) {
    rows.Assign({-3, 1.25, 1, 3.5, 2.25, 2, -4, 1, 3, 4, 1.25, 4, -3, 0.75, 5, -3.5, 1, 6, 0, 1.5, 7});
  }
};
VoxelRules PlaneRules() {
  return {.range_min = {-4, 1}, .voxel_size = {2, 0.5}, .grid = {4, 3}, .max_points = 2, .room = 5};
}

TEST_P(PointToVoxel, Plane) {
  ExpectNumbers(PlaneCloud(GetParam()), PlaneRules(),
                {3,
                 {0, 0, 2, 3, 1, 2},
                 {2, 1, 1},
                 {-3, 1.25, 1, -4, 1, 3, 3.5, 2.25, 2, 0, 0, 0, 0, 1.5, 7, 0, 0, 0},
                 {-3.5, 1.125, 2, 3.5, 2.25, 2, 0, 1.5, 7},
                 {0, 1, 0, -1, -1, 0, 2}});
}

// The same voxels, numbered by (y, x): (0, 0), (1, 2), (2, 3).
TEST_P(PointToVoxel, PlaneAscending) {
  VoxelRules rules = PlaneRules();
  rules.ascending = true;
  ExpectNumbers(PlaneCloud(GetParam()), rules,
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
  PlaneCloud cloud(GetParam());
  for (const int64_t f : {0, 1, 2}) cloud.rows.Set(4 * 3 + f, cloud.rows.Get(5 * 3 + f));  // four points in (0, 0)
  VoxelRules rules = PlaneRules();
  rules.max_points = 0;
  // x: -3 - 4 - 3.5 - 3.5 = -14, y: 1.25 + 1 + 1 + 1 = 4.25, weight: 1 + 3 + 6 + 6 = 16; a quarter of each.
  ExpectNumbers(
      cloud, rules,
      {3, {0, 0, 2, 3, 1, 2}, {4, 1, 1}, {}, {-3.5, 1.0625, 4, 3.5, 2.25, 2, 0, 1.5, 7}, {0, 1, 0, -1, 0, 0, 2}});
}

// Two voxels are allowed: (1, 2), which is new at point 6, gets no row, while point 5 still enters row 0. In ascending
// order it is still (1, 2) that has no row, though it comes before (2, 3).
TEST_P(PointToVoxel, LimitOfVoxels) {
  for (const bool by_room : {false, true}) {
    for (const bool ascending : {false, true}) {
      VoxelRules rules = PlaneRules();
      (by_room ? rules.room : rules.max_voxels) = 2;
      rules.ascending = ascending;
      ExpectNumbers(PlaneCloud(GetParam()), rules,
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
  PlaneCloud cloud(GetParam());
  cloud.SetClouds({0, 5, 5, 7});
  ExpectNumbers(cloud, PlaneRules(),
                {4,
                 {0, 0, 0, 0, 2, 3, 2, 0, 0, 2, 1, 2},
                 {2, 1, 1, 1},
                 {-3, 1.25, 1, -4, 1, 3, 3.5, 2.25, 2, 0, 0, 0, -3.5, 1, 6, 0, 0, 0, 0, 1.5, 7, 0, 0, 0},
                 {-3.5, 1.125, 2, 3.5, 2.25, 2, -3.5, 1, 6, 0, 1.5, 7},
                 {0, 1, 0, -1, -1, 2, 3}});
}

// One voxel per cloud, so the first of each; then room for one voxel in all.
TEST_P(PointToVoxel, LimitsOfClouds) {
  PlaneCloud cloud(GetParam());
  cloud.SetClouds({0, 5, 5, 7});
  VoxelRules rules = PlaneRules();
  rules.max_voxels = 1;
  ExpectNumbers(cloud, rules,
                {2,
                 {0, 0, 0, 2, 0, 0},
                 {2, 1},
                 {-3, 1.25, 1, -4, 1, 3, -3.5, 1, 6, 0, 0, 0},
                 {-3.5, 1.125, 2, -3.5, 1, 6},
                 {0, -1, 0, -1, -1, 1, -1}});
  rules.room = 1;
  ExpectNumbers(cloud, rules,
                {1, {0, 0, 0}, {2}, {-3, 1.25, 1, -4, 1, 3}, {-3.5, 1.125, 2}, {0, -1, 0, -1, -1, -1, -1}});
}

// One to four dimensions: coordinates are written from the last axis to the first.
TEST_P(PointToVoxel, Dimensions) {
  for (int dims = 1; dims <= 4; ++dims) {
    Cloud cloud(GetParam(), 2, 4);
    cloud.rows.Assign({0.5, 1.5, 2.5, 3.5, 4.5, 3.5, 2.5, 1.5});
    VoxelRules rules = UnitVoxels(std::vector<int>(static_cast<size_t>(dims), 5));
    rules.max_points = 1;
    rules.room = 2;
    std::vector<double> coordinates;
    for (int axis = dims - 1; axis >= 0; --axis) coordinates.push_back(axis);
    for (int axis = dims - 1; axis >= 0; --axis) coordinates.push_back(4 - axis);
    const std::vector<double> rows = cloud.rows.Values();
    ExpectNumbers(cloud, rules, {2, coordinates, {1, 1}, rows, rows, {0, 1}});
  }
}

// A coordinate that is no number drops its point, wherever it stands; in other columns it is data.
TEST_P(PointToVoxel, NanAndInf) {
  for (const double bad : {kNan, kInf, -kInf}) {
    for (const int64_t column : {0, 1, 2, 3}) {
      Cloud cloud(GetParam(), 3, 4);
      cloud.rows.Fill(0.5);
      cloud.rows.Set(4 + column, bad);
      VoxelRules rules = UnitVoxels({2, 2, 2});
      rules.max_points = 3;
      rules.room = 3;
      const Expected expected(cloud, rules);
      const bool kept = column == 3;
      ASSERT_EQ(expected.made().voxel_of_point, (std::vector<int64_t>{0, kept ? 0 : -1, 0}));
      ExpectAgreement(cloud, rules);
    }
  }
}

// Points that are beyond any grid, and a grid whose differences overflow.
TEST_P(PointToVoxel, HugeCoordinates) {
  const double most = GetParam() == MLUOP_DTYPE_HALF     ? 65504
                      : GetParam() == MLUOP_DTYPE_DOUBLE ? std::numeric_limits<double>::max()
                                                         : 3e38;
  Cloud cloud(GetParam(), 4, 3);
  cloud.rows.Assign({most, 0, 0, -most, 0, 0, 0, 0, 0, 0, -most, most});
  VoxelRules rules = UnitVoxels({7, 7, 7});
  rules.max_points = 2;
  rules.room = 4;
  ExpectNumbers(cloud, rules, {1, {0, 0, 0}, {1}, {0, 0, 0, 0, 0, 0}, {0, 0, 0}, {-1, -1, 0, -1}});
  rules.range_min = {-3e38, -3e38, -3e38};
  rules.voxel_size = {1e-30, 1e-30, 1e-30};
  ExpectNumbers(cloud, rules, {0, {}, {}, {}, {}, {-1, -1, -1, -1}});
}

TEST_P(PointToVoxel, NothingAtAll) {
  VoxelRules rules = UnitVoxels({4, 4, 4});
  rules.max_points = 3;
  for (const int64_t room : {0, 2}) {
    rules.room = room;
    ExpectNumbers(Cloud(GetParam(), 0, 5), rules, {0, {}, {}, {}, {}, {}});
    Cloud no_clouds(GetParam(), 0, 5), empty_clouds(GetParam(), 0, 5);
    no_clouds.SetClouds({0});
    empty_clouds.SetClouds({0, 0, 0});
    ExpectNumbers(no_clouds, rules, {0, {}, {}, {}, {}, {}});
    ExpectNumbers(empty_clouds, rules, {0, {}, {}, {}, {}, {}});
  }
  // Points, but no room for a voxel.
  rules.room = 0;
  Cloud cloud(GetParam(), 2, 3);
  cloud.rows.Fill(1.5);
  ExpectNumbers(cloud, rules, {0, {}, {}, {}, {}, {-1, -1}});
}

// What is not asked for is not touched; any choice of results agrees with the others.
TEST_P(PointToVoxel, AnyChoiceOfResults) {
  const PlaneCloud cloud(GetParam());
  const VoxelRules rules = PlaneRules();
  const Expected expected(cloud, rules);
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (int choice = 0; choice < 16; ++choice) {
    Results results = cloud.NewResults(rules);
    results.with_voxels = (choice & 1) != 0;
    results.with_means = (choice & 2) != 0;
    results.with_num_points = (choice & 4) != 0;
    results.with_point_voxel = (choice & 8) != 0;
    ASSERT_EQ(cloud.Run(handle, rules, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
    EXPECT_EQ(expected.WrongIn(results), "") << choice;
  }
}

}  // namespace
}  // namespace detops_test
