// indice_convolution on the pairs of mluOpGetIndicePairs is an ordinary convolution of a volume that is 0 where no site
// is: forward, both gradients, and inverse as the transposed map. The dense convolution here knows no pairs.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "harness/rules.h"
#include "ops/indice_convolution/test/calls.h"

namespace detops_test {
namespace {

using Site = std::vector<int32_t>;  // image, depth, height, width

struct Geometry {
  int batch;
  int input[3], kernel[3], stride[3], pad[3], dilation[3];
  bool submanifold;
  bool sorted;  // sites in ascending order

  int Output(int axis) const {
    if (submanifold) return input[axis];
    return (input[axis] + 2 * pad[axis] - dilation[axis] * (kernel[axis] - 1) - 1) / stride[axis] + 1;
  }
};

constexpr Geometry kGeometries[] = {
    {2, {5, 6, 7}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, true, true},
    {2, {5, 6, 7}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, true, false},
    {1, {4, 7, 5}, {1, 3, 5}, {1, 1, 1}, {0, 2, 4}, {1, 2, 2}, true, false},
    {2, {5, 6, 7}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, false, true},
    {2, {5, 6, 7}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, false, true},
    {2, {7, 6, 5}, {3, 3, 3}, {2, 2, 2}, {0, 1, 1}, {1, 1, 1}, false, false},
    {1, {6, 5, 8}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}, false, true},
    {3, {9, 3, 4}, {3, 1, 1}, {2, 1, 1}, {0, 0, 0}, {1, 1, 1}, false, false},
    {1, {7, 8, 9}, {2, 3, 2}, {1, 2, 3}, {2, 0, 1}, {2, 1, 2}, false, false},
    {1, {4, 4, 4}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false, true},
};

// Positions of a volume, numbered row by row.
struct Volume {
  int64_t batch, extents[3];
  int64_t size() const { return batch * extents[0] * extents[1] * extents[2]; }
  int64_t At(int64_t image, const int64_t (&p)[3]) const {
    return ((image * extents[0] + p[0]) * extents[1] + p[1]) * extents[2] + p[2];
  }
  int64_t At(const Site& site) const { return At(site[0], {site[1], site[2], site[3]}); }
};

// Calls visit(offset, input position, output position) for all that a dense convolution multiplies.
template <class Visit>
void ForEachTap(const Geometry& g, const Volume& input, const Volume& output, Visit visit) {
  for (int64_t n = 0; n < output.batch; ++n) {
    for (int64_t position = 0; position < output.size() / output.batch; ++position) {
      const int64_t* e = output.extents;
      const int64_t o[3] = {position / (e[1] * e[2]), position / e[2] % e[1], position % e[2]};
      const int64_t offsets = int64_t{g.kernel[0]} * g.kernel[1] * g.kernel[2];
      for (int64_t offset = 0; offset < offsets; ++offset) {
        const int64_t r[3] = {offset / (g.kernel[1] * g.kernel[2]), offset / g.kernel[2] % g.kernel[1],
                              offset % g.kernel[2]};
        int64_t i[3];
        bool inside = true;
        for (int a = 0; a < 3; ++a) {
          i[a] = o[a] * g.stride[a] - g.pad[a] + r[a] * g.dilation[a];
          inside = inside && i[a] >= 0 && i[a] < input.extents[a];
        }
        if (inside) visit(offset, input.At(n, i), output.At(n, o));
      }
    }
  }
}

// Sites and what mluOpGetIndicePairs makes of them.
struct SparseInput {
  std::vector<Site> in_sites, out_sites;
  Pairs pairs;
};

std::vector<Site> SitesOf(const detops_harness::Tensor& tensor) {
  std::vector<Site> sites(static_cast<size_t>(tensor.extents[0]), Site(4));
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    sites[static_cast<size_t>(i / 4)][static_cast<size_t>(i % 4)] = static_cast<int32_t>(tensor.Get(i));
  }
  return sites;
}

