// What holds for every result of get_indice_pairs, checked without the reference: the rule pair by pair, the symmetry
// of centred kernels, agreement with a dense convolution, and all that must not change the result.
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ops/get_indice_pairs/test/problem.h"

namespace detops_test {
namespace {

struct Geometry {
  const char* name;
  SparseConvolution convolution;
};

// Small enough that a dense convolution is quick. All of them on a handle in the full profile.
std::vector<Geometry> Geometries() {
  return {
      {"Usual", Completed({.batch = 2, .input_space = {5, 6, 7}, .filter_space = {3, 3, 3}, .pad = {1, 1, 1}})},
      {"StrideTwo",
       Completed(
           {.batch = 2, .input_space = {5, 8, 7}, .filter_space = {3, 3, 3}, .pad = {0, 1, 1}, .stride = {2, 2, 2}})},
      {"Uneven", Completed({.input_space = {6, 9, 7},
                            .filter_space = {2, 1, 4},
                            .pad = {2, 0, 3},
                            .stride = {1, 2, 3},
                            .dilation = {2, 1, 1}})},
      {"StrideAndDilation", Completed({.batch = 3,
                                       .input_space = {11, 13},
                                       .filter_space = {3, 4},
                                       .pad = {2, 5},
                                       .stride = {3, 2},
                                       .dilation = {2, 3}})},
      {"SmallOutput",
       Completed({.input_space = {9, 9}, .filter_space = {5, 5}, .output_space = {3, 4}, .pad = {4, 1}})},
      {"LargeOutput",
       Completed({.input_space = {4, 5}, .filter_space = {2, 3}, .output_space = {9, 8}, .pad = {1, 2}})},
      {"OneAxis", Completed({.batch = 4, .input_space = {50}, .filter_space = {70}, .pad = {35}, .stride = {2}})},
      {"FourAxes", Completed({.batch = 2,
                              .input_space = {3, 4, 3, 4},
                              .filter_space = {2, 3, 1, 3},
                              .pad = {1, 1, 0, 2},
                              .stride = {1, 2, 1, 1}})},
      {"Transposed", Completed({.batch = 2,
                                .input_space = {3, 4, 3},
                                .filter_space = {3, 2, 3},
                                .pad = {1, 0, 2},
                                .stride = {2, 3, 1},
                                .transposed = true})},
      {"TransposedDilated", Completed({.input_space = {6, 5},
                                       .filter_space = {3, 3},
                                       .pad = {2, 0},
                                       .stride = {3, 2},
                                       .dilation = {2, 3},
                                       .transposed = true},
                                      1)},
      {"Submanifold",
       Completed(
           {.batch = 2, .input_space = {5, 6, 7}, .filter_space = {3, 3, 3}, .pad = {1, 1, 1}, .submanifold = true})},
      {"SubmanifoldUneven",
       Completed(
           {.batch = 2, .input_space = {5, 6, 7}, .filter_space = {5, 1, 3}, .pad = {2, 0, 1}, .submanifold = true})},
      {"SubmanifoldDilated",
       Completed(
           {.input_space = {12, 13}, .filter_space = {3, 5}, .pad = {3, 4}, .dilation = {3, 2}, .submanifold = true})},
      {"SubmanifoldEven",
       Completed(
           {.batch = 2, .input_space = {4, 5, 6}, .filter_space = {2, 4, 2}, .pad = {1, 2, 1}, .submanifold = true})},
      {"SubmanifoldOffCentre",
       Completed({.batch = 2, .input_space = {40}, .filter_space = {7}, .pad = {1}, .submanifold = true})},
      {"SubmanifoldFourAxes", Completed({.batch = 2,
                                         .input_space = {3, 4, 3, 4},
                                         .filter_space = {3, 3, 1, 3},
                                         .pad = {1, 1, 0, 1},
                                         .submanifold = true})},
  };
}

// Calls visit(site) for every site, in ascending order.
template <class Visit>
void ForEachSite(int64_t batch, const std::vector<int64_t>& space, Visit visit) {
  for (int64_t flat = 0; flat < SitesOf(batch, space); ++flat) {
    Site site = {};
    int64_t rest = flat;
    for (size_t a = space.size(); a-- > 0; rest /= space[a]) site[a + 1] = static_cast<int32_t>(rest % space[a]);
    site[0] = static_cast<int32_t>(rest);
    visit(site);
  }
}

// The input site from which the output site takes the kernel's value at this offset. False: it lies outside, or, for a
// transposed convolution, between two inputs.
bool InputOf(const SparseConvolution& convolution, const Site& output, const Site& offset, Site& input) {
  input = {output[0]};
  for (size_t a = 0; a < convolution.filter_space.size(); ++a) {
    const int64_t stride = convolution.stride[a], reach = offset[a + 1] * convolution.dilation[a];
    int64_t from = output[a + 1] * stride - convolution.pad[a] + reach;
    if (convolution.transposed) {
      from = output[a + 1] + convolution.pad[a] - reach;
      if (from < 0 || from % stride != 0) return false;
      from /= stride;
    }
    if (from < 0 || from >= convolution.input_space[a]) return false;
    input[a + 1] = static_cast<int32_t>(from);
  }
  return true;
}

using Triple = std::tuple<size_t, int32_t, int32_t>;  // offset, input, output

class GetIndicePairsInvariants : public testing::TestWithParam<Geometry> {
 protected:
  const SparseConvolution& convolution() const { return GetParam().convolution; }

