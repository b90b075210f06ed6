// indice_convolution and threads: the same bits however the work is cut, in whatever order it runs and whatever ran
// before, and a caller's runner that fails is reported without harm to the handle.
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "ops/indice_convolution/test/problem.h"
#include "support/runner.h"

namespace detops_test {
namespace {

class IndiceConvolutionThreads : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // Calls body(way, problem) for all ways and lists that invite different cuts: by rows; and where one row gets or
  // gives everything, by channels or terms. Large enough for pieces for seven threads; 33 channels leave a remainder in
  // every vector length.
  template <class Body>
  void ForEachProblem(Body body) {
    for (const ListKind kind :
         {ListKind::kCrossed, ListKind::kSubmanifold, ListKind::kRandom, ListKind::kOneOutput, ListKind::kOneInput}) {
      SCOPED_TRACE(testing::Message() << "lists of kind " << static_cast<int>(kind));
      const Problem problem(GetParam(), {.in_rows = 901, .out_rows = 901, .ci = 33, .co = 40, .kernel = {3, 3, 1}},
                            kind, 9);
      for (const Way way : kWays) {
        SCOPED_TRACE(NameOf(way));
        body(way, problem);
        if (HasFatalFailure()) return;
      }
    }
  }

  // The bits of one thread of a handle of its own.
  static void RunAlone(Way way, const Problem& problem, Tensor& result) {
    const Handle handle(problem.Profile(way), 1);
    ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
  }

  static void ExpectBits(const Handle& handle, Way way, const Problem& problem, const Tensor& expected) {
    Tensor result = problem.NewResult(way);
    ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_TRUE(result.SameBytes(expected));
  }
};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionThreads, testing::ValuesIn(kTypes), TypeName);

TEST_P(IndiceConvolutionThreads, SameBitsForAnyNumberAndRun) {
  ForEachProblem([](Way way, const Problem& problem) {
    ForEachTarget(problem.Profile(way), [&](Handle& handle) {
      Tensor expected = problem.NewResult(way);
      RunAlone(way, problem, expected);
      for (const int threads : {1, 2, 3, 7, 64}) {
        handle.SetThreads(threads);
        for (int run = 0; run < 2; ++run) ExpectBits(handle, way, problem, expected);
      }
    });
  });
}

// So many rows that the gradient of the filters is summed up in several segments.
TEST_P(IndiceConvolutionThreads, SameBitsWithManyRows) {
  const Problem copied(GetParam(), {.in_rows = 9001, .out_rows = 9001, .ci = 33, .co = 40, .kernel = {2, 1, 1}},
                       ListKind::kAscending, 16);
  const Problem in_place(GetParam(), {.in_rows = 17003, .out_rows = 9001, .ci = 7, .co = 16, .kernel = {3, 1, 1}},
                         ListKind::kAscending, 17);
  for (const Problem* problem : {&copied, &in_place}) {
    for (const Way way : kWays) {
      SCOPED_TRACE(NameOf(way));
      ForEachTarget(problem->Profile(way), [&](Handle& handle) {
        Tensor expected = problem->NewResult(way);
        RunAlone(way, *problem, expected);
        for (const int threads : {2, 3, 7, 64}) {
          handle.SetThreads(threads);
          ExpectBits(handle, way, *problem, expected);
        }
      });
    }
  }
}

// Neither checks nor profile are part of the arithmetic.
TEST_P(IndiceConvolutionThreads, SameBitsWithoutChecksAndInTheFullProfile) {
  ForEachProblem([](Way way, const Problem& problem) {
    Tensor expected = problem.NewResult(way);
    RunAlone(way, problem, expected);
    Handle handle(DETOPS_PROFILE_FULL, 3);
    ExpectBits(handle, way, problem, expected);
    handle.SetValueChecks(false);
    ExpectBits(handle, way, problem, expected);
  });
}

// Scratch memory that a larger, smaller or differently typed call left behind must not show.
TEST_P(IndiceConvolutionThreads, SameBitsAfterOtherWork) {
  const Handle used(DETOPS_PROFILE_FULL, 3);
  for (const mluOpDataType_t type : kTypes) {
    for (const int64_t size : {150, 3}) {
      Problem other(type, {.in_rows = 4 * size, .out_rows = 3 * size, .ci = size, .co = size / 2, .kernel = {2, 1, 1}},
                    ListKind::kRandom, 10);
      other.filters.Fill(std::numeric_limits<double>::quiet_NaN());
      other.features.Fill(std::numeric_limits<double>::quiet_NaN());
      for (const Way way : kWays) {
        Tensor result = other.NewResult(way);
        ASSERT_EQ(other.Run(used, way, result), MLUOP_STATUS_SUCCESS) << used.LastError();
      }
    }
    ForEachProblem([&](Way way, const Problem& problem) {
      Tensor expected = problem.NewResult(way);
      RunAlone(way, problem, expected);
      ExpectBits(used, way, problem, expected);
    });
  }
}

