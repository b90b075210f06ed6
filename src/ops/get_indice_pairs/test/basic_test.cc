// get_indice_pairs by hand: cases small enough to work out from the rule o * stride = i + pad - k * dilation, as the
// reference used elsewhere could share a misreading with the library.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ops/get_indice_pairs/test/sites.h"

namespace detops_test {
namespace {

using PairList = std::vector<std::pair<int32_t, int32_t>>;  // (input, output)

struct Case {
  std::string shape;
  Sites sites;
  std::map<int64_t, PairList> pairs;  // by offset; those left out have none
  Sites outputs;
};

// The library and the reference give what is written, in every profile that takes it, with all rows used and with two
// to spare.
void ExpectByHand(const Case& test) {
  for (const int64_t spare : {0, 2}) {
    Call call = CallOn(test.shape, test.sites, spare);
    // More rows than sites are refused, except for submanifold duplicates.
    if (spare > 0 && call["out_indices"].extents[0] > detops_harness::get_indice_pairs::OutputSites(call)) continue;
    const int64_t sites = call["indices"].extents[0];
    std::vector<double> pairs(static_cast<size_t>(call["indice_pairs"].elements()), -1);
    std::vector<double> rows(static_cast<size_t>(call["out_indices"].elements()), -1);
    std::vector<double> counts(static_cast<size_t>(call["indice_num"].elements()));
    for (const auto& [k, list] : test.pairs) {
      counts.at(static_cast<size_t>(k)) = static_cast<double>(list.size());
      for (size_t i = 0; i < list.size(); ++i) {
        pairs.at(static_cast<size_t>(k * 2 * sites) + i) = list[i].first;
        pairs.at(static_cast<size_t>((k * 2 + 1) * sites) + i) = list[i].second;
      }
    }
    const auto columns = static_cast<size_t>(call["indices"].extents[1]);
    for (size_t i = 0; i < test.outputs.size() * columns; ++i) rows.at(i) = test.outputs[i / columns][i % columns];
    const detops_harness::Expected expected = {
        .tensors = {{"indice_pairs", pairs}, {"out_indices", rows}, {"indice_num", counts}},
        .results = {{"num_act_out", static_cast<int64_t>(test.outputs.size())}}};
    ExpectInBothProfiles(call, [&](const Call& done) { ASSERT_EQ(Disagreement(done, expected), ""); });
  }
}

// A convolution along the width of a space that is one deep and one high.
struct Row {
  int input, filter, pad = 0, stride = 1, dilation = 1, output = 0;  // output 0: by the formula
  bool submanifold = false;
};
std::string Along(const Row& row) {
  return detops_harness::Format(
      "batch=1,space=1x1x%d,filter=1x1x%d,pad=0x0x%d,stride=1x1x%d,dilation=1x1x%d,output=0x0x%d,subm=%d", row.input,
      row.filter, row.pad, row.stride, row.dilation, row.output, row.submanifold ? 1 : 0);
}
Sites Widths(const std::vector<int32_t>& widths) {
  Sites sites;
  for (const int32_t width : widths) sites.push_back({0, 0, 0, width});
  return sites;
}
int64_t OutputWidth(const std::string& shape) {
  return CallOf(shape + ",sites=0").integer_lists.at("output_space").back();
}

// ---- regular ----

// A kernel of one offset: every input meets its own site. Outputs ascend, so the input at 5 is output 1. Taking one
// site less than there are, as the contract's own reference does, would drop it.
TEST(GetIndicePairs, KernelOfOne) {
  ExpectByHand({.shape = Along({.input = 8, .filter = 1}),
                .sites = Widths({5, 2}),
                .pairs = {{0, {{0, 1}, {1, 0}}}},
                .outputs = Widths({2, 5})});
}

// Width 2, pad 2, kernel 3: output space 2 + 4 - 3 + 1 = 4. o = i + 2 - k, so input 0 meets 2, 1, 0 and input 1 meets
// 3, 2, 1: all six are valid and there are four outputs. The contract's own reference would give three.
TEST(GetIndicePairs, FullPadding) {
  const std::string shape = Along({.input = 2, .filter = 3, .pad = 2});
  ASSERT_EQ(OutputWidth(shape), 4);
  ExpectByHand({.shape = shape,
                .sites = Widths({0, 1}),
                .pairs = {{0, {{0, 2}, {1, 3}}}, {1, {{0, 1}, {1, 2}}}, {2, {{0, 0}, {1, 1}}}},
                .outputs = Widths({0, 1, 2, 3})});
}

// Exactly one invalid, the others distinct: o = i - k gives 0 and -1 for input 0, 3 and 2 for input 3. Counting the
// invalid one, as the accelerator may, would give four outputs.
TEST(GetIndicePairs, OneInvalidTheOthersDistinct) {
  ExpectByHand({.shape = Along({.input = 4, .filter = 2, .output = 4}),
                .sites = Widths({0, 3}),
                .pairs = {{0, {{0, 0}, {1, 2}}}, {1, {{1, 1}}}},
                .outputs = Widths({0, 2, 3})});
}

// Input (1, 2, 3), kernel 2 x 3 x 4: o = (1, 2, 3) - k, so the larger the offset the smaller the output. Offsets and
// outputs are both numbered with the last axis fastest, so offset k meets output 23 - k.
TEST(GetIndicePairs, NumberingOfOffsets) {
  Case test = {
      .shape = "batch=1,space=3x5x7,filter=2x3x4,pad=0,subm=0", .sites = {{0, 1, 2, 3}}, .pairs = {}, .outputs = {}};
  for (size_t k = 0; k < 24; ++k) test.pairs[k] = {{0, 23 - static_cast<int32_t>(k)}};
  for (const int32_t d : {0, 1}) {
    for (const int32_t h : {0, 1, 2}) {
      for (const int32_t w : {0, 1, 2, 3}) test.outputs.push_back({0, d, h, w});
    }
  }
  ExpectByHand(test);
}

// Images do not meet, and the outputs of the first image come first whatever the order of the inputs.
TEST(GetIndicePairs, Images) {
  ExpectByHand({.shape = "batch=3,space=1x1x4,filter=1x1x2,pad=0,subm=0",
                .sites = {{2, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 3}},
                .pairs = {{0, {{0, 4}, {1, 1}}}, {1, {{0, 3}, {1, 0}, {2, 2}}}},
                .outputs = {{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 2}, {2, 0, 0, 0}, {2, 0, 0, 1}}});
}

// Both inputs at 3 meet the same output: pairs repeat the output, out_indices does not.
TEST(GetIndicePairs, DuplicatesShareOutputs) {
  ExpectByHand({.shape = Along({.input = 4, .filter = 1}),
                .sites = Widths({3, 1, 3}),
                .pairs = {{0, {{0, 1}, {1, 0}, {2, 1}}}},
                .outputs = Widths({1, 3})});
}

// 2 * o = i + 1 - k in a width of 5, outputs (5 + 2 - 3) / 2 + 1 = 3. i = 0: only k = 1 is even, o = 0. i = 1: k = 0
// gives 1, k = 2 gives 0. i = 3: k = 0 gives 2, k = 2 gives 1. i = 4: k = 1 gives 2.
TEST(GetIndicePairs, StrideTwo) {
  const std::string shape = Along({.input = 5, .filter = 3, .pad = 1, .stride = 2});
  ASSERT_EQ(OutputWidth(shape), 3);
  ExpectByHand({.shape = shape,
                .sites = Widths({0, 1, 3, 4}),
                .pairs = {{0, {{1, 1}, {2, 2}}}, {1, {{0, 0}, {3, 2}}}, {2, {{1, 0}, {2, 1}}}},
                .outputs = Widths({0, 1, 2})});
}

// Kernel and stride 2 on every axis: an input has exactly one output i / 2 and one offset i mod 2. (1, 2, 3) has the
// offset (1, 0, 1) = 5, (3, 3, 3) the offset 7, (0, 0, 0) the offset 0.
TEST(GetIndicePairs, EvenKernelWithItsStride) {
  ExpectByHand({.shape = "batch=1,space=4x4x4,filter=2x2x2,pad=0,stride=2x2x2,subm=0",
                .sites = {{0, 3, 3, 3}, {0, 1, 2, 3}, {0, 0, 0, 0}},
                .pairs = {{7, {{0, 2}}}, {5, {{1, 1}}}, {0, {{2, 0}}}},
                .outputs = {{0, 0, 0, 0}, {0, 0, 1, 1}, {0, 1, 1, 1}}});
}

// Stride on one axis and dilation on another. Height: o * 2 = i, so only even heights count. Width: o = i - 3 * k.
TEST(GetIndicePairs, StrideAndDilationOnDifferentAxes) {
  ExpectByHand({.shape = "batch=1,space=1x3x4,filter=1x1x2,pad=0,stride=1x2x1,dilation=1x1x3,subm=0",
                .sites = {{0, 0, 2, 3}, {0, 0, 1, 0}, {0, 0, 0, 0}},
                .pairs = {{0, {{2, 0}}}, {1, {{0, 1}}}},
                .outputs = {{0, 0, 0, 0}, {0, 0, 1, 0}}});
}

// 3 * o = i + 2 - 2 * k, width 7, outputs (7 + 4 - 4 - 1) / 3 + 1 = 3:
//   i       0   1   2   3   4   5   6
//   k = 0   2  [3]  4   5  [6]  7   8
//   k = 1  [0]  1   2  [3]  4   5  [6]
//   k = 2  -2  -1  [0]  1   2  [3]  4      in brackets the multiples of 3
TEST(GetIndicePairs, StrideThreeWithDilationTwo) {
  const std::string shape = Along({.input = 7, .filter = 3, .pad = 2, .stride = 3, .dilation = 2});
  ASSERT_EQ(OutputWidth(shape), 3);
  ExpectByHand({.shape = shape,
                .sites = Widths({0, 1, 2, 3, 4, 5, 6}),
                .pairs = {{0, {{1, 1}, {4, 2}}}, {1, {{0, 0}, {3, 1}, {6, 2}}}, {2, {{2, 0}, {5, 1}}}},
                .outputs = Widths({0, 1, 2})});
}

// 3 * o = i + 1 - 2 * k: i = 0 and k = 2 give -3, a multiple of 3 whose output -1 does not exist. Rounding -1 (k = 1)
// or -2 towards zero would find an output 0. What remains: i = 2 with k = 0 (3, o = 1); i = 1 with k = 1 (0, o = 0).
TEST(GetIndicePairs, NothingBelowZero) {
  ExpectByHand({.shape = Along({.input = 3, .filter = 3, .pad = 1, .stride = 3, .dilation = 2, .output = 2}),
                .sites = Widths({0, 1, 2}),
                .pairs = {{0, {{2, 1}}}, {1, {{1, 0}}}},
                .outputs = Widths({0, 1})});
}

// The output space is the caller's. o = i + 1 - k for inputs 0 and 3 gives 1, 0, -1 and 4, 3, 2: a space of 3 keeps
// 0, 1 and 2, a space of 9 keeps 4 too, where the formula says 4 sites, 0 to 3.
TEST(GetIndicePairs, OutputSpaceOfTheCaller) {
  ExpectByHand({.shape = Along({.input = 4, .filter = 3, .pad = 1, .output = 3}),
                .sites = Widths({0, 3}),
                .pairs = {{0, {{0, 1}}}, {1, {{0, 0}}}, {2, {{1, 2}}}},
                .outputs = Widths({0, 1, 2})});
  ExpectByHand({.shape = Along({.input = 4, .filter = 3, .pad = 1, .output = 9}),
                .sites = Widths({0, 3}),
                .pairs = {{0, {{0, 1}, {1, 4}}}, {1, {{0, 0}, {1, 3}}}, {2, {{1, 2}}}},
                .outputs = Widths({0, 1, 2, 3, 4})});
}

// Four axes, kernel 2 x 1 x 1 x 2: o = i - k on the first and last. (1, 5, 6, 1) meets (1, 5, 6, 1) under (0, 0) = 0,
// (1, 5, 6, 0) under 1, (0, 5, 6, 1) under 2, (0, 5, 6, 0) under 3; (0, 2, 3, 0) only itself.
TEST(GetIndicePairs, FourAxes) {
  ExpectByHand({.shape = "batch=1,axes=4,space=2x6x7x2,filter=2x1x1x2,pad=0,output=2x6x7x2,subm=0",
                .sites = {{0, 1, 5, 6, 1}, {0, 0, 2, 3, 0}},
                .pairs = {{0, {{0, 4}, {1, 0}}}, {1, {{0, 3}}}, {2, {{0, 2}}}, {3, {{0, 1}}}},
                .outputs = {{0, 0, 2, 3, 0}, {0, 0, 5, 6, 0}, {0, 0, 5, 6, 1}, {0, 1, 5, 6, 0}, {0, 1, 5, 6, 1}}});
}

// ---- transposed ----

// o = 2 * i - 1 + k in (3 - 1) * 2 - 2 + 3 + 1 = 6 sites: input 0 meets 0 and 1 (k = 1, 2), input 2 meets 3, 4 and 5.
// Site 5 is there for the output padding only.
TEST(GetIndicePairs, TransposedOneAxis) {
  ExpectByHand({.shape = "batch=1,axes=1,space=3,filter=3,pad=1,stride=2,output=6,subm=0,transpose=1",
                .sites = {{0, 0}, {0, 2}},
                .pairs = {{0, {{1, 2}}}, {1, {{0, 0}, {1, 3}}}, {2, {{0, 1}, {1, 4}}}},
                .outputs = {{0, 0}, {0, 1}, {0, 3}, {0, 4}, {0, 5}}});
}

// Height: o = 2 * i - 1 + k in (2 - 1) * 2 - 2 + 3 + 1 = 4; width: o = 3 * i + k in 3 + 2 = 5. (1, 1) meets heights
// 1, 2, 3 and widths 3, 4: offset k meets output k. (0, 0) meets heights 0 and 1 (k = 1, 2) and widths 0, 1.
TEST(GetIndicePairs, TransposedTwoAxes) {
  const std::string shape =
      "batch=1,axes=2,space=2x2,filter=3x2,pad=1x0,stride=2x3,dilation=1x1,output=4x5,subm=0,transpose=1";
  ExpectByHand({.shape = shape,
                .sites = {{0, 1, 1}},
                .pairs = {{0, {{0, 0}}}, {1, {{0, 1}}}, {2, {{0, 2}}}, {3, {{0, 3}}}, {4, {{0, 4}}}, {5, {{0, 5}}}},
                .outputs = {{0, 1, 3}, {0, 1, 4}, {0, 2, 3}, {0, 2, 4}, {0, 3, 3}, {0, 3, 4}}});
  ExpectByHand({.shape = shape,
                .sites = {{0, 0, 0}},
                .pairs = {{2, {{0, 0}}}, {3, {{0, 1}}}, {4, {{0, 2}}}, {5, {{0, 3}}}},
                .outputs = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}}});
}