  // A tenth, a half and all of the sites, shuffled; with duplicates on request.
  std::vector<PairProblem> Problems(bool duplicates) {
    std::vector<PairProblem> problems;
    for (const int64_t share : {10, 2, 1}) {
      PairProblem problem = {.convolution = convolution(), .sites = {}};
      ForEachSite(convolution().batch, convolution().input_space, [&](const Site& site) {
        if (random_.OneIn(share)) problem.sites.push_back(site);
        if (duplicates && random_.OneIn(share * 3)) problem.sites.push_back(site);
      });
      random_.Shuffle(problem.sites);
      problems.push_back(problem);
    }
    return problems;
  }

  std::vector<Site> Offsets() const {
    std::vector<Site> offsets;
    ForEachSite(1, convolution().filter_space, [&](const Site& offset) { offsets.push_back(offset); });
    return offsets;
  }

  // The pairs that indice_num counts, after a look at the form: inputs ascend, and behind the pairs everything is -1.
  std::vector<Triple> Pairs(const PairProblem& problem, const IndicePairs& result) {
    std::vector<Triple> triples;
    const size_t sites = problem.sites.size();
    for (size_t k = 0; k < result.indice_num.size(); ++k) {
      const int32_t* inputs = result.pairs.data() + k * 2 * sites;
      const int32_t* outputs = inputs + sites;
      const auto count = static_cast<size_t>(result.indice_num[k]);
      EXPECT_LE(count, sites);
      for (size_t i = 0; i < sites; ++i) {
        if (i < count) {
          EXPECT_GT(inputs[i], i == 0 ? -1 : inputs[i - 1]);
          EXPECT_LT(inputs[i], problem.count());
          EXPECT_GE(outputs[i], 0);
          EXPECT_LT(outputs[i], result.num_act_out);
          triples.emplace_back(k, inputs[i], outputs[i]);
        } else {
          EXPECT_EQ(inputs[i], -1);
          EXPECT_EQ(outputs[i], -1);
        }
      }
    }
    return triples;
  }

  static std::vector<Site> Outputs(const PairProblem& problem, const IndicePairs& result) {
    std::vector<Site> outputs(static_cast<size_t>(result.num_act_out), Site{});
    for (size_t i = 0; i < outputs.size() * problem.columns(); ++i) {
      outputs[i / problem.columns()][i % problem.columns()] = result.out_indices[i];
    }
    return outputs;
  }

