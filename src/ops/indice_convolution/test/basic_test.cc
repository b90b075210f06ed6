// indice_convolution on problems small enough to work out by hand: three ways, all filter layouts, inverse, repeated
// indices and rows without pairs. The reference is held to the same numbers.
#include <cmath>
#include <cstdint>
#include <vector>

#include "ops/indice_convolution/test/problem.h"

namespace detops_test {
namespace {

using Values = std::vector<double>;

class IndiceConvolution : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // All numbers are small whole ones, so that every type holds them and every order of adding gives the same.
  void ExpectExactly(const Problem& problem, Way way, const Values& expected) {
    SCOPED_TRACE(NameOf(way));
    ASSERT_EQ(problem.Expected(way).values, expected) << "the reference is wrong";
    ForEachConfiguration(problem.Profile(way), [&](const Handle& handle) {
      Tensor result = problem.NewResult(way);
      ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_STREQ(handle.LastError(), "");
      ASSERT_EQ(result.Values(), expected);
      ASSERT_TRUE(result.SurroundingsIntact());
    });
  }
};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolution, testing::ValuesIn(kTypes), TypeName);

// Two offsets, two channels in, three out:
//         | 1 0  2 |         | 1 1  1 |
//   W_0 = | 0 1 -1 |   W_1 = | 2 0 -2 |   offset 0: 0 -> 0, 2 -> 1   offset 1: 1 -> 1, 2 -> 0
// The same filters, element by element, in the three orders in which layouts can put offset, ci and co.
struct HandForm {
  FilterForm form;
  Values filters, gradient, inverse_gradient;
};
std::vector<HandForm> HandForms() {
  // offset, ci, co
  const Values array = {1, 0, 2, 0, 1, -1, 1, 1, 1, 2, 0, -2};
  const Values array_gradient = {-4, 2, 8, -4, 4, 12, 2, 10, 18, 2, 12, 22};
  const Values array_inverse = {7, 5, 3, 10, 8, 6, -1, 1, 3, 0, 2, 4};
  // co, offset, ci
  const Values last = {1, 0, 1, 2, 0, 1, 1, 0, 2, -1, 1, -2};
  const Values last_gradient = {-4, -4, 2, 2, 2, 4, 10, 12, 8, 12, 18, 22};
  const Values last_inverse = {7, 10, -1, 0, 5, 8, 1, 2, 3, 6, 3, 4};
  // co, ci, offset
  const Values first = {1, 1, 0, 2, 0, 1, 1, 0, 2, 1, -1, -2};
  const Values first_gradient = {-4, 2, -4, 2, 2, 10, 4, 12, 8, 18, 12, 22};
  const Values first_inverse = {7, -1, 10, 0, 5, 1, 8, 2, 3, 3, 6, 4};
  return {{{MLUOP_LAYOUT_ARRAY, 5}, array, array_gradient, array_inverse},
          {{MLUOP_LAYOUT_ARRAY, 4}, array, array_gradient, array_inverse},
          {{MLUOP_LAYOUT_HWCN, 4}, array, array_gradient, array_inverse},
          {{MLUOP_LAYOUT_NDHWC, 5}, last, last_gradient, last_inverse},
          {{MLUOP_LAYOUT_NHWC, 4}, last, last_gradient, last_inverse},
          {{MLUOP_LAYOUT_NCDHW, 5}, first, first_gradient, first_inverse},
          {{MLUOP_LAYOUT_NCHW, 4}, first, first_gradient, first_inverse}};
}

ConvolutionPairs HandPairs() {
  ConvolutionPairs pairs = NoPairs(2, 3);
  SetList(pairs, 0, {0, 2}, {0, 1});
  SetList(pairs, 1, {1, 2}, {1, 0});
  return pairs;
}

