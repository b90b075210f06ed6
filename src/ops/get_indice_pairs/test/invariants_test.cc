// What holds for every result of get_indice_pairs, checked without the reference: looking from the output back, every
// pair's input is where the kernel's offset points, no such input is missing, and the order is the documented one.
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ops/get_indice_pairs/test/sites.h"

namespace detops_test {
namespace {

using detops_reference::SparseConvolution;

struct Geometry {
  const char *name, *shape;
};

constexpr Geometry kGeometries[] = {
    {"Usual", "batch=2,space=5x6x7,filter=3,pad=1,subm=0"},
    {"StrideTwo", "batch=2,space=5x8x7,filter=3,pad=0x1x1,stride=2,subm=0"},
    {"Uneven", "batch=1,space=6x9x7,filter=2x1x4,pad=2x0x3,stride=1x2x3,dilation=2x1x1,subm=0"},
    {"StrideAndDilation", "batch=3,axes=2,space=11x13,filter=3x4,pad=2x5,stride=3x2,dilation=2x3,subm=0"},
    {"SmallOutput", "batch=1,axes=2,space=9,filter=5,output=3x4,pad=4x1,subm=0"},
    {"LargeOutput", "batch=1,axes=2,space=4x5,filter=2x3,output=9x8,pad=1x2,subm=0"},
    {"OneAxis", "batch=4,axes=1,space=50,filter=70,pad=35,stride=2,subm=0"},
    {"FourAxes", "batch=2,axes=4,space=3x4x3x4,filter=2x3x1x3,pad=1x1x0x2,stride=1x2x1x1,subm=0"},
    {"Transposed", "batch=2,space=3x4x3,filter=3x2x3,pad=1x0x2,stride=2x3x1,transpose=1,subm=0"},
    {"TransposedDilated",
     "batch=1,axes=2,space=6x5,filter=3,pad=2x0,stride=3x2,dilation=2x3,output=17x16,transpose=1,subm=0"},
    {"Submanifold", "batch=2,space=5x6x7,filter=3,pad=1,subm=1"},
    {"SubmanifoldUneven", "batch=2,space=5x6x7,filter=5x1x3,pad=2x0x1,subm=1"},
    {"SubmanifoldDilated", "batch=1,axes=2,space=12x13,filter=3x5,pad=3x4,dilation=3x2,subm=1"},
    {"SubmanifoldEven", "batch=2,space=4x5x6,filter=2x4x2,pad=1x2x1,subm=1"},
    {"SubmanifoldOffCentre", "batch=2,axes=1,space=40,filter=7,pad=1,subm=1"},
    {"SubmanifoldFourAxes", "batch=2,axes=4,space=3x4x3x4,filter=3x3x1x3,pad=1x1x0x1,subm=1"}};

// The input site from which the output site takes the kernel's value at this offset. False: it lies outside, or, for a
// transposed convolution, between two inputs.
bool InputOf(const SparseConvolution& convolution, const Site& output, int64_t offset, Site& input) {
  input = {output[0]};
  for (size_t a = convolution.filter_space.size(); a-- > 0; offset /= convolution.filter_space[a]) {
    const int64_t stride = convolution.stride[a];
    const int64_t reach = offset % convolution.filter_space[a] * convolution.dilation[a];
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

using Triple = std::tuple<int64_t, int32_t, int32_t>;  // offset, input, output

// The pairs that indice_num counts, after a look at the form: inputs ascend, and after the pairs everything is -1.
std::vector<Triple> PairsIn(const Call& call) {
  std::vector<Triple> triples;
  const int64_t sites = call["indices"].extents[0];
  const int64_t outputs = call["out_indices"].extents[0];
  for (int64_t k = 0; k < call["indice_num"].elements(); ++k) {
    const auto count = static_cast<int64_t>(call["indice_num"].Get(k));
    EXPECT_LE(count, sites);
    int32_t last = -1;
    for (int64_t i = 0; i < sites; ++i) {
      const auto input = static_cast<int32_t>(call["indice_pairs"].Get(k * 2 * sites + i));
      const auto output = static_cast<int32_t>(call["indice_pairs"].Get((k * 2 + 1) * sites + i));
      if (i < count) {
        EXPECT_TRUE(input > last && input < sites && output >= 0 && output < outputs);
        triples.emplace_back(k, input, output);
        last = input;
      } else {
        EXPECT_TRUE(input == -1 && output == -1);
      }
    }
  }
  return triples;
}

void ExpectTheRule(const Call& call) {
  const SparseConvolution convolution = detops_harness::get_indice_pairs::ConvolutionOf(call);
  const Sites inputs = SitesOf(call), outputs = SitesOf(call, "out_indices");
  std::map<Site, int32_t> owner, inputs_at;
  for (size_t o = 0; o < outputs.size(); ++o) owner[outputs[o]] = static_cast<int32_t>(o);
  for (const Site& site : inputs) ++inputs_at[site];
  if (convolution.submanifold) {
    ASSERT_EQ(outputs, inputs);
  } else {
    for (size_t o = 1; o < outputs.size(); ++o) ASSERT_LT(outputs[o - 1], outputs[o]);
  }
  const std::vector<Triple> pairs = PairsIn(call);
  std::set<int32_t> used;
  for (const auto& [k, input, output] : pairs) {
    const Site& at = outputs[static_cast<size_t>(output)];
    Site from;
    ASSERT_TRUE(InputOf(convolution, at, k, from));
    ASSERT_EQ(from, inputs[static_cast<size_t>(input)]);
    ASSERT_EQ(output, owner[at]) << "the last of equal sites is the one met";
    used.insert(output);
  }
  int64_t wanted = 0;
  const auto look = [&](const Site& site) {
    for (int64_t k = 0; k < convolution.KernelVolume(); ++k) {
      Site from;
      if (!InputOf(convolution, site, k, from)) continue;
      const auto found = inputs_at.find(from);
      if (found != inputs_at.end()) wanted += found->second;
    }
  };
  if (convolution.submanifold) {
    for (const auto& [site, index] : owner) look(site);
  } else {
    ASSERT_EQ(used.size(), outputs.size()) << "an output that nothing meets";
    // Every site of the space, so that none is left out.
    for (int64_t flat = 0; flat < detops_harness::get_indice_pairs::OutputSites(call); ++flat) {
      Site site = {};
      int64_t rest = flat;
      for (size_t a = convolution.output_space.size(); a-- > 0; rest /= convolution.output_space[a]) {
        site[a + 1] = static_cast<int32_t>(rest % convolution.output_space[a]);
      }
      site[0] = static_cast<int32_t>(rest);
      look(site);
    }
  }
  ASSERT_EQ(static_cast<int64_t>(pairs.size()), wanted);
}

class GetIndicePairsInvariants : public testing::TestWithParam<Geometry> {};

INSTANTIATE_TEST_SUITE_P(Geometries, GetIndicePairsInvariants, testing::ValuesIn(kGeometries),
                         [](const auto& test) { return std::string(test.param.name); });

// A tenth, a half and all of the sites, with and without some twice.
TEST_P(GetIndicePairsInvariants, PairsFollowTheRule) {
  const std::string shape = GetParam().shape;
  const int64_t all = detops_harness::get_indice_pairs::InputSites(CallOf(shape + ",sites=0"));
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const int64_t share : {10, 2, 1}) {
    for (const char* copies : {"0", "1"}) {
      PlacedCall placed(CallOf(shape + ",voxels=" + (share == 1 ? "every" : "random") +
                               ",order=shuffled,copies=" + copies + ",sites=" + std::to_string(all / share)));
      CarryOut(placed, handle);
      ExpectTheRule(placed.call());
    }
  }
}

}  // namespace
}  // namespace detops_test
