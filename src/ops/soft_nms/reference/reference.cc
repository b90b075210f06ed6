#include "ops/soft_nms/reference/reference.h"

#include <cmath>

namespace detops_reference {

std::vector<SoftNmsPick> SoftNms(const std::vector<detops_test::UprightBox>& boxes, std::vector<double> scores,
                                 const SoftNmsRules& rules) {
  std::vector<SoftNmsPick> picks;
  std::vector<size_t> left;
  for (size_t i = 0; i < boxes.size(); ++i) left.push_back(i);
  while (!left.empty()) {
    size_t at = 0;
    for (size_t k = 1; k < left.size(); ++k) {
      if (scores[left[k]] > scores[left[at]]) at = k;
    }
    const size_t best = left[at];
    picks.push_back({best, scores[best]});
    std::vector<size_t> rest;
    for (const size_t i : left) {
      if (i == best) continue;
      const double iou = detops_test::UprightIou(boxes[best], boxes[i]);
      const bool both = boxes[best].HasArea() && boxes[i].HasArea();
      double weight = 1;
      if (rules.method == 2) {
        weight = std::exp(-(iou * iou) / rules.sigma);
      } else if (both && iou >= rules.iou_threshold) {
        weight = rules.method == 0 ? 0 : 1 - iou;
      }
      scores[i] *= weight;
      if (!(scores[i] < rules.min_score)) rest.push_back(i);
    }
    left = rest;
  }
  return picks;
}

}  // namespace detops_reference