  Handle handle_{DETOPS_PROFILE_FULL, 2};
  Random random_{11};
};

INSTANTIATE_TEST_SUITE_P(Geometries, GetIndicePairsInvariants, testing::ValuesIn(Geometries()),
                         [](const auto& test) { return std::string(test.param.name); });

// Looking from the output back: every pair's input is where the kernel's offset points, and no such input is missing.
TEST_P(GetIndicePairsInvariants, PairsFollowTheRule) {
  const std::vector<Site> offsets = Offsets();
  for (const PairProblem& problem : Problems(true)) {
    SCOPED_TRACE(Describe(problem));
    const IndicePairs result = RunPairs(handle_, problem);
    const std::vector<Site> outputs = Outputs(problem, result);
    std::map<Site, int32_t> owner, inputs_at;
    for (size_t o = 0; o < outputs.size(); ++o) owner[outputs[o]] = static_cast<int32_t>(o);
    for (const Site& site : problem.sites) ++inputs_at[site];
    if (convolution().submanifold) {
      ASSERT_EQ(outputs, problem.sites);
    } else {
      for (size_t o = 1; o < outputs.size(); ++o) ASSERT_LT(outputs[o - 1], outputs[o]);
    }
    const std::vector<Triple> pairs = Pairs(problem, result);
    std::set<int32_t> used;
    for (const auto& [k, input, output] : pairs) {
      Site from;
      ASSERT_TRUE(InputOf(convolution(), outputs[static_cast<size_t>(output)], offsets[k], from));
      ASSERT_EQ(from, problem.sites[static_cast<size_t>(input)]);
      ASSERT_EQ(output, owner[outputs[static_cast<size_t>(output)]]) << "the last of equal sites is the one met";
      used.insert(output);
    }
    size_t wanted = 0;
    for (const auto& [site, index] : owner) {
      for (const Site& offset : offsets) {
        Site from;
        if (!InputOf(convolution(), site, offset, from)) continue;
        const auto found = inputs_at.find(from);
        if (found != inputs_at.end()) wanted += static_cast<size_t>(found->second);
      }
    }
    ASSERT_EQ(pairs.size(), wanted);
    if (!convolution().submanifold) {
      ASSERT_EQ(used.size(), outputs.size()) << "an output that nothing meets";
    }
  }
}

// Numbers are positive and whole, so sums are exact and a site's value is 0 only if nothing meets it.
TEST_P(GetIndicePairsInvariants, PairsGiveTheDenseConvolution) {
  const std::vector<Site> offsets = Offsets();
  std::vector<int64_t> weights(offsets.size());
  for (int64_t& weight : weights) weight = random_.Between(1, 1000);
  for (const PairProblem& problem : Problems(true)) {
    SCOPED_TRACE(Describe(problem));
    std::vector<int64_t> features;
    std::map<Site, int64_t> image;  // equal sites add up
    for (const Site& site : problem.sites) {
      features.push_back(random_.Between(1, 1000));
      image[site] += features.back();
    }
    std::map<Site, int64_t> dense;
    ForEachSite(convolution().batch, convolution().output_space, [&](const Site& output) {
      int64_t sum = 0;
      for (size_t k = 0; k < offsets.size(); ++k) {
        Site from;
        if (!InputOf(convolution(), output, offsets[k], from)) continue;
        const auto found = image.find(from);
        if (found != image.end()) sum += weights[k] * found->second;
      }
      if (sum != 0) dense[output] = sum;
    });

    const IndicePairs result = RunPairs(handle_, problem);
    const std::vector<Site> outputs = Outputs(problem, result);
    std::map<Site, int64_t> sparse;
    for (const auto& [k, input, output] : Pairs(problem, result)) {
      sparse[outputs[static_cast<size_t>(output)]] += weights[k] * features[static_cast<size_t>(input)];
    }
    if (convolution().submanifold) {
      std::erase_if(dense, [&](const auto& entry) { return image.count(entry.first) == 0; });
    }
    ASSERT_EQ(sparse, dense);
    if (!convolution().submanifold) {
      ASSERT_EQ(outputs.size(), dense.size());
    }
  }
}

// The submanifold kernels that are odd and padded around their centre.
std::vector<Geometry> CentredGeometries() {
  std::vector<Geometry> geometries = Geometries();
  std::erase_if(geometries, [](const Geometry& geometry) {
    const SparseConvolution& convolution = geometry.convolution;
    bool centred = convolution.submanifold;
    for (size_t a = 0; a < convolution.pad.size(); ++a) {
      const int64_t kernel = convolution.filter_space[a];
      centred = centred && kernel % 2 == 1 && convolution.pad[a] == kernel / 2 * convolution.dilation[a];
    }
    return !centred;
  });
  return geometries;
}

class GetIndicePairsSymmetry : public GetIndicePairsInvariants {};

INSTANTIATE_TEST_SUITE_P(Geometries, GetIndicePairsSymmetry, testing::ValuesIn(CentredGeometries()),
                         [](const auto& test) { return std::string(test.param.name); });

// If i meets j under an offset of an odd kernel around its centre, j meets i under the opposite one, and under the
// centre every site meets itself.
TEST_P(GetIndicePairsSymmetry, OppositeOffsets) {
  const auto last = static_cast<size_t>(convolution().KernelVolume() - 1);
  for (const PairProblem& problem : Problems(false)) {
    SCOPED_TRACE(Describe(problem));
    const std::vector<Triple> pairs = Pairs(problem, RunPairs(handle_, problem));
    const std::set<Triple> all(pairs.begin(), pairs.end());
    int64_t own = 0;
    for (const auto& [k, input, output] : pairs) {
      ASSERT_EQ(all.count({last - k, output, input}), 1u) << "offset " << k << ": " << input << " -> " << output;
      ASSERT_EQ(k == last / 2, input == output);
      own += k == last / 2 ? 1 : 0;
    }
    ASSERT_EQ(own, problem.count());
  }
}

// Another order of the inputs gives other names to inputs, and to outputs where these are the inputs, and changes
// nothing else. (Equal sites of a submanifold differ: the last is another one.)
TEST_P(GetIndicePairsInvariants, OrderOfInputsOnlyRenames) {
  for (const PairProblem& problem : Problems(!convolution().submanifold)) {
    SCOPED_TRACE(Describe(problem));
    std::vector<int32_t> old_index(problem.sites.size());
    std::iota(old_index.begin(), old_index.end(), 0);
    random_.Shuffle(old_index);
    PairProblem renamed = problem;
    for (size_t i = 0; i < old_index.size(); ++i) renamed.sites[i] = problem.sites[static_cast<size_t>(old_index[i])];
    const IndicePairs before = RunPairs(handle_, problem), after = RunPairs(handle_, renamed);
    EXPECT_EQ(after.indice_num, before.indice_num);
    EXPECT_EQ(after.num_act_out, before.num_act_out);
    if (!convolution().submanifold) {
      EXPECT_EQ(after.out_indices, before.out_indices);
    }
    const std::vector<Triple> pairs = Pairs(problem, before);
    std::set<Triple> unnamed;
    for (const auto& [k, input, output] : Pairs(renamed, after)) {
      unnamed.emplace(k, old_index[static_cast<size_t>(input)],
                      convolution().submanifold ? old_index[static_cast<size_t>(output)] : output);
    }
    ASSERT_EQ(unnamed, std::set<Triple>(pairs.begin(), pairs.end()));
  }
}

// Tensors and workspace at any address, in any layout; a descriptor filled through either function; value checks off;
// the flag inverse, for which the convolutions swap the rows.
TEST_P(GetIndicePairsInvariants, PlaceAndFlagsChangeNothing) {
  PairProblem problem = Problems(true)[1];
  const IndicePairs expected = RunPairs(handle_, problem);
  ConvolutionDescriptor desc;
  for (size_t offset = 0; offset < 9; ++offset) {
    for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
      ExpectPairs(handle_, desc, problem, expected,
                  {.placement = placement, .offset = offset, .workspace_offset = 9 - offset, .workspace_byte = 0x5A});
    }
  }
  for (const mluOpTensorLayout_t layout : {MLUOP_LAYOUT_NCHW, MLUOP_LAYOUT_NHWC, MLUOP_LAYOUT_NDHWC}) {
    ExpectPairs(handle_, desc, problem, expected, {.layout = layout});
  }
  ExpectPairs(handle_, desc, problem, expected, {.extension = true});
  problem.inverse = true;
  ExpectPairs(handle_, desc, problem, expected);
  handle_.SetValueChecks(false);
  ExpectPairs(handle_, desc, problem, expected);
}

}  // namespace
}  // namespace detops_test
