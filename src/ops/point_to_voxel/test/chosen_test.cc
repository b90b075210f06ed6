// Points that somebody chose so that the call takes long: a cloud comes from outside. No arrangement may take many
// times as long as random points of the same number, and the results are those of the reference.
#include "ops/point_to_voxel/test/chosen.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "ops/point_to_voxel/test/expect_cloud.h"
#include "support/cpu_time.h"

namespace detops_cases {

void PrintTo(const KeyFamily& family, std::ostream* out) { *out << family.name; }

}  // namespace detops_cases

namespace detops_test {
namespace {

using detops_cases::KeyFamily;
using detops_harness::Call;
using detops_harness::PlacedCall;

// Points in unit voxels with chosen keys, on a grid of 2^axis_bits on every axis, on which each key is a voxel.
Call ChosenCloud(int64_t count, int axis_bits, detops_cases::KeyOf* key_of, const std::string& order = "first") {
  const std::string extent = std::to_string(1 << axis_bits);
  const std::vector<float> points = detops_cases::MakeChosenCloud(count, 3, axis_bits, key_of);
  return CloudCall(
      "kept=2,grid=" + extent + "x" + extent + "x" + extent + ",rows=" + std::to_string(count) + ",order=" + order,
      MLUOP_DTYPE_FLOAT, 3, {points.begin(), points.end()});
}

double SecondsOf(const Call& call) {
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  PlacedCall placed(call);
  return LeastCpuSeconds([&] { EXPECT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text(); });
}

class PointToVoxelChosen : public testing::TestWithParam<KeyFamily> {};

INSTANTIATE_TEST_SUITE_P(Families, PointToVoxelChosen, testing::ValuesIn(detops_cases::kKeyFamilies),
                         [](const testing::TestParamInfo<KeyFamily>& family) { return family.param.name; });

// A table without a limit of its steps took 340 to 410 times as long for the first two families.
TEST_P(PointToVoxelChosen, TakesAboutAsLongAsRandomPoints) {
  constexpr int64_t kPoints = 40'000;
  const Call random = ChosenCloud(kPoints, 20, detops_cases::RandomKey);
  const Call chosen = ChosenCloud(kPoints, 20, GetParam().key_of);
  EXPECT_LT(SecondsOf(chosen), 50 * SecondsOf(random));
}

TEST_P(PointToVoxelChosen, MatchesTheReference) {
  // Words of 64 bits; of 128 and several tasks; so many points that those of one bucket are sorted at once.
  for (const auto& [points, axis_bits] : {std::pair{4'000, 17}, {20'000, 20}, {70'000, 20}}) {
    for (const char* order : {"first", "ascending"}) {
      PlacedCall placed(ChosenCloud(points, axis_bits, GetParam().key_of, order));
      const auto expected = placed.call().function->Reference(placed.call());
      for (const int threads : {1, 3}) {
        const Handle handle(DETOPS_PROFILE_FULL, threads);
        placed.Reset(0xFF);
        ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
        EXPECT_EQ(Disagreement(placed.call(), expected), "") << points << " points, " << threads << " threads";
        EXPECT_TRUE(placed.SurroundingsIntact());
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
