// roiaware_pool3d and threads: the same bits however the work is cut and in whatever order it runs, and a caller's
// runner that fails is reported without harm to the handle. All functions take part.
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "ops/roiaware_pool3d/test/expected.h"
#include "ops/roiaware_pool3d/test/problem.h"
#include "ops/roiaware_pool3d/test/scenes.h"
#include "support/runner.h"

namespace detops_test {
namespace {

// Large enough to be cut into pieces for seven threads; 33 channels leave a remainder in every vector length.
constexpr Sizes kSizes = {41, 2500, 33, 4, 3, 2, 9};

// One problem and all that the functions make of it.
struct Results {
  explicit Results(const Problem& problem)
      : dense(problem.NewDense()),
        compact(problem.NewCompact(kSizes.voxels(), kSizes.boxes * 100)),
        dense_gradient(problem.NewGradient()),
        compact_gradient(problem.NewGradient()) {}

  bool SameBytes(const Results& other) const {
    return dense.SameBytes(other.dense) && compact.SameBytes(other.compact) && voxel_num == other.voxel_num &&
           point_num == other.point_num && dense_gradient.SameBytes(other.dense_gradient) &&
           compact_gradient.SameBytes(other.compact_gradient);
  }

  Dense dense;
  Compact compact;
  Tensor dense_gradient, compact_gradient;
  int64_t voxel_num = -1, point_num = -1;
};

class RoiAwarePool3dThreads : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  RoiAwarePool3dThreads()
      : problem_(GetParam(), kSizes),
        dense_out_(MLUOP_LAYOUT_ARRAY, GetParam(), problem_.NewDense().pooled.extents()),
        compact_out_(MLUOP_LAYOUT_ARRAY, GetParam(), {kSizes.voxels(), kSizes.channels}) {
    FillScene(problem_, SceneKind::kScattered, 70);
    dense_out_.FillUniform(-1, 1, 71);
    compact_out_.FillUniform(-1, 1, 72);
  }

  // The functions in turn; the backward passes take what the forward passes left in `results`.
  static constexpr int kFunctions = 5;
  mluOpStatus_t Run(const Handle& handle, int method, int function, Results& results) const {
    switch (function) {
      case 0:
        return problem_.Run(handle, method, results.dense);
      case 1:
        return RunBackward(handle, method, kSizes, results.dense, dense_out_, results.dense_gradient);
      case 2:
        return problem_.Count(handle, {}, &results.voxel_num, &results.point_num);
      case 3:
        return problem_.Run(handle, method, {}, results.compact);
      default:
        return RunBackward(handle, method, results.compact, compact_out_, results.compact_gradient);
    }
  }

  void RunAll(const Handle& handle, int method, Results& results) const {
    for (int function = 0; function < kFunctions; ++function) {
      ASSERT_EQ(Run(handle, method, function, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
    }
  }

  void ExpectBits(const Handle& handle, int method, const Results& expected) const {
    Results results(problem_);
    RunAll(handle, method, results);
    ASSERT_TRUE(results.SameBytes(expected));
  }

  Problem problem_;
  Tensor dense_out_, compact_out_;
};

INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dThreads, testing::ValuesIn(kTypes), TypeName);

TEST_P(RoiAwarePool3dThreads, SameBitsForAnyNumberAndRun) {
  for (const int method : kMethods) {
    ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      Results expected(problem_);
      RunAll(Handle(DETOPS_PROFILE_FULL, 1), method, expected);
      for (const int threads : {1, 2, 3, 7, 64}) {
        handle.SetThreads(threads);
        for (int run = 0; run < 2; ++run) ExpectBits(handle, method, expected);
      }
    });
  }
}

