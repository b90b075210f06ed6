#include "bench/machine.h"

#include <strings.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/machine.cc"
#include "hwy/aligned_allocator.h"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detops_bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// a = b + 3 c on aligned arrays of a whole number of vectors.
void Triad(float* HWY_RESTRICT a, const float* HWY_RESTRICT b, const float* HWY_RESTRICT c, size_t count) {
  const hn::ScalableTag<float> d;
  const auto three = hn::Set(d, 3.0f);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Stream(hn::MulAdd(three, hn::Load(d, c + i), hn::Load(d, b + i)), d, a + i);
  }
  hwy::FlushStream();
}

// `rounds` times ten independent multiply-adds, enough to hide a latency of 5 at 2 a cycle. Returns their number and
// leaves the sum in *sink so that nothing is optimised away.
template <typename T>
double MultiplyAdds(int64_t rounds, T* sink) {
  const hn::ScalableTag<T> d;
  const auto x = hn::Set(d, static_cast<T>(0.999));
  const auto y = hn::Set(d, static_cast<T>(0.001));
  // Different from the start: compilers compute equal chains once.
  auto s0 = x, s1 = hn::Add(s0, x), s2 = hn::Add(s1, x), s3 = hn::Add(s2, x), s4 = hn::Add(s3, x);
  auto s5 = hn::Add(s4, x), s6 = hn::Add(s5, x), s7 = hn::Add(s6, x), s8 = hn::Add(s7, x), s9 = hn::Add(s8, x);
  for (int64_t i = 0; i < rounds; ++i) {
    s0 = hn::MulAdd(s0, x, y);
    s1 = hn::MulAdd(s1, x, y);
    s2 = hn::MulAdd(s2, x, y);
    s3 = hn::MulAdd(s3, x, y);
    s4 = hn::MulAdd(s4, x, y);
    s5 = hn::MulAdd(s5, x, y);
    s6 = hn::MulAdd(s6, x, y);
    s7 = hn::MulAdd(s7, x, y);
    s8 = hn::MulAdd(s8, x, y);
    s9 = hn::MulAdd(s9, x, y);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)),
                           hn::Add(hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)), hn::Add(s8, s9)));
  *sink = hn::GetLane(sum);
  return static_cast<double>(rounds) * 10.0 * static_cast<double>(hn::Lanes(d));
}

double FloatMultiplyAdds(int64_t rounds, float* sink) { return MultiplyAdds<float>(rounds, sink); }
double DoubleMultiplyAdds(int64_t rounds, double* sink) { return MultiplyAdds<double>(rounds, sink); }

}  // namespace HWY_NAMESPACE
}  // namespace detops_bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops_bench {

HWY_EXPORT(Triad);
HWY_EXPORT(FloatMultiplyAdds);
HWY_EXPORT(DoubleMultiplyAdds);

namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

