#include "ops/nms_boxes/reference/reference.h"

#include <numeric>

namespace detops_reference {

std::vector<double> NmsBoxes(const std::vector<detops_test::PolygonBox>& boxes, const std::vector<double>& scores,
                             const std::vector<int64_t>& labels, const NmsRules& rules) {
  std::vector<size_t> order = detops_test::Ranking(scores.empty() ? std::vector<double>(boxes.size()) : scores);
  if (rules.pre_max > 0 && order.size() > static_cast<uint64_t>(rules.pre_max)) {
    order.resize(static_cast<size_t>(rules.pre_max));
  }
  const size_t most = rules.post_max > 0 ? static_cast<size_t>(rules.post_max) : order.size();
  return detops_test::GreedySuppression(order, most, [&](size_t kept, size_t box) {
    const bool same = labels.empty() || labels[kept] == labels[box];
    return same && detops_test::IsAbove(boxes[kept], boxes[box], rules.iou_threshold);
  });
}

}  // namespace detops_reference
