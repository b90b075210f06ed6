#include "ops/nms_match/reference/reference.h"

#include "support/greedy_suppression.h"

namespace detops_reference {

std::vector<double> NmsMatch(const std::vector<detops_test::UprightBox>& boxes, const std::vector<double>& scores,
                             double iou_threshold) {
  const std::vector<size_t> order = detops_test::Ranking(scores);
  std::vector<double> group(boxes.size(), -1);
  for (size_t place = 0; place < order.size(); ++place) {
    const size_t head = order[place];
    if (group[head] >= 0) continue;
    group[head] = static_cast<double>(head);
    for (size_t later = place + 1; later < order.size(); ++later) {
      const size_t box = order[later];
      const bool both = boxes[head].HasArea() && boxes[box].HasArea();
      if (group[box] >= 0 || !both || detops_test::UprightIou(boxes[head], boxes[box]) < iou_threshold) continue;
      group[box] = static_cast<double>(head);
    }
  }
  return group;
}

}  // namespace detops_reference
