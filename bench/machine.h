// The machine's own limits, measured with a call, and the call's time against them.
//
// bound = max(compulsory bytes / memory bandwidth, flops / FMA peak). Both limits change by tens of percent from second
// to second on shared machines, so they are measured in turn with the call and the best of each is kept.
#ifndef DETOPS_BENCH_MACHINE_H_
#define DETOPS_BENCH_MACHINE_H_

#include <functional>

#include "harness/function.h"

namespace detops_bench {

struct MachineLimits {
  double bytes_per_second = 0;        // triad with stream stores on arrays beyond the caches
  double float_flops_per_second = 0;  // fused multiply-adds in registers, 2 flops each
  double double_flops_per_second = 0;
};

// Measures from now on with this instruction set ("avx2") instead of the machine's best one: what kernels are held
// against that are forced to it. An unknown name changes nothing.
void MeasureOn(const char* target);

// Measures with `threads` threads for some 20 ms.
MachineLimits MeasureMachine(int threads);

using detops_harness::Work;

// The least time of the work in seconds.
double BoundOf(const Work& work, const MachineLimits& limits);

// Raises what `other` has seen better.
void KeepBest(MachineLimits& limits, const MachineLimits& other);

struct Timing {
  double seconds = 0;  // best
  double bound = 0;    // seconds
  MachineLimits limits;
  // Best time of as many multiply-adds as the call's in registers alone, done as often as the call. On a shared machine
  // the peak is a matter of a fifth of a millisecond, which no long call can have from beginning to end: this can.
  double multiply_adds = 0;
  double ratio() const { return seconds / bound; }
};

// Times `call` in rounds, each after a measurement of the machine, for about `budget` seconds and at least 20 times;
// with `beside_multiply_adds` they are in turn with the calls.
Timing TimeCall(int threads, const Work& work, const std::function<void()>& call, bool beside_multiply_adds = false,
                double budget = 0.5);

}  // namespace detops_bench

#endif  // DETOPS_BENCH_MACHINE_H_
