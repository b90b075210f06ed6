// indice_convolution in the numbers themselves: one rounding at the end of the whole sum, to nearest even; overflow,
// subnormals and the sign of zero; NaN and Inf go exactly where their terms go.
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "ops/indice_convolution/test/problem.h"

namespace detops_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The ways in which a sum of products comes together: inside one product of matrices, or over offsets or pairs.
enum class Spread { kOverChannels, kOverOffsets, kOverPairs };
constexpr Spread kSpreads[] = {Spread::kOverChannels, Spread::kOverOffsets, Spread::kOverPairs};

// Channels of the side that is not summed, so that results have some, with a remainder in every vector length.
constexpr int64_t kWidth = 5;

using Factors = std::vector<std::pair<double, double>>;

// The next three make a problem of which the way makes the sum of first * second over all factors: kWidth times in row
// 0 of forward and backward data, kWidth * kWidth times in the only offset of backward filter. Spread over pairs,
// forward and backward data have one filter for all pairs, so the second factors must be the same.
Shape SumShape(Way way, Spread spread, int64_t n) {
  Shape shape = {.in_rows = n, .out_rows = n, .ci = spread == Spread::kOverChannels ? n : 1, .co = kWidth};
  if (spread == Spread::kOverOffsets) shape.kernel = {n, 1, 1};
  if (way == Way::kBackwardData) std::swap(shape.ci, shape.co);
  if (way == Way::kBackwardFilter) shape.ci = shape.co = kWidth;
  return shape;
}

ConvolutionPairs SumPairs(Way way, Spread spread, int64_t n) {
  ConvolutionPairs pairs = NoPairs(SumShape(way, spread, n).offsets(), n);
  const auto pair_up = [&](int64_t offset, const std::vector<int32_t>& read, const std::vector<int32_t>& made) {
    way == Way::kBackwardData ? SetList(pairs, offset, made, read) : SetList(pairs, offset, read, made);
  };
  if (way == Way::kBackwardFilter) {
    pair_up(0, Counting(n), Counting(n));
  } else if (spread == Spread::kOverOffsets) {
    for (int32_t k = 0; k < n; ++k) pair_up(k, {k}, {0});
  } else if (spread == Spread::kOverPairs) {
    pair_up(0, Counting(n), std::vector<int32_t>(static_cast<size_t>(n)));
  } else {
    pair_up(0, {0}, {0});
  }
  return pairs;
}

void SetFactors(Problem& problem, Way way, Spread spread, const Factors& factors) {
  const auto n = static_cast<int64_t>(factors.size());
  for (int64_t i = 0; i < n; ++i) {
    const auto& [first, second] = factors[static_cast<size_t>(i)];
    if (way != Way::kBackwardFilter) (way == Way::kForward ? problem.features : problem.output_grad).Set(i, first);
    for (int64_t c = 0; c < kWidth; ++c) {
      if (way == Way::kBackwardFilter) {
        problem.features.Set(i * kWidth + c, first);
        problem.output_grad.Set(i * kWidth + c, second);
      } else if (way == Way::kBackwardData && spread == Spread::kOverChannels) {
        problem.filters.Set(c * n + i, second);  // [1, kWidth, n]
      } else {
        problem.filters.Set((spread == Spread::kOverPairs ? 0 : i) * kWidth + c, second);  // [offset or ci, kWidth]
      }
    }
  }
}

