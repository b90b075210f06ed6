// psroipool as the specification words it, for tests: plain loops, nothing shared with the library.
//
// Which pixels a bin holds is decided in float (in double for double tensors), in the specification's order of
// operations: a double here would put a bin that ends on a pixel's border one pixel further. Sums are double. The
// results are not rounded to the tensors' type.
#ifndef DETOPS_OPS_PSROIPOOL_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_PSROIPOOL_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "detops.h"

namespace detops_reference {

struct PsRoiPoolShape {
  int64_t batch, height, width;  // of the map
  int64_t rois;
  int64_t pooled_height, pooled_width, output_dim;
  int64_t channels() const { return pooled_height * pooled_width * output_dim; }
};

struct PsRoiPoolResult {
  std::vector<double> output;
  std::vector<int32_t> mapping_channel;
};

// `layout` is NHWC or NCHW and holds for the map, the pooled tensor and mapping_channel. input and rois ([rois, 5] =
// batch id, x1, y1, x2, y2) are of `type`. The scale is rounded to float unless the type is double.
PsRoiPoolResult PsRoiPoolForward(mluOpDataType_t type, detopsPsRoiPoolConvention_t convention,
                                 mluOpTensorLayout_t layout, const PsRoiPoolShape& shape, double spatial_scale,
                                 const void* input, const void* rois);

// top_grad: the gradient of the output. Gives the gradient of the input. mapping_channel may be NULL: the channels are
// then those of forward.
std::vector<double> PsRoiPoolBackward(mluOpDataType_t type, detopsPsRoiPoolConvention_t convention,
                                      mluOpTensorLayout_t layout, const PsRoiPoolShape& shape, double spatial_scale,
                                      const void* top_grad, const void* rois, const void* mapping_channel);

}  // namespace detops_reference

#endif  // DETOPS_OPS_PSROIPOOL_REFERENCE_REFERENCE_H_