// Best time of `repeats` passes in which all threads do piece(thread) at the same moment.
double BestPass(int threads, int repeats, const std::function<void(int)>& piece) {
  double best = 1e30;
  Clock::time_point start;
  std::barrier barrier(threads);
  const auto body = [&](int thread) {
    for (int pass = 0; pass < repeats; ++pass) {
      barrier.arrive_and_wait();
      if (thread == 0) start = Clock::now();
      piece(thread);
      barrier.arrive_and_wait();
      if (thread == 0) best = std::min(best, Seconds(Clock::now() - start));
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(body, thread);
  body(0);
  for (std::thread& other : others) other.join();
  return best;
}

// Three arrays of 32 MiB: kept, because the first touch of memory costs more than the measurement.
struct TriadArrays {
  static constexpr size_t kCount = size_t{8} << 20;
  hwy::AlignedFreeUniquePtr<float[]> a = Filled(), b = Filled(), c = Filled();

  static hwy::AlignedFreeUniquePtr<float[]> Filled() {
    auto array = hwy::AllocateAligned<float>(kCount);
    std::fill_n(array.get(), kCount, 1.0f);
    return array;
  }
};

double MeasureBandwidth(int threads) {
  static const TriadArrays arrays;
  const size_t piece = TriadArrays::kCount / static_cast<size_t>(threads) / 64 * 64;
  const double best = BestPass(threads, 4, [&](int thread) {
    const size_t begin = piece * static_cast<size_t>(thread);
    HWY_DYNAMIC_DISPATCH(Triad)(arrays.a.get() + begin, arrays.b.get() + begin, arrays.c.get() + begin, piece);
  });
  return 3.0 * sizeof(float) * static_cast<double>(piece) * threads / best;
}

// Best time of `rounds` on all threads.
template <typename T, class Function>
double TimeRounds(int threads, int repeats, int64_t rounds, const Function& multiply_adds) {
  std::vector<T> sinks(static_cast<size_t>(threads) * 64);
  return BestPass(threads, repeats,
                  [&](int thread) { multiply_adds(rounds, &sinks[static_cast<size_t>(thread) * 64]); });
}

template <typename T, class Function>
double FlopsOfRound(const Function& multiply_adds) {
  T sink;
  return 2.0 * multiply_adds(1, &sink);
}

template <typename T, class Function>
double MeasureFlops(int threads, const Function& multiply_adds) {
  constexpr int64_t kRounds = 100'000;  // some 0.2 ms
  // Many short passes: on a shared machine few are left alone, and too low a peak flatters whatever is measured.
  constexpr int kPasses = 20;
  const double best = TimeRounds<T>(threads, kPasses, kRounds, multiply_adds);
  return FlopsOfRound<T>(multiply_adds) * kRounds * threads / best;
}

// Seconds that so much arithmetic takes in registers.
template <typename T, class Function>
double TimeFlops(int threads, double flops, const Function& multiply_adds) {
  const auto rounds = static_cast<int64_t>(flops / threads / FlopsOfRound<T>(multiply_adds));
  return TimeRounds<T>(threads, 1, rounds, multiply_adds);
}

double TimeMultiplyAdds(int threads, const Work& work) {
  return work.in_double ? TimeFlops<double>(threads, work.flops, HWY_DYNAMIC_DISPATCH(DoubleMultiplyAdds))
                        : TimeFlops<float>(threads, work.flops, HWY_DYNAMIC_DISPATCH(FloatMultiplyAdds));
}

}  // namespace

void KeepBest(MachineLimits& limits, const MachineLimits& other) {
  limits.bytes_per_second = std::max(limits.bytes_per_second, other.bytes_per_second);
  limits.float_flops_per_second = std::max(limits.float_flops_per_second, other.float_flops_per_second);
  limits.double_flops_per_second = std::max(limits.double_flops_per_second, other.double_flops_per_second);
}

double BoundOf(const Work& work, const MachineLimits& limits) {
  const double flops = work.in_double ? limits.double_flops_per_second : limits.float_flops_per_second;
  return std::max(work.bytes / limits.bytes_per_second, work.flops / flops);
}

void MeasureOn(const char* target) {
  for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    // Better targets have lower bits; what a function was not compiled for it takes from the next one.
    if (strcasecmp(hwy::TargetName(rest & -rest), target) == 0) return hwy::SetSupportedTargetsForTest(rest);
  }
}

MachineLimits MeasureMachine(int threads) {
  MachineLimits limits;
  limits.bytes_per_second = MeasureBandwidth(threads);
  limits.float_flops_per_second = MeasureFlops<float>(threads, HWY_DYNAMIC_DISPATCH(FloatMultiplyAdds));
  limits.double_flops_per_second = MeasureFlops<double>(threads, HWY_DYNAMIC_DISPATCH(DoubleMultiplyAdds));
  return limits;
}

Timing TimeCall(int threads, const Work& work, const std::function<void()>& call, bool beside_multiply_adds,
                double budget) {
  constexpr int kRounds = 5;
  constexpr int kLeastCalls = 4;  // of a round: one of few long calls is hardly ever left alone on a shared machine
  Timing timing;
  timing.seconds = 1e30;
  timing.multiply_adds = beside_multiply_adds ? 1e30 : 0;
  call();  // scratch memory, threads and caches as a running program has them
  for (int round = 0; round < kRounds; ++round) {
    KeepBest(timing.limits, MeasureMachine(threads));
    const Clock::time_point round_start = Clock::now();
    call();  // the measurement has emptied the caches
    for (int calls = 0; calls < kLeastCalls || Seconds(Clock::now() - round_start) < budget / kRounds; ++calls) {
      const Clock::time_point start = Clock::now();
      call();
      timing.seconds = std::min(timing.seconds, Seconds(Clock::now() - start));
      if (beside_multiply_adds) {
        timing.multiply_adds = std::min(timing.multiply_adds, TimeMultiplyAdds(threads, work));
      }
    }
  }
  timing.bound = BoundOf(work, timing.limits);
  return timing;
}

}  // namespace detops_bench
#endif  // HWY_ONCE
