// indice_convolution on problems small enough to work out by hand: three ways, all filter layouts, inverse, repeated
// indices and rows without pairs. The reference is held to the same numbers.
#include <cstdint>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/calls.h"

namespace detops_test {
namespace {

using Values = std::vector<double>;

// What each way reads and makes. All numbers are small whole ones, so that every type holds them and every order of
// adding gives the same.
struct Example {
  Pairs pairs;
  std::string shape;
  Values features, filters, output_grad;
  Values forward, data, filter;
};

class IndiceConvolution : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  static void Expect(const Example& example) {
    const auto expect = [&](Way way, const char* first, const Values& a, const char* second, const Values& b,
                            const Values& expected) {
      SCOPED_TRACE(NameOf(way) + " " + example.shape);
      Call call = CallOn(NameOf(way), example.pairs, example.shape, GetParam());
      Assign(call, first, a);
      Assign(call, second, b);
      ExpectExactly(call, way, expected);
    };
    expect(Way::kForward, "features", example.features, "filters", example.filters, example.forward);
    expect(Way::kBackwardData, "output_grad", example.output_grad, "filters", example.filters, example.data);
    expect(Way::kBackwardFilter, "features", example.features, "output_grad", example.output_grad, example.filter);
  }
};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolution, testing::ValuesIn(kTypes), TypeName);

// Two offsets, two channels in, three out:
//         | 1 0  2 |         | 1 1  1 |
//   W_0 = | 0 1 -1 |   W_1 = | 2 0 -2 |   offset 0: 0 -> 0, 2 -> 1   offset 1: 1 -> 1, 2 -> 0
// The same filters, element by element, in the three orders in which layouts can put offset, ci and co.
struct HandForm {
  const char* layout;
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
  return {{"ARRAY", array, array_gradient, array_inverse}, {"ARRAY4", array, array_gradient, array_inverse},
          {"HWCN", array, array_gradient, array_inverse},  {"NDHWC", last, last_gradient, last_inverse},
          {"NHWC", last, last_gradient, last_inverse},     {"NCDHW", first, first_gradient, first_inverse},
          {"NCHW", first, first_gradient, first_inverse}};
}

Pairs HandPairs() {
  Pairs pairs = NoPairs(2, 3, 3, 2);
  AddPairs(pairs, 0, {0, 2}, {0, 1});
  AddPairs(pairs, 1, {1, 2}, {1, 0});
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
    Expect({.pairs = HandPairs(),
            .shape = std::string("ci=2,co=3,filter=1x1x2,layout=") + hand.layout,
            .features = {1, 2, 3, 4, 5, 6},
            .filters = hand.filters,
            .output_grad = {1, 2, 3, -1, 0, 1},
            .forward = {18, 7, -7, 16, 9, -1},
            .data = {7, -1, 0, -4, 7, -5},
            .filter = hand.gradient});
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
    Expect({.pairs = HandPairs(),
            .shape = std::string("inverse=1,ci=2,co=3,filter=1x1x2,layout=") + hand.layout,
            .features = {1, 2, 3, 4},
            .filters = hand.filters,
            .output_grad = {1, 2, 3, -1, 0, 1, 2, 1, 0},
            .forward = {1, 2, 0, 11, 3, -5, 8, 5, -1},
            .data = {10, 3, 2, -3},
            .filter = hand.inverse_gradient});
  }
}

// Offset 0 has the pair 0 -> 0 twice and 1 -> 0 besides: terms add up, nothing is overwritten. W_0 = 10,
// features = 2 3 5, output_grad = 4 7. Forward 20 + 20 + 30; data 40 + 40 and 40; filter 8 + 8 + 12.
TEST_P(IndiceConvolution, RepeatedPairsAddUp) {
  Pairs pairs = NoPairs(1, 3, 3, 2);
  AddPairs(pairs, 0, {0, 1, 0}, {0, 0, 0});
  Expect({.pairs = pairs,
          .shape = "ci=1,co=1",
          .features = {2, 3, 5},
          .filters = {10},
          .output_grad = {4, 7},
          .forward = {70, 0},
          .data = {80, 40, 0},
          .filter = {28}});
}

// Every offset moves the one input to an output of its own, which then shows the offset's filter, and takes its own
// gradient back. With one channel each, memory is in the order of offsets, row by row, in every layout.
TEST_P(IndiceConvolution, OffsetsAreNumberedRowByRow) {
  Pairs pairs = NoPairs(8, 1, 1, 8);
  for (int64_t k = 0; k < 8; ++k) pairs.Add(k, 0, k);
  const Values numbers = {1, 2, 3, 4, 5, 6, 7, 8};
  for (const std::string layout : kLayouts) {
    Expect({.pairs = pairs,
            .shape = "ci=1,co=1,filter=2x2x2,layout=" + layout,
            .features = {1},
            .filters = numbers,
            .output_grad = numbers,
            .forward = numbers,
            .data = {204},  // 1 + 4 + 9 + ... + 64
            .filter = numbers});
  }
}

// All bits are 0, not -0, wherever no pair leads: rows 0, 2 and 4 of the output, row 0 of the features, offset 0 of the
// filters.
TEST_P(IndiceConvolution, WhereNoPairLeadsIsZero) {
  Pairs pairs = NoPairs(2, 3, 3, 5);
  AddPairs(pairs, 1, {1, 2}, {3, 1});
  Expect({.pairs = pairs,
          .shape = "ci=1,co=1",
          .features = {-1, -2, -3},
          .filters = {-5, -1},
          .output_grad = {-1, -1, -1, -1, -1},
          .forward = {0, 3, 0, 2, 0},
          .data = {0, 1, 1},
          .filter = {0, 5}});
}

// sub_m is for checks only. Lists as of a submanifold convolution, because backward data refuses others.
TEST_P(IndiceConvolution, SubManifoldChangesNoBit) {
  for (const Way way : kWays) {
    const std::string shape = "sites=37,outputs=37,ci=9,co=17,filter=3x3x1,pairs=submanifold,subm=";
    ExpectSameBits(CallOf(NameOf(way), shape + "0", GetParam()), CallOf(NameOf(way), shape + "1", GetParam()));
  }
}

}  // namespace
}  // namespace detops_test
