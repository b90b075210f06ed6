// nms_boxes as its page words it, for tests: plain loops, polygons in long double, nothing shared with the library.
#ifndef DETOPS_OPS_NMS_BOXES_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_NMS_BOXES_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "support/greedy_suppression.h"

namespace detops_reference {

struct NmsRules {
  double iou_threshold;
  int64_t pre_max, post_max;  // no limit below 1
};

// The indices of the boxes that stay, best first. Empty scores: the boxes stand in order; empty labels: all equal.
std::vector<double> NmsBoxes(const std::vector<detops_test::PolygonBox>& boxes, const std::vector<double>& scores,
                             const std::vector<int64_t>& labels, const NmsRules& rules);
// Whether these may be left where rounding in double leaves decisions open.
bool MayBeNmsBoxes(const std::vector<detops_test::PolygonBox>& boxes, const std::vector<double>& scores,
                   const std::vector<int64_t>& labels, const NmsRules& rules, const std::vector<size_t>& kept);

}  // namespace detops_reference

#endif  // DETOPS_OPS_NMS_BOXES_REFERENCE_REFERENCE_H_
