// soft_nms as its page words it, for tests: plain loops in double over all boxes, nothing shared with the library.
#ifndef DETOPS_OPS_SOFT_NMS_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_SOFT_NMS_REFERENCE_REFERENCE_H_

#include <vector>

#include "support/upright_iou.h"

namespace detops_reference {

struct SoftNmsRules {
  int method;
  double iou_threshold, sigma, min_score;
};

struct SoftNmsPick {
  size_t box;
  double score;
};

// The boxes have the offset added already.
std::vector<SoftNmsPick> SoftNms(const std::vector<detops_test::UprightBox>& boxes, std::vector<double> scores,
                                 const SoftNmsRules& rules);

}  // namespace detops_reference

#endif  // DETOPS_OPS_SOFT_NMS_REFERENCE_REFERENCE_H_
