// point_to_voxel against the reference, over odd sizes, all types and all rules, on every target and number of threads.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ops/point_to_voxel/test/expected.h"
#include "ops/point_to_voxel/test/problem.h"

namespace detops_test {
namespace {

class PointToVoxelRandom : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  int64_t Below(int64_t count) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(count)); }

  // Some points lie outside on either side.
  void Scatter(Cloud& cloud, const VoxelRules& rules) {
    std::uniform_real_distribution<double> place(-0.1, 1.1);
    for (int64_t point = 0; point < cloud.points(); ++point) {
      for (size_t axis = 0; axis < rules.grid.size(); ++axis) {
        const double length = rules.voxel_size[axis] * rules.grid[axis];
        cloud.rows.Set(point * cloud.features() + static_cast<int64_t>(axis),
                       rules.range_min[axis] + place(random_) * length);
      }
    }
  }

  VoxelRules AnyRules() {
    VoxelRules rules;
    const int64_t dims = 1 + Below(4);
    for (int64_t axis = 0; axis < dims; ++axis) {
      rules.range_min.push_back(static_cast<double>(Below(9)) - 4.5);
      rules.voxel_size.push_back(0.1 * static_cast<double>(1 + Below(20)));
      rules.grid.push_back(static_cast<int>(1 + Below(6)));
    }
    rules.max_points = Below(6);
    rules.max_voxels = Below(3) == 0 ? 1 + Below(30) : 0;
    rules.room = Below(3) == 0 ? Below(40) : 700;
    rules.ascending = Below(2) == 0;
    return rules;
  }

  std::mt19937_64 random_{static_cast<uint64_t>(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(Types, PointToVoxelRandom, testing::ValuesIn(kTypes), TypeName);

TEST_P(PointToVoxelRandom, AnyRulesAndSizes) {
  for (int round = 0; round < 60; ++round) {
    const VoxelRules rules = AnyRules();
    const auto dims = static_cast<int64_t>(rules.grid.size());
    Cloud cloud(GetParam(), Below(700), dims + Below(20));
    Scatter(cloud, rules);
    if (Below(2) == 0) {
      std::vector<int64_t> begins = {0};
      for (int64_t left = Below(5); left > 0; --left) begins.push_back(begins.back() + Below(200));
      for (int64_t& begin : begins) begin = std::min(begin, cloud.points());
      begins.push_back(cloud.points());
      cloud.SetClouds(begins);
    }
    SCOPED_TRACE(testing::Message() << "round " << round << ", " << cloud.points() << " points, " << cloud.features()
                                    << " features, " << dims << " axes, " << rules.max_points << " points a voxel");
    ExpectAgreement(cloud, rules);
    if (HasFailure()) return;
  }
}

// Widths around the vector lengths and the copies of 2, 8 and 16 bytes.
TEST_P(PointToVoxelRandom, Widths) {
  for (const int64_t features : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65}) {
    VoxelRules rules = UnitVoxels({9});
    rules.max_points = 4;
    rules.room = 9;
    Cloud cloud(GetParam(), 70, features);
    cloud.rows.FillUniform(-100, 100, static_cast<uint64_t>(features));
    Scatter(cloud, rules);
    SCOPED_TRACE(features);
    ExpectAgreement(cloud, rules);
  }
}

// Large enough to be cut into tasks, with pieces that lose different numbers of points.
TEST_P(PointToVoxelRandom, ManyPoints) {
  for (const bool ascending : {false, true}) {
    for (const int64_t room : {40'000, 3'000}) {
      VoxelRules rules = UnitVoxels({40, 50, 8});
      rules.max_points = 3;
      rules.room = room;
      rules.ascending = ascending;
      Cloud cloud(GetParam(), 50'001, 4);
      Scatter(cloud, rules);
      for (int64_t point = 20'000; point < 31'000; ++point) cloud.rows.Set(point * 4, -1);  // a stretch outside
      cloud.SetClouds({0, 17'000, 17'001, 50'001});
      const Expected expected(cloud, rules);
      Handle handle(DETOPS_PROFILE_FULL);
      Results first = cloud.NewResults(rules);
      ASSERT_EQ(cloud.Run(handle, rules, first), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(expected.WrongIn(first), "");
      for (const int threads : {1, 2, 3, 7, 64}) {
        handle.SetThreads(threads);
        Results results = cloud.NewResults(rules);
        ASSERT_EQ(cloud.Run(handle, rules, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
        ASSERT_TRUE(results.SameBytes(first)) << threads << " threads";
      }
    }
  }
}

// All points in one voxel, and no two in one.
TEST_P(PointToVoxelRandom, OneVoxelOrOneEach) {
  for (const bool one : {true, false}) {
    VoxelRules rules = UnitVoxels({one ? 1 : 2000});
    rules.max_points = 7;
    rules.room = 2000;
    Cloud cloud(GetParam(), 2000, 3);
    for (int64_t point = 0; point < 2000; ++point) {
      // In bfloat16 and half not all of these are different numbers; the reference knows.
      cloud.rows.Set(point * 3, one ? 0.25 : static_cast<double>(1999 - point) + 0.5);
    }
    ExpectAgreement(cloud, rules);
    rules.max_points = 0;
    ExpectAgreement(cloud, rules);
  }
}

}  // namespace
}  // namespace detops_test
