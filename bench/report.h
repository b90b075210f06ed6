// How a benchmark reports a call: best time, the machine's bound for it, and their ratio.
#ifndef DETOPS_BENCH_REPORT_H_
#define DETOPS_BENCH_REPORT_H_

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

#include "bench/machine.h"
#include "detops.h"

namespace detops_bench {

// Ends the program with the library's own sentence unless the call has succeeded.
void Require(mluOpStatus_t status, mluOpHandle_t handle);

// A handle in the full profile.
mluOpHandle_t MakeHandle(int threads, bool value_checks);

// Adds a benchmark to the program; `run` ends in Report.
void Register(const std::string& name, std::function<void(benchmark::State&)> run);

// One "iteration" of Google Benchmark is a whole series of calls between measurements of the machine, so its time
// column shows the best call. With `beside_multiply_adds` "x fma" is its time in units of the same arithmetic done in
// registers, see Timing.
void Report(benchmark::State& state, int threads, const Work& work, const std::function<void()>& call,
            bool beside_multiply_adds = false);

}  // namespace detops_bench

#endif  // DETOPS_BENCH_REPORT_H_
