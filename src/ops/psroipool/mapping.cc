#include "ops/psroipool/mapping.h"

#include <algorithm>
#include <cstring>

#include "core/half.h"
#include "ops/psroipool/planes/planes.h"

namespace detops::psroipool {
namespace {

constexpr int64_t kAfterPattern = 16;  // a vector that starts in the pattern may end after it

// Of one row that is not as usual; `channels` if all are fine.
int64_t FirstBad(const int32_t* row, int64_t channels) {
  for (int64_t i = 0; i < channels; ++i) {
    const auto channel = LoadElement<int32_t>(row, i);
    if (channel < 0 || channel >= channels) return i;
  }
  return channels;
}

}  // namespace

int64_t PatternSize(const PsRoiPoolProblem& problem) { return problem.channels() + kAfterPattern; }

void MakePattern(const PsRoiPoolProblem& problem, int32_t* pattern) {
  const int64_t channels = problem.channels();
  for (int64_t i = 0; i < channels; ++i) {
    // NHWC: i = bin * D + d, and the channel is d * bins + bin, which is i itself for NCHW.
    const int64_t channel =
        problem.channels_first ? i : i % problem.output_dim * problem.bins() + i / problem.output_dim;
    pattern[i] = static_cast<int32_t>(channel);
  }
  for (int64_t i = 0; i < kAfterPattern; ++i) pattern[channels + i] = pattern[i % channels];
}

bool WriteMappingChannel(const PsRoiPoolProblem& problem, const Parallel& parallel, int32_t* pattern) {
  constexpr int64_t kLargeOutput = int64_t{2} << 20;  // numbers
  MakePattern(problem, pattern);
  const int64_t count = problem.roi_count * problem.channels();
  const bool aligned = reinterpret_cast<uintptr_t>(problem.mapping_channel) % sizeof(int32_t) == 0;
  return parallel.RunItems(count, kMinPlaneTask, [&](Range range) {
    problem.kernels.fill_pattern({.pattern = pattern,
                                  .period = problem.channels(),
                                  .first = range.begin,
                                  .target = problem.mapping_channel + range.begin,
                                  .count = range.end - range.begin,
                                  .stream = aligned && count >= kLargeOutput});
  });
}

bool InspectMapping(const PsRoiPoolProblem& problem, const Parallel& parallel, const int32_t* mapping,
                    bool look_for_bad, int32_t* pattern, MappingFindings* findings) {
  constexpr int kMaxTasks = 64;
  MakePattern(problem, pattern);
  const int64_t channels = problem.channels();
  const int tasks = std::min(kMaxTasks, parallel.TaskCount(problem.roi_count * channels, kMinPlaneTask));
  MappingFindings found[kMaxTasks];
  const bool done = parallel.Run(tasks, [&](int task) {
    const Range range = PieceOf(problem.roi_count, tasks, task);
    MappingFindings here;
    for (int64_t roi = range.begin; roi < range.end && here.bad_index < 0; ++roi) {
      const int32_t* row = mapping + roi * channels;
      if (std::memcmp(row, pattern, static_cast<size_t>(channels) * sizeof(int32_t)) == 0) continue;
      here.usual = false;
      if (!look_for_bad) break;
      const int64_t bad = FirstBad(row, channels);
      if (bad < channels) here.bad_index = roi * channels + bad;
    }
    found[task] = here;
  });
  *findings = {};
  for (int task = 0; task < tasks; ++task) {
    findings->usual &= found[task].usual;
    if (findings->bad_index < 0) findings->bad_index = found[task].bad_index;
  }
  return done;
}

}  // namespace detops::psroipool
