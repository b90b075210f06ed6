// All benchmarks in one program; options are Google Benchmark's (--benchmark_filter=..., --benchmark_format=json).
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "bench/machine.h"
#include "detops.h"

int main(int argc, char** argv) {
  benchmark::AddCustomContext("detops", detopsGetVersion());
  benchmark::AddCustomContext("target", detopsGetTarget());
  // After the library has looked at what the machine has.
  if (std::getenv("DETOPS_TARGET") != nullptr) detops_bench::MeasureOn(detopsGetTarget());
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
