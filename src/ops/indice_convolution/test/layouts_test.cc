// indice_convolution with filters in all seven layouts and kernels whose axes differ, against the reference; and
// indice_pairs under any layout name.
#include <cstdint>
#include <vector>

#include "ops/indice_convolution/test/problem.h"

namespace detops_test {
namespace {

class IndiceConvolutionLayouts : public testing::TestWithParam<mluOpDataType_t> {};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionLayouts, testing::ValuesIn(kTypes), TypeName);

// Channels that differ, that are one, and that fill vectors or blocks with and without a remainder: a layout is
// transposed in pieces.
TEST_P(IndiceConvolutionLayouts, AgreeWithReference) {
  const struct {
    int64_t ci, co;
  } channels[] = {{1, 1}, {5, 7}, {1, 33}, {33, 1}, {8, 16}, {16, 8}, {64, 64}, {65, 31}};
  const std::vector<int64_t> kernels[] = {{1, 1, 1}, {2, 3, 2}, {1, 1, 5}, {3, 1, 2}};
  uint64_t seed = 0;
  for (const FilterForm& form : kFilterForms) {
    for (const auto& channel : channels) {
      for (const std::vector<int64_t>& kernel : kernels) {
        const Shape shape = {.in_rows = 13,
                             .out_rows = 11,
                             .ci = channel.ci,
                             .co = channel.co,
                             .kernel = kernel,
                             .form = form,
                             .inverse = ++seed % 3 == 0};
        ExpectAgreementAllWays(Problem(GetParam(), shape, ListKind::kShuffled, seed));
      }
    }
  }
}

// Large enough to be cut for several threads and packed in parts.
TEST_P(IndiceConvolutionLayouts, LargeFilters) {
  for (const FilterForm& form : kFilterForms) {
    const Shape shape = {.in_rows = 19, .out_rows = 23, .ci = 129, .co = 130, .kernel = {2, 1, 2}, .form = form};
    ExpectAgreementAllWays(Problem(GetParam(), shape, ListKind::kRandom, 3));
  }
}

// The elements of filters are the same numbers wherever the layout puts them: results do not depend on it beyond
// rounding, which the reference has already bounded; here the same bits in rank 4 as in rank 5.
TEST_P(IndiceConvolutionLayouts, RankFourIsRankFive) {
  const struct {
    FilterForm five, four;
  } twins[] = {{{MLUOP_LAYOUT_ARRAY, 5}, {MLUOP_LAYOUT_ARRAY, 4}},
               {{MLUOP_LAYOUT_ARRAY, 5}, {MLUOP_LAYOUT_HWCN, 4}},
               {{MLUOP_LAYOUT_NDHWC, 5}, {MLUOP_LAYOUT_NHWC, 4}},
               {{MLUOP_LAYOUT_NCDHW, 5}, {MLUOP_LAYOUT_NCHW, 4}}};
  for (const auto& twin : twins) {
    SCOPED_TRACE(testing::Message() << "layout " << twin.four.layout);
    Shape shape = {.in_rows = 31, .out_rows = 29, .ci = 17, .co = 12, .kernel = {3, 2, 2}, .form = twin.five};
    const Problem five(GetParam(), shape, ListKind::kAscending, 4);
    shape.form = twin.four;
    const Problem four(GetParam(), shape, ListKind::kAscending, 4);
    for (const Way way : kWays) {
      SCOPED_TRACE(NameOf(way));
      ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
        Tensor of_five = five.NewResult(way), of_four = four.NewResult(way);
        ASSERT_EQ(five.Run(handle, way, of_five), MLUOP_STATUS_SUCCESS) << handle.LastError();
        ASSERT_EQ(four.Run(handle, way, of_four), MLUOP_STATUS_SUCCESS) << handle.LastError();
        ASSERT_TRUE(of_four.SameBytes(of_five));
      });
    }
  }
}

// The contract profile reads filters_grad as [kd,] kh, kw, ci, co under any label, also one of another rank or of no
// filter at all, as every release of the contract did; programs for the accelerator pass NCDHW. Channels that differ
// and channels that do not: there a wrong reading has the right shape and gives a wrong gradient.
TEST(IndiceConvolutionLayoutsOfContract, LabelOfFilterGradientIsIgnored) {
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}) {
    for (const int rank : {4, 5}) {
      for (const int64_t co : {7, 3}) {
        const Shape shape = {
            .in_rows = 21, .out_rows = 18, .ci = 3, .co = co, .kernel = {3, 1, 3}, .form = {MLUOP_LAYOUT_ARRAY, rank}};
        const Problem problem(type, shape, ListKind::kRandom, 5);
        const Handle handle(DETOPS_PROFILE_CONTRACT);
        Tensor expected = problem.NewResult(Way::kBackwardFilter), result = problem.NewResult(Way::kBackwardFilter);
        ASSERT_EQ(problem.Run(handle, Way::kBackwardFilter, expected), MLUOP_STATUS_SUCCESS) << handle.LastError();
        ASSERT_EQ(Complaint(expected, problem.Expected(Way::kBackwardFilter)), "");
        for (int layout = 0; layout <= 11; ++layout) {  // 11 is no layout yet
          SCOPED_TRACE(testing::Message() << "rank " << rank << ", layout " << layout);
          Must(mluOpSetTensorDescriptor_v2(result.desc(), static_cast<mluOpTensorLayout_t>(layout), type, rank,
                                           result.extents().data()),
               "mluOpSetTensorDescriptor_v2");
          size_t size = 1;
          ASSERT_EQ(mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize(
                        handle.get(), problem.features.desc(), problem.output_grad.desc(), problem.indice_pairs.desc(),
                        result.desc(), problem.counts(), 0, 0, &size),
                    MLUOP_STATUS_SUCCESS)
              << handle.LastError();
          EXPECT_EQ(size, 0u);
          result.FillCanary();
          ASSERT_EQ(problem.Run(handle, Way::kBackwardFilter, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
          EXPECT_TRUE(result.SameBytes(expected));
          EXPECT_TRUE(result.SurroundingsIntact());
        }
      }
    }
  }
}

// indice_pairs is an array whatever its layout is called.
TEST_P(IndiceConvolutionLayouts, PairsUnderAnyName) {
  const Problem problem(GetParam(), {.in_rows = 21, .out_rows = 18, .ci = 3, .co = 5, .kernel = {1, 2, 2}},
                        ListKind::kAscending, 6);
  for (const mluOpTensorLayout_t layout :
       {MLUOP_LAYOUT_NCHW, MLUOP_LAYOUT_NHWC, MLUOP_LAYOUT_HWCN, MLUOP_LAYOUT_NDHWC, MLUOP_LAYOUT_NCDHW,
        MLUOP_LAYOUT_TNC, MLUOP_LAYOUT_NTC, MLUOP_LAYOUT_NC, MLUOP_LAYOUT_NLC, MLUOP_LAYOUT_NCL}) {
    SCOPED_TRACE(testing::Message() << "layout " << layout);
    Must(mluOpSetTensorDescriptor_v2(problem.indice_pairs.desc(), layout, MLUOP_DTYPE_INT32, 3,
                                     problem.indice_pairs.extents().data()),
         "mluOpSetTensorDescriptor_v2");
    ExpectAgreementAllWays(problem);
  }
}

}  // namespace
}  // namespace detops_test
