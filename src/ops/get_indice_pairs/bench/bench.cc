// The design document's shapes and their neighbourhood: detops_bench --benchmark_filter=indice_pairs
#include <cstring>
#include <string>
#include <vector>

#include "bench/report.h"
#include "bench/tensors.h"
#include "detops.h"
#include "ops/get_indice_pairs/bench/cases.h"

namespace {

using detops_bench::Require;
using detops_cases::GetIndicePairsCase;
using detops_cases::SiteOrder;

// Indices, and room for them.
struct Tensor : detops_bench::Tensor {
  explicit Tensor(const std::vector<int64_t>& extents) : detops_bench::Tensor(MLUOP_DTYPE_INT32, extents) {}
};

void Run(benchmark::State& state, const GetIndicePairsCase& shape, SiteOrder order, bool random, int threads,
         bool value_checks) {
  const mluOpHandle_t handle = detops_bench::MakeHandle(threads, value_checks);
  mluOpSparseConvolutionDescriptor_t conv = nullptr;
  Require(mluOpCreateSparseConvolutionDescriptor(&conv), nullptr);
  const int ones[] = {1, 1, 1};
  const int output[] = {shape.output(0), shape.output(1), shape.output(2)};
  Require(mluOpSetSparseConvolutionDescriptor(conv, 5, shape.batch, shape.pad, shape.stride, ones, shape.input,
                                              shape.filter, output, shape.submanifold ? 1 : 0, 0, 0),
          nullptr);
  {
    const Tensor indices({shape.sites, 4});
    const std::vector<detops_bench::Voxel> sites = detops_cases::MakeSites(shape, order, random);
    std::memcpy(indices.data, sites.data(), sites.size() * sizeof(sites[0]));
    int64_t outputs = 0;
    Require(detopsCountIndicePairOutputs(handle, conv, indices.desc, indices.data, &outputs), handle);
    const Tensor pairs({shape.offsets(), 2, shape.sites});
    const Tensor out({outputs, 4});
    const Tensor num({shape.offsets()});
    size_t bytes = 0;
    Require(mluOpGetIndicePairsWorkspaceSize(handle, conv, indices.desc, pairs.desc, out.desc, num.desc, &bytes),
            handle);
    void* workspace = nullptr;
    cnrtMalloc(&workspace, bytes);
    std::memset(workspace, 0, bytes);
    const auto call = [&] {
      Require(mluOpGetIndicePairs(handle, conv, indices.desc, indices.data, workspace, bytes, pairs.desc, pairs.data,
                                  out.desc, out.data, num.desc, num.data),
              handle);
    };
    detops_bench::Report(state, threads, detops_cases::WorkOf(shape, outputs), call);
    int64_t pair_count = 0;
    for (int64_t k = 0; k < shape.offsets(); ++k) pair_count += static_cast<const int32_t*>(num.data)[k];
    state.counters["outputs"] = static_cast<double>(outputs);
    state.counters["pairs/site"] = static_cast<double>(pair_count) / static_cast<double>(shape.sites);
    cnrtFree(workspace);
  }
  mluOpDestroySparseConvolutionDescriptor(conv);
  mluOpDestroy(handle);
}

void Register(const GetIndicePairsCase& shape, SiteOrder order, bool random, int threads, bool value_checks) {
  const char* const order_names[] = {"sorted", "scan", "shuffled"};
  const std::string name = std::string("get_indice_pairs/") + shape.name + "/" + (random ? "random/" : "") +
                           order_names[static_cast<int>(order)] + "/threads:" + std::to_string(threads) +
                           (value_checks ? "" : "/unchecked");
  detops_bench::Register(name,
                         [=](benchmark::State& state) { Run(state, shape, order, random, threads, value_checks); });
}

const bool registered = [] {
  for (const GetIndicePairsCase& shape : detops_cases::kGetIndicePairsCases) {
    for (const SiteOrder order : {SiteOrder::kSorted, SiteOrder::kScan, SiteOrder::kShuffled}) {
      Register(shape, order, false, 2, true);
    }
    Register(shape, SiteOrder::kSorted, false, 1, true);
    Register(shape, SiteOrder::kSorted, false, 2, false);
    Register(shape, SiteOrder::kShuffled, true, 2, true);
  }
  // Growth: the same scene at finer and finer resolution has more voxels.
  for (const int64_t sites : {int64_t{100'000}, int64_t{1'000'000}, int64_t{10'000'000}}) {
    GetIndicePairsCase shape = {"", sites, 4, {41, 1440, 1440}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, true};
    shape.name = sites == 100'000 ? "subm_100k" : sites == 1'000'000 ? "subm_1M" : "subm_10M";
    shape.batch = static_cast<int>(sites / 50'000);  // more scenes, the same density
    Register(shape, SiteOrder::kSorted, false, 2, true);
    shape.name = sites == 100'000 ? "down_100k" : sites == 1'000'000 ? "down_1M" : "down_10M";
    shape.submanifold = false;
    for (int& stride : shape.stride) stride = 2;
    Register(shape, SiteOrder::kSorted, false, 2, true);
  }
  return true;
}();

}  // namespace
