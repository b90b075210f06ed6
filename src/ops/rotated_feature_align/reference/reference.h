// rotated_feature_align as the specification words it, for tests: plain loops, nothing shared with the library.
//
// Where a sample lies is decided in float (in double for double tensors), in the specification's order of operations:
// a double here would put a point that sits on a border on its other side. Weights and sums are double. The results
// are not rounded to the tensors' type.
#ifndef DETOPS_OPS_ROTATED_FEATURE_ALIGN_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_ROTATED_FEATURE_ALIGN_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

// input: [batch, height, width, channels], bboxes: [batch, height, width, 5], both of `type`. Gives the output.
std::vector<double> RotatedFeatureAlignForward(mluOpDataType_t type, int64_t batch, int64_t height, int64_t width,
                                               int64_t channels, const void* input, const void* bboxes,
                                               float spatial_scale, int points);

// top_output: the gradient of the output. Gives the gradient of the input.
std::vector<double> RotatedFeatureAlignBackward(mluOpDataType_t type, int64_t batch, int64_t height, int64_t width,
                                                int64_t channels, const void* top_output, const void* bboxes,
                                                float spatial_scale, int points);

}  // namespace detops_reference

#endif  // DETOPS_OPS_ROTATED_FEATURE_ALIGN_REFERENCE_REFERENCE_H_
