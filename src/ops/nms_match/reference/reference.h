// nms_match as its page words it, for tests: plain loops in double, nothing shared with the library.
#ifndef DETOPS_OPS_NMS_MATCH_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_NMS_MATCH_REFERENCE_REFERENCE_H_

#include <vector>

#include "support/upright_iou.h"

namespace detops_reference {

// Of each box the head of its group.
std::vector<double> NmsMatch(const std::vector<detops_test::UprightBox>& boxes, const std::vector<double>& scores,
                             double iou_threshold);

}  // namespace detops_reference

#endif  // DETOPS_OPS_NMS_MATCH_REFERENCE_REFERENCE_H_