// features = (1 2) (3 4) (5 6), output_grad = (1 2 3) (-1 0 1).
// Forward:  row 0: (1 2) W_0 + (5 6) W_1 = (1 2 0) + (17 5 -7) = (18 7 -7)
//           row 1: (5 6) W_0 + (3 4) W_1 = (5 6 4) + (11 3 -5) = (16 9 -1)
// Data:     row 0: (1 2 3) W_0' = (7 -1)
//           row 1: (-1 0 1) W_1' = (0 -4)
//           row 2: (-1 0 1) W_0' + (1 2 3) W_1' = (1 -1) + (6 -4) = (7 -5)
// Filter 0: (1 2)' (1 2 3) + (5 6)' (-1 0 1) = (1 2 3 | 2 4 6) + (-5 0 5 | -6 0 6) = (-4 2 8 | -4 4 12)
// Filter 1: (3 4)' (-1 0 1) + (5 6)' (1 2 3) = (-3 0 3 | -4 0 4) + (5 10 15 | 6 12 18) = (2 10 18 | 2 12 22)
TEST_P(IndiceConvolution, ByHandInEveryLayout) {
  for (const HandForm& hand : HandForms()) {
    SCOPED_TRACE(testing::Message() << "layout " << hand.form.layout << " of rank " << hand.form.rank);
    Problem problem(GetParam(), {.in_rows = 3, .out_rows = 2, .ci = 2, .co = 3, .kernel = {1, 1, 2}, .form = hand.form},
                    HandPairs());
    problem.features.Assign({1, 2, 3, 4, 5, 6});
    problem.output_grad.Assign({1, 2, 3, -1, 0, 1});
    problem.filters.Assign(hand.filters);
    ExpectExactly(problem, Way::kForward, {18, 7, -7, 16, 9, -1});
    ExpectExactly(problem, Way::kBackwardData, {7, -1, 0, -4, 7, -5});
    ExpectExactly(problem, Way::kBackwardFilter, hand.gradient);
  }
}

// The same pairs backwards, 0 <- 0, 2 <- 1 and 1 <- 1, 2 <- 0; the offsets are not flipped.
// features = (1 2) (3 4), output_grad = (1 2 3) (-1 0 1) (2 1 0).
// Forward:  row 0: (1 2) W_0 = (1 2 0)
//           row 1: (3 4) W_1 = (11 3 -5)
//           row 2: (3 4) W_0 + (1 2) W_1 = (3 4 2) + (5 1 -3) = (8 5 -1)
// Data:     row 0: (1 2 3) W_0' + (2 1 0) W_1' = (7 -1) + (3 4) = (10 3)
//           row 1: (2 1 0) W_0' + (-1 0 1) W_1' = (2 1) + (0 -4) = (2 -3)
// Filter 0: (1 2)' (1 2 3) + (3 4)' (2 1 0) = (1 2 3 | 2 4 6) + (6 3 0 | 8 4 0) = (7 5 3 | 10 8 6)
// Filter 1: (3 4)' (-1 0 1) + (1 2)' (2 1 0) = (-3 0 3 | -4 0 4) + (2 1 0 | 4 2 0) = (-1 1 3 | 0 2 4)
TEST_P(IndiceConvolution, InverseByHandInEveryLayout) {
  for (const HandForm& hand : HandForms()) {
    SCOPED_TRACE(testing::Message() << "layout " << hand.form.layout << " of rank " << hand.form.rank);
    Problem problem(
        GetParam(),
        {.in_rows = 3, .out_rows = 2, .ci = 2, .co = 3, .kernel = {1, 1, 2}, .form = hand.form, .inverse = true},
        HandPairs());
    problem.features.Assign({1, 2, 3, 4});
    problem.output_grad.Assign({1, 2, 3, -1, 0, 1, 2, 1, 0});
    problem.filters.Assign(hand.filters);
    ExpectExactly(problem, Way::kForward, {1, 2, 0, 11, 3, -5, 8, 5, -1});
    ExpectExactly(problem, Way::kBackwardData, {10, 3, 2, -3});
    ExpectExactly(problem, Way::kBackwardFilter, hand.inverse_gradient);
  }
}

