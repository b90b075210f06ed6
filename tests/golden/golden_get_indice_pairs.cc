// Kinds of convolution in one to four dimensions, sites in order, in disorder and more than once.
#include <algorithm>
#include <array>

#include "golden/golden.h"

namespace detops_golden {
namespace {

enum class Kind { kSubmanifold, kRegular, kStride2, kDilation2, kTransposed };
constexpr const char* kKindNames[] = {"submanifold", "regular", "stride2", "dilation2", "transposed"};
enum class Sites { kAscending, kShuffled, kRepeated };
constexpr const char* kSitesNames[] = {"ascending", "shuffled", "repeated"};

class ConvolutionDescriptor {
 public:
  ConvolutionDescriptor() { detops_test::Must(mluOpCreateSparseConvolutionDescriptor(&desc_), "create descriptor"); }
  ~ConvolutionDescriptor() { mluOpDestroySparseConvolutionDescriptor(desc_); }
  ConvolutionDescriptor(const ConvolutionDescriptor&) = delete;
  ConvolutionDescriptor& operator=(const ConvolutionDescriptor&) = delete;
  mluOpSparseConvolutionDescriptor_t get() const { return desc_; }

 private:
  mluOpSparseConvolutionDescriptor_t desc_ = nullptr;
};

constexpr int kBatch = 2, kKernel = 3;

struct Problem {
  Kind kind;
  Sites sites;
  std::vector<int> space;
  int64_t count;
};

void Describe(Run& run, const Problem& problem, mluOpSparseConvolutionDescriptor_t desc) {
  const size_t ndim = problem.space.size();
  const int stride = problem.kind == Kind::kStride2 || problem.kind == Kind::kTransposed ? 2 : 1;
  const int dilation = problem.kind == Kind::kDilation2 ? 2 : 1;
  const std::vector<int> pads(ndim, 1), strides(ndim, stride), dilations(ndim, dilation), kernel(ndim, kKernel);
  std::vector<int> output(problem.space);
  for (int& extent : output) {
    if (problem.kind == Kind::kSubmanifold) continue;
    const int reach = dilation * (kKernel - 1);
    extent = problem.kind == Kind::kTransposed ? (extent - 1) * stride - 2 + reach + 1
                                               : (extent + 2 - reach - 1) / stride + 1;
  }
  run.Must(detopsSetSparseConvolutionDescriptor(desc, static_cast<int>(ndim), kBatch, pads.data(), strides.data(),
                                                dilations.data(), nullptr, problem.space.data(), kernel.data(),
                                                output.data(), problem.kind == Kind::kSubmanifold,
                                                problem.kind == Kind::kTransposed, 0));
}

using Site = std::array<int, 5>;  // batch and coordinates

std::vector<Site> MakeSites(Run& run, const Problem& problem) {
  std::vector<Site> sites(static_cast<size_t>(problem.count));
  for (Site& site : sites) {
    site = {static_cast<int>(run.Below(kBatch))};
    for (size_t a = 0; a < problem.space.size(); ++a) site[a + 1] = static_cast<int>(run.Below(problem.space[a]));
  }
  if (problem.sites != Sites::kRepeated) {
    std::sort(sites.begin(), sites.end());
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  }
  if (problem.sites == Sites::kShuffled) {
    for (size_t i = sites.size(); i > 1; --i) {
      std::swap(sites[i - 1], sites[static_cast<size_t>(run.Below(static_cast<int64_t>(i)))]);
    }
  }
  return sites;
}

void FindPairs(Run& run, const Problem& problem) {
  const ConvolutionDescriptor desc;
  Describe(run, problem, desc.get());
  const std::vector<Site> all_sites = MakeSites(run, problem);
  const auto sites = static_cast<int64_t>(all_sites.size()), columns = static_cast<int64_t>(problem.space.size()) + 1;
  Tensor indices(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {sites, columns});
  for (int64_t i = 0; i < indices.elements(); ++i) {
    indices.Set(i, all_sites[static_cast<size_t>(i / columns)][static_cast<size_t>(i % columns)]);
  }
  int64_t outputs = 0, offsets = 1;
  for (size_t a = 0; a < problem.space.size(); ++a) offsets *= kKernel;
  run.Must(detopsCountIndicePairOutputs(run.handle(), desc.get(), indices.desc(), indices.data(), &outputs));
  run.Result(outputs);
  Tensor pairs(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {offsets, 2, sites});
  Tensor out_indices(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {outputs, columns});
  Tensor numbers(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {offsets});
  size_t size = 0;
  run.Must(mluOpGetIndicePairsWorkspaceSize(run.handle(), desc.get(), indices.desc(), pairs.desc(), out_indices.desc(),
                                            numbers.desc(), &size));
  std::vector<char> workspace(size);
  run.Must(mluOpGetIndicePairs(run.handle(), desc.get(), indices.desc(), indices.data(),
                               size == 0 ? nullptr : workspace.data(), size, pairs.desc(), pairs.data(),
                               out_indices.desc(), out_indices.data(), numbers.desc(), numbers.data()));
  run.Result(pairs);
  run.Result(out_indices);
  run.Result(numbers);
}

}  // namespace

void AddGetIndicePairs(Cases& cases) {
  const auto add = [&](const Problem& problem, const char* end) {
    cases.push_back({Name({"get_indice_pairs", kKindNames[static_cast<int>(problem.kind)],
                           Label("", static_cast<int64_t>(problem.space.size()), "d"),
                           kSitesNames[static_cast<int>(problem.sites)], std::to_string(problem.count), end}),
                     [=](Run& run) { FindPairs(run, problem); }});
  };
  const std::vector<int> spaces[] = {{900}, {31, 29}, {11, 9, 13}, {5, 6, 7, 5}};
  for (const Kind kind : {Kind::kSubmanifold, Kind::kRegular, Kind::kStride2, Kind::kDilation2, Kind::kTransposed}) {
    for (const Sites sites : {Sites::kAscending, Sites::kShuffled, Sites::kRepeated}) {
      for (const std::vector<int>& space : spaces) {
        for (const int64_t count : {40, 500}) add({kind, sites, space, count}, "");
      }
      add({kind, sites, {21, 100, 90}, 12000}, "large");
    }
  }
}

}  // namespace detops_golden
