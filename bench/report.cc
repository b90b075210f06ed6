#include "bench/report.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace detops_bench {

void Require(mluOpStatus_t status, mluOpHandle_t handle) {
  if (status == MLUOP_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s\n", detopsGetLastError(handle));
  std::exit(1);
}

mluOpHandle_t MakeHandle(int threads, bool value_checks) {
  mluOpHandle_t handle = nullptr;
  Require(mluOpCreate(&handle), nullptr);
  Require(detopsSetNumThreads(handle, threads), handle);
  Require(detopsSetProfile(handle, DETOPS_PROFILE_FULL), handle);
  Require(detopsSetValueChecks(handle, value_checks ? 1 : 0), handle);
  return handle;
}

void Register(const std::string& name, std::function<void(benchmark::State&)> run) {
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): Google Benchmark owns what it makes here.
  benchmark::RegisterBenchmark(name.c_str(), std::move(run))
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

void Report(benchmark::State& state, int threads, const Work& work, const std::function<void()>& call,
            bool beside_multiply_adds) {
  for ([[maybe_unused]] auto _ : state) {
    const Timing timing = TimeCall(threads, work, call, beside_multiply_adds);
    state.SetIterationTime(timing.seconds);
    state.counters["bound_us"] = timing.bound * 1e6;
    state.counters["ratio"] = timing.ratio();
    if (beside_multiply_adds) state.counters["x fma"] = timing.seconds / timing.multiply_adds;
    state.counters["GB/s"] = timing.limits.bytes_per_second * 1e-9;
    state.counters["GFLOP/s"] = timing.limits.float_flops_per_second * 1e-9;
  }
}

}  // namespace detops_bench
