// point_to_voxel and threads: the same bits however the work is cut and in whatever order it runs, and a caller's
// runner that fails is reported without harm to the handle.
#include <cstdint>
#include <string>
#include <vector>

#include "ops/point_to_voxel/test/expected.h"
#include "ops/point_to_voxel/test/problem.h"
#include "support/runner.h"

namespace detops_test {
namespace {

class PointToVoxelThreads : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  PointToVoxelThreads() : cloud_(GetParam(), 40'000, 5), rules_(UnitVoxels({30, 40, 12})) {
    cloud_.rows.FillUniform(-0.5, 31, 7);
    for (int64_t point = 0; point < 40'000; ++point) {
      cloud_.rows.Set(point * 5 + 2, cloud_.rows.Get(point * 5 + 2) / 2.5);
    }
    cloud_.SetClouds({0, 15'000, 40'000});
    rules_.max_points = 4;
    rules_.max_voxels = 7000;
    rules_.room = 13'000;
  }

  Cloud cloud_;
  VoxelRules rules_;
};

INSTANTIATE_TEST_SUITE_P(Types, PointToVoxelThreads, testing::ValuesIn(kTypes), TypeName);

TEST_P(PointToVoxelThreads, SameBitsForAnyNumberTargetAndRun) {
  for (const bool ascending : {false, true}) {
    rules_.ascending = ascending;
    Results first = cloud_.NewResults(rules_);
    ASSERT_EQ(cloud_.Run(Handle(DETOPS_PROFILE_FULL, 1), rules_, first), MLUOP_STATUS_SUCCESS);
    ASSERT_GT(first.voxel_num, 1000);
    ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      for (const int threads : {1, 2, 3, 7}) {
        handle.SetThreads(threads);
        for (int run = 0; run < 2; ++run) {
          Results results = cloud_.NewResults(rules_);
          ASSERT_EQ(cloud_.Run(handle, rules_, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
          ASSERT_TRUE(results.SameBytes(first)) << threads << " threads";
        }
      }
    });
  }
}

TEST_P(PointToVoxelThreads, SameBitsWithARunner) {
  Results first = cloud_.NewResults(rules_);
  ASSERT_EQ(cloud_.Run(Handle(DETOPS_PROFILE_FULL, 1), rules_, first), MLUOP_STATUS_SUCCESS);
  for (const bool own_threads : {false, true}) {
    Handle handle(DETOPS_PROFILE_FULL, 3);
    Runner runner;
    runner.own_threads = own_threads;
    handle.SetRunner(&Runner::Run, &runner);
    Results results = cloud_.NewResults(rules_);
    ASSERT_EQ(cloud_.Run(handle, rules_, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
    EXPECT_GT(runner.tasks, runner.calls);
    EXPECT_TRUE(results.SameBytes(first));
  }
}

// Scratch memory that a larger or differently typed call left behind must not show.
TEST_P(PointToVoxelThreads, SameBitsAfterOtherWork) {
  const Handle used(DETOPS_PROFILE_FULL, 3);
  VoxelRules small = UnitVoxels({3, 3});
  small.max_points = 2;
  small.room = 5;
  Cloud little(GetParam(), 90, 3);
  little.rows.FillUniform(-0.5, 3.5, 2);
  Results first = little.NewResults(small);
  ASSERT_EQ(little.Run(used, small, first), MLUOP_STATUS_SUCCESS) << used.LastError();
  Results large = cloud_.NewResults(rules_);
  ASSERT_EQ(cloud_.Run(used, rules_, large), MLUOP_STATUS_SUCCESS) << used.LastError();
  Results again = little.NewResults(small);
  ASSERT_EQ(little.Run(used, small, again), MLUOP_STATUS_SUCCESS) << used.LastError();
  EXPECT_TRUE(again.SameBytes(first));
  EXPECT_EQ(Expected(little, small).WrongIn(again), "");
}

// Whichever of the runner's calls fails, or leaves out a task: EXECUTION_FAILED, voxel_num as it was, and the next call
// works.
TEST_P(PointToVoxelThreads, FailingRunner) {
  for (const bool ascending : {false, true}) {
    rules_.ascending = ascending;
    Results first = cloud_.NewResults(rules_);
    ASSERT_EQ(cloud_.Run(Handle(DETOPS_PROFILE_FULL, 1), rules_, first), MLUOP_STATUS_SUCCESS);
    Handle handle(DETOPS_PROFILE_FULL, 3);
    Runner counting;
    handle.SetRunner(&Runner::Run, &counting);
    Results counted = cloud_.NewResults(rules_);
    ASSERT_EQ(cloud_.Run(handle, rules_, counted), MLUOP_STATUS_SUCCESS);
    ASSERT_GE(counting.calls, ascending ? 8 : 6);
    for (int call = 0; call < counting.calls; ++call) {
      const bool skips = call % 2 == 1;
      Runner failing;
      (skips ? failing.skipping_call : failing.failing_call) = call;
      handle.SetRunner(&Runner::Run, &failing);
      Results results = cloud_.NewResults(rules_);
      ASSERT_EQ(cloud_.Run(handle, rules_, results), MLUOP_STATUS_EXECUTION_FAILED) << call;
      EXPECT_STREQ(handle.LastError(), "detopsPointToVoxel: the parallel runner failed; the output is incomplete.");
      EXPECT_EQ(results.voxel_num, -7);
      EXPECT_EQ(failing.calls, call + 1);
      EXPECT_TRUE(results.SurroundingsIntact());
      handle.SetRunner(nullptr, nullptr);
      ASSERT_EQ(cloud_.Run(handle, rules_, results), MLUOP_STATUS_SUCCESS);
      EXPECT_TRUE(results.SameBytes(first));
    }
  }
}

}  // namespace
}  // namespace detops_test
