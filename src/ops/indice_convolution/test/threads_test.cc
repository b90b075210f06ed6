// indice_convolution and threads, beyond what is promised of all operators: gradients in several segments, other
// profiles, and several handles at once.
#include <cstdint>
#include <thread>
#include <vector>

#include "ops/indice_convolution/test/problem.h"

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
