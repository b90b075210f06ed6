#include "bench/report.h"

#include <utility>

namespace detops_bench {

void Register(const std::string& name, std::function<void(benchmark::State&)> run) {
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): Google Benchmark owns what it makes here.
  benchmark::RegisterBenchmark(name.c_str(), std::move(run))
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

void Report(benchmark::State& state, int threads, const Work& work, const std::function<void()>& call) {
  for ([[maybe_unused]] auto _ : state) {
    const Timing timing = TimeCall(threads, work, call);
    state.SetIterationTime(timing.seconds);
    state.counters["bound_us"] = timing.bound * 1e6;
    state.counters["ratio"] = timing.ratio();
    state.counters["GB/s"] = timing.limits.bytes_per_second * 1e-9;
    state.counters["GFLOP/s"] = timing.limits.float_flops_per_second * 1e-9;
  }
}

}  // namespace detops_bench