void ExpectSum(mluOpDataType_t type, Way way, Spread spread, const Factors& factors, double expected) {
  // Sums of the filters' gradient run over pairs only.
  if (way == Way::kBackwardFilter && spread != Spread::kOverPairs) return;
  SCOPED_TRACE(testing::Message() << NameOf(way) << ", spread " << static_cast<int>(spread));
  const auto n = static_cast<int64_t>(factors.size());
  Problem problem(type, SumShape(way, spread, n), SumPairs(way, spread, n));
  SetFactors(problem, way, spread, factors);
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    Tensor result = problem.NewResult(way);
    ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
    const int64_t elements = way == Way::kBackwardFilter ? kWidth * kWidth : kWidth;
    for (int64_t i = 0; i < elements; ++i) {
      ASSERT_EQ(result.Get(i), expected) << "element " << i;
      ASSERT_EQ(std::signbit(result.Get(i)), std::signbit(expected)) << "element " << i;
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

// As Complaint, and some of all classes were there, so that the comparison meant something.
void ExpectClasses(const Problem& problem, bool infinities) {
  for (const Way way : kWays) {
    ExpectAgreement(problem, way);
    int64_t finite = 0, nan = 0, infinite = 0;
    for (const double value : problem.Expected(way).values) {
      (std::isnan(value) ? nan : std::isinf(value) ? infinite : finite) += 1;
    }
    EXPECT_GT(finite, 0) << NameOf(way);
    EXPECT_GT(nan + infinite, 0) << NameOf(way);
    EXPECT_GE(infinite, infinities ? 1 : 0) << NameOf(way);
  }
}

// One feature row and one gradient row are not finite. They reach exactly the rows (forward and data) or offsets
// (filter) that use them; what a kernel loads beside them, or multiplies with 0 to fill a tile, must not show.
TEST_P(IndiceConvolutionSpecialValues, RowsPropagateToWhereTheyAreUsed) {
  for (const double value : {kNan, kInf, -kInf}) {
    for (const ListKind kind : {ListKind::kAscending, ListKind::kShuffled, ListKind::kSubmanifold}) {
      for (const int64_t channels : {1, 5, 8, 33}) {
        SCOPED_TRACE(testing::Message() << "value " << value << ", lists of kind " << static_cast<int>(kind));
        // Few pairs per row, so that most results stay finite.
        Problem problem(GetParam(),
                        {.in_rows = 120, .out_rows = 120, .ci = channels, .co = channels + 1, .kernel = {3, 1, 1}},
                        kind, 15);
        for (const int64_t row : {0, 57, 119}) {
          problem.features.Set(row * channels + channels / 2, value);
          problem.output_grad.Set(row * (channels + 1) + channels / 3, value);
        }
        // A filter of one channel is one number for all rows: NaN everywhere is right.
        ExpectAgreementAllWays(problem);
        if (channels > 1) ExpectClasses(problem, std::isinf(value));
      }
    }
  }
}

// A number of one offset's filter is not finite: only rows with a pair of that offset feel it. An implementation that
// multiplies the filters of absent pairs with zeros fails here.
TEST_P(IndiceConvolutionSpecialValues, FiltersPropagateToRowsOfTheirOffset) {
  for (const double value : {kNan, kInf}) {
    for (const ListKind kind : {ListKind::kAscending, ListKind::kRandom, ListKind::kHoles}) {
      for (const FilterForm& form : kFilterForms) {
        Problem problem(GetParam(),
                        {.in_rows = 90, .out_rows = 100, .ci = 9, .co = 12, .kernel = {3, 3, 1}, .form = form}, kind,
                        16);
        // The element (offset 4, ci 3, co 7): offsets 4 = 3 * 1 + 1 has pairs in lists with holes.
        const auto layout = detops_reference::LayoutOfFilters(form.layout, 9, 9, 12);
        problem.filters.Set(layout.Position(4, 3, 7), value);
        for (const Way way : {Way::kForward, Way::kBackwardData}) {
          ExpectAgreement(problem, way);
          const Sums expected = problem.Expected(way);
          int64_t special = 0;
          for (const double number : expected.values) special += std::isfinite(number) ? 0 : 1;
          EXPECT_GT(special, 0);
          EXPECT_LT(special, static_cast<int64_t>(expected.values.size()) / 4);
        }
      }
    }
  }
}

// Inf * 0 is NaN and Inf - Inf is NaN; a large finite sum is not.
TEST_P(IndiceConvolutionSpecialValues, InfinityByHand) {
  for (const Way way : kWays) {
    const Spread spread = way == Way::kBackwardFilter ? Spread::kOverPairs : Spread::kOverOffsets;
    ExpectSum(GetParam(), way, spread, {{kInf, 1}, {1, 1}}, kInf);
    ExpectSum(GetParam(), way, spread, {{-kInf, 2}, {1, 2}}, -kInf);
    ExpectSum(GetParam(), way, spread, {{kInf, -1}, {1, -1}}, -kInf);
  }
  // 0 filters: NaN wherever a row with Inf is used, although everything else is 0.
  ConvolutionPairs pairs = NoPairs(1, 3);
  SetList(pairs, 0, {0, 2}, {1, 0});
  Problem problem(GetParam(), {.in_rows = 3, .out_rows = 3, .ci = 1, .co = 1}, pairs);
  problem.features.Assign({kInf, kNan, 1});
  problem.filters.Assign({0});
  ForEachConfiguration(problem.Profile(Way::kForward), [&](const Handle& handle) {
    Tensor result = problem.NewResult(Way::kForward);
    ASSERT_EQ(problem.Run(handle, Way::kForward, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(result.Get(0), 0);
    ASSERT_TRUE(std::isnan(result.Get(1)));
    ASSERT_EQ(result.Get(2), 0);
  });
}

}  // namespace
}  // namespace detops_test
