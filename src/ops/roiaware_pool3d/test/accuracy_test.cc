// roiaware_pool3d and its gradient against the reference, for all types, targets and numbers of threads, with channel
// counts around the lanes of every target.
#include <cstdint>

#include "ops/roiaware_pool3d/test/expected.h"
#include "ops/roiaware_pool3d/test/problem.h"
#include "ops/roiaware_pool3d/test/scenes.h"

namespace detops_test {
namespace {

class RoiAwarePool3dAccuracy : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // Forward and backward of a scene.
  void ExpectScene(const Sizes& sizes, SceneKind kind, uint64_t seed) {
    SCOPED_TRACE(testing::Message() << sizes.channels << " channels, scene " << static_cast<int>(kind));
    Problem problem(GetParam(), sizes);
    FillScene(problem, kind, seed);
    const Handle handle(ProfileFor(GetParam()), 1);
    for (const int method : kMethods) {
      ExpectAgreement(problem, method);
      Dense forward = problem.NewDense();
      ASSERT_EQ(problem.Run(handle, method, forward), MLUOP_STATUS_SUCCESS) << handle.LastError();
      Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), forward.pooled.extents());
      grad_out.FillUniform(-1, 1, seed + 1);
      ExpectGradientAgreement(problem, method, forward, grad_out);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dAccuracy, testing::ValuesIn(kTypes), TypeName);

TEST_P(RoiAwarePool3dAccuracy, ChannelsAroundTheLanes) {
  for (const int64_t channels : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 67}) {
    ExpectScene({5, 250, channels, 3, 2, 2, 9}, SceneKind::kScattered, static_cast<uint64_t>(channels));
  }
}

TEST_P(RoiAwarePool3dAccuracy, EveryScene) {
  for (const SceneKind kind : kSceneKinds) ExpectScene({5, 300, 5, 2, 3, 4, 7}, kind, 40);
}

// Large enough to be cut into pieces, with voxels of many points.
TEST_P(RoiAwarePool3dAccuracy, ManyPointsInAVoxel) {
  ExpectScene({9, 3000, 19, 2, 2, 1, 700}, SceneKind::kScattered, 50);
  ExpectScene({9, 3000, 6, 2, 1, 1, 2000}, SceneKind::kClustered, 51);
}

TEST_P(RoiAwarePool3dAccuracy, OneOfEverything) {
  for (const SceneKind kind : {SceneKind::kOneVoxel, SceneKind::kScattered}) {
    ExpectScene({1, 1, 1, 1, 1, 1, 1}, kind, 60);
    ExpectScene({1, 1, 1, 1, 1, 1, 2}, kind, 61);
    ExpectScene({1, 2, 1, 1, 1, 1, 2}, kind, 62);
    ExpectScene({2, 1, 3, 3, 1, 1, 3}, kind, 63);
  }
}

}  // namespace
}  // namespace detops_test
