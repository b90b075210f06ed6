// Thousands of small roiaware_pool3d problems from seeds against every point held against every box: the dense form,
// the dense form with the switches of the extension, the count and the compact form, each on one target and with one
// number of threads in turn.
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "ops/roiaware_pool3d/test/expected.h"
#include "ops/roiaware_pool3d/test/problem.h"
#include "ops/roiaware_pool3d/test/scenes.h"

namespace detops_test {
namespace {

Sizes SmallSizes(SceneRandom& random) {
  const int64_t outs[] = {1, 1, 2, 3, 4, 5, 7}, rooms[] = {1, 2, 2, 3, 5, 9, 128};
  return {1 + random.Below(5), 1 + random.Below(70), 1 + random.Below(9), random.OneOf(outs),
          random.OneOf(outs),  random.OneOf(outs),   random.OneOf(rooms)};
}

// 1e39 is infinite as a float.
Switches AnySwitches(SceneRandom& random) {
  const double margins[] = {0, 1e-5, 1e-5, 0.25, 1, 1e30, 1e39};
  return {random.OneIn(2) ? DETOPS_Z_CENTER : DETOPS_Z_BOTTOM, random.OneOf(margins)};
}

class RoiAwarePool3dRandom : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // A target and a number of threads that follow from the seed.
  void Configure(Handle& handle, uint64_t seed) {
    const int threads[] = {1, 2, 3, 7};
    handle.SetThreads(threads[seed % std::size(threads)]);
    Must(detopsSetTarget(targets_[seed / std::size(threads) % targets_.size()].c_str()), "detopsSetTarget");
  }
  void TearDown() override { detopsSetTarget(nullptr); }

  std::vector<std::string> targets_ = SupportedTargets();
};

INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dRandom, testing::ValuesIn(kTypes), TypeName);

TEST_P(RoiAwarePool3dRandom, DenseAgreesWithBruteForce) {
  Handle handle(ProfileFor(GetParam()));
  int64_t voxels = 0, points = 0;
  for (uint64_t seed = 0; seed < 1600; ++seed) {
    const SceneKind kind = kSceneKinds[seed % std::size(kSceneKinds)];
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", scene " << static_cast<int>(kind));
    SceneRandom random(seed);
    Problem problem(GetParam(), SmallSizes(random));
    FillScene(problem, kind, seed);
    problem.features.FillUniform(-1, 1, seed);
    const int method = kMethods[seed / 8 % 2];
    const Expected expected(problem, method);
    Configure(handle, seed / 16);
    Dense dense = problem.NewDense();
    ASSERT_EQ(problem.Run(handle, method, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(expected.WrongIn(dense), "");
    voxels += expected.voxel_num();
    points += expected.point_num();
  }
  // The comparison meant something.
  EXPECT_GT(voxels, 5000);
  EXPECT_GT(points, 8000);
}

TEST_P(RoiAwarePool3dRandom, SwitchesAndCompactAgreeWithBruteForce) {
  Handle handle(DETOPS_PROFILE_FULL);
  int64_t voxels = 0;
  for (uint64_t seed = 0; seed < 1600; ++seed) {
    const SceneKind kind = kSceneKinds[seed % std::size(kSceneKinds)];
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", scene " << static_cast<int>(kind));
    SceneRandom random(seed + 77);
    const Switches switches = AnySwitches(random);
    Problem problem(GetParam(), SmallSizes(random));
    FillScene(problem, kind, seed + 77, switches);
    problem.features.FillUniform(-1, 1, seed);
    const int method = kMethods[seed / 8 % 2];
    const Expected expected(problem, method, switches);
    Configure(handle, seed / 16);
    Dense dense = problem.NewDense();
    ASSERT_EQ(problem.Run(handle, method, switches, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(expected.WrongIn(dense), "");
    int64_t voxel_num = -1, point_num = -1;
    ASSERT_EQ(problem.Count(handle, switches, &voxel_num, &point_num), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(voxel_num, expected.voxel_num());
    ASSERT_EQ(point_num, expected.point_num());
    // Just enough room, or some more.
    Compact compact = problem.NewCompact(voxel_num + random.Below(2) * 3, point_num + random.Below(2) * 5);
    ASSERT_EQ(problem.Run(handle, method, switches, compact), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(expected.WrongIn(compact), "");
    voxels += voxel_num;
  }
  EXPECT_GT(voxels, 5000);
}

// One box and one point at one of its corners, where rounding may put a point inside that an exact rectangle around the
// box leaves out.
TEST_P(RoiAwarePool3dRandom, CornersOfTurnedBoxes) {
  Handle handle(ProfileFor(GetParam()), 1);
  Problem problem(GetParam(), {1, 1, 1, 2, 2, 1, 2});
  Dense dense = problem.NewDense();
  int64_t inside = 0;
  constexpr uint64_t kSeeds = 12000;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SceneRandom random(seed);
    const double angle = random.Uniform(-3.2, 3.2), side_x = random.OneIn(2) ? 0.5 : -0.5,
                 side_y = random.OneIn(2) ? 0.5 : -0.5, far = random.OneIn(2) ? 0 : 3;
    problem.SetBox(0, {far, -far, 0, random.Uniform(0.5, 6), random.Uniform(0.5, 6), 2, angle});
    const auto number = [&](int64_t i) { return problem.rois.Get(i); };
    const double x = side_x * number(3), y = side_y * number(4), c = std::cos(number(6)), s = std::sin(number(6));
    const auto beside = [&](double value) {
      return StepFromZero(GetParam(), RoundToElement(GetParam(), value), static_cast<int>(random.Below(5)) - 2);
    };
    problem.SetPoint(0, {beside(far + x * c - y * s), beside(-far + x * s + y * c), 1});
    if (seed % 1000 == 0) Configure(handle, seed / 1000 * 4);
    const Expected expected(problem, kMax);
    ASSERT_EQ(problem.Run(handle, kMax, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(expected.WrongIn(dense), "");
    inside += expected.point_num();
  }
  EXPECT_GT(inside, kSeeds / 20);
  EXPECT_LT(inside, kSeeds - kSeeds / 20);
}

}  // namespace
}  // namespace detops_test
