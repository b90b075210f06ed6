// indice_convolution in the numbers themselves: one rounding at the end of the whole sum, to nearest even; overflow,
// subnormals and the sign of zero; NaN and Inf go exactly where their terms go.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ops/indice_convolution/reference/reference.h"
#include "ops/indice_convolution/test/calls.h"

namespace detops_test {
namespace {

// The ways in which a sum of products comes together: inside one product of matrices, or over offsets or pairs.
enum class Spread { kOverChannels, kOverOffsets, kOverPairs };
constexpr Spread kSpreads[] = {Spread::kOverChannels, Spread::kOverOffsets, Spread::kOverPairs};

// Channels of the side that is not summed, so that results have some, with a remainder in every vector length.
constexpr int64_t kWidth = 5;

using Factors = std::vector<std::pair<double, double>>;

// A call that makes the sum of first * second over all factors: kWidth times in row 0 of forward and backward data,
// kWidth * kWidth times in the only offset of backward filter. Spread over pairs, forward and backward data have one
// filter for all pairs, so the second factors must be the same.
Call SumCall(mluOpDataType_t type, Way way, Spread spread, const Factors& factors) {
  const auto n = static_cast<int64_t>(factors.size());
  Pairs pairs = NoPairs(spread == Spread::kOverOffsets ? n : 1, n, n, n);
  for (int64_t i = 0; i < (spread == Spread::kOverChannels ? 1 : n); ++i) {
    const int64_t made = way == Way::kBackwardFilter ? i : 0;
    pairs.Add(spread == Spread::kOverOffsets ? i : 0, way == Way::kBackwardData ? made : i,
              way == Way::kBackwardData ? i : made);
  }
  std::string summed = std::to_string(spread == Spread::kOverChannels ? n : 1), width = std::to_string(kWidth);
  if (way == Way::kBackwardFilter) summed = width;
  if (way == Way::kBackwardData) std::swap(summed, width);
  Call call = CallOn(NameOf(way), pairs, "ci=" + summed + ",co=" + width, type);
  for (int64_t i = 0; i < n; ++i) {
    const auto& [first, second] = factors[static_cast<size_t>(i)];
    if (way != Way::kBackwardFilter) call[way == Way::kForward ? "features" : "output_grad"].Set(i, first);
    for (int64_t c = 0; c < kWidth; ++c) {
      if (way == Way::kBackwardFilter) {
        call["features"].Set(i * kWidth + c, first);
        call["output_grad"].Set(i * kWidth + c, second);
      } else if (way == Way::kBackwardData && spread == Spread::kOverChannels) {
        call["filters"].Set(c * n + i, second);  // [1, kWidth, n]
      } else {
        call["filters"].Set((spread == Spread::kOverPairs ? 0 : i) * kWidth + c, second);  // [offset or ci, kWidth]
      }
    }
  }
  return call;
}

void ExpectSum(mluOpDataType_t type, Way way, Spread spread, const Factors& factors, double expected) {
  // Sums of the filters' gradient run over pairs only.
  if (way == Way::kBackwardFilter && spread != Spread::kOverPairs) return;
  SCOPED_TRACE(testing::Message() << NameOf(way) << ", spread " << static_cast<int>(spread));
  PlacedCall placed(SumCall(type, way, spread, factors));
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    CarryOut(placed, handle);
    const int64_t elements = way == Way::kBackwardFilter ? kWidth * kWidth : kWidth;
    for (int64_t i = 0; i < elements; ++i) {
      const double value = placed.call()[NamesOf(way).target].Get(i);
      ASSERT_EQ(value, expected) << "element " << i;
      ASSERT_EQ(std::signbit(value), std::signbit(expected)) << "element " << i;
    }
  });
}

// In every way and spread. All terms are a number times 1.
void ExpectSum(mluOpDataType_t type, const std::vector<double>& terms, double expected) {
  Factors factors;
  for (const double term : terms) factors.emplace_back(term, 1.0);
  for (const Way way : kWays) {
    for (const Spread spread : kSpreads) ExpectSum(type, way, spread, factors, expected);
  }
}

// ---- one rounding ----

