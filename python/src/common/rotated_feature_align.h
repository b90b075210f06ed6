#ifndef DETOPS_PYTHON_SRC_COMMON_ROTATED_FEATURE_ALIGN_H_
#define DETOPS_PYTHON_SRC_COMMON_ROTATED_FEATURE_ALIGN_H_

#include "common/call.h"
#include "common/view.h"

namespace detops_binding {

// Result 0: (N, H, W, C), the shape of `map`.
void RotatedFeatureAlignForward(Binding& binding, const View& map, const View& boxes, double spatial_scale, int points);
void RotatedFeatureAlignBackward(Binding& binding, const View& map, const View& boxes, double spatial_scale,
                                 int points);

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_ROTATED_FEATURE_ALIGN_H_
