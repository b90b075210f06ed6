// point_to_voxel and memory: no byte outside the tensors is touched, any alignment works, inputs stay as they were.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/point_to_voxel/test/expected.h"
#include "ops/point_to_voxel/test/problem.h"

namespace detops_test {
namespace {

class PointToVoxelMemory : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, PointToVoxelMemory, testing::ValuesIn(kTypes), TypeName);

VoxelRules SmallRules(int64_t features) {
  VoxelRules rules = UnitVoxels(std::vector<int>(features < 3 ? 1 : 3, 3));
  rules.max_points = 2;
  rules.room = 28;
  return rules;
}

// The tensors of a call lie flush against a page that may not be touched, first at their end, then at their front; or 1
// or 2 bytes beside it, which misaligns them and leaves the distance to be checked byte for byte. The last points of
// the tensor are in a voxel, so that a vector that reaches beyond a row is noticed.
TEST_P(PointToVoxelMemory, StaysInsideAtAnyAlignment) {
  for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
    for (const size_t offset : {0u, 1u, 2u}) {
      for (const int64_t features : {1, 2, 3, 5, 7, 8, 9, 17, 33}) {
        for (const int64_t points : {1, 67}) {
          SCOPED_TRACE(testing::Message() << (placement == Placement::kAgainstEnd ? "end" : "front") << ", offset "
                                          << offset << ", " << features << " features, " << points << " points");
          const VoxelRules rules = SmallRules(features);
          Cloud cloud(GetParam(), points, features, placement, offset);
          cloud.rows.FillUniform(0, 2.9, static_cast<uint64_t>(features));
          if (points == 67) cloud.SetClouds({0, 30, 67});
          ExpectAgreement(cloud, rules);
          EXPECT_TRUE(cloud.rows.SurroundingsIntact());
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_P(PointToVoxelMemory, InputsStayAsTheyWere) {
  const VoxelRules rules = SmallRules(5);
  Cloud cloud(GetParam(), 300, 5), same(GetParam(), 300, 5);
  cloud.rows.FillUniform(-1, 4, 3);
  same.rows.FillUniform(-1, 4, 3);
  cloud.SetClouds({0, 100, 300});
  same.SetClouds({0, 100, 300});
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    Results results = cloud.NewResults(rules);
    ASSERT_EQ(cloud.Run(handle, rules, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_TRUE(cloud.rows.SameBytes(same.rows));
    ASSERT_TRUE(cloud.begins()->SameBytes(*same.begins()));
  });
}

// A grid of 2^62 cells: memory follows the points. Keys and point numbers need more than 64 bits together.
TEST_P(PointToVoxelMemory, LargestGrids) {
  for (const bool ascending : {false, true}) {
    for (const std::vector<int>& grid :
         {std::vector<int>{1 << 30, 1 << 30, 4, 1}, std::vector<int>{INT32_MAX, INT32_MAX},
          std::vector<int>{1 << 20, 1 << 20, 1 << 20}, std::vector<int>{1, 1, 1, 1}}) {
      VoxelRules rules = UnitVoxels(grid);
      for (size_t axis = 0; axis < grid.size(); ++axis) rules.voxel_size[axis] = grid[axis] < 1000 ? 1 : 0.001;
      rules.max_points = 3;
      rules.room = 5000;
      rules.ascending = ascending;
      Cloud cloud(GetParam(), 9000, 4);
      cloud.rows.FillUniform(0, 60, 9);
      for (int64_t point = 0; point < 9000; ++point) {
        for (int64_t f = 2; f < 4; ++f) cloud.rows.Set(point * 4 + f, cloud.rows.Get(point * 4 + f) / 20);
        if (point % 3 == 0) cloud.rows.Set(point * 4, cloud.rows.Get(0));  // some in one voxel
        if (point % 3 == 0) cloud.rows.Set(point * 4 + 1, cloud.rows.Get(1));
      }
      const Expected expected(cloud, rules);
      for (const int threads : {1, 3}) {
        const Handle handle(DETOPS_PROFILE_FULL, threads);
        Results results = cloud.NewResults(rules);
        ASSERT_EQ(cloud.Run(handle, rules, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
        ASSERT_EQ(expected.WrongIn(results), "");
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