// o = 2 * i + 3 * k, which meets site 6 from input 3 with k = 0 and from input 0 with k = 2.
TEST(GetIndicePairs, TransposedWithDilation) {
  ExpectByHand({.shape = "batch=1,axes=1,space=4,filter=3,pad=0,stride=2,dilation=3,output=7,subm=0,transpose=1",
                .sites = {{0, 3}, {0, 0}},
                .pairs = {{0, {{0, 2}, {1, 0}}}, {1, {{1, 1}}}, {2, {{1, 2}}}},
                .outputs = {{0, 0}, {0, 3}, {0, 6}}});
}

// ---- submanifold ----

// k = i - o + 1 on every axis. A = (1, 1, 1), B = (1, 1, 2), C = (2, 2, 2), D = (1, 1, 1) of the other image, E alone:
// each meets itself under 13; A -> B (1, 1, 0) = 12, B -> A 14; A -> C (0, 0, 0) = 0, C -> A 26; B -> C (0, 0, 1) = 1,
// C -> B 25. Outputs keep the order of the inputs.
TEST(GetIndicePairs, Submanifold) {
  ExpectByHand({.shape = "batch=2,space=5x5x5,filter=3x3x3,pad=1x1x1,subm=1",
                .sites = {{0, 2, 2, 2}, {1, 1, 1, 1}, {0, 1, 1, 2}, {0, 4, 4, 4}, {0, 1, 1, 1}},
                .pairs = {{0, {{4, 0}}},
                          {1, {{2, 0}}},
                          {12, {{4, 2}}},
                          {13, {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}}},
                          {14, {{2, 4}}},
                          {25, {{0, 2}}},
                          {26, {{0, 4}}}},
                .outputs = {{0, 2, 2, 2}, {1, 1, 1, 1}, {0, 1, 1, 2}, {0, 4, 4, 4}, {0, 1, 1, 1}}});
}

