// indice_convolution on the pairs of mluOpGetIndicePairs is an ordinary convolution of a volume that is 0 where no site
// is: forward, both gradients, and inverse as the transposed map. The dense convolution here knows no pairs.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/problem.h"

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
  ConvolutionPairs pairs;
};

std::vector<Site> RandomSites(const Geometry& g, uint64_t seed) {
  const Volume volume = {g.batch, {g.input[0], g.input[1], g.input[2]}};
  Random random(seed);
  std::vector<int32_t> positions = random.Subset(volume.size(), volume.size() * 2 / 5);
  if (!g.sorted) random.Shuffle(positions);
  std::vector<Site> sites;
  sites.reserve(positions.size());
  for (const int32_t p : positions) {
    sites.push_back({p / (g.input[2] * g.input[1] * g.input[0]), p / (g.input[2] * g.input[1]) % g.input[0],
                     p / g.input[2] % g.input[1], p % g.input[2]});
  }
  return sites;
}

SparseInput FindPairs(const Geometry& g, uint64_t seed) {
  SparseInput input;
  input.in_sites = RandomSites(g, seed);
  const auto rows = static_cast<int64_t>(input.in_sites.size());
  const int64_t offsets = int64_t{g.kernel[0]} * g.kernel[1] * g.kernel[2];
  const int output[3] = {g.Output(0), g.Output(1), g.Output(2)};
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  mluOpSparseConvolutionDescriptor_t desc = nullptr;
  Must(mluOpCreateSparseConvolutionDescriptor(&desc), "create");
  Must(mluOpSetSparseConvolutionDescriptor(desc, 5, g.batch, g.pad, g.stride, g.dilation, g.input, g.kernel, output,
                                           g.submanifold ? 1 : 0, 0, 0),
       "set");
  Tensor indices(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {rows, 4});
  for (int64_t i = 0; i < indices.elements(); ++i) {
    indices.Set(i, input.in_sites[static_cast<size_t>(i / 4)][static_cast<size_t>(i % 4)]);
  }
  int64_t count = 0;
  Must(detopsCountIndicePairOutputs(handle.get(), desc, indices.desc(), indices.data(), &count), "count");
  Tensor pairs(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {offsets, 2, rows});
  Tensor out_indices(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {count, 4});
  Tensor num(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {offsets});
  size_t size = 0;
  Must(mluOpGetIndicePairsWorkspaceSize(handle.get(), desc, indices.desc(), pairs.desc(), out_indices.desc(),
                                        num.desc(), &size),
       "workspace size");
  std::vector<char> workspace(size);
  Must(mluOpGetIndicePairs(handle.get(), desc, indices.desc(), indices.data(), workspace.data(), size, pairs.desc(),
                           pairs.data(), out_indices.desc(), out_indices.data(), num.desc(), num.data()),
       "pairs");
  Must(mluOpDestroySparseConvolutionDescriptor(desc), "destroy");
  const std::vector<double> found = pairs.Values(), counts = num.Values(), sites = out_indices.Values();
  input.pairs = {offsets, rows, std::vector<int32_t>(found.begin(), found.end()),
                 std::vector<int64_t>(counts.begin(), counts.end())};
  for (size_t i = 0; i < sites.size(); i += 4) {
    input.out_sites.emplace_back(sites.begin() + static_cast<std::ptrdiff_t>(i),
                                 sites.begin() + static_cast<std::ptrdiff_t>(i + 4));
  }
  return input;
}

// Rows spread over a volume of zeros, and taken from it.
std::vector<double> Spread(const Tensor& rows, const std::vector<Site>& sites, const Volume& volume) {
  const int64_t channels = rows.extents()[1];
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
  Problem NewProblem(bool inverse) const {
    const Geometry& g = GetParam();
    return Problem(MLUOP_DTYPE_DOUBLE,
                   {.in_rows = static_cast<int64_t>(sparse_.in_sites.size()),
                    .out_rows = static_cast<int64_t>(sparse_.out_sites.size()),
                    .ci = kCi,
                    .co = kCo,
                    .kernel = {g.kernel[0], g.kernel[1], g.kernel[2]},
                    .inverse = inverse,
                    .sub_m = g.submanifold && !inverse ? 1 : 0},
                   sparse_.pairs, 9);
  }

  // The dense convolution; inverse runs the same taps from output to input positions.
  struct Dense {
    std::vector<double> forward, input_grad, filters_grad;
  };
  Dense Convolve(const Problem& problem) const {
    const bool inverse = problem.shape().inverse;
    const std::vector<double> x = Spread(problem.features, source_sites(inverse), source(inverse));
    const std::vector<double> dy = Spread(problem.output_grad, target_sites(inverse), target(inverse));
    const std::vector<double> w = problem.filters.Values();
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
    const Problem problem = NewProblem(inverse);
    const Dense dense = Convolve(problem);
    Expect(problem, Way::kForward, Taken(dense.forward, target_sites(inverse), target(inverse), kCo));
    Expect(problem, Way::kBackwardData, Taken(dense.input_grad, source_sites(inverse), source(inverse), kCi));
    Expect(problem, Way::kBackwardFilter, dense.filters_grad);
  }

  void Expect(const Problem& problem, Way way, const std::vector<double>& expected) {
    SCOPED_TRACE(NameOf(way));
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      Tensor result = problem.NewResult(way);
      ASSERT_EQ(problem.Run(handle, way, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(result.elements(), static_cast<int64_t>(expected.size()));
      // Elements are sums of up to 1,000 terms below 1.
      for (int64_t i = 0; i < result.elements(); ++i) {
        ASSERT_NEAR(result.Get(i), expected[static_cast<size_t>(i)], 1e-12) << "element " << i;
      }
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
  const Dense dense = Convolve(NewProblem(false));
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
