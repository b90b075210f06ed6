// nms as its page words it, for tests: plain loops in double over all boxes, nothing shared with the library.
#ifndef DETOPS_OPS_NMS_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_NMS_REFERENCE_REFERENCE_H_

#include <array>
#include <cstddef>
#include <vector>

#include "support/upright_iou.h"

namespace detops_reference {

struct NmsRules {
  int method;  // 0 hard, 1 linear, 2 Gaussian
  double iou_threshold, sigma, confidence_threshold;
  size_t most;
};

struct NmsPick {
  size_t box;
  double score;
};

// One class.
std::vector<NmsPick> Nms(const std::vector<detops_test::UprightBox>& boxes, std::vector<double> scores,
                         const NmsRules& rules);

// Boxes x, y, z, dx, dy, dz, heading in the order in which they are visited: the positions of those that stay.
std::vector<size_t> NmsBev(const std::vector<std::array<double, 7>>& boxes, double iou_threshold);

}  // namespace detops_reference

#endif  // DETOPS_OPS_NMS_REFERENCE_REFERENCE_H_
