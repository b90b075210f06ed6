// roiaware_pool3d with many points: 20,000 and more in every kind of scene, long axes, a single crowded voxel, and one
// outlier that would spoil a search structure built over the whole range of the points.
#include <climits>
#include <cstdint>
#include <iterator>
#include <vector>

#include "ops/roiaware_pool3d/test/expected.h"
#include "ops/roiaware_pool3d/test/problem.h"
#include "ops/roiaware_pool3d/test/scenes.h"

namespace detops_test {
namespace {

// One thread agrees with the reference on the default target; the other targets and numbers of threads give the same
// integers, and the bits of one thread.
void ExpectLargeAgreement(const Problem& problem, int method) {
  const Expected expected(problem, method);
  EXPECT_GT(expected.voxel_num(), 0);
  Dense alone = problem.NewDense(), result = problem.NewDense();
  ForEachTarget(ProfileFor(problem.type()), [&](Handle& handle) {
    alone.FillCanary();
    ASSERT_EQ(problem.Run(handle, method, alone), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(expected.WrongIn(alone), "");
    handle.SetThreads(3);
    result.FillCanary();
    ASSERT_EQ(problem.Run(handle, method, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_TRUE(result.SameBytes(alone));
  });
}

TEST(RoiAwarePool3dLarge, ManyPointsInEveryScene) {
  uint64_t seed = 100;
  for (const SceneKind kind : kSceneKinds) {
    SCOPED_TRACE(testing::Message() << "scene " << static_cast<int>(kind));
    const mluOpDataType_t type = kTypes[seed % std::size(kTypes)];
    Problem problem(type, {23, 20011, 3, 5, 4, 3, 33});
    FillScene(problem, kind, seed++);
    ExpectLargeAgreement(problem, kMethods[seed % 2]);
  }
}

// A network's shape: points of a street, boxes of its traffic.
TEST(RoiAwarePool3dLarge, StreetScene) {
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}) {
    SceneRandom random(5);
    Problem problem(type, {40, 24000, 4, 12, 12, 12, 16});
    for (int64_t b = 0; b < 40; ++b) {
      problem.SetBox(b, {random.Uniform(0, 70), random.Uniform(-40, 40), random.Uniform(-3, 0), random.Uniform(1, 5),
                         random.Uniform(1, 3), random.Uniform(1, 3), random.Uniform(-3.2, 3.2)});
    }
    for (int64_t p = 0; p < 24000; ++p) {
      const int64_t box = random.Below(40);  // most points are on something
      if (random.OneIn(3)) {
        problem.SetPoint(p, {random.Uniform(0, 70), random.Uniform(-40, 40), random.Uniform(-3, 1)});
      } else {
        problem.SetPoint(p, {problem.rois.Get(box * 7) + random.Uniform(-2, 2),
                             problem.rois.Get(box * 7 + 1) + random.Uniform(-2, 2),
                             problem.rois.Get(box * 7 + 2) + random.Uniform(0, 2)});
      }
    }
    for (const int method : kMethods) ExpectLargeAgreement(problem, method);
  }
}

// From 8 MiB on outputs are written past the caches, wherever they begin, but for addresses that integers may not have.
TEST(RoiAwarePool3dLarge, OutputsPastTheCaches) {
  const Sizes sizes = {40, 3000, 31, 12, 12, 12, 32};
  static_assert(40 * 12 * 12 * 12 * 31 * 4 >= (8 << 20), "argmax, the smallest");
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}) {
    for (const size_t offset : {0, 2, 4}) {
      SCOPED_TRACE(testing::Message() << ElementName(type) << ", offset " << offset);
      Problem problem(type, sizes, Placement::kAgainstFront, offset);
      FillScene(problem, SceneKind::kScattered, 13);
      ExpectLargeAgreement(problem, kMethods[offset / 2 % 2]);
      if (offset == 0) ExpectLargeAgreement(problem, kAverage);
    }
  }
}

// Boxes that hold more points together than are searched at once, four million: the compact form, which must know all
// sizes first, searches them again.
TEST(RoiAwarePool3dLarge, MoreThanIsSearchedAtOnce) {
  Problem problem(MLUOP_DTYPE_FLOAT, {230, 20000, 1, 2, 1, 1, 3});
  SceneRandom random(14);
  for (int64_t p = 0; p < 20000; ++p) {
    problem.SetPoint(p, {random.Uniform(-1, 1), random.Uniform(-1, 1), random.Uniform(-1, 1)});
  }
  for (int64_t b = 0; b < 230; ++b) problem.SetBox(b, {0, 0, -1, 3 + 0.01 * static_cast<double>(b), 3, 2, 0});
  const Expected expected(problem, kMax);
  ASSERT_EQ(expected.voxel_num(), 460);
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  Compact compact = problem.NewCompact(expected.voxel_num(), expected.point_num());
  ASSERT_EQ(problem.Run(handle, kMax, {}, compact), MLUOP_STATUS_SUCCESS) << handle.LastError();
  ASSERT_EQ(expected.WrongIn(compact), "");
  Dense dense = problem.NewDense();
  ASSERT_EQ(problem.Run(handle, kMax, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
  ASSERT_EQ(expected.WrongIn(dense), "");
}

// One point, or one box, very far away from the others.
TEST(RoiAwarePool3dLarge, OneOutlier) {
  for (const double distance : {1e6, 1e30, 3e38}) {
    for (const bool box_is_far : {false, true}) {
      SCOPED_TRACE(testing::Message() << distance << (box_is_far ? ", box" : ", point"));
      Problem problem(MLUOP_DTYPE_FLOAT, {7, 20500, 2, 3, 3, 3, 64});
      FillScene(problem, SceneKind::kScattered, 8);
      if (box_is_far) {
        problem.SetBox(3, {distance, -distance, 0, 2, 2, 2, 0.5});
      } else {
        problem.SetPoint(777, {-distance, distance, 0});
      }
      ExpectLargeAgreement(problem, kMax);
    }
  }
}

// A box that is as large as the world holds every point; another holds only the far one.
TEST(RoiAwarePool3dLarge, WorldBox) {
  Problem problem(MLUOP_DTYPE_FLOAT, {3, 20500, 1, 2, 2, 2, 30000});
  FillScene(problem, SceneKind::kScattered, 9);
  problem.SetPoint(20499, {1e30, 1e30, 0});
  problem.SetBox(0, {0, 0, -1e30, 3e30, 3e30, 2e30, 0});
  problem.SetBox(1, {1e30, 1e30, -1, 2e24, 2e24, 2, 0});
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  const Expected expected(problem, kAverage);
  EXPECT_GE(expected.point_num(), 20501);
  Dense dense = problem.NewDense();
  ASSERT_EQ(problem.Run(handle, kAverage, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
  ASSERT_EQ(expected.WrongIn(dense), "");
}

// All points in one voxel, with room for one, for many and for all of them.
TEST(RoiAwarePool3dLarge, OneCrowdedVoxel) {
  for (const int64_t max_pts : {2, 3, 1000, 2976}) {
    Problem problem(MLUOP_DTYPE_FLOAT, {2, 20100, 5, 3, 3, 3, max_pts});
    FillScene(problem, SceneKind::kOneVoxel, 10);
    for (const int method : kMethods) ExpectLargeAgreement(problem, method);
  }
}

// More voxels along one axis than fit eight bits, which the accelerator packs them into. Both profiles allow it.
TEST(RoiAwarePool3dLarge, LongAxes) {
  for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const int64_t length : {255, 256, 257, 300, 70000}) {
        SCOPED_TRACE(testing::Message() << "axis " << axis << ", " << length);
        Sizes sizes = {2, 400, 3, 1, 2, 1, 4};
        (axis == 0 ? sizes.out_x : axis == 1 ? sizes.out_y : sizes.out_z) = length;
        Problem problem(MLUOP_DTYPE_FLOAT, sizes);
        FillScene(problem, SceneKind::kOnFaces, static_cast<uint64_t>(length));
        const Expected expected(problem, kMax);
        EXPECT_GT(expected.voxel_num(), 20);
        const Handle handle(profile, 2);
        Dense dense = problem.NewDense();
        ASSERT_EQ(problem.Run(handle, kMax, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
        ASSERT_EQ(expected.WrongIn(dense), "");
      }
    }
  }
}

// Grids whose dense tensors nobody could hold; the compact form does not mind. The last one has room for all points,
// and as many bins as an int can say.
TEST(RoiAwarePool3dLarge, CompactGridBeyondMemory) {
  const Sizes grids[] = {
      {3, 5000, 2, 1500, 1500, 1500, 100}, {3, 5000, 2, 1, 65536, 65535, 3}, {3, 5000, 2, INT_MAX, 2, 1, INT_MAX}};
  for (const Sizes& sizes : grids) {
    for (const mluOpDataType_t type : kTypes) {
      Problem problem(type, sizes);
      FillScene(problem, SceneKind::kScattered, 12);
      for (const int method : kMethods) {
        const Expected expected(problem, method);
        EXPECT_GT(expected.voxel_num(), 100);
        const Handle handle(DETOPS_PROFILE_FULL, 2);
        Compact compact = problem.NewCompact(expected.voxel_num(), expected.point_num());
        ASSERT_EQ(problem.Run(handle, method, {}, compact), MLUOP_STATUS_SUCCESS) << handle.LastError();
        ASSERT_EQ(expected.WrongIn(compact), "");
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