// An even kernel has no centre: with pad 1 the identity is the last offset, 7, and k = i - o + 1 in {0, 1} looks to one
// side only. A = (0, 0, 0), B = (0, 0, 1), C = (1, 1, 1): A -> B (1, 1, 0) = 6, A -> C 0, B -> C (0, 0, 1) = 1.
TEST(GetIndicePairs, SubmanifoldWithEvenKernel) {
  ExpectByHand({.shape = "batch=1,space=2x2x2,filter=2x2x2,pad=1x1x1,subm=1",
                .sites = {{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 1, 1, 1}},
                .pairs = {{0, {{0, 2}}}, {1, {{1, 2}}}, {6, {{0, 1}}}, {7, {{0, 0}, {1, 1}, {2, 2}}}},
                .outputs = {{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 1, 1, 1}}});
}

// The padding counts, it is not taken from the kernel: with pad 0, o = i - k, and the identity is offset 0.
TEST(GetIndicePairs, SubmanifoldOffCentre) {
  ExpectByHand({.shape = Along({.input = 4, .filter = 3, .submanifold = true}),
                .sites = Widths({3, 1, 0}),
                .pairs = {{0, {{0, 0}, {1, 1}, {2, 2}}}, {1, {{1, 2}}}, {2, {{0, 1}}}},
                .outputs = Widths({3, 1, 0})});
}