// Offset 0 has the pair 0 -> 0 twice and 1 -> 0 besides: terms add up, nothing is overwritten. W_0 = 10,
// features = 2 3 5, output_grad = 4 7. Forward 20 + 20 + 30; data 40 + 40 and 40; filter 8 + 8 + 12.
TEST_P(IndiceConvolution, RepeatedPairsAddUp) {
  ConvolutionPairs pairs = NoPairs(1, 3);
  SetList(pairs, 0, {0, 1, 0}, {0, 0, 0});
  Problem problem(GetParam(), {.in_rows = 3, .out_rows = 2, .ci = 1, .co = 1}, pairs);
  problem.features.Assign({2, 3, 5});
  problem.output_grad.Assign({4, 7});
  problem.filters.Assign({10});
  ExpectExactly(problem, Way::kForward, {70, 0});
  ExpectExactly(problem, Way::kBackwardData, {80, 40, 0});
  ExpectExactly(problem, Way::kBackwardFilter, {28});
}

// Every offset moves the one input to an output of its own, which then shows the offset's filter, and takes its own
// gradient back. With one channel each, memory is in the order of offsets, row by row, in every layout.
TEST_P(IndiceConvolution, OffsetsAreNumberedRowByRow) {
  for (const FilterForm& form : kFilterForms) {
    SCOPED_TRACE(testing::Message() << "layout " << form.layout << " of rank " << form.rank);
    ConvolutionPairs pairs = NoPairs(8, 1);
    Values numbers;
    for (int32_t k = 0; k < 8; ++k) {
      SetList(pairs, k, {0}, {k});
      numbers.push_back(k + 1);
    }
    Problem problem(GetParam(), {.in_rows = 1, .out_rows = 8, .ci = 1, .co = 1, .kernel = {2, 2, 2}, .form = form},
                    pairs);
    problem.features.Assign({1});
    problem.filters.Assign(numbers);
    problem.output_grad.Assign(numbers);
    ExpectExactly(problem, Way::kForward, numbers);
    ExpectExactly(problem, Way::kBackwardData, {204});  // 1 + 4 + 9 + ... + 64
    ExpectExactly(problem, Way::kBackwardFilter, numbers);
  }
}

// All bits are 0, not -0, wherever no pair leads: rows 0, 2 and 4 of the output, row 0 of the features, offset 0 of the
// filters.
TEST_P(IndiceConvolution, WhereNoPairLeadsIsZero) {
  ConvolutionPairs pairs = NoPairs(2, 3);
  SetList(pairs, 1, {1, 2}, {3, 1});
  Problem problem(GetParam(), {.in_rows = 3, .out_rows = 5, .ci = 1, .co = 1, .kernel = {2, 1, 1}}, pairs);
  problem.features.Assign({-1, -2, -3});
  problem.output_grad.Assign({-1, -1, -1, -1, -1});
  problem.filters.Assign({-5, -1});
  ExpectExactly(problem, Way::kForward, {0, 3, 0, 2, 0});
  ExpectExactly(problem, Way::kBackwardData, {0, 1, 1});
  ExpectExactly(problem, Way::kBackwardFilter, {0, 5});
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    for (const Way way : kWays) {
      Tensor result = problem.NewResult(way);
      ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
      for (int64_t i = 0; i < result.elements(); ++i) ASSERT_FALSE(std::signbit(result.Get(i))) << "element " << i;
    }
  });
}

// sub_m is for checks only. Lists as of a submanifold convolution, because backward data refuses others.
TEST_P(IndiceConvolution, SubManifoldChangesNoBit) {
  const Shape shape = {.in_rows = 37, .out_rows = 37, .ci = 9, .co = 17, .kernel = {3, 3, 1}};
  Shape sub_manifold = shape;
  sub_manifold.sub_m = 1;
  const Problem problem(GetParam(), shape, ListKind::kSubmanifold, 5);
  const Problem same(GetParam(), sub_manifold, ListKind::kSubmanifold, 5);
  for (const Way way : kWays) {
    ExpectAgreement(same, way);
    ForEachConfiguration(problem.Profile(way), [&](const Handle& handle) {
      Tensor expected = problem.NewResult(way), result = problem.NewResult(way);
      ASSERT_EQ(problem.Run(handle, way, expected), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(same.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_TRUE(result.SameBytes(expected));
    });
  }
}

}  // namespace
}  // namespace detops_test