SparseInput FindPairs(const Geometry& g, uint64_t seed) {
  const auto three = [](const char* key, const int(&numbers)[3]) {
    return detops_harness::Format(",%s=%dx%dx%d", key, numbers[0], numbers[1], numbers[2]);
  };
  const int sites = g.batch * g.input[0] * g.input[1] * g.input[2] * 2 / 5;
  PlacedCall placed(CallOf("mluOpGetIndicePairs",
                           "sites=" + std::to_string(sites) + ",batch=" + std::to_string(g.batch) +
                               three("space", g.input) + three("filter", g.kernel) + three("stride", g.stride) +
                               three("pad", g.pad) + three("dilation", g.dilation) + ",voxels=random" +
                               (g.submanifold ? ",subm=1" : ",subm=0") + (g.sorted ? "" : ",order=shuffled"),
                           MLUOP_DTYPE_INT32, seed));
  Must(placed.Run(Handle(DETOPS_PROFILE_FULL, 1).get()), "mluOpGetIndicePairs");
  const Call& call = placed.call();
  SparseInput input = {SitesOf(call["indices"]), SitesOf(call["out_indices"]), {}};
  const std::vector<double> found = call["indice_pairs"].Values(), counts = call["indice_num"].Values();
  input.pairs = {call["indice_num"].extents[0],
                 sites,
                 {sites, static_cast<int64_t>(input.out_sites.size())},
                 {found.begin(), found.end()},
                 {counts.begin(), counts.end()}};
  return input;
}

// Rows spread over a volume of zeros, and taken from it.
std::vector<double> Spread(const detops_harness::Tensor& rows, const std::vector<Site>& sites, const Volume& volume) {
  const int64_t channels = rows.extents[1];
  std::vector<double> dense(static_cast<size_t>(volume.size() * channels));
  for (size_t row = 0; row < sites.size(); ++row) {
    for (int64_t c = 0; c < channels; ++c) {
      dense[static_cast<size_t>(volume.At(sites[row]) * channels + c)] =
          rows.Get(static_cast<int64_t>(row) * channels + c);
    }
  }
  return dense;
}
std::vector<double> Taken(const std::vector<double>& dense, const std::vector<Site>& sites, const Volume& volume,
                          int64_t channels) {
  std::vector<double> rows;
  for (const Site& site : sites) {
    const auto begin = dense.begin() + static_cast<std::ptrdiff_t>(volume.At(site) * channels);
    rows.insert(rows.end(), begin, begin + static_cast<std::ptrdiff_t>(channels));
  }
  return rows;
}

constexpr int64_t kCi = 3, kCo = 4;

class IndiceConvolutionDense : public testing::TestWithParam<Geometry> {
 protected:
  // Filters are in layout ARRAY: [offset, ci, co].
  Call NewCall(Way way, bool inverse) const {
    const Geometry& g = GetParam();
    const std::string shape =
        detops_harness::Format("ci=3,co=4,filter=%dx%dx%d,inverse=%d,subm=%d", g.kernel[0], g.kernel[1], g.kernel[2],
                               inverse ? 1 : 0, g.submanifold && !inverse ? 1 : 0);
    Call call = CallOn(NameOf(way), sparse_.pairs, shape, MLUOP_DTYPE_DOUBLE);
    for (const detops_harness::Tensor& tensor : Call(call).tensors) {
      if (tensor.type != MLUOP_DTYPE_DOUBLE || tensor.access != detops_harness::Access::kRead) continue;
      FillUniform(call, tensor.name, -1, 1, tensor.name.size());  // the same in all ways
    }
    return call;
  }

