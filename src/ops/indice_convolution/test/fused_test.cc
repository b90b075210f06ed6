// detopsIndiceConvolutionForwardFused: bias, residual and activation before the one rounding, in all combinations.
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "ops/indice_convolution/test/problem.h"

namespace detops_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Slopes of every sign; above 1 and below 0 the activation is no maximum of two lines.
std::vector<Epilogue> AllEpilogues() {
  std::vector<Epilogue> epilogues;
  for (const bool bias : {false, true}) {
    for (const bool residual : {false, true}) {
      epilogues.push_back({bias, residual, DETOPS_ACTIVATION_NONE});
      epilogues.push_back({bias, residual, DETOPS_ACTIVATION_RELU});
      for (const float slope : {0.01f, 0.0f, 1.0f, 3.0f, -0.5f}) {
        epilogues.push_back({bias, residual, DETOPS_ACTIVATION_LEAKY_RELU, slope});
      }
    }
  }
  return epilogues;
}

testing::Message Describe(const Epilogue& epilogue) {
  return testing::Message() << (epilogue.bias ? "bias, " : "") << (epilogue.residual ? "residual, " : "")
                            << "activation " << epilogue.activation << ", slope " << epilogue.negative_slope;
}

class IndiceConvolutionFused : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // Holds the elements of the result to these numbers, NaN to NaN and the sign of zero included.
  static void ExpectExactly(const Problem& problem, const Epilogue& epilogue, const std::vector<double>& expected) {
    SCOPED_TRACE(Describe(epilogue));
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      Tensor result = problem.NewResult(Way::kForward);
      ASSERT_EQ(problem.RunFused(handle, epilogue, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(result.SurroundingsIntact());
      ASSERT_EQ(result.elements(), static_cast<int64_t>(expected.size()));
      for (int64_t i = 0; i < result.elements(); ++i) {
        const double value = result.Get(i), right = expected[static_cast<size_t>(i)];
        if (std::isnan(right)) {
          ASSERT_TRUE(std::isnan(value)) << "element " << i << " is " << value;
        } else {
          ASSERT_EQ(value, right) << "element " << i;
          ASSERT_EQ(std::signbit(value), std::signbit(right)) << "element " << i;
        }
      }
    });
  }

  // One pair per row, one channel in: with filter 1 the sums are the features.
  static Problem Rows(mluOpDataType_t type, int64_t rows, int64_t co = 1) {
    ConvolutionPairs pairs = NoPairs(1, rows);
    SetList(pairs, 0, Counting(rows), Counting(rows));
    return Problem(type, {.in_rows = rows, .out_rows = rows, .ci = 1, .co = co}, pairs);
  }
};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionFused, testing::ValuesIn(kTypes), TypeName);

// Lists without one source row for all: it would give all sums the same error, which the residual then spreads over
// many different numbers. Biased, but no defect.
TEST_P(IndiceConvolutionFused, EveryCombination) {
  constexpr ListKind kKinds[] = {ListKind::kAscending, ListKind::kCrossed, ListKind::kShuffled,
                                 ListKind::kHoles,     ListKind::kRandom,  ListKind::kSubmanifold};
  uint64_t turn = 0;
  for (const Epilogue& epilogue : AllEpilogues()) {
    SCOPED_TRACE(Describe(epilogue));
    for (const int64_t co : {1, 5, 8, 16, 33}) {
      ++turn;
      const Shape shape = {.in_rows = 60,
                           .out_rows = 71,
                           .ci = 12,
                           .co = co,
                           .kernel = {3, 1, 2},
                           .form = kFilterForms[turn % std::size(kFilterForms)],
                           .inverse = turn % 3 == 0};
      const Problem problem(GetParam(), shape, kKinds[turn % std::size(kKinds)], turn);
      ExpectFusedAgreement(problem, epilogue);
    }
  }
}

