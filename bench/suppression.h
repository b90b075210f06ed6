// Functions that suppress boxes: how many pairs a call looks at, which decides its bound.
#ifndef DETOPS_BENCH_SUPPRESSION_H_
#define DETOPS_BENCH_SUPPRESSION_H_

#include <cstdio>
#include <string>

#include "bench/report.h"
#include "harness/catalogue.h"
#include "harness/placed_call.h"

namespace detops_bench {

// What the library's line of the log says of a call.
struct SuppressedPairs {
  long long boxes = 0, kept = 0, tested = 0, computed = 0;
};

inline SuppressedPairs PairsOf(detops_harness::PlacedCall& placed, mluOpHandle_t handle) {
  SuppressedPairs pairs;
  const auto sink = [](void* opaque, detopsLogLevel_t, const char* line) {
    auto& found = *static_cast<SuppressedPairs*>(opaque);
    const std::string text = line;
    std::sscanf(text.c_str() + text.find(": ") + 2, "%lld boxes, %lld stay; %lld pairs tested, %lld computed",
                &found.boxes, &found.kept, &found.tested, &found.computed);
  };
  Require(detopsSetLog(handle, DETOPS_LOG_DISPATCH, sink, &pairs), handle);
  Require(placed.RunAlone(handle), handle);
  Require(detopsSetLog(handle, DETOPS_LOG_OFF, nullptr, nullptr), handle);
  return pairs;
}

// The sample of a function with the bound that its pairs give: 12 flops for each upright pair that was compared, or 110
// for each rotated one whose IoU was computed, and 20 bytes for each box.
inline void ReportSuppression(benchmark::State& state, const std::string& function, const std::string& shape,
                              int threads, bool rotated) {
  const detops_harness::Function& found = *detops_harness::WholeCatalogue().Find(function);
  detops_harness::PlacedCall placed(found.MakeSample(shape, MLUOP_DTYPE_FLOAT, DETOPS_PROFILE_FULL, 1),
                                    {detops_harness::MemoryKind::kAligned});
  const mluOpHandle_t handle = MakeHandle(threads, true);
  const SuppressedPairs pairs = PairsOf(placed, handle);
  const auto tested = static_cast<double>(pairs.tested), computed = static_cast<double>(pairs.computed);
  const Work work = {.bytes = 20.0 * static_cast<double>(pairs.boxes), .flops = rotated ? 110 * computed : 12 * tested};
  Report(state, threads, work, [&] { Require(placed.RunAlone(handle), handle); });
  state.counters["kept"] = static_cast<double>(pairs.kept);
  state.counters["tested"] = tested;
  state.counters["computed"] = computed;
  mluOpDestroy(handle);
}

}  // namespace detops_bench

#endif  // DETOPS_BENCH_SUPPRESSION_H_
