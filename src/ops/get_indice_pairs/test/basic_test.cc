// get_indice_pairs by hand: cases small enough to work out from the rule o * stride = i + pad - k * dilation, as the
// reference used elsewhere could share a misreading with the library.
#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "ops/get_indice_pairs/test/problem.h"

namespace detops_test {
namespace {

using PairList = std::vector<std::pair<int32_t, int32_t>>;  // (input, output)

struct Case {
  PairProblem problem;
  std::map<size_t, PairList> pairs;  // by offset; those left out have none
  std::vector<Site> outputs;
  bool full_only = false;
};

IndicePairs Written(const Case& test) {
  const auto volume = static_cast<size_t>(test.problem.convolution.KernelVolume());
  const size_t sites = test.problem.sites.size();
  IndicePairs result;
  result.pairs.assign(volume * 2 * sites, -1);
  result.indice_num.assign(volume, 0);
  for (const auto& [k, list] : test.pairs) {
    result.indice_num.at(k) = static_cast<int32_t>(list.size());
    for (size_t i = 0; i < list.size(); ++i) {
      result.pairs.at(k * 2 * sites + i) = list[i].first;
      result.pairs.at((k * 2 + 1) * sites + i) = list[i].second;
    }
  }
  PairProblem outputs = test.problem;
  outputs.sites = test.outputs;
  result.out_indices = outputs.Flat();
  result.num_act_out = outputs.count();
  return result;
}

// The library and the reference give what is written, in both profiles, with all rows used and with two to spare.
void ExpectByHand(const Case& test) {
  IndicePairs expected = Written(test);
  const IndicePairs reference = test.problem.Expected();
  EXPECT_EQ(reference.pairs, expected.pairs);
  EXPECT_EQ(reference.out_indices, expected.out_indices);
  EXPECT_EQ(reference.indice_num, expected.indice_num);
  EXPECT_EQ(reference.num_act_out, expected.num_act_out);
  for (const detopsProfile_t profile : {DETOPS_PROFILE_CONTRACT, DETOPS_PROFILE_FULL}) {
    if (profile == DETOPS_PROFILE_CONTRACT && (test.full_only || !test.problem.FitsContract())) continue;
    SCOPED_TRACE(profile == DETOPS_PROFILE_CONTRACT ? "contract profile" : "full profile");
    for (const int64_t spare : {0, 2}) {
      if (SpareRows(test.problem, expected) < spare) continue;
      IndicePairs rows = expected;
      AddSpareRows(spare, test.problem, rows);
      ConvolutionDescriptor desc;
      ForEachConfiguration(profile, [&](const Handle& handle) { ExpectPairs(handle, desc, test.problem, rows); });
    }
  }
}

// A convolution along the width of a space that is one deep and one high.
struct Row {
  int64_t input, filter, pad = 0, stride = 1, dilation = 1, output = 0;  // output 0: by the formula
  bool submanifold = false;
};
SparseConvolution Along(const Row& row) {
  SparseConvolution convolution = {.input_space = {1, 1, row.input},
                                   .filter_space = {1, 1, row.filter},
                                   .pad = {0, 0, row.pad},
                                   .stride = {1, 1, row.stride},
                                   .dilation = {1, 1, row.dilation},
                                   .submanifold = row.submanifold};
  if (row.output != 0) convolution.output_space = {1, 1, row.output};
  return Completed(convolution);
}
std::vector<Site> Widths(const std::vector<int32_t>& widths) {
  std::vector<Site> sites;
  sites.reserve(widths.size());
  for (const int32_t width : widths) sites.push_back({0, 0, 0, width});
  return sites;
}

// ---- regular ----

// A kernel of one offset: every input meets its own site. Outputs ascend, so the input at 5 is output 1. Taking one
// site less than there are, as the contract's own reference does, would drop it.
TEST(GetIndicePairs, KernelOfOne) {
  ExpectByHand({.problem = {.convolution = Along({.input = 8, .filter = 1}), .sites = Widths({5, 2})},
                .pairs = {{0, {{0, 1}, {1, 0}}}},
                .outputs = Widths({2, 5})});
}

// Width 2, pad 2, kernel 3: output space 2 + 4 - 3 + 1 = 4. o = i + 2 - k, so input 0 meets 2, 1, 0 and input 1 meets
// 3, 2, 1: all six are valid and there are four outputs. The contract's own reference would give three.
TEST(GetIndicePairs, FullPadding) {
  const SparseConvolution convolution = Along({.input = 2, .filter = 3, .pad = 2});
  ASSERT_EQ(convolution.output_space.back(), 4);
  ExpectByHand({.problem = {.convolution = convolution, .sites = Widths({0, 1})},
                .pairs = {{0, {{0, 2}, {1, 3}}}, {1, {{0, 1}, {1, 2}}}, {2, {{0, 0}, {1, 1}}}},
                .outputs = Widths({0, 1, 2, 3})});
}

// Exactly one invalid, the others distinct: o = i - k gives 0 and -1 for input 0, 3 and 2 for input 3. Counting the
// invalid one, as the accelerator may, would give four outputs.
TEST(GetIndicePairs, OneInvalidTheOthersDistinct) {
  ExpectByHand({.problem = {.convolution = Along({.input = 4, .filter = 2, .output = 4}), .sites = Widths({0, 3})},
                .pairs = {{0, {{0, 0}, {1, 2}}}, {1, {{1, 1}}}},
                .outputs = Widths({0, 2, 3})});
}

// Input (1, 2, 3), kernel 2 x 3 x 4: o = (1, 2, 3) - k, so the larger the offset the smaller the output. Offsets and
// outputs are both numbered with the last axis fastest, so offset k meets output 23 - k.
TEST(GetIndicePairs, NumberingOfOffsets) {
  Case test = {.problem = {.convolution = Completed({.input_space = {3, 5, 7}, .filter_space = {2, 3, 4}}),
                           .sites = {{0, 1, 2, 3}}},
               .pairs = {},
               .outputs = {}};
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
  ExpectByHand({.problem = {.convolution = Completed({.batch = 3, .input_space = {1, 1, 4}, .filter_space = {1, 1, 2}}),
                            .sites = {{2, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 3}}},
                .pairs = {{0, {{0, 4}, {1, 1}}}, {1, {{0, 3}, {1, 0}, {2, 2}}}},
                .outputs = {{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 2}, {2, 0, 0, 0}, {2, 0, 0, 1}}});
}

// Both inputs at 3 meet the same output: pairs repeat the output, out_indices does not.
TEST(GetIndicePairs, DuplicatesShareOutputs) {
  ExpectByHand({.problem = {.convolution = Along({.input = 4, .filter = 1}), .sites = Widths({3, 1, 3})},
                .pairs = {{0, {{0, 1}, {1, 0}, {2, 1}}}},
                .outputs = Widths({1, 3})});
}

// 2 * o = i + 1 - k in a width of 5, outputs (5 + 2 - 3) / 2 + 1 = 3. i = 0: only k = 1 is even, o = 0. i = 1: k = 0
// gives 1, k = 2 gives 0. i = 3: k = 0 gives 2, k = 2 gives 1. i = 4: k = 1 gives 2.
TEST(GetIndicePairs, StrideTwo) {
  const SparseConvolution convolution = Along({.input = 5, .filter = 3, .pad = 1, .stride = 2});
  ASSERT_EQ(convolution.output_space.back(), 3);
  ExpectByHand({.problem = {.convolution = convolution, .sites = Widths({0, 1, 3, 4})},
                .pairs = {{0, {{1, 1}, {2, 2}}}, {1, {{0, 0}, {3, 2}}}, {2, {{1, 0}, {2, 1}}}},
                .outputs = Widths({0, 1, 2})});
}

// Kernel and stride 2 on every axis: an input has exactly one output i / 2 and one offset i mod 2. (1, 2, 3) has the
// offset (1, 0, 1) = 5, (3, 3, 3) the offset 7, (0, 0, 0) the offset 0.
TEST(GetIndicePairs, EvenKernelWithItsStride) {
  ExpectByHand(
      {.problem = {.convolution = Completed({.input_space = {4, 4, 4}, .filter_space = {2, 2, 2}, .stride = {2, 2, 2}}),
                   .sites = {{0, 3, 3, 3}, {0, 1, 2, 3}, {0, 0, 0, 0}}},
       .pairs = {{7, {{0, 2}}}, {5, {{1, 1}}}, {0, {{2, 0}}}},
       .outputs = {{0, 0, 0, 0}, {0, 0, 1, 1}, {0, 1, 1, 1}}});
}

// Stride on one axis and dilation on another. Height: o * 2 = i, so only even heights count. Width: o = i - 3 * k.
TEST(GetIndicePairs, StrideAndDilationOnDifferentAxes) {
  ExpectByHand({.problem = {.convolution = Completed({.input_space = {1, 3, 4},
                                                      .filter_space = {1, 1, 2},
                                                      .stride = {1, 2, 1},
                                                      .dilation = {1, 1, 3}}),
                            .sites = {{0, 0, 2, 3}, {0, 0, 1, 0}, {0, 0, 0, 0}}},
                .pairs = {{0, {{2, 0}}}, {1, {{0, 1}}}},
                .outputs = {{0, 0, 0, 0}, {0, 0, 1, 0}}});
}

// 3 * o = i + 2 - 2 * k, width 7, outputs (7 + 4 - 4 - 1) / 3 + 1 = 3:
//   i       0   1   2   3   4   5   6
//   k = 0   2  [3]  4   5  [6]  7   8
//   k = 1  [0]  1   2  [3]  4   5  [6]
//   k = 2  -2  -1  [0]  1   2  [3]  4      in brackets the multiples of 3
TEST(GetIndicePairs, StrideThreeWithDilationTwo) {
  const SparseConvolution convolution = Along({.input = 7, .filter = 3, .pad = 2, .stride = 3, .dilation = 2});
  ASSERT_EQ(convolution.output_space.back(), 3);
  ExpectByHand({.problem = {.convolution = convolution, .sites = Widths({0, 1, 2, 3, 4, 5, 6})},
                .pairs = {{0, {{1, 1}, {4, 2}}}, {1, {{0, 0}, {3, 1}, {6, 2}}}, {2, {{2, 0}, {5, 1}}}},
                .outputs = Widths({0, 1, 2}),
                .full_only = true});
}

// 3 * o = i + 1 - 2 * k: i = 0 and k = 2 give -3, a multiple of 3 whose output -1 does not exist. Rounding -1 (k = 1)
// or -2 towards zero would find an output 0. What remains: i = 2 with k = 0 (3, o = 1); i = 1 with k = 1 (0, o = 0).
TEST(GetIndicePairs, NothingBelowZero) {
  ExpectByHand(
      {.problem = {.convolution = Along({.input = 3, .filter = 3, .pad = 1, .stride = 3, .dilation = 2, .output = 2}),
                   .sites = Widths({0, 1, 2})},
       .pairs = {{0, {{2, 1}}}, {1, {{1, 0}}}},
       .outputs = Widths({0, 1}),
       .full_only = true});
}

// The output space is the caller's. o = i + 1 - k for inputs 0 and 3 gives 1, 0, -1 and 4, 3, 2: a space of 3 keeps
// 0, 1 and 2, a space of 9 keeps 4 too, where the formula says 4 sites, 0 to 3.
TEST(GetIndicePairs, OutputSpaceOfTheCaller) {
  ExpectByHand(
      {.problem = {.convolution = Along({.input = 4, .filter = 3, .pad = 1, .output = 3}), .sites = Widths({0, 3})},
       .pairs = {{0, {{0, 1}}}, {1, {{0, 0}}}, {2, {{1, 2}}}},
       .outputs = Widths({0, 1, 2})});
  ExpectByHand(
      {.problem = {.convolution = Along({.input = 4, .filter = 3, .pad = 1, .output = 9}), .sites = Widths({0, 3})},
       .pairs = {{0, {{0, 1}, {1, 4}}}, {1, {{0, 0}, {1, 3}}}, {2, {{1, 2}}}},
       .outputs = Widths({0, 1, 2, 3, 4})});
}

// Four axes, kernel 2 x 1 x 1 x 2: o = i - k on the first and last. (1, 5, 6, 1) meets (1, 5, 6, 1) under (0, 0) = 0,
// (1, 5, 6, 0) under 1, (0, 5, 6, 1) under 2, (0, 5, 6, 0) under 3; (0, 2, 3, 0) only itself.
TEST(GetIndicePairs, FourAxes) {
  ExpectByHand(
      {.problem = {.convolution = Completed(
                       {.input_space = {2, 6, 7, 2}, .filter_space = {2, 1, 1, 2}, .output_space = {2, 6, 7, 2}}),
                   .sites = {{0, 1, 5, 6, 1}, {0, 0, 2, 3, 0}}},
       .pairs = {{0, {{0, 4}, {1, 0}}}, {1, {{0, 3}}}, {2, {{0, 2}}}, {3, {{0, 1}}}},
       .outputs = {{0, 0, 2, 3, 0}, {0, 0, 5, 6, 0}, {0, 0, 5, 6, 1}, {0, 1, 5, 6, 0}, {0, 1, 5, 6, 1}}});
}

// ---- transposed ----

// o = 2 * i - 1 + k in (3 - 1) * 2 - 2 + 3 + 1 = 6 sites: input 0 meets 0 and 1 (k = 1, 2), input 2 meets 3, 4 and 5.
// Site 5 is there for the output padding only.
TEST(GetIndicePairs, TransposedOneAxis) {
  ExpectByHand({.problem = {.convolution = Completed({.input_space = {3},
                                                      .filter_space = {3},
                                                      .output_space = {6},
                                                      .pad = {1},
                                                      .stride = {2},
                                                      .transposed = true}),
                            .sites = {{0, 0}, {0, 2}},
                            .output_padding = {1}},
                .pairs = {{0, {{1, 2}}}, {1, {{0, 0}, {1, 3}}}, {2, {{0, 1}, {1, 4}}}},
                .outputs = {{0, 0}, {0, 1}, {0, 3}, {0, 4}, {0, 5}}});
}

// Height: o = 2 * i - 1 + k in (2 - 1) * 2 - 2 + 3 + 1 = 4; width: o = 3 * i + k in 3 + 2 = 5. (1, 1) meets heights
// 1, 2, 3 and widths 3, 4: offset k meets output k. (0, 0) meets heights 0 and 1 (k = 1, 2) and widths 0, 1.
TEST(GetIndicePairs, TransposedTwoAxes) {
  const SparseConvolution convolution = {.input_space = {2, 2},
                                         .filter_space = {3, 2},
                                         .output_space = {4, 5},
                                         .pad = {1, 0},
                                         .stride = {2, 3},
                                         .dilation = {1, 1},
                                         .transposed = true};
  ExpectByHand({.problem = {.convolution = convolution, .sites = {{0, 1, 1}}, .output_padding = {1, 0}},
                .pairs = {{0, {{0, 0}}}, {1, {{0, 1}}}, {2, {{0, 2}}}, {3, {{0, 3}}}, {4, {{0, 4}}}, {5, {{0, 5}}}},
                .outputs = {{0, 1, 3}, {0, 1, 4}, {0, 2, 3}, {0, 2, 4}, {0, 3, 3}, {0, 3, 4}}});
  ExpectByHand({.problem = {.convolution = convolution, .sites = {{0, 0, 0}}, .output_padding = {1, 0}},
                .pairs = {{2, {{0, 0}}}, {3, {{0, 1}}}, {4, {{0, 2}}}, {5, {{0, 3}}}},
                .outputs = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}}});
}