// Of halves from 2048 to 4096 every second number is one. Rounded after each term, 2048 + 1 stays 2048 for ever.
TEST(IndiceConvolutionRounding, HalfSumsAreRoundedOnce) {
  ExpectSum(MLUOP_DTYPE_HALF, {2048, 1, 1}, 2050);
  ExpectSum(MLUOP_DTYPE_HALF, {-2048, -1, -1}, -2050);
  ExpectSum(MLUOP_DTYPE_HALF, {2048, 1, 1, 1, 1, 1, 1, 1}, 2056);  // 2055 is a tie between 2054 and 2056
  ExpectSum(MLUOP_DTYPE_HALF, {2048, 1, -2048}, 1);
  ExpectSum(MLUOP_DTYPE_HALF, {1, 2048, -2048}, 1);
  // On the way it is larger than any half.
  ExpectSum(MLUOP_DTYPE_HALF, {65504, 65504, 65504, -65504, -65504}, 65504);
}

TEST(IndiceConvolutionRounding, Bfloat16SumsAreRoundedOnce) {
  ExpectSum(MLUOP_DTYPE_BFLOAT16, {256, 1, 1}, 258);
  ExpectSum(MLUOP_DTYPE_BFLOAT16, {-256, -1, -1}, -258);
  ExpectSum(MLUOP_DTYPE_BFLOAT16, {256, 1, -256}, 1);
}

// Ties go to the even neighbour; the smallest amount beside a tie decides.
TEST(IndiceConvolutionRounding, HalfRoundsToNearestEven) {
  ExpectSum(MLUOP_DTYPE_HALF, {2048, 1}, 2048);
  ExpectSum(MLUOP_DTYPE_HALF, {2048, 3}, 2052);
  ExpectSum(MLUOP_DTYPE_HALF, {2048, 1, 0x1p-10}, 2050);
  ExpectSum(MLUOP_DTYPE_HALF, {2048, 3, -0x1p-10}, 2050);
  ExpectSum(MLUOP_DTYPE_HALF, {-2048, -1}, -2048);
  ExpectSum(MLUOP_DTYPE_HALF, {-2048, -1, -0x1p-10}, -2050);
}

TEST(IndiceConvolutionRounding, Bfloat16RoundsToNearestEven) {
  ExpectSum(MLUOP_DTYPE_BFLOAT16, {256, 1}, 256);
  ExpectSum(MLUOP_DTYPE_BFLOAT16, {256, 3}, 260);
  ExpectSum(MLUOP_DTYPE_BFLOAT16, {256, 1, 0x1p-14}, 258);
  ExpectSum(MLUOP_DTYPE_BFLOAT16, {256, 3, -0x1p-14}, 258);
}

// The largest half is 65504; 65520 lies between it and the next power of two.
TEST(IndiceConvolutionRounding, HalfOverflowsToInfinity) {
  ExpectSum(MLUOP_DTYPE_HALF, {65504, 15}, 65504);
  ExpectSum(MLUOP_DTYPE_HALF, {65504, 16}, kInf);
  ExpectSum(MLUOP_DTYPE_HALF, {65504, 16, -0x1p-7}, 65504);
  ExpectSum(MLUOP_DTYPE_HALF, {-65504, -65504}, -kInf);
}

// 2^-24 is the smallest half, 2^-133 the smallest bfloat16; half of it is a tie with 0.
TEST(IndiceConvolutionRounding, SubnormalsAreKept) {
  const struct {
    mluOpDataType_t type;
    double least;
  } types[] = {{MLUOP_DTYPE_HALF, 0x1p-24}, {MLUOP_DTYPE_BFLOAT16, 0x1p-133}};
  for (const auto& [type, least] : types) {
    SCOPED_TRACE(ElementName(type));
    ExpectSum(type, {least}, least);
    ExpectSum(type, {least, least, least}, 3 * least);
    ExpectSum(type, {-least, -least}, -2 * least);
    for (const Way way : kWays) {
      for (const Spread spread : kSpreads) {
        ExpectSum(type, way, spread, {{least, 0.5}}, 0);                                      // tie, 0 is even
        ExpectSum(type, way, spread, {{least, 0.5}, {least, 0.5}, {least, 0.5}}, 2 * least);  // tie, 2 is even
        ExpectSum(type, way, spread, {{least, 0.75}}, least);
        ExpectSum(type, way, spread, {{-least, 0.25}}, -0.0);  // negative, however small
      }
    }
  }
}

// ---- zero ----

class IndiceConvolutionSpecialValues : public testing::TestWithParam<mluOpDataType_t> {};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionSpecialValues, testing::ValuesIn(kTypes), TypeName);

// A sum starts at 0, and 0 + -0 is 0.
TEST_P(IndiceConvolutionSpecialValues, MinusZeroTermsGiveZero) {
  ExpectSum(GetParam(), {-0.0}, 0);
  ExpectSum(GetParam(), {-0.0, -0.0, -0.0}, 0);
  ExpectSum(GetParam(), {5, -5}, 0);
}