// ---- the caller's runner ----

// In reverse order on the caller's thread, and all at once on threads the library does not know.
TEST_P(IndiceConvolutionThreads, SameBitsWithTheCallersRunner) {
  ForEachProblem([](Way way, const Problem& problem) {
    ForEachTarget(problem.Profile(way), [&](Handle& handle) {
      Tensor expected = problem.NewResult(way);
      RunAlone(way, problem, expected);
      for (const bool own_threads : {false, true}) {
        Runner runner;
        runner.own_threads = own_threads;
        handle.SetThreads(7);
        handle.SetRunner(Runner::Run, &runner);
        ExpectBits(handle, way, problem, expected);
        EXPECT_GT(runner.calls, 0);
        EXPECT_GT(runner.tasks, runner.calls) << "the work was not cut";
      }
      handle.SetRunner(nullptr, nullptr);
    });
  });
}

// An operator may call the runner several times; whichever call goes wrong, the operator says so, and the handle works
// again at once, with the runner and without. With few channels and many pairs narrow types are converted first.
TEST_P(IndiceConvolutionThreads, RunnerThatFails) {
  const auto fail_every_call = [](Way way, const Problem& problem) {
    SCOPED_TRACE(NameOf(way));
    Handle handle(problem.Profile(way), 7);
    Tensor expected = problem.NewResult(way), result = problem.NewResult(way);
    RunAlone(way, problem, expected);
    Runner counter;
    handle.SetRunner(Runner::Run, &counter);
    ExpectBits(handle, way, problem, expected);
    ASSERT_GT(counter.calls, 0);
    for (int call = 0; call < counter.calls; ++call) {
      for (const std::string fault : {"fails after", "fails before", "skips first", "skips last"}) {
        SCOPED_TRACE(testing::Message() << "call " << call << " " << fault);
        Runner runner;
        (fault.starts_with("fails") ? runner.failing_call : runner.skipping_call) = call;
        runner.run_before_failing = fault == "fails after";
        runner.skip_first = fault == "skips first";
        handle.SetRunner(Runner::Run, &runner);
        EXPECT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_EXECUTION_FAILED);
        EXPECT_STRNE(handle.LastError(), "");
        EXPECT_TRUE(result.SurroundingsIntact());
        Runner sound;
        handle.SetRunner(Runner::Run, &sound);
        ExpectBits(handle, way, problem, expected);
        EXPECT_STREQ(handle.LastError(), "");
        handle.SetRunner(nullptr, nullptr);
        ExpectBits(handle, way, problem, expected);
      }
    }
  };
  const Problem wide(GetParam(), {.in_rows = 1201, .out_rows = 1201, .ci = 33, .co = 40, .kernel = {3, 1, 1}},
                     ListKind::kCrossed, 13);
  const Problem narrow(GetParam(), {.in_rows = 901, .out_rows = 901, .ci = 16, .co = 20, .kernel = {3, 3, 1}},
                       ListKind::kSubmanifold, 15);
  for (const Way way : kWays) {
    fail_every_call(way, wide);
    fail_every_call(way, narrow);
  }
}

// Handles are independent: several threads of the program at once, each with its own.
TEST_P(IndiceConvolutionThreads, ManyHandlesAtOnce) {
  const Problem problem(GetParam(), {.in_rows = 900, .out_rows = 900, .ci = 16, .co = 20, .kernel = {3, 1, 3}},
                        ListKind::kRandom, 14);
  for (const Way way : kWays) {
    Tensor expected = problem.NewResult(way);
    RunAlone(way, problem, expected);
    std::vector<std::thread> callers;
    callers.reserve(4);
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&, caller] {
        const Handle handle(problem.Profile(way), caller + 1);
        for (int run = 0; run < 5; ++run) ExpectBits(handle, way, problem, expected);
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
}

}  // namespace
}  // namespace detops_test
