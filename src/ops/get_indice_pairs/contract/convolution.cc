#include "ops/get_indice_pairs/contract/convolution.h"

#include <algorithm>
#include <climits>

namespace detops_harness::get_indice_pairs {
namespace {

using detops_reference::SparseConvolution;

int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t Aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// An axis from the last one on; those that do not exist have extent 1 and no padding.
int64_t FromTheEnd(const std::vector<int64_t>& list, size_t place, int64_t other) {
  return place < list.size() ? list[list.size() - 1 - place] : other;
}

// Submanifold, where the sites can be gathered into words of 64 bits: the kernel is its own mirror, reaches at most 8
// columns, and its planes are not large compared with the sites.
bool WordsFit(const SparseConvolution& c, int64_t sites) {
  const size_t axes = c.filter_space.size();
  for (size_t a = 0; a < axes; ++a) {
    if (c.filter_space[a] % 2 == 0 || c.pad[a] != c.filter_space[a] / 2 * c.dilation[a]) return false;
  }
  int64_t reach[3], extent[3];
  for (size_t place = 0; place < 3; ++place) {
    extent[place] = FromTheEnd(c.input_space, place, 1);
    reach[place] = std::min(FromTheEnd(c.pad, place, 0), extent[place] - 1);  // as far as there are sites
  }
  if (axes > 3 || reach[0] > 8) return false;
  const int64_t own = 64 - 2 * reach[0], row_words = (extent[0] + own - 1) / own + 1;
  const int64_t words = Times(Times(Times(c.batch, extent[2]), extent[1]), row_words);
  const int64_t cells = Times(Times(extent[1] + 2 * reach[1], row_words), reach[2] + 1);
  constexpr int64_t kMostWords = int64_t{1} << 57;
  return words <= kMostWords && cells <= std::min<int64_t>(512 << 10, 4096 + 4 * sites);
}

int64_t SubmanifoldBytes(const SparseConvolution& c, int64_t sites) {
  const int64_t rows = Aligned(4 * sites) + Aligned(4 * sites) + Aligned(8 * (sites + 1)) + Aligned(4 * (sites + 1));
  const int64_t words = Aligned(8 * sites) + Aligned(8 * sites) + Aligned(4 * (sites + 1)) + Aligned(4 * sites);
  return 64 + (WordsFit(c, sites) ? std::max(rows, words) : rows);
}

// A bit and a rank for every site of the output space, unless that is too large compared with the sites or its numbers
// for 32 bits: then none.
int64_t RegularBytes(const SparseConvolution& c, int64_t sites) {
  const int64_t outputs = Product(c.batch, c.output_space), words = outputs / 64 + (outputs % 64 != 0 ? 1 : 0);
  const int64_t classes = c.transposed ? 1 : Product(1, c.stride);
  if (outputs > UINT32_MAX || Product(1, c.filter_space) > 65536 || classes > 512) return 0;
  constexpr int64_t kFar = 1 << 24;
  for (size_t a = 0; a < c.pad.size(); ++a) {
    const int64_t farthest = c.transposed ? c.input_space[a] * c.stride[a] : c.input_space[a] + c.pad[a];
    if (std::max({farthest, c.pad[a], c.stride[a], c.filter_space[a] * c.dilation[a]}) >= kFar) return 0;
  }
  if (words > 4096 + 128 * sites) return 0;
  // Inputs are kept in blocks of 256, with a margin of 16.
  const auto axes = static_cast<int64_t>(c.pad.size());
  const int64_t block_bytes = sites / 256 * 4 * ((axes + 2) * (256 + 16) + classes);
  if (12 * words + block_bytes > (int64_t{36} << 20) + 64 * sites) return 0;
  const int64_t count = words + std::min<int64_t>(c.batch, 1024);
  return 64 + Aligned(8 * count) + Aligned(4 * count);
}

// The output space of the usual formula; at least 1.
std::vector<int64_t> UsualOutput(const SparseConvolution& c) {
  std::vector<int64_t> space;
  for (size_t a = 0; a < c.pad.size(); ++a) {
    const int64_t reach = c.dilation[a] * (c.filter_space[a] - 1), room = c.input_space[a] + 2 * c.pad[a] - reach - 1;
    const int64_t output = c.transposed ? (c.input_space[a] - 1) * c.stride[a] - 2 * c.pad[a] + reach + 1
                           : room < 0   ? 1
                                        : room / c.stride[a] + 1;
    space.push_back(c.submanifold ? c.input_space[a] : std::max<int64_t>(output, 1));
  }
  return space;
}

}  // namespace

SparseConvolution ConvolutionOf(const Call& call) {
  const size_t axes = call.integer_lists.at("pad").size();
  const auto list = [&](const char* name) {
    std::vector<int64_t> numbers = call.integer_lists.at(name);
    numbers.resize(axes, 1);
    return numbers;
  };
  SparseConvolution convolution;
  convolution.batch = std::clamp<int64_t>(call.integer("batch"), 1, INT_MAX);
  convolution.input_space = list("input_space");
  convolution.filter_space = list("filter_space");
  convolution.output_space = list("output_space");
  convolution.pad = list("pad");
  convolution.stride = list("stride");
  convolution.dilation = list("dilation");
  convolution.submanifold = call.integer("sub_m") != 0;
  convolution.transposed = call.integer("transpose") != 0 && !convolution.submanifold;
  return convolution;
}

bool IsInverse(const Call& call) { return call.integer("inverse") != 0; }

int64_t Product(int64_t batch, const std::vector<int64_t>& extents) {
  int64_t product = batch;
  for (const int64_t extent : extents) product = Times(product, extent);
  return product;
}

int64_t InputSites(const Call& call) {
  const SparseConvolution convolution = ConvolutionOf(call);
  return Product(convolution.batch, convolution.input_space);
}
int64_t OutputSites(const Call& call) {
  const SparseConvolution convolution = ConvolutionOf(call);
  return Product(convolution.batch, convolution.output_space);
}
int64_t KernelOffsets(const Call& call) { return Product(1, ConvolutionOf(call).filter_space); }

int64_t WorkspaceBytes(const Call& call) {
  const SparseConvolution convolution = ConvolutionOf(call);
  const int64_t sites = call["indices"].extents[0];
  return convolution.submanifold ? SubmanifoldBytes(convolution, sites) : RegularBytes(convolution, sites);
}

bool HasIndices(const Call& call) {
  const Tensor& indices = call["indices"];
  return indices.byte_count() <= static_cast<int64_t>(indices.contents.size());
}

const detops_reference::IndicePairs& PairsOf(const Call& call) {
  struct Answer {
    SparseConvolution convolution;
    int64_t sites = -1;
    Contents indices;
    detops_reference::IndicePairs pairs;
  };
  thread_local Answer last;
  const Tensor& indices = call["indices"];
  const SparseConvolution convolution = ConvolutionOf(call);
  const int64_t sites = indices.extents[0];
  if (last.sites == sites && last.convolution == convolution && last.indices.SharesWith(indices.contents)) {
    return last.pairs;
  }
  const auto* const numbers = reinterpret_cast<const int32_t*>(indices.contents.data());
  last = {convolution, sites, indices.contents, detops_reference::GetIndicePairs(convolution, sites, numbers)};
  return last.pairs;
}

SparseConvolution ConvolutionOf(const Shape& shape) {
  const auto axes = static_cast<size_t>(shape.Int("axes", 1));
  if (axes > 4) throw ShapeError("--shape: axes must be 1 to 4");
  const auto list = [&](const char* key, int64_t least) {
    const std::vector<int> numbers = shape.Ints(key, axes, INT32_MAX);
    for (const int number : numbers) {
      if (number < least)
        throw ShapeError(std::string("--shape: ") + key + " must be at least " + std::to_string(least));
    }
    return std::vector<int64_t>(numbers.begin(), numbers.end());
  };
  SparseConvolution c;
  c.batch = shape.Int("batch", 1, INT32_MAX);
  c.input_space = list("space", 1);
  c.filter_space = list("filter", 1);
  c.stride = list("stride", 1);
  c.pad = list("pad", 0);
  c.dilation = list("dilation", 1);
  c.submanifold = shape.Int("subm") != 0;
  c.transposed = shape.Int("transpose") != 0;
  if (c.submanifold && c.transposed) throw ShapeError("--shape: a submanifold convolution is not transposed");
  if (c.submanifold && c.stride != std::vector<int64_t>(axes, 1)) {
    throw ShapeError("--shape: a submanifold convolution has stride 1");
  }
  constexpr int64_t kMostOffsets = 1'000'000;
  if (Product(1, c.filter_space) > kMostOffsets) throw ShapeError("--shape: a filter has at most 1000000 offsets");
  c.output_space = UsualOutput(c);
  const std::vector<int64_t> wanted = list("output", 0);
  for (size_t a = 0; a < axes && !c.submanifold; ++a) {
    if (wanted[a] > 0) c.output_space[a] = wanted[a];
  }
  for (const int64_t extent : c.output_space) {
    if (extent > INT32_MAX) throw ShapeError("--shape: an axis of the output space has 2^31 places or more");
  }
  if (Product(c.batch, c.input_space) == INT64_MAX || Product(c.batch, c.output_space) == INT64_MAX) {
    throw ShapeError("--shape: the space has 2^63 - 1 sites or more");
  }
  return c;
}

}  // namespace detops_harness::get_indice_pairs
