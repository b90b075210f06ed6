// indice_convolution where one element is the sum of very many terms of one sign: a single running sum in float drifts
// away by more than the bar of 1e-5, so sums must be cut. Every element is held to that bar on its own.
#include <string>

#include "ops/indice_convolution/test/calls.h"

namespace detops_test {
namespace {

class IndiceConvolutionLongSums : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // Random terms, and equal ones, whose roundings all go the same way. Small enough for the sums to stay below the
  // largest half: 250,000 terms of at most 1/4.
  void ExpectLongSums(Way way, const Pairs& pairs, const std::string& shape) {
    SCOPED_TRACE(NameOf(way) + " " + shape);
    Call random = CallOn(NameOf(way), pairs, shape, GetParam()), equal = random;
    for (const detops_harness::Tensor& tensor : Call(random).tensors) {
      if (tensor.access != detops_harness::Access::kRead || tensor.name == "indice_pairs") continue;
      FillUniform(random, tensor.name, 0, 0.5, 21);
      Fill(equal, tensor.name, 0.3);
    }
    ExpectAgreementEverywhere(random);
    ExpectAgreementEverywhere(equal);
  }
};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionLongSums, testing::ValuesIn(kTypes), TypeName);

// 250,001 pairs of one offset.
TEST_P(IndiceConvolutionLongSums, FilterOfManyPairs) {
  constexpr int64_t kPairs = 250001;
  Pairs pairs = NoPairs(2, kPairs, kPairs, kPairs);
  AddPairs(pairs, 0, Counting(kPairs), Counting(kPairs));
  AddPairs(pairs, 1, {3, 9}, {8, 7});
  ExpectLongSums(Way::kBackwardFilter, pairs, "ci=2,co=3");
}

// 50,001 pairs of each of two offsets, two channels each: 200,004 terms for one row.
TEST_P(IndiceConvolutionLongSums, AllPairsMeetInOneRow) {
  constexpr int64_t kRows = 50001;
  const std::vector<int32_t> all = Counting(kRows), one(static_cast<size_t>(kRows), 7);
  Pairs forward = NoPairs(2, kRows, kRows, 9), data = NoPairs(2, kRows, kRows, kRows);
  for (int64_t k = 0; k < 2; ++k) {
    AddPairs(forward, k, all, one);
    AddPairs(data, k, one, all);
  }
  ExpectLongSums(Way::kForward, forward, "ci=2,co=5");
  ExpectLongSums(Way::kBackwardData, data, "ci=5,co=2");
}

// 256 pairs of each of 125 offsets meet in one row of many: every offset alone has no more pairs than there are rows.
TEST_P(IndiceConvolutionLongSums, ManyOffsetsMeetInOneRow) {
  constexpr int64_t kRows = 256;
  const std::vector<int32_t> all = Counting(kRows), one(static_cast<size_t>(kRows), 7);
  Pairs pairs = NoPairs(125, kRows, kRows, 300);
  for (int64_t k = 0; k < 125; ++k) AddPairs(pairs, k, all, one);
  for (const int ci : {1, 6, 12, 16, 40}) ExpectLongSums(Way::kForward, pairs, "co=5,ci=" + std::to_string(ci));
}

// A row that every offset of a large kernel meets once: sums of 4,913 pairs without any index twice in an offset.
TEST_P(IndiceConvolutionLongSums, ManyOffsets) {
  if (GetParam() == MLUOP_DTYPE_DOUBLE) GTEST_SKIP() << "there is nothing wider to add up in";
  Pairs pairs = NoPairs(17 * 17 * 17, 3, 3, 3);
  for (int64_t k = 0; k < pairs.offsets; ++k) AddPairs(pairs, k, {0, 2}, {2, 1});
  for (const int ci : {1, 4, 16, 17}) {
    for (const int co : {3, 16}) {
      const std::string channels = "ci=" + std::to_string(ci) + ",co=" + std::to_string(co);
      ExpectLongSums(Way::kForward, pairs, channels);
      ExpectLongSums(Way::kBackwardData, pairs, channels);
    }
  }
}

// 1,024 channels of each of 125 offsets: 128,000 terms for one row without any index twice in an offset.
TEST_P(IndiceConvolutionLongSums, ManyChannelsAndOffsets) {
  Pairs pairs = NoPairs(125, 2, 2, 2);
  for (int64_t k = 0; k < 125; ++k) pairs.Add(k, 1, 0);
  ExpectLongSums(Way::kForward, pairs, "ci=1024,co=3");
  ExpectLongSums(Way::kBackwardData, pairs, "ci=3,co=1024");
}

}  // namespace
}  // namespace detops_test