// ---- NaN and Inf ----

int64_t CountNotFinite(const std::vector<double>& numbers) {
  return std::count_if(numbers.begin(), numbers.end(), [](double number) { return !std::isfinite(number); });
}

// Agrees, and some results were finite and others not, so that the comparison meant something.
void ExpectSomeNotFinite(const Call& call, Way way) {
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
    const std::vector<double> values = done[NamesOf(way).target].Values();
    const int64_t special = CountNotFinite(values);
    ASSERT_TRUE(special > 0 && special < static_cast<int64_t>(values.size()));
  });
}

// Rows of the inputs are not finite. They reach exactly the rows (forward and data) or offsets (filter) that use them;
// what a kernel loads beside them, or multiplies with 0 to fill a tile, must not show.
TEST_P(IndiceConvolutionSpecialValues, RowsPropagateToWhereTheyAreUsed) {
  for (const double value : {kNan, kInf, -kInf}) {
    for (const std::string kind : {"ascending", "shuffled", "submanifold"}) {
      for (const int64_t channels : {1, 5, 8, 33}) {
        // Few pairs per row, so that most results stay finite.
        const std::string shape = "sites=120,outputs=120,filter=3x1x1,ci=" + std::to_string(channels) +
                                  ",co=" + std::to_string(channels + 1) + ",pairs=" + kind;
        for (const Way way : kWays) {
          SCOPED_TRACE(testing::Message() << NameOf(way) << ", value " << value << ", " << shape);
          Call call = CallOf(NameOf(way), shape, GetParam(), 15);
          for (const int64_t row : {0, 57, 119}) {
            if (way != Way::kBackwardData) call["features"].Set(row * channels + channels / 2, value);
            if (way != Way::kForward) call["output_grad"].Set(row * (channels + 1) + channels / 3, value);
          }
          // A filter of one channel is one number for all rows: NaN everywhere is right.
          channels == 1 ? ExpectAgreementEverywhere(call) : ExpectSomeNotFinite(call, way);
        }
      }
    }
  }
}

// A number of one offset's filter is not finite: only rows with a pair of that offset feel it. An implementation that
// multiplies the filters of absent pairs with zeros fails here.
TEST_P(IndiceConvolutionSpecialValues, FiltersPropagateToRowsOfTheirOffset) {
  for (const double value : {kNan, kInf}) {
    for (const std::string kind : {"ascending", "random", "holes"}) {
      for (const std::string layout : kLayouts) {
        for (const Way way : {Way::kForward, Way::kBackwardData}) {
          Call call =
              CallOf(NameOf(way), "sites=90,outputs=100,ci=9,co=12,filter=3x3x1,pairs=" + kind + ",layout=" + layout,
                     GetParam(), 16);
          // The element (offset 4, ci 3, co 7): offsets 4 = 3 * 1 + 1 has pairs in lists with holes.
          const auto places = detops_reference::LayoutOfFilters(call["filters"].layout, 9, 9, 12);
          call["filters"].Set(places.Position(4, 3, 7), value);
          ExpectSomeNotFinite(call, way);
        }
      }
    }
  }
}

// Inf - Inf is NaN; a large finite sum is not.
TEST_P(IndiceConvolutionSpecialValues, InfinityByHand) {
  for (const Way way : kWays) {
    const Spread spread = way == Way::kBackwardFilter ? Spread::kOverPairs : Spread::kOverOffsets;
    ExpectSum(GetParam(), way, spread, {{kInf, 1}, {1, 1}}, kInf);
    ExpectSum(GetParam(), way, spread, {{-kInf, 2}, {1, 2}}, -kInf);
    ExpectSum(GetParam(), way, spread, {{kInf, -1}, {1, -1}}, -kInf);
  }
}

// Inf * 0 is NaN: wherever a row with Inf is used, although the filters are 0.
TEST_P(IndiceConvolutionSpecialValues, InfinityTimesZero) {
  Pairs pairs = NoPairs(1, 3, 3, 3);
  AddPairs(pairs, 0, {0, 2}, {1, 0});
  Call call = CallOn(NameOf(Way::kForward), pairs, "ci=1,co=1", GetParam());
  Assign(call, "features", {kInf, kNan, 1});
  Assign(call, "filters", {0});
  ExpectExactly(call, Way::kForward, {0, kNan, 0});
}

// ---- long sums ----

// Where one element is the sum of very many terms of one sign: a single running sum in float drifts
// away by more than the bar of 1e-5, so sums must be cut. Every element is held to that bar on its own.
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