// Inputs 1, 2, 1: the last of the two at 1 is the one that is met. o = i + 1 - k: k = 1 maps both at 1 to input 2, k =
// 0 maps them to the input at 2, k = 2 maps the input at 2 to the last one at 1.
TEST(GetIndicePairs, SubmanifoldDuplicates) {
  ExpectByHand({.shape = Along({.input = 4, .filter = 3, .pad = 1, .submanifold = true}),
                .sites = Widths({1, 2, 1}),
                .pairs = {{0, {{0, 1}, {2, 1}}}, {1, {{0, 2}, {1, 1}, {2, 2}}}, {2, {{1, 2}}}},
                .outputs = Widths({1, 2, 1})});
}

// More inputs than sites, which the full profile takes: all of them meet the last one.
TEST(GetIndicePairs, SubmanifoldMoreInputsThanSites) {
  ExpectByHand({.shape = Along({.input = 1, .filter = 1, .submanifold = true}),
                .sites = Widths({0, 0, 0}),
                .pairs = {{0, {{0, 2}, {1, 2}, {2, 2}}}},
                .outputs = Widths({0, 0, 0})});
}

// o = i + 2 - 2 * k: neighbours two apart meet, direct neighbours do not.
TEST(GetIndicePairs, SubmanifoldWithDilation) {
  ExpectByHand({.shape = Along({.input = 6, .filter = 3, .pad = 2, .dilation = 2, .submanifold = true}),
                .sites = Widths({4, 3, 2}),
                .pairs = {{0, {{2, 0}}}, {1, {{0, 0}, {1, 1}, {2, 2}}}, {2, {{0, 2}}}},
                .outputs = Widths({4, 3, 2})});
}

// ---- the call ----

// Stride 2, kernel 1: 2 * o = i has no solution for odd i. The number of output sites becomes 0 although the
// descriptor's last call left another.
TEST(GetIndicePairs, NumberOfOutputsIsAlwaysSet) {
  ExpectByHand(
      {.shape = Along({.input = 6, .filter = 1, .stride = 2}), .sites = Widths({5, 1}), .pairs = {}, .outputs = {}});
}

}  // namespace
}  // namespace detops_test
