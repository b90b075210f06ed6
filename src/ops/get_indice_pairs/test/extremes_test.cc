// Numbers at the ends of what can be counted, where sums and sizes are easily cut off.
#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <vector>

#include "ops/get_indice_pairs/test/problem.h"

namespace detops_test {
namespace {

int RunInOrder(void* /*opaque*/, detopsTask_t task, void* context, int count) {
  for (int i = 0; i < count; ++i) task(context, i);
  return 0;
}

// Row numbers near 2^63: adding a difference to one must not overflow.
TEST(GetIndicePairsExtremes, RowsNearTheEndOfInt64) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  ConvolutionDescriptor desc;
  const int32_t extent = 1 << 21;
  for (const int64_t pad : {0, 1, extent - 1}) {
    PairProblem problem = {{1, {extent, extent, extent - 1, 1}, {2, 1, 1, 1}, {extent, extent, extent - 1, 1}},
                           {{0, extent - 1, extent - 1, extent - 2, 0}, {0, 0, 0, 0, 0}, {0, 1, 0, 0, 0}}};
    problem.convolution.pad = {pad, 0, 0, 0};
    for (const bool submanifold : {false, true}) {
      problem.convolution.submanifold = submanifold;
      problem.convolution = Completed(problem.convolution);
      SCOPED_TRACE(Describe(problem));
      ExpectPairs(handle, desc, problem, problem.Expected());
    }
  }
}

// A stride and a kernel of two thousand millions: only two offsets hit, and they must not be looked for one by one.
TEST(GetIndicePairsExtremes, CountDoesNotWalkThroughTheKernel) {
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  ConvolutionDescriptor desc;
  const int pad = INT_MAX - 1, stride = INT_MAX, dilation = 1, input = 4, filter = INT_MAX, output = 2;
  Must(detopsSetSparseConvolutionDescriptor(desc.get(), 1, 1, &pad, &stride, &dilation, nullptr, &input, &filter,
                                            &output, 0, 0, 0),
       "detopsSetSparseConvolutionDescriptor");
  Tensor indices(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {4, 2});
  for (int i = 0; i < 4; ++i) {
    indices.Set(2 * i, 0);
    indices.Set(2 * i + 1, i);
  }
  // i + pad - r = o * stride. For o = 0: r = i + INT_MAX - 1 < INT_MAX, so i = 0. For o = 1: r = i - 1, so i = 1, 2, 3.
  int64_t count = -1;
  ASSERT_EQ(MLUOP_STATUS_SUCCESS,
            detopsCountIndicePairOutputs(handle.get(), desc.get(), indices.desc(), indices.data(), &count))
      << handle.LastError();
  EXPECT_EQ(2, count);
}

// The largest kernel that can be counted: nobody walks through it, as only its front takes a site to an output.
TEST(GetIndicePairsExtremes, CountWithALargeKernel) {
  for (const bool submanifold : {false, true}) {
    PairProblem problem = {{2, {4, 5, 7}, {INT_MAX, INT_MAX, 2}, {4, 5, 7}, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}},
                           {{1, 3, 4, 6}, {0, 0, 0, 0}, {1, 2, 2, 1}, {0, 1, 1, 3}, {1, 0, 4, 0}}};
    problem.convolution.submanifold = submanifold;
    const ConvolutionDescriptor desc(problem);
    // Offsets from input_space + pad on lead below 0.
    for (size_t a = 0; a < 2; ++a) {
      problem.convolution.filter_space[a] = problem.convolution.input_space[a] + problem.convolution.pad[a];
    }
    const PairCall call(problem, 4);
    const Handle handle;
    int64_t count = -1;
    EXPECT_EQ(call.Count(handle, desc, &count), MLUOP_STATUS_SUCCESS) << handle.LastError();
    EXPECT_EQ(count, problem.Expected().num_act_out);
  }
}

// Numbers at the end of int32 are no fault: positions are added up beyond it. Sites at both ends of the space meet
// outputs, or do not, as in the reference.
TEST(GetIndicePairsExtremes, NumbersAtTheEndOfInt32) {
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  ConvolutionDescriptor desc;
  for (const int64_t pad : {0, 1, 2, INT_MAX - 1, INT_MAX}) {
    for (const int64_t dilation : {1, INT_MAX / 2, INT_MAX - 1, INT_MAX}) {
      for (const int64_t stride : {1, 2, INT_MAX - 1, INT_MAX}) {
        for (const int32_t extent : {5, INT_MAX - 1, INT_MAX}) {
          for (const char* mode : {"regular", "transposed", "submanifold"}) {
            PairProblem problem = {{1, {extent, 2}, {3, 3}, {extent, 2}, {pad, 1}, {stride, 1}, {dilation, 1}},
                                   {{0, 1, 0}, {0, extent - 1, 1}, {0, 0, 1}, {0, 3, 1}, {0, extent / 2, 0}}};
            problem.convolution.submanifold = mode[0] == 's';
            problem.convolution.transposed = mode[0] == 't';
            if (mode[0] == 's' && stride != 1) continue;
            ExpectPairs(handle, desc, problem, problem.Expected());
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

// More threads than any call has tasks, all of them the caller's own.
TEST(GetIndicePairsExtremes, ThousandsOfThreads) {
  Handle handle(DETOPS_PROFILE_CONTRACT, 5000);
  handle.SetRunner(RunInOrder, nullptr);
  ConvolutionDescriptor desc;
  for (const bool submanifold : {false, true}) {
    PairProblem problem = {{1, {150, 200, 100}, {1, 1, 1}, {150, 200, 100}}, {}};
    problem.convolution.submanifold = submanifold;
    problem.convolution = Completed(problem.convolution);
    for (int32_t d = 0; d < 150; ++d) {
      for (int32_t h = 0; h < 200; ++h) {
        for (int32_t w = 0; w < 100; ++w) problem.sites.push_back({0, d, h, w});
      }
    }
    // Every site meets itself.
    const int64_t sites = problem.count();
    IndicePairs expected;
    for (int row = 0; row < 2; ++row) {
      for (int64_t i = 0; i < sites; ++i) expected.pairs.push_back(static_cast<int32_t>(i));
    }
    expected.out_indices = problem.Flat();
    expected.indice_num = {static_cast<int32_t>(sites)};
    expected.num_act_out = sites;
    ExpectPairs(handle, desc, problem, expected);
  }
}

// Rows of about the length that one task looks at; two equal sites are as far from each other as they can be in theirs.
TEST(GetIndicePairsExtremes, EqualSitesOfALongRow) {
  const int32_t rows = 5, width = 8000;
  PairProblem problem = {{1, {rows, width}, {3, 3}, {rows, width}}, {}};
  problem.convolution.pad = {1, 1};
  problem.convolution.submanifold = true;
  problem.convolution = Completed(problem.convolution);
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t column = width - 1; column >= 0; --column) problem.sites.push_back({0, row, column});
  }
  for (int32_t row = 0; row < rows; ++row) {
    PairProblem with_equal = problem;
    with_equal.sites.push_back({0, row, width - 1});
    const IndicePairs expected = with_equal.Expected();
    for (const int threads : {1, 2, 3, 7}) {
      const Handle handle(DETOPS_PROFILE_FULL, threads);
      ConvolutionDescriptor desc;
      ExpectPairs(handle, desc, with_equal, expected);
    }
  }
}

}  // namespace
}  // namespace detops_test
