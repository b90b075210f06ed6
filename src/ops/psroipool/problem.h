// psroipool after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_PSROIPOOL_PROBLEM_H_
#define DETOPS_OPS_PSROIPOOL_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "ops/psroipool/geometry/geometry.h"
#include "ops/psroipool/kernel/kernel.h"

namespace detops::psroipool {

struct PsRoiPoolProblem {
  mluOpDataType_t type;
  BinRules rules;
  bool channels_first;  // NCHW instead of NHWC, for the map and the pooled tensor
  double spatial_scale;
  int64_t images, height, width;
  int64_t roi_count, pooled_height, pooled_width, output_dim;
  const void* rois;          // [R, 5]
  const void* source;        // forward: the map, backward: the gradient of the pooled tensor
  void* target;              // forward: the pooled tensor, backward: the gradient of the map
  int32_t* mapping_channel;  // forward only; may be nullptr
  PsRoiPoolKernels kernels;

  int64_t bins() const { return pooled_height * pooled_width; }
  int64_t channels() const { return bins() * output_dim; }
};

RunResult PsRoiPoolForward(const PsRoiPoolProblem& problem, const Parallel& parallel, Scratch& scratch);

// With the channels that forward uses.
RunResult PsRoiPoolBackward(const PsRoiPoolProblem& problem, const Parallel& parallel, Scratch& scratch);

// With any channels: mapping_channel has the layout of the gradient. Slower.
RunResult PsRoiPoolBackwardMapped(const PsRoiPoolProblem& problem, const int32_t* mapping_channel,
                                  const Parallel& parallel, Scratch& scratch);

// The result of forward for a map without pixels: zeros, and mapping_channel. Either may be nullptr.
RunResult PsRoiPoolEmpty(const PsRoiPoolProblem& problem, const Parallel& parallel, Scratch& scratch);

}  // namespace detops::psroipool

#endif  // DETOPS_OPS_PSROIPOOL_PROBLEM_H_
