// How a benchmark reports a call: best time, the machine's bound for it, and their ratio.
#ifndef DETOPS_BENCH_REPORT_H_
#define DETOPS_BENCH_REPORT_H_

#include <benchmark/benchmark.h>

#include <functional>

#include "bench/machine.h"

namespace detops_bench {

// One "iteration" of Google Benchmark is a whole series of calls beside measurements of the machine, so its time
// column shows the best call. Register with UseManualTime() and Iterations(1).
inline void Report(benchmark::State& state, int threads, const Work& work, const std::function<void()>& call) {
  for (auto _ : state) {
    const Timing timing = TimeCall(threads, work, call);
    state.SetIterationTime(timing.seconds);
    state.counters["bound_us"] = timing.bound * 1e6;
    state.counters["ratio"] = timing.ratio();
    state.counters["GB/s"] = timing.limits.bytes_per_second * 1e-9;
    state.counters["GFLOP/s"] = timing.limits.float_flops_per_second * 1e-9;
  }
}

}  // namespace detops_bench

#endif  // DETOPS_BENCH_REPORT_H_