// Misaligned and against either guard page: the epilogue reads and writes tensors of its own.
TEST_P(IndiceConvolutionFused, AtAnyAlignment) {
  for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
    for (const size_t misalignment : {0u, 1u, 2u}) {
      for (const int64_t co : {1, 3, 8, 13, 33}) {
        const Shape shape = {.in_rows = 9,
                             .out_rows = 11,
                             .ci = 3,
                             .co = co,
                             .kernel = {2, 1, 1},
                             .placement = placement,
                             .misalignment = misalignment};
        const Problem problem(GetParam(), shape, ListKind::kAscending, 3);
        ExpectFusedAgreement(problem, {true, true, DETOPS_ACTIVATION_LEAKY_RELU, 0.25f});
        EXPECT_TRUE(problem.bias.SurroundingsIntact() && problem.residual.SurroundingsIntact());
      }
    }
  }
}

TEST_P(IndiceConvolutionFused, WithNothingIsForward) {
  for (const ListKind kind : kListKinds) {
    const Problem problem(GetParam(), {.in_rows = 300, .out_rows = 310, .ci = 17, .co = 20, .kernel = {3, 1, 1}}, kind,
                          4);
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      Tensor expected = problem.NewResult(Way::kForward), result = problem.NewResult(Way::kForward);
      ASSERT_EQ(problem.Run(handle, Way::kForward, expected), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(problem.RunFused(handle, {}, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(result.SameBytes(expected));
    });
  }
}

// ---- by hand ----

// Filter 1: the sums are the features 4 -4 -1; with bias 1 and residual 10 0 -2 they become 15 -3 -2.
TEST_P(IndiceConvolutionFused, ByHand) {
  Problem problem = Rows(GetParam(), 3);
  problem.features.Assign({4, -4, -1});
  problem.filters.Assign({1});
  problem.bias.Assign({1});
  problem.residual.Assign({10, 0, -2});
  ExpectExactly(problem, {false, false, DETOPS_ACTIVATION_NONE}, {4, -4, -1});
  ExpectExactly(problem, {true, false, DETOPS_ACTIVATION_NONE}, {5, -3, 0});
  ExpectExactly(problem, {false, true, DETOPS_ACTIVATION_NONE}, {14, -4, -3});
  ExpectExactly(problem, {true, true, DETOPS_ACTIVATION_NONE}, {15, -3, -2});
  ExpectExactly(problem, {true, true, DETOPS_ACTIVATION_RELU}, {15, 0, 0});
  ExpectExactly(problem, {true, true, DETOPS_ACTIVATION_LEAKY_RELU, 0.5f}, {15, -1.5, -1});
  ExpectExactly(problem, {true, true, DETOPS_ACTIVATION_LEAKY_RELU, -2.0f}, {15, 6, 4});
}

// Of halves from 2048 on every second number is one, of bfloat16 numbers from 256 on: 2048 + 1 + 1 is 2050 if nothing
// is rounded before the end. -1.5 times 2049 is 3073.5, nearest 3074; of the rounded 2048 it would be 3072.
TEST(IndiceConvolutionFusedRounding, Once) {
  const struct {
    mluOpDataType_t type;
    double large, sum, leaky;
  } types[] = {{MLUOP_DTYPE_HALF, 2048, 2050, -3074}, {MLUOP_DTYPE_BFLOAT16, 256, 258, -386}};
  for (const auto& [type, large, sum, leaky] : types) {
    SCOPED_TRACE(ElementName(type));
    ConvolutionPairs pairs = NoPairs(1, 1);
    SetList(pairs, 0, {0}, {0});
    Problem problem(type, {.in_rows = 1, .out_rows = 1, .ci = 1, .co = 1}, pairs);
    problem.features.Assign({large});
    problem.filters.Assign({1});
    problem.bias.Assign({1});
    problem.residual.Assign({1});
    const auto expect = [&](const Epilogue& epilogue, double expected) {
      ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
        Tensor result = problem.NewResult(Way::kForward);
        ASSERT_EQ(problem.RunFused(handle, epilogue, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
        ASSERT_EQ(result.Get(0), expected);
      });
    };
    expect({true, true, DETOPS_ACTIVATION_NONE}, sum);
    expect({true, true, DETOPS_ACTIVATION_RELU}, sum);
    expect({true, false, DETOPS_ACTIVATION_NONE}, large);  // a tie, to even
    problem.features.Assign({-large});
    problem.bias.Assign({-1});
    expect({true, false, DETOPS_ACTIVATION_LEAKY_RELU, 1.5f}, leaky);
  }
}

// NaN passes every activation; -Inf is below 0 like any number, and 0 * -Inf is NaN.
TEST_P(IndiceConvolutionFused, SpecialValues) {
  Problem problem = Rows(GetParam(), 5);
  problem.features.Assign({kNan, kInf, -kInf, 1, -1});
  problem.filters.Assign({1});
  problem.bias.Assign({0});
  problem.residual.Assign({0, 0, 0, kNan, -kInf});
  ExpectExactly(problem, {false, false, DETOPS_ACTIVATION_NONE}, {kNan, kInf, -kInf, 1, -1});
  ExpectExactly(problem, {false, false, DETOPS_ACTIVATION_RELU}, {kNan, kInf, 0, 1, 0});
  ExpectExactly(problem, {true, false, DETOPS_ACTIVATION_LEAKY_RELU, 0.25f}, {kNan, kInf, -kInf, 1, -0.25});
  ExpectExactly(problem, {true, false, DETOPS_ACTIVATION_LEAKY_RELU, -0.25f}, {kNan, kInf, kInf, 1, 0.25});
  ExpectExactly(problem, {true, false, DETOPS_ACTIVATION_LEAKY_RELU, 0.0f}, {kNan, kInf, kNan, 1, -0.0});
  ExpectExactly(problem, {true, true, DETOPS_ACTIVATION_RELU}, {kNan, kInf, 0, kNan, 0});
  problem.bias.Assign({kNan});
  ExpectExactly(problem, {true, false, DETOPS_ACTIVATION_RELU}, {kNan, kNan, kNan, kNan, kNan});
}

// Every column of every row beside a NaN stays what it is, also in the last, incomplete vector.
TEST_P(IndiceConvolutionFused, NanStaysInItsRowAndColumn) {
  for (const int64_t co : {3, 8, 17, 33}) {
    Problem problem = Rows(GetParam(), 13, co);
    problem.features.Set(5, kNan);
    problem.bias.Set(co - 2, kNan);
    problem.residual.Set(2 * co + 1, kInf);
    for (const auto activation : {DETOPS_ACTIVATION_NONE, DETOPS_ACTIVATION_RELU, DETOPS_ACTIVATION_LEAKY_RELU}) {
      ExpectFusedAgreement(problem, {true, true, activation, 0.5f});
    }
  }
}

// The slope is read for LEAKY_RELU only.
TEST_P(IndiceConvolutionFused, SlopeIsNotReadByOthers) {
  Problem problem = Rows(GetParam(), 2);
  problem.features.Assign({2, -2});
  problem.filters.Assign({1});
  for (const float slope : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    ExpectExactly(problem, {false, false, DETOPS_ACTIVATION_NONE, slope}, {2, -2});
    ExpectExactly(problem, {false, false, DETOPS_ACTIVATION_RELU, slope}, {2, 0});
  }
}

// ---- nothing to convolve ----

// No rows in, no offsets, no channels in, no pairs: bias, residual and activation do their work on zeros.
TEST_P(IndiceConvolutionFused, OfNothingIsTheEpilogueOfZero) {
  const struct {
    const char* name;
    int64_t in_rows, ci;
    std::vector<int64_t> kernel;
  } cases[] = {{"no rows in", 0, 4, {3, 1, 1}},
               {"no offsets", 5, 4, {3, 0, 1}},
               {"no channels in", 5, 0, {3, 1, 1}},
               {"no pairs", 5, 4, {3, 1, 1}}};
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    const Shape shape = {.in_rows = test.in_rows, .out_rows = 7, .ci = test.ci, .co = 9, .kernel = test.kernel};
    const Problem problem(GetParam(), shape, NoPairs(shape.offsets(), test.in_rows), 6);
    for (const Epilogue& epilogue : AllEpilogues()) {
      SCOPED_TRACE(Describe(epilogue));
      ExpectFusedAgreement(problem, epilogue);
    }
  }
}

}  // namespace
}  // namespace detops_test
