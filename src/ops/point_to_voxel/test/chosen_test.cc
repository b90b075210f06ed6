// Points that somebody chose so that the call takes long: a cloud comes from outside. No arrangement may take many
// times as long as random points of the same number, and the results are those of the reference.
#include "ops/point_to_voxel/test/chosen.h"

#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

#include "ops/point_to_voxel/test/expected.h"
#include "ops/point_to_voxel/test/problem.h"
#include "support/cpu_time.h"

namespace detops_cases {

void PrintTo(const KeyFamily& family, std::ostream* out) { *out << family.name; }

}  // namespace detops_cases

namespace detops_test {
namespace {

using detops_cases::KeyFamily;

// Points in unit voxels with chosen keys, on a grid of 2^axis_bits on every axis, on which each key is a voxel.
class ChosenCloud : public Cloud {
 public:
  ChosenCloud(int64_t count, int axis_bits, detops_cases::KeyOf* key_of)
      : Cloud(MLUOP_DTYPE_FLOAT, count, 3), rules(UnitVoxels({1 << axis_bits, 1 << axis_bits, 1 << axis_bits})) {
    rules.max_points = 2;
    rules.room = count;
    const std::vector<float> coordinates = detops_cases::MakeChosenCloud(count, 3, axis_bits, key_of);
    for (size_t i = 0; i < coordinates.size(); ++i) {
      rows.Set(static_cast<int64_t>(i), static_cast<double>(coordinates[i]));
    }
  }

  VoxelRules rules;
};

double SecondsOf(const ChosenCloud& cloud) {
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  Results results = cloud.NewResults(cloud.rules);
  return LeastCpuSeconds(
      [&] { EXPECT_EQ(cloud.Run(handle, cloud.rules, results), MLUOP_STATUS_SUCCESS) << handle.LastError(); });
}

class PointToVoxelChosen : public testing::TestWithParam<KeyFamily> {};

INSTANTIATE_TEST_SUITE_P(Families, PointToVoxelChosen, testing::ValuesIn(detops_cases::kKeyFamilies),
                         [](const testing::TestParamInfo<KeyFamily>& family) { return family.param.name; });

// A table without a limit of its steps took 340 to 410 times as long for the first two families.
TEST_P(PointToVoxelChosen, TakesAboutAsLongAsRandomPoints) {
  constexpr int64_t kPoints = 40'000;
  const ChosenCloud random(kPoints, 20, detops_cases::RandomKey);
  const ChosenCloud chosen(kPoints, 20, GetParam().key_of);
  EXPECT_LT(SecondsOf(chosen), 50 * SecondsOf(random));
}

TEST_P(PointToVoxelChosen, MatchesTheReference) {
  // Words of 64 bits; of 128 and several tasks; so many points that those of one bucket are sorted at once.
  for (const auto& [points, axis_bits] : {std::pair{4'000, 17}, {20'000, 20}, {70'000, 20}}) {
    ChosenCloud cloud(points, axis_bits, GetParam().key_of);
    for (const bool ascending : {false, true}) {
      cloud.rules.ascending = ascending;
      const Expected expected(cloud, cloud.rules);
      for (const int threads : {1, 3}) {
        Results results = cloud.NewResults(cloud.rules);
        const Handle handle(DETOPS_PROFILE_FULL, threads);
        ASSERT_EQ(cloud.Run(handle, cloud.rules, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
        EXPECT_EQ(expected.WrongIn(results), "") << points << " points, " << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