// Scratch memory that a larger or differently typed call left behind must not show.
TEST_P(RoiAwarePool3dThreads, SameBitsAfterOtherWork) {
  const Handle used(DETOPS_PROFILE_FULL, 3);
  for (const mluOpDataType_t type : kTypes) {
    for (const int64_t size : {9000, 30}) {
      Problem other(type, {size / 300 + 1, size, 5, 2, 3, 2, 50});
      FillScene(other, SceneKind::kClustered, 73);
      Dense dense = other.NewDense();
      Tensor grad_out(MLUOP_LAYOUT_ARRAY, type, dense.pooled.extents()), grad_in = other.NewGradient();
      grad_out.Fill(1);
      ASSERT_EQ(other.Run(used, kAverage, dense), MLUOP_STATUS_SUCCESS) << used.LastError();
      ASSERT_EQ(RunBackward(used, kAverage, other.sizes, dense, grad_out, grad_in), MLUOP_STATUS_SUCCESS);
    }
    for (const int method : kMethods) {
      Results expected(problem_);
      RunAll(Handle(DETOPS_PROFILE_FULL, 1), method, expected);
      ExpectBits(used, method, expected);
    }
  }
}

// ---- the caller's runner ----

// In reverse order on the caller's thread, and all at once on threads the library does not know.
TEST_P(RoiAwarePool3dThreads, SameBitsWithTheCallersRunner) {
  for (const int method : kMethods) {
    ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      Results expected(problem_);
      RunAll(Handle(DETOPS_PROFILE_FULL, 1), method, expected);
      for (const bool own_threads : {false, true}) {
        Runner runner;
        runner.own_threads = own_threads;
        handle.SetThreads(7);
        handle.SetRunner(Runner::Run, &runner);
        ExpectBits(handle, method, expected);
        EXPECT_GT(runner.calls, 0);
        EXPECT_GT(runner.tasks, runner.calls) << "the work was not cut";
      }
      handle.SetRunner(nullptr, nullptr);
    });
  }
}

// A function may call the runner several times; whichever call goes wrong, the function says so, and the handle works
// again at once, with the runner and without.
TEST_P(RoiAwarePool3dThreads, RunnerThatFails) {
  Handle handle(DETOPS_PROFILE_FULL, 7);
  for (const int method : kMethods) {
    Results expected(problem_), results(problem_);
    RunAll(Handle(DETOPS_PROFILE_FULL, 1), method, expected);
    RunAll(handle, method, results);
    for (int function = 0; function < kFunctions; ++function) {
      Runner counter;
      handle.SetRunner(Runner::Run, &counter);
      ASSERT_EQ(Run(handle, method, function, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_GT(counter.calls, 0) << "function " << function;
      for (int call = 0; call < counter.calls; ++call) {
        for (const char* way : {"fails after", "fails before", "skips"}) {
          SCOPED_TRACE(testing::Message() << "function " << function << ", call " << call << " " << way);
          Runner runner;
          (std::string(way) == "skips" ? runner.skipping_call : runner.failing_call) = call;
          runner.run_before_failing = std::string(way) == "fails after";
          handle.SetRunner(Runner::Run, &runner);
          EXPECT_EQ(Run(handle, method, function, results), MLUOP_STATUS_EXECUTION_FAILED);
          EXPECT_STRNE(handle.LastError(), "");
          handle.SetRunner(nullptr, nullptr);
          ASSERT_EQ(Run(handle, method, function, results), MLUOP_STATUS_SUCCESS) << handle.LastError();
          EXPECT_STREQ(handle.LastError(), "");
        }
      }
      handle.SetRunner(nullptr, nullptr);
    }
    ASSERT_TRUE(results.SameBytes(expected));
  }
}

// Counts are written on success only, also when the runner fails.
TEST_P(RoiAwarePool3dThreads, CountsStayWhenTheRunnerFails) {
  Handle handle(DETOPS_PROFILE_FULL, 7);
  Runner runner;
  runner.failing_call = 0;
  handle.SetRunner(Runner::Run, &runner);
  int64_t voxel_num = -5, point_num = -6;
  EXPECT_EQ(problem_.Count(handle, {}, &voxel_num, &point_num), MLUOP_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(voxel_num, -5);
  EXPECT_EQ(point_num, -6);
}

}  // namespace
}  // namespace detops_test
