// rotated_feature_align and threads: the same bits however the work is cut and in whatever order it runs, and a
// caller's runner that fails is reported without harm to the handle.
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "ops/rotated_feature_align/test/problem.h"
#include "support/runner.h"

namespace detops_test {
namespace {

// Large enough to be cut into pieces for seven threads; 33 channels leave a remainder in every vector length.
constexpr Shape kShape = {3, 37, 29, 33};

class RotatedFeatureAlignThreads : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // Calls body(direction, problem) for both directions and both numbers of points.
  template <class Body>
  void ForEachProblem(Body body) {
    for (const int points : {1, 5}) {
      Problem problem(GetParam(), kShape, 0.25f, points);
      FillBoxes(problem, BoxKind::kOverMap, 9);
      for (const Direction direction : kDirections) {
        SCOPED_TRACE(testing::Message() << points << " points, "
                                        << (direction == Direction::kForward ? "forward" : "backward"));
        body(direction, problem);
      }
    }
  }

  // The bits of one thread of a handle of its own.
  void RunAlone(Direction direction, const Problem& problem, Tensor& target) {
    const Handle handle(ProfileFor(GetParam()), 1);
    ASSERT_EQ(problem.Run(handle, direction, target), MLUOP_STATUS_SUCCESS) << handle.LastError();
  }

  void ExpectBits(const Handle& handle, Direction direction, const Problem& problem, const Tensor& expected) {
    Tensor target = problem.NewTarget();
    ASSERT_EQ(problem.Run(handle, direction, target), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_TRUE(target.SameBytes(expected));
  }
};

INSTANTIATE_TEST_SUITE_P(Types, RotatedFeatureAlignThreads, testing::ValuesIn(kTypes), TypeName);

TEST_P(RotatedFeatureAlignThreads, SameBitsForAnyNumberAndRun) {
  ForEachProblem([&](Direction direction, const Problem& problem) {
    ForEachTarget(ProfileFor(GetParam()), [&](Handle& handle) {
      Tensor expected = problem.NewTarget();
      RunAlone(direction, problem, expected);
      for (const int threads : {1, 2, 3, 7, 64}) {
        handle.SetThreads(threads);
        for (int run = 0; run < 2; ++run) ExpectBits(handle, direction, problem, expected);
      }
    });
  });
}

// Scratch memory that a larger or differently typed call left behind must not show.
TEST_P(RotatedFeatureAlignThreads, SameBitsAfterOtherWork) {
  const Handle used(DETOPS_PROFILE_FULL, 3);
  for (const mluOpDataType_t type : kTypes) {
    for (const int64_t size : {40, 3}) {
      Problem other(type, {1, size, size + 1, 9}, 1.0f, 5);
      FillBoxes(other, BoxKind::kNearPixel, 10);
      Tensor target = other.NewTarget();
      ASSERT_EQ(other.Run(used, Direction::kBackward, target), MLUOP_STATUS_SUCCESS) << used.LastError();
    }
    ForEachProblem([&](Direction direction, const Problem& problem) {
      Tensor expected = problem.NewTarget();
      RunAlone(direction, problem, expected);
      ExpectBits(used, direction, problem, expected);
    });
  }
}

// ---- the caller's runner ----

// In reverse order on the caller's thread, and all at once on threads the library does not know.
TEST_P(RotatedFeatureAlignThreads, SameBitsWithTheCallersRunner) {
  ForEachProblem([&](Direction direction, const Problem& problem) {
    ForEachTarget(ProfileFor(GetParam()), [&](Handle& handle) {
      Tensor expected = problem.NewTarget();
      RunAlone(direction, problem, expected);
      for (const bool own_threads : {false, true}) {
        Runner runner;
        runner.own_threads = own_threads;
        handle.SetThreads(7);
        handle.SetRunner(Runner::Run, &runner);
        ExpectBits(handle, direction, problem, expected);
        EXPECT_GT(runner.calls, 0);
        EXPECT_GT(runner.tasks, runner.calls) << "the work was not cut";
      }
      handle.SetRunner(nullptr, nullptr);
    });
  });
}

// An operator may call the runner several times; whichever call goes wrong, the operator says so, and the handle works
// again at once, with the runner and without.
TEST_P(RotatedFeatureAlignThreads, RunnerThatFails) {
  Handle handle(ProfileFor(GetParam()), 7);
  ForEachProblem([&](Direction direction, const Problem& problem) {
    Tensor expected = problem.NewTarget(), target = problem.NewTarget();
    RunAlone(direction, problem, expected);
    Runner counter;
    handle.SetRunner(Runner::Run, &counter);
    ExpectBits(handle, direction, problem, expected);
    ASSERT_GT(counter.calls, 0);
    for (int call = 0; call < counter.calls; ++call) {
      for (const char* way : {"fails after", "fails before", "skips first", "skips last"}) {
        SCOPED_TRACE(testing::Message() << "call " << call << " " << way);
        Runner runner;
        (std::string(way).substr(0, 5) == "fails" ? runner.failing_call : runner.skipping_call) = call;
        runner.run_before_failing = std::string(way) == "fails after";
        runner.skip_first = std::string(way) == "skips first";
        handle.SetRunner(Runner::Run, &runner);
        EXPECT_EQ(problem.Run(handle, direction, target), MLUOP_STATUS_EXECUTION_FAILED);
        EXPECT_STRNE(handle.LastError(), "");
        EXPECT_TRUE(target.SurroundingsIntact());
        Runner sound;
        handle.SetRunner(Runner::Run, &sound);
        ExpectBits(handle, direction, problem, expected);
        EXPECT_STREQ(handle.LastError(), "");
        handle.SetRunner(nullptr, nullptr);
        ExpectBits(handle, direction, problem, expected);
      }
    }
  });
}

}  // namespace
}  // namespace detops_test