// o = 2 * i + 3 * k, which meets site 6 from input 3 with k = 0 and from input 0 with k = 2.
TEST(GetIndicePairs, TransposedWithDilation) {
  ExpectByHand({.problem = {.convolution = Completed({.input_space = {4},
                                                      .filter_space = {3},
                                                      .output_space = {7},
                                                      .stride = {2},
                                                      .dilation = {3},
                                                      .transposed = true}),
                            .sites = {{0, 3}, {0, 0}}},
                .pairs = {{0, {{0, 2}, {1, 0}}}, {1, {{1, 1}}}, {2, {{1, 2}}}},
                .outputs = {{0, 0}, {0, 3}, {0, 6}}});
}

// ---- submanifold ----

// k = i - o + 1 on every axis. A = (1, 1, 1), B = (1, 1, 2), C = (2, 2, 2), D = (1, 1, 1) of the other image, E alone:
// each meets itself under 13; A -> B (1, 1, 0) = 12, B -> A 14; A -> C (0, 0, 0) = 0, C -> A 26; B -> C (0, 0, 1) = 1,
// C -> B 25. Outputs keep the order of the inputs.
TEST(GetIndicePairs, Submanifold) {
  ExpectByHand({.problem = {.convolution = Completed({.batch = 2,
                                                      .input_space = {5, 5, 5},
                                                      .filter_space = {3, 3, 3},
                                                      .pad = {1, 1, 1},
                                                      .submanifold = true}),
                            .sites = {{0, 2, 2, 2}, {1, 1, 1, 1}, {0, 1, 1, 2}, {0, 4, 4, 4}, {0, 1, 1, 1}}},
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
  ExpectByHand(
      {.problem = {.convolution = Completed(
                       {.input_space = {2, 2, 2}, .filter_space = {2, 2, 2}, .pad = {1, 1, 1}, .submanifold = true}),
                   .sites = {{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 1, 1, 1}}},
       .pairs = {{0, {{0, 2}}}, {1, {{1, 2}}}, {6, {{0, 1}}}, {7, {{0, 0}, {1, 1}, {2, 2}}}},
       .outputs = {{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 1, 1, 1}}});
}

// The padding counts, it is not taken from the kernel: with pad 0, o = i - k, and the identity is offset 0.
TEST(GetIndicePairs, SubmanifoldOffCentre) {
  ExpectByHand(
      {.problem = {.convolution = Along({.input = 4, .filter = 3, .submanifold = true}), .sites = Widths({3, 1, 0})},
       .pairs = {{0, {{0, 0}, {1, 1}, {2, 2}}}, {1, {{1, 2}}}, {2, {{0, 1}}}},
       .outputs = Widths({3, 1, 0})});
}

// Inputs 1, 2, 1: the last of the two at 1 is the one that is met. o = i + 1 - k: k = 1 maps both at 1 to input 2, k =
// 0 maps them to the input at 2, k = 2 maps the input at 2 to the last one at 1.
TEST(GetIndicePairs, SubmanifoldDuplicates) {
  ExpectByHand({.problem = {.convolution = Along({.input = 4, .filter = 3, .pad = 1, .submanifold = true}),
                            .sites = Widths({1, 2, 1})},
                .pairs = {{0, {{0, 1}, {2, 1}}}, {1, {{0, 2}, {1, 1}, {2, 2}}}, {2, {{1, 2}}}},
                .outputs = Widths({1, 2, 1})});
}

// More inputs than sites, which the full profile takes: all of them meet the last one.
TEST(GetIndicePairs, SubmanifoldMoreInputsThanSites) {
  ExpectByHand(
      {.problem = {.convolution = Along({.input = 1, .filter = 1, .submanifold = true}), .sites = Widths({0, 0, 0})},
       .pairs = {{0, {{0, 2}, {1, 2}, {2, 2}}}},
       .outputs = Widths({0, 0, 0}),
       .full_only = true});
}

// o = i + 2 - 2 * k: neighbours two apart meet, direct neighbours do not.
TEST(GetIndicePairs, SubmanifoldWithDilation) {
  ExpectByHand(
      {.problem = {.convolution = Along({.input = 6, .filter = 3, .pad = 2, .dilation = 2, .submanifold = true}),
                   .sites = Widths({4, 3, 2})},
       .pairs = {{0, {{2, 0}}}, {1, {{0, 0}, {1, 1}, {2, 2}}}, {2, {{0, 2}}}},
       .outputs = Widths({4, 3, 2}),
       .full_only = true});
}

// ---- the call ----

// Stride 2, kernel 1: 2 * o = i has no solution for odd i. The number of output sites becomes 0 also if a call before
// has left another; in submanifold mode it becomes the number of inputs.
TEST(GetIndicePairs, NumberOfOutputsIsAlwaysSet) {
  const PairProblem none = {.convolution = Along({.input = 6, .filter = 1, .stride = 2}), .sites = Widths({5, 1})};
  const PairProblem two = {.convolution = Along({.input = 6, .filter = 1, .stride = 2}), .sites = Widths({2, 4})};
  const PairProblem three = {.convolution = Along({.input = 6, .filter = 1, .submanifold = true}),
                             .sites = Widths({3, 1, 5})};
  const Handle handle;
  ConvolutionDescriptor desc;
  EXPECT_EQ(desc.NumActOut(), 0);
  const IndicePairs nothing = {{-1, -1, -1, -1}, {-1, -1, -1, -1}, {0}, 0};
  for (const PairProblem& before : {two, three}) {
    ExpectPairs(handle, desc, before, before.Expected());
    ASSERT_EQ(desc.NumActOut(), before.count());
    ExpectPairs(handle, desc, none, nothing);
  }
}

// The names of the design document. Both give the same.
TEST(GetIndicePairs, SpellingsOfTheDocument) {
  static_assert(std::is_same_v<mluopStatus_t, mluOpStatus_t>);
  const PairProblem problem = {.convolution = Along({.input = 5, .filter = 3, .pad = 1}), .sites = Widths({4, 2, 3})};
  const IndicePairs expected = problem.Expected();
  const Handle handle;
  const ConvolutionDescriptor desc(problem);
  PairCall call(problem, expected.num_act_out);
  size_t size = 0, same = 1;
  ASSERT_EQ(call.WorkspaceSize(handle, desc, &size), MLUOP_STATUS_SUCCESS);
  const mluopStatus_t status =
      mluopGetIndicePairsWorkspaceSize(handle.get(), desc.get(), call.indices.desc(), call.pairs.desc(),
                                       call.out_indices.desc(), call.num.desc(), &same);
  ASSERT_EQ(status, MLUOP_STATUS_SUCCESS) << handle.LastError();
  EXPECT_EQ(same, size);
  const GuardedBuffer workspace(size);
  ASSERT_EQ(mluopGetIndicePairs(handle.get(), desc.get(), call.indices.desc(), call.indices.data(), workspace.data(),
                                size, call.pairs.desc(), call.pairs.data(), call.out_indices.desc(),
                                call.out_indices.data(), call.num.desc(), call.num.data()),
            MLUOP_STATUS_SUCCESS)
      << handle.LastError();
  EXPECT_EQ(Difference(call.pairs, expected.pairs), "");
  EXPECT_EQ(Difference(call.out_indices, expected.out_indices), "");
  EXPECT_EQ(Difference(call.num, expected.indice_num), "");
  EXPECT_EQ(desc.NumActOut(), expected.num_act_out);
}

}  // namespace
}  // namespace detops_test
