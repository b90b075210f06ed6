// rotated_feature_align after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_ROTATED_FEATURE_ALIGN_PROBLEM_H_
#define DETOPS_OPS_ROTATED_FEATURE_ALIGN_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "mlu_op/types.h"
#include "ops/rotated_feature_align/kernel.h"

namespace detops::rotated_feature_align {

struct RotatedFeatureAlignProblem {
  mluOpDataType_t type;
  int64_t batch, height, width, channels;
  float spatial_scale;
  int points;
  const void* source;  // [N, H, W, C]: features forward, gradient of the output backward
  const void* boxes;   // [N, H, W, 5]
  void* target;        // [N, H, W, C]: the output, or the gradient of the features
  RowSumsKernel sum_rows;

  int64_t image_pixels() const { return height * width; }
  int64_t pixels() const { return batch * image_pixels(); }
};

// Both passes are target[p] = source[p] + sum of weight * source[row] over the taps of p; forward, the taps of a pixel
// are its own samples' neighbours; backward, they are the samples of all boxes that touch the pixel.
RunResult RotatedFeatureAlignForward(const RotatedFeatureAlignProblem& problem, const Parallel& parallel);
RunResult RotatedFeatureAlignBackward(const RotatedFeatureAlignProblem& problem, const Parallel& parallel,
                                      Scratch& scratch);

// Limits of our own: forward numbers the pixels of one image in 32 bits, backward the taps. H x W has been checked to
// fit int64.
bool RotatedFeatureAlignForwardFits(int64_t height, int64_t width);
bool RotatedFeatureAlignBackwardFits(int64_t height, int64_t width, int points);

}  // namespace detops::rotated_feature_align

#endif  // DETOPS_OPS_ROTATED_FEATURE_ALIGN_PROBLEM_H_
