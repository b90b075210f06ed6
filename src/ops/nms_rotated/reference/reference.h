// nms_rotated as its page words it, for tests: plain loops, polygons in long double, nothing shared with the library.
#ifndef DETOPS_OPS_NMS_ROTATED_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_NMS_ROTATED_REFERENCE_REFERENCE_H_

#include <vector>

#include "support/greedy_suppression.h"

namespace detops_reference {

// The indices of the boxes that stay, best first.
std::vector<double> NmsRotated(const std::vector<detops_test::PolygonBox>& boxes, const std::vector<double>& scores,
                               double iou_threshold);
// Whether these may be left where rounding in double leaves decisions open.
bool MayBeNmsRotated(const std::vector<detops_test::PolygonBox>& boxes, const std::vector<double>& scores,
                     double iou_threshold, const std::vector<size_t>& kept);

}  // namespace detops_reference

#endif  // DETOPS_OPS_NMS_ROTATED_REFERENCE_REFERENCE_H_
