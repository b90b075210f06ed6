// The same bits however the work is cut, on every target, with the caller's runner and whatever ran before; a runner
// that fails is reported without harm to the handle.
#include <limits>
#include <string>

#include "ops/indice_pool/test/problem.h"
#include "support/runner.h"

namespace detops_test {
namespace {

class IndicePoolThreads : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // Large enough for pieces for seven threads; 19 channels leave a remainder in every vector length.
  template <class Body>
  void ForEachProblem(const Body& body) {
    for (const ListKind kind : kListKinds) {
      SCOPED_TRACE(testing::Message() << "lists of kind " << static_cast<int>(kind));
      Problem problem(GetParam(), {3000, 2900, 19}, MakePairs(kind, 9, 3000, 2900, 3000, 4), 4);
      problem.features.FillUniform(-1, 1, 8);  // so that the order of additions shows
      problem.SetMaximum(false);
      for (const Way way : kWays) {
        SCOPED_TRACE(NameOf(way));
        body(way, problem);
        if (HasFatalFailure()) return;
      }
    }
  }

  // The bits of one thread of a handle of its own.
  static void RunAlone(Way way, const Problem& problem, Tensor& result) {
    const Handle handle(DETOPS_PROFILE_FULL, 1);
    ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
  }

  static void ExpectBits(const Handle& handle, Way way, const Problem& problem, const Tensor& expected) {
    Tensor result = problem.NewResult(way);
    ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_TRUE(result.SameBytes(expected));
  }
};
INSTANTIATE_TEST_SUITE_P(Types, IndicePoolThreads, testing::ValuesIn(kTypes), TypeName);

TEST_P(IndicePoolThreads, SameBitsForAnyNumberAndTarget) {
  ForEachProblem([](Way way, const Problem& problem) {
    Tensor expected = problem.NewResult(way);
    RunAlone(way, problem, expected);
    ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      for (const int threads : {1, 2, 3, 7, 64}) {
        handle.SetThreads(threads);
        ExpectBits(handle, way, problem, expected);
      }
    });
  });
}

TEST_P(IndicePoolThreads, SameBitsWithTheCallersRunner) {
  ForEachProblem([](Way way, const Problem& problem) {
    Tensor expected = problem.NewResult(way);
    RunAlone(way, problem, expected);
    for (const bool own_threads : {false, true}) {
      Runner runner;
      runner.own_threads = own_threads;
      Handle handle(DETOPS_PROFILE_FULL, 7);
      handle.SetRunner(Runner::Run, &runner);
      ExpectBits(handle, way, problem, expected);
      EXPECT_GT(runner.tasks, runner.calls) << "the work was not cut";
    }
  });
}

// Scratch memory that a larger, smaller or differently typed call left behind must not show.
TEST_P(IndicePoolThreads, SameBitsAfterOtherWork) {
  const Handle used(DETOPS_PROFILE_FULL, 3);
  for (const int64_t rows : {4000, 7}) {
    Problem other(MLUOP_DTYPE_DOUBLE, {rows, rows, 9}, MakePairs(ListKind::kRandom, 9, rows, rows, rows, 2));
    other.features.Fill(std::numeric_limits<double>::quiet_NaN());
    other.output_grad.Fill(std::numeric_limits<double>::quiet_NaN());
    for (const Way way : kWays) {
      Tensor result = other.NewResult(way);
      ASSERT_EQ(other.Run(used, way, result), MLUOP_STATUS_SUCCESS) << used.LastError();
    }
    ForEachProblem([&](Way way, const Problem& problem) {
      Tensor expected = problem.NewResult(way);
      RunAlone(way, problem, expected);
      ExpectBits(used, way, problem, expected);
    });
  }
}

// Every run of the runner may fail, on pairs and on a rulebook; the next call is right again.
TEST_P(IndicePoolThreads, FailingRunnerIsReported) {
  const Problem problem(GetParam(), {3000, 2900, 19}, MakePairs(ListKind::kShuffled, 9, 3000, 2900, 3000, 4), 4);
  for (const Way way : kWays) {
    SCOPED_TRACE(NameOf(way));
    Tensor expected = problem.NewResult(way);
    RunAlone(way, problem, expected);
    Handle handle(DETOPS_PROFILE_FULL, 3);
    const Rulebook rulebook(handle, problem);
    for (const bool on_rulebook : {false, true}) {
      const auto run = [&](Tensor& result) {
        return on_rulebook ? problem.RunOn(rulebook.get(), handle, way, result) : problem.Run(handle, way, result);
      };
      Runner good;
      handle.SetRunner(Runner::Run, &good);
      Tensor result = problem.NewResult(way);
      ASSERT_EQ(run(result), MLUOP_STATUS_SUCCESS);
      ASSERT_GT(good.calls, 0);
      for (int call = 0; call < good.calls; ++call) {
        for (const bool skip : {false, true}) {
          Runner runner;
          (skip ? runner.skipping_call : runner.failing_call) = call;
          handle.SetRunner(Runner::Run, &runner);
          ASSERT_EQ(run(result), MLUOP_STATUS_EXECUTION_FAILED) << "call " << call << " of the runner";
          ASSERT_STRNE(handle.LastError(), "");
        }
      }
      handle.SetRunner(nullptr, nullptr);
      ASSERT_EQ(run(result), MLUOP_STATUS_SUCCESS);
      ASSERT_TRUE(result.SameBytes(expected));
    }
  }
}

}  // namespace
}  // namespace detops_test