  // The dense convolution; inverse runs the same taps from output to input positions.
  struct Dense {
    std::vector<double> forward, input_grad, filters_grad;
  };
  Dense Convolve(bool inverse) const {
    const Call forward = NewCall(Way::kForward, inverse), filter = NewCall(Way::kBackwardFilter, inverse);
    const std::vector<double> x = Spread(forward["features"], source_sites(inverse), source(inverse));
    const std::vector<double> dy = Spread(filter["output_grad"], target_sites(inverse), target(inverse));
    const std::vector<double> w = forward["filters"].Values();
    Dense dense = {std::vector<double>(dy.size()), std::vector<double>(x.size()), std::vector<double>(w.size())};
    ForEachTap(GetParam(), input_, output_, [&](int64_t offset, int64_t i, int64_t o) {
      for (int64_t c = 0; c < kCi; ++c) {
        for (int64_t d = 0; d < kCo; ++d) {
          const auto at_x = static_cast<size_t>((inverse ? o : i) * kCi + c);
          const auto at_y = static_cast<size_t>((inverse ? i : o) * kCo + d);
          const auto at_w = static_cast<size_t>((offset * kCi + c) * kCo + d);
          dense.forward[at_y] += x[at_x] * w[at_w];
          dense.input_grad[at_x] += dy[at_y] * w[at_w];
          dense.filters_grad[at_w] += x[at_x] * dy[at_y];
        }
      }
    });
    return dense;
  }

  void ExpectDense(bool inverse) {
    const Dense dense = Convolve(inverse);
    Expect(Way::kForward, inverse, Taken(dense.forward, target_sites(inverse), target(inverse), kCo));
    Expect(Way::kBackwardData, inverse, Taken(dense.input_grad, source_sites(inverse), source(inverse), kCi));
    Expect(Way::kBackwardFilter, inverse, dense.filters_grad);
  }

  void Expect(Way way, bool inverse, const std::vector<double>& expected) {
    SCOPED_TRACE(NameOf(way));
    PlacedCall placed(NewCall(way, inverse));
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      CarryOut(placed, handle);
      const std::vector<double> result = placed.call()[NamesOf(way).target].Values();
      ASSERT_EQ(result.size(), expected.size());
      // Elements are sums of up to 1,000 terms below 1.
      for (size_t i = 0; i < result.size(); ++i) ASSERT_NEAR(result[i], expected[i], 1e-12) << "element " << i;
    });
  }

  const Volume& source(bool inverse) const { return inverse ? output_ : input_; }
  const Volume& target(bool inverse) const { return inverse ? input_ : output_; }
  const std::vector<Site>& source_sites(bool inverse) const { return inverse ? sparse_.out_sites : sparse_.in_sites; }
  const std::vector<Site>& target_sites(bool inverse) const { return inverse ? sparse_.in_sites : sparse_.out_sites; }

  const Volume input_ = {GetParam().batch, {GetParam().input[0], GetParam().input[1], GetParam().input[2]}};
  const Volume output_ = {GetParam().batch, {GetParam().Output(0), GetParam().Output(1), GetParam().Output(2)}};
  const SparseInput sparse_ = FindPairs(GetParam(), 17);
};

// "subm_3x3x3_sorted_0"
std::string GeometryName(const testing::TestParamInfo<Geometry>& info) {
  const Geometry& g = info.param;
  std::ostringstream name;
  name << (g.submanifold ? "subm_" : "regular_") << g.kernel[0] << "x" << g.kernel[1] << "x" << g.kernel[2]
       << (g.sorted ? "_sorted_" : "_shuffled_") << info.index;
  return name.str();
}

INSTANTIATE_TEST_SUITE_P(Geometries, IndiceConvolutionDense, testing::ValuesIn(kGeometries), GeometryName);

TEST_P(IndiceConvolutionDense, ForwardAndGradients) { ExpectDense(false); }

TEST_P(IndiceConvolutionDense, InverseIsTheTransposedMap) { ExpectDense(true); }

// What the sparse convolution leaves out is 0 in the dense one: all its outputs are among the sites found.
TEST_P(IndiceConvolutionDense, NothingOutsideTheSites) {
  if (GetParam().submanifold) return;  // it leaves out by intention
  const Dense dense = Convolve(false);
  std::map<int64_t, bool> found;
  for (const Site& site : sparse_.out_sites) found[output_.At(site)] = true;
  for (int64_t position = 0; position < output_.size(); ++position) {
    for (int64_t c = 0; c < kCo && !found[position]; ++c) {
      ASSERT_EQ(dense.forward[static_cast<size_t>(position * kCo + c)], 0) << "position " << position;
    }
  }
}

}  // namespace
}  // namespace detops_test
