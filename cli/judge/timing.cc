#include "judge/timing.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include "bench/machine.h"
#include "library/machine_info.h"

namespace detops_cli {
namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

double TimeOnce(Session& session) {
  const Clock::time_point start = Clock::now();
  const mluOpStatus_t status = session.Call();
  const double seconds = Seconds(Clock::now() - start);
  if (status != MLUOP_STATUS_SUCCESS) throw DeviceError("a timed call fails: " + session.Explain(status));
  return seconds;
}

double Quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

// Times of calls and the machine's limits: in turns, as both change from second to second on a shared machine.
std::vector<double> Samples(Session& session, const RunOptions& options, int threads,
                            detops_bench::MachineLimits* limits) {
  constexpr int kRounds = 3;
  constexpr size_t kMostSamples = 100'000;
  constexpr double kLongCall = 0.02;  // seconds
  std::vector<double> samples;
  const int wanted = options.perf_repeat;
  for (int round = 0; round < kRounds; ++round) {
    detops_bench::KeepBest(*limits, MeasureLimits(threads));
    const Clock::time_point start = Clock::now();
    const auto goal = static_cast<size_t>(wanted) * static_cast<size_t>(round + 1) / kRounds;
    // The measurement has emptied the caches, which a long call does not notice.
    const double first = TimeOnce(session);
    if (wanted <= 0 && first > kLongCall) samples.push_back(first);
    while (wanted > 0 || samples.size() < kMostSamples) {
      const bool enough = wanted > 0 ? samples.size() >= goal
                                     : samples.size() > static_cast<size_t>(round) &&
                                           Seconds(Clock::now() - start) >= options.timing_seconds / kRounds;
      if (enough) break;
      samples.push_back(TimeOnce(session));
    }
  }
  std::sort(samples.begin(), samples.end());
  return samples;
}

// 1, 2, 4 ... and all cores.
std::vector<int> ThreadCounts() {
  const int cores = Cores();
  std::vector<int> counts;
  for (int count = 1; count < cores; count *= 2) counts.push_back(count);
  counts.push_back(cores);
  return counts;
}

std::vector<ScalingPoint> MeasureScaling(Session& session, double seconds) {
  std::vector<ScalingPoint> points;
  const int threads_before = session.Threads();
  for (const int threads : ThreadCounts()) {
    if (!session.SetThreads(threads)) return {};
    double best = TimeOnce(session);
    for (const Clock::time_point start = Clock::now(); Seconds(Clock::now() - start) < seconds;) {
      best = std::min(best, TimeOnce(session));
    }
    points.push_back({threads, best * 1e6});
  }
  session.SetThreads(threads_before);
  return points;
}

}  // namespace

double Percentile(std::span<const double> sorted, size_t per_mille) {
  return sorted.size() * (1000 - per_mille) < 1000 ? 0 : sorted[(sorted.size() * per_mille + 999) / 1000 - 1];
}

TimingResult TimeCase(Session& session, const detops_harness::Theory& theory, const detops_harness::Work& least,
                      const RunOptions& options) {
  const detops_bench::Work work = {least.bytes, least.flops, least.in_double};
  TimingResult result;
  result.threads = session.Threads();
  detops_bench::MachineLimits limits;
  const std::vector<double> samples = Samples(session, options, result.threads, &limits);
  const double best = samples.front(), median = Quantile(samples, 0.5);
  result.calls = static_cast<int64_t>(samples.size());
  result.best_us = best * 1e6;
  result.median_us = median * 1e6;
  result.p99_us = Percentile(samples, 990) * 1e6;
  result.p999_us = Percentile(samples, 999) * 1e6;
  result.mean_us = 1e6 * std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  result.spread = (Quantile(samples, 0.75) - Quantile(samples, 0.25)) / median;

  const double peak = work.in_double ? limits.double_flops_per_second : limits.float_flops_per_second;
  const double bound = detops_bench::BoundOf(work, limits);
  result.bound_us = bound * 1e6;
  result.ratio = bound > 0 ? best / bound : 0;
  result.theory_ops = theory.operations;
  result.theory_io_bytes = theory.io_bytes;
  // The standard's formulas take the mean.
  const double mean = result.mean_us * 1e-6;
  result.compute_efficiency = theory.operations / (mean * peak);
  result.io_efficiency = theory.io_bytes / (mean * limits.bytes_per_second);
  result.bottleneck = result.io_efficiency > result.compute_efficiency ? "io" : "compute";
  result.gflops = work.flops / best * 1e-9;
  result.gbytes = work.bytes / best * 1e-9;
  result.intensity = work.bytes > 0 ? work.flops / work.bytes : 0;
  result.peak_gflops = peak * 1e-9;
  result.bandwidth_gbytes = limits.bytes_per_second * 1e-9;
  result.workspace_bytes = static_cast<int64_t>(session.workspace_bytes());
  if (options.perf_repeat <= 0) result.scaling = MeasureScaling(session, options.timing_seconds / 4);
  return result;
}

}  // namespace detops_cli
