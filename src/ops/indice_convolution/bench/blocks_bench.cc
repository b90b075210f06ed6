// The products alone, one thread: rows of one offset that stay in the caches, and, where BLIS is installed, its sgemm
// on the same rows in blocks as large as the engine meets: detops_bench --benchmark_filter=indice_convolution/rows
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/report.h"
#include "detops.h"
#include "harness/catalogue.h"
#include "harness/placed_call.h"

#if DETOPS_BENCH_BLIS
#include <cblas.h>
#endif

namespace {

using detops_bench::Require;
using detops_harness::MemoryKind;
using detops_harness::PlacedCall;

constexpr int64_t kRows = 4608;

struct Channels {
  int64_t inputs;
  int64_t outputs;

  detops_bench::Work work() const {
    return {0, 2.0 * static_cast<double>(kRows * inputs * outputs), false};  // from the caches: no compulsory bytes
  }
  std::string name() const {
    return "indice_convolution/rows_" + std::to_string(inputs) + "_" + std::to_string(outputs);
  }
};

// With all that a call does: checks, the look over the pairs, packing of filters.
void RunOneOffset(benchmark::State& state, const Channels& channels) {
  const auto* const function = detops_harness::WholeCatalogue().Find("mluOpIndiceConvolutionForward");
  const std::string rows = std::to_string(kRows);
  // Every row with itself.
  PlacedCall placed(
      function->MakeSample("filter=1x1x1,pairs=submanifold,sites=" + rows + ",outputs=" + rows +
                               ",ci=" + std::to_string(channels.inputs) + ",co=" + std::to_string(channels.outputs),
                           MLUOP_DTYPE_FLOAT, DETOPS_PROFILE_FULL, 1),
      {MemoryKind::kAligned});
  const mluOpHandle_t handle = detops_bench::MakeHandle(1, true);
  detops_bench::Report(state, 1, channels.work(), [&] { Require(placed.RunAlone(handle), handle); });
  mluOpDestroy(handle);
}

#if DETOPS_BENCH_BLIS
// Rows that are side by side already: what a gather would cost is not counted.
void RunSgemm(benchmark::State& state, const Channels& channels, int64_t block) {
  const std::vector<float> features(static_cast<size_t>(kRows * channels.inputs), 0.5f);
  const std::vector<float> filters(static_cast<size_t>(channels.inputs * channels.outputs), 0.5f);
  std::vector<float> out(static_cast<size_t>(kRows * channels.outputs));
  const auto inputs = static_cast<int>(channels.inputs), outputs = static_cast<int>(channels.outputs);
  detops_bench::Report(state, 1, channels.work(), [&] {
    for (int64_t row = 0; row < kRows; row += block) {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(std::min(block, kRows - row)), outputs,
                  inputs, 1.0f, features.data() + row * inputs, inputs, filters.data(), outputs, 1.0f,
                  out.data() + row * outputs, outputs);
    }
  });
}
#endif

const bool registered = [] {
  for (const Channels& channels : {Channels{128, 128}, Channels{64, 128}, Channels{128, 64}, Channels{16, 16}}) {
    detops_bench::Register(channels.name(), [=](benchmark::State& state) { RunOneOffset(state, channels); });
#if DETOPS_BENCH_BLIS
    for (const int64_t block : {36, 72, 176, 512}) {
      detops_bench::Register(channels.name() + "/sgemm/block:" + std::to_string(block),
                             [=](benchmark::State& state) { RunSgemm(state, channels, block); });
    }
#endif
  }
  return true;
}();

}  // namespace
