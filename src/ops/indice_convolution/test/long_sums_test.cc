// indice_convolution where one element is the sum of very many terms of one sign: a single running sum in float drifts
// away by more than the bar of 1e-5, so sums must be cut. Every element is held to that bar on its own (Complaint).
#include <cstdint>
#include <vector>

#include "ops/indice_convolution/test/problem.h"

namespace detops_test {
namespace {

class IndiceConvolutionLongSums : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // Random terms, and equal ones, whose roundings all go the same way. Small enough for the sums to stay below the
  // largest half: 250,000 terms of at most 1/4.
  void ExpectLongSums(const Shape& shape, const ConvolutionPairs& pairs, Way way) {
    Problem problem(GetParam(), shape, pairs);
    for (Tensor* tensor : {&problem.features, &problem.filters, &problem.output_grad}) tensor->FillUniform(0, 0.5, 21);
    ExpectAgreement(problem, way);
    for (Tensor* tensor : {&problem.features, &problem.filters, &problem.output_grad}) tensor->Fill(0.3);
    ExpectAgreement(problem, way);
  }
};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionLongSums, testing::ValuesIn(kTypes), TypeName);

// 250,001 pairs of one offset.
TEST_P(IndiceConvolutionLongSums, FilterOfManyPairs) {
  constexpr int64_t kPairs = 250001;
  ConvolutionPairs pairs = NoPairs(2, kPairs);
  SetList(pairs, 0, Counting(kPairs), Counting(kPairs));
  SetList(pairs, 1, {3, 9}, {8, 7});
  ExpectLongSums({.in_rows = kPairs, .out_rows = kPairs, .ci = 2, .co = 3, .kernel = {2, 1, 1}}, pairs,
                 Way::kBackwardFilter);
}

// 50,001 pairs of each of two offsets, two channels each: 200,004 terms for one row.
TEST_P(IndiceConvolutionLongSums, AllPairsMeetInOneRow) {
  constexpr int64_t kRows = 50001;
  const std::vector<int32_t> all = Counting(kRows), one(static_cast<size_t>(kRows), 7);
  ConvolutionPairs forward = NoPairs(2, kRows), data = NoPairs(2, kRows);
  for (int64_t k = 0; k < 2; ++k) {
    SetList(forward, k, all, one);
    SetList(data, k, one, all);
  }
  ExpectLongSums({.in_rows = kRows, .out_rows = 9, .ci = 2, .co = 5, .kernel = {2, 1, 1}}, forward, Way::kForward);
  ExpectLongSums({.in_rows = kRows, .out_rows = kRows, .ci = 5, .co = 2, .kernel = {2, 1, 1}}, data,
                 Way::kBackwardData);
}

// 256 pairs of each of 125 offsets meet in one row of many: every offset alone has no more pairs than there are rows.
TEST_P(IndiceConvolutionLongSums, ManyOffsetsMeetInOneRow) {
  constexpr int64_t kRows = 256;
  const std::vector<int32_t> all = Counting(kRows), one(static_cast<size_t>(kRows), 7);
  ConvolutionPairs pairs = NoPairs(125, kRows);
  for (int64_t k = 0; k < 125; ++k) SetList(pairs, k, all, one);
  for (const int64_t ci : {1, 6, 12, 16, 40}) {
    ExpectLongSums({.in_rows = kRows, .out_rows = 300, .ci = ci, .co = 5, .kernel = {5, 5, 5}}, pairs, Way::kForward);
  }
}

// A row that every offset of a large kernel meets once: sums of 4,913 pairs without any index twice in an offset.
TEST_P(IndiceConvolutionLongSums, ManyOffsets) {
  if (GetParam() == MLUOP_DTYPE_DOUBLE) GTEST_SKIP() << "there is nothing wider to add up in";
  constexpr int64_t kOffsets = 17 * 17 * 17;
  ConvolutionPairs pairs = NoPairs(kOffsets, 3);
  for (int64_t k = 0; k < kOffsets; ++k) SetList(pairs, k, {0, 2}, {2, 1});
  for (const int64_t ci : {1, 4, 16, 17}) {
    for (const int64_t co : {3, 16}) {
      const Shape shape = {.in_rows = 3, .out_rows = 3, .ci = ci, .co = co, .kernel = {17, 17, 17}};
      ExpectLongSums(shape, pairs, Way::kForward);
      ExpectLongSums(shape, pairs, Way::kBackwardData);
    }
  }
}

// 1,024 channels of each of 125 offsets: 128,000 terms for one row without any index twice in an offset.
TEST_P(IndiceConvolutionLongSums, ManyChannelsAndOffsets) {
  ConvolutionPairs pairs = NoPairs(125, 2);
  for (int64_t k = 0; k < 125; ++k) SetList(pairs, k, {1}, {0});
  ExpectLongSums({.in_rows = 2, .out_rows = 2, .ci = 1024, .co = 3, .kernel = {5, 5, 5}}, pairs, Way::kForward);
  ExpectLongSums({.in_rows = 2, .out_rows = 2, .ci = 3, .co = 1024, .kernel = {5, 5, 5}}, pairs, Way::kBackwardData);
}

}  // namespace
}  // namespace detops_test
