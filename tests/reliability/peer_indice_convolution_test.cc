// Bugs of other libraries in sparse and gathering kernels, put to indice_convolution.
#include <climits>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ops/indice_convolution/test/bad_call.h"
#include "reliability/peer_case.h"

namespace detops_test {
namespace {

void ExpectRefused(BadCall& call, Entry entry, mluOpStatus_t status, const std::string& text) {
  ExpectRefusedEverywhere(
      call,
      [entry](BadCall& c, Handle& handle) {
        const Answer answer = c.Run(handle, entry);
        return std::pair(answer.status, answer.text);
      },
      status, text);
}

// In every way, on pairs and, where there is one, fused.
template <class Spoil>
void ExpectRefusedInEveryWay(mluOpStatus_t status, const std::string& text, const Spoil& spoil) {
  for (const Way way : kWays) {
    for (const Entry entry : {Entry::kCall, Entry::kFused}) {
      if (entry == Entry::kFused && way != Way::kForward) continue;
      SCOPED_TRACE(NameOf(way, entry));
      BadCall call(way);
      if (entry == Entry::kFused) call.profile = DETOPS_PROFILE_FULL;
      spoil(call);
      ExpectRefused(call, entry, status, text);
    }
  }
}

// ---- spconv 2.3.8 on a CPU ----

// 20,000 rows with two threads: there about one row in a hundred is another one in the next run.
TEST(PeerIndiceConvolution, SpconvTwoThreadsGiveOtherValues) {
  const Problem problem(MLUOP_DTYPE_FLOAT,
                        {.in_rows = 20000, .out_rows = 20000, .ci = 16, .co = 16, .kernel = {3, 3, 3}},
                        ListKind::kSubmanifold);
  Handle handle(DETOPS_PROFILE_CONTRACT, 1);
  for (const Way way : kWays) {
    Tensor alone = problem.NewResult(way), result = problem.NewResult(way);
    handle.SetThreads(1);
    ASSERT_EQ(problem.Run(handle, way, alone), MLUOP_STATUS_SUCCESS) << handle.LastError();
    for (const int threads : {2, 2, 2, 2, 2, 3, 8}) {
      handle.SetThreads(threads);
      result.FillCanary();
      ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(result.SameBytes(alone)) << NameOf(way) << ", " << threads << " threads";
    }
  }
}

void ExpectRight(const Problem& problem) {
  for (const Way way : kWays) {
    SCOPED_TRACE(NameOf(way));
    const Sums expected = problem.Expected(way);
    ForEachConfiguration(problem.Profile(way), [&](const Handle& handle) {
      Tensor result = problem.NewResult(way);
      ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(Disagreement(result.Values(), expected.values, ToleranceFor(problem.type())), "");
      EXPECT_TRUE(result.SurroundingsIntact());
    });
  }
}

// [co, 1, 1, 1, ci] is read as [ci, co] there. The extents differ, so that a confusion shows.
TEST(PeerIndiceConvolution, SpconvKernelOfOneReadsItsWeightTransposed) {
  ExpectRight(Problem(MLUOP_DTYPE_FLOAT,
                      {.in_rows = 37, .out_rows = 37, .ci = 5, .co = 9, .form = {MLUOP_LAYOUT_NDHWC, 5}},
                      ListKind::kAscending));
}
// And with equal extents, where nothing but the values can tell.
TEST(PeerIndiceConvolution, SpconvKernelOfOneWithSquareWeight) {
  ExpectRight(Problem(MLUOP_DTYPE_FLOAT,
                      {.in_rows = 37, .out_rows = 37, .ci = 8, .co = 8, .form = {MLUOP_LAYOUT_NDHWC, 5}},
                      ListKind::kAscending));
}
// The backward pass asks for a device of another kind there.
TEST(PeerIndiceConvolution, SpconvBackwardOnACpu) {
  ExpectRight(Problem(MLUOP_DTYPE_FLOAT, {.in_rows = 40, .out_rows = 31, .ci = 7, .co = 6, .kernel = {3, 1, 3}},
                      ListKind::kRandom));
}
// Tensors of different kinds: an error instead of a fault.
TEST(PeerIndiceConvolution, SpconvIssue727TensorsOfDifferentKinds) {
  for (const Role role : kNumbers) {
    ExpectRefusedInEveryWay(MLUOP_STATUS_BAD_PARAM, "has type",
                            [role](BadCall& call) { call.tensors[role].type = MLUOP_DTYPE_HALF; });
  }
}

// ---- indices that are given back ----

// An index of an index: both rows of every pair are used as rows of tensors.
TEST(PeerIndiceConvolution, Cve2020Nr15195DoubleIndexing) {
  for (const int row : {0, 1}) {
    for (const int32_t index : {INT_MIN, -1, INT_MAX}) {
      ExpectRefusedInEveryWay(MLUOP_STATUS_BAD_PARAM,
                              "indice_pairs[0, " + std::to_string(row) + ", 2] is " + std::to_string(index),
                              [=](BadCall& call) { call.Pair(0, row, 2) = index; });
    }
  }
}
// One past the end.
TEST(PeerIndiceConvolution, Cve2021Nr37641GatherPastTheEnd) {
  ExpectRefusedInEveryWay(MLUOP_STATUS_BAD_PARAM, "indice_pairs[0, 0, 1] is " + std::to_string(kSites),
                          [](BadCall& call) { call.Pair(0, 0, 1) = static_cast<int32_t>(kSites); });
}
TEST(PeerIndiceConvolution, Cve2021Nr37635ScatterPastTheEnd) {
  ExpectRefusedInEveryWay(MLUOP_STATUS_BAD_PARAM, "indice_pairs[0, 1, 1] is " + std::to_string(kRows),
                          [](BadCall& call) { call.Pair(0, 1, 1) = static_cast<int32_t>(kRows); });
}
// The index fits one of the two arrays that it is used on: 11 rows on one side, 13 on the other.
TEST(PeerIndiceConvolution, Cve2021Nr29570OneIndexForTwoArrays) {
  ExpectRefusedInEveryWay(MLUOP_STATUS_BAD_PARAM, "indice_pairs[4, 0, 0] is 12",
                          [](BadCall& call) { call.Pair(4, 0, 0) = 12; });
}
TEST(PeerIndiceConvolution, OnnxRuntime27903IndicesAsOffsets) {
  for (const int32_t index : {-kSites * kCi, kRows * kCo}) {
    ExpectRefusedInEveryWay(MLUOP_STATUS_BAD_PARAM, "indice_pairs[44, 1, 0] is " + std::to_string(index),
                            [index](BadCall& call) { call.Pair(44, 1, 0) = index; });
  }
}
// Lengths that the caller tells, larger than what there is, or negative.
TEST(PeerIndiceConvolution, Cve2025Nr2998LengthsBeyondTheData) {
  for (const int64_t length : {int64_t{-1}, kSites + 1, int64_t{1} << 32, std::numeric_limits<int64_t>::max(),
                               std::numeric_limits<int64_t>::min()}) {
    ExpectRefusedInEveryWay(MLUOP_STATUS_BAD_PARAM, "indice_num[1] is " + std::to_string(length),
                            [length](BadCall& call) { call.num()[1] = length; });
  }
}

// ---- shapes ----

TEST(PeerIndiceConvolution, Cve2021Nr29607ChannelsThatDiffer) {
  for (const Role role : {kIn, kOut}) {
    ExpectRefusedInEveryWay(MLUOP_STATUS_BAD_PARAM, "has",
                            [role](BadCall& call) { call.tensors[role].surplus[1] = -1; });
  }
}
// An output smaller than what the kernel believes it to be.
TEST(PeerIndiceConvolution, Cve2025Nr55558OutputSmallerThanTold) {
  BadCall call(Way::kForward);
  call.num_act_out = kRows + 1;
  ExpectRefused(call, Entry::kCall, MLUOP_STATUS_BAD_PARAM, "num_act_out");
}
// An index in what was stored and is read back: a rulebook is made of checked pairs only.
TEST(PeerIndiceConvolution, Cve2024Nr31584StoredIndicesAreChecked) {
  for (const bool value_checks : {true, false}) {
    BadCall call(Way::kForward);
    call.profile = DETOPS_PROFILE_FULL;
    call.value_checks = value_checks;
    call.Pair(4, 1, 2) = INT_MAX;
    ExpectRefused(call, Entry::kCreate, MLUOP_STATUS_BAD_PARAM, "indice_pairs[4, 1, 2] is 2147483647");
    EXPECT_TRUE(call.PlacesIntact());
  }
}

}  // namespace
}  // namespace detops_test
