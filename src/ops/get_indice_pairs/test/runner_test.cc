// A caller's runner that fails, before or behind its work, or leaves out a piece of it: the call says so, changes
// nothing but its outputs, and the next one on the same handle is right. In every algorithm, at every time the runner
// is asked.
#include "support/runner.h"

#include <string>
#include <vector>

#include "ops/get_indice_pairs/test/problem.h"

namespace detops_test {
namespace {

struct RunnerCase {
  const char* name;
  SparseConvolution convolution;
  bool sorted;
  bool twice = false;  // some sites come more than once
};

void PrintTo(const RunnerCase& c, std::ostream* out) { *out << c.name; }

SparseConvolution Cubic(int64_t extent, int64_t stride, bool submanifold) {
  SparseConvolution convolution;
  convolution.batch = 2;
  convolution.input_space = {extent, extent, extent};
  convolution.filter_space = {3, 3, 3};
  convolution.pad = {1, 1, 1};
  convolution.stride = {stride, stride, stride};
  convolution.submanifold = submanifold;
  return Completed(convolution);
}

// Neighbours, so that there are pairs, and enough of them for several tasks.
PairProblem MakeProblem(const RunnerCase& c) {
  PairProblem problem;
  problem.convolution = c.convolution;
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    Site site = RandomSite(random, c.convolution);
    for (int more = 0; more < 4; ++more) {
      problem.sites.push_back(site);
      site[3] = static_cast<int32_t>((site[3] + 1) % c.convolution.input_space[2]);
    }
  }
  SortUnique(problem.sites);
  if (c.twice) problem.sites.insert(problem.sites.end(), problem.sites.begin(), problem.sites.begin() + 50);
  if (!c.sorted) random.Shuffle(problem.sites);
  return problem;
}

class GetIndicePairsRunner : public ::testing::TestWithParam<RunnerCase> {
 protected:
  PairProblem problem_ = MakeProblem(GetParam());
  IndicePairs expected_ = problem_.Expected();
};

TEST_P(GetIndicePairsRunner, FailsInAnyOfItsCalls) {
  AddSpareRows(std::min<int64_t>(40000, SpareRows(problem_, expected_)), problem_, expected_);
  const auto rows = static_cast<int64_t>(expected_.out_indices.size() / problem_.columns());
  const ConvolutionDescriptor desc(problem_);
  Handle handle(DETOPS_PROFILE_FULL, 3);
  PairCall call(problem_, rows);
  size_t size = 0;
  ASSERT_EQ(call.WorkspaceSize(handle, desc, &size), MLUOP_STATUS_SUCCESS) << handle.LastError();
  const GuardedBuffer workspace(size);
  const auto run = [&] { return call.Run(handle, desc, size > 0 ? workspace.data() : nullptr, size); };
  const auto expect_right = [&] {
    ASSERT_EQ(run(), MLUOP_STATUS_SUCCESS) << handle.LastError();
    EXPECT_EQ(desc.NumActOut(), expected_.num_act_out);
    EXPECT_EQ(Difference(call.num, expected_.indice_num), "");
    EXPECT_EQ(Difference(call.out_indices, expected_.out_indices), "");
    EXPECT_EQ(Difference(call.pairs, expected_.pairs), "");
  };
  Runner counting;
  handle.SetRunner(&Runner::Run, &counting);
  ASSERT_NO_FATAL_FAILURE(expect_right());
  ASSERT_GE(counting.calls, 3);
  ASSERT_GT(counting.tasks, counting.calls);
  for (int failing = 0; failing < counting.calls; ++failing) {
    SCOPED_TRACE("call " + std::to_string(failing) + " of the runner");
    // The number of outputs of another call must stay: a descriptor of its own.
    const ConvolutionDescriptor fresh(problem_);
    const int before = fresh.NumActOut();
    Runner runner;
    runner.failing_call = failing;
    runner.run_before_failing = failing % 2 == 0;
    handle.SetRunner(&Runner::Run, &runner);
    ASSERT_EQ(call.Run(handle, fresh, size > 0 ? workspace.data() : nullptr, size), MLUOP_STATUS_EXECUTION_FAILED);
    EXPECT_EQ(std::string(handle.LastError()),
              failing == 0 ? "mluOpGetIndicePairs: the parallel runner failed while indices was "
                             "checked."
                           : "mluOpGetIndicePairs: the parallel runner failed; the output is "
                             "incomplete.");
    EXPECT_EQ(runner.calls, failing + 1) << "nothing is run after a failure";
    EXPECT_EQ(fresh.NumActOut(), before);
    EXPECT_EQ(Difference(call.indices, problem_.Flat()), "");
    EXPECT_TRUE(call.pairs.SurroundingsIntact() && call.out_indices.SurroundingsIntact() &&
                call.num.SurroundingsIntact() && workspace.SlackIntact());
    handle.SetRunner(nullptr, nullptr);
    ASSERT_NO_FATAL_FAILURE(expect_right());
  }
}

// Counting writes one number, which stays as it was.
TEST_P(GetIndicePairsRunner, FailsWhileCounting) {
  const ConvolutionDescriptor desc(problem_);
  Handle handle(DETOPS_PROFILE_FULL, 3);
  const PairCall call(problem_, 1);
  Runner counting;
  handle.SetRunner(&Runner::Run, &counting);
  int64_t count = -7;
  ASSERT_EQ(call.Count(handle, desc, &count), MLUOP_STATUS_SUCCESS) << handle.LastError();
  EXPECT_EQ(count, expected_.num_act_out);
  for (int failing = 0; failing < counting.calls; ++failing) {
    Runner runner;
    (failing % 2 == 0 ? runner.skipping_call : runner.failing_call) = failing;  // every call has a task
    handle.SetRunner(&Runner::Run, &runner);
    count = -7;
    EXPECT_EQ(call.Count(handle, desc, &count), MLUOP_STATUS_EXECUTION_FAILED) << failing;
    EXPECT_EQ(count, -7);
    EXPECT_EQ(runner.calls, failing + 1);
  }
}

// The last two: a bit map too large for one per task, and a space too large for a bit map.
INSTANTIATE_TEST_SUITE_P(Ways, GetIndicePairsRunner,
                         ::testing::Values(RunnerCase{"submanifold_ascending", Cubic(60, 1, true), true},
                                           RunnerCase{"submanifold_in_any_order", Cubic(60, 1, true), false},
                                           RunnerCase{"submanifold_twice", Cubic(60, 1, true), false, true},
                                           RunnerCase{"regular", Cubic(60, 2, false), true},
                                           RunnerCase{"regular_shared_map", Cubic(270, 1, false), false},
                                           RunnerCase{"regular_without_map", Cubic(4000, 1, false), true}),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace detops_test
