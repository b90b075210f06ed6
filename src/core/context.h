// What a handle holds.
#ifndef DETOPS_CORE_CONTEXT_H_
#define DETOPS_CORE_CONTEXT_H_

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "detops/handle.h"

namespace detops {

// Where the lines about a handle's calls go.
struct LogTarget {
  detopsLogLevel_t level = DETOPS_LOG_OFF;
  detopsLogSink_t sink = nullptr;
  void* opaque = nullptr;
};

}  // namespace detops

struct mluOpContext {
  cnrtQueue_t queue = nullptr;
  mluOpQuantizeRoundMode_t round_mode = MLUOP_ROUND_HALF_TO_EVEN;
  mluOpAtomicsMode_t atomics_mode = MLUOP_ATOMICS_NOT_ALLOWED;
  detopsProfile_t profile = DETOPS_PROFILE_CONTRACT;
  bool value_checks = true;
  double exact_threshold = 0;
  detops::LogTarget log;
  detops::Parallel parallel;
  detops::Scratch scratch;
  char error_text[detops::kErrorTextSize] = {};

  // What a float threshold stands for (detopsSetExactThreshold).
  double ThresholdOf(float rounded) const {
    return static_cast<float>(exact_threshold) == rounded ? exact_threshold : static_cast<double>(rounded);
  }
};

#endif  // DETOPS_CORE_CONTEXT_H_
