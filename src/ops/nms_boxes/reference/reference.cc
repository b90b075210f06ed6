#include "ops/nms_boxes/reference/reference.h"

#include <numeric>

namespace detops_reference {
namespace {

using Boxes = std::vector<detops_test::PolygonBox>;

std::vector<size_t> OrderOf(const Boxes& boxes, const std::vector<double>& scores, const NmsRules& rules) {
  std::vector<size_t> order = detops_test::Ranking(scores.empty() ? std::vector<double>(boxes.size()) : scores);
  if (rules.pre_max > 0 && order.size() > static_cast<uint64_t>(rules.pre_max)) {
    order.resize(static_cast<size_t>(rules.pre_max));
  }
  return order;
}

size_t MostOf(const Boxes& boxes, const NmsRules& rules) {
  return rules.post_max > 0 ? static_cast<size_t>(rules.post_max) : boxes.size();
}

// removes(kept, box, rounding)
auto RemovalOf(const Boxes& boxes, const std::vector<int64_t>& labels, const NmsRules& rules) {
  return [&](size_t kept, size_t box, detops_test::Rounding rounding) {
    const bool same = labels.empty() || labels[kept] == labels[box];
    return same && detops_test::IsAbove(boxes[kept], boxes[box], rules.iou_threshold, rounding);
  };
}

}  // namespace

std::vector<double> NmsBoxes(const Boxes& boxes, const std::vector<double>& scores, const std::vector<int64_t>& labels,
                             const NmsRules& rules) {
  const auto removes = RemovalOf(boxes, labels, rules);
  return detops_test::GreedySuppression(
      OrderOf(boxes, scores, rules), MostOf(boxes, rules),
      [&](size_t kept, size_t box) { return removes(kept, box, detops_test::Rounding::kNone); });
}

bool MayBeNmsBoxes(const Boxes& boxes, const std::vector<double>& scores, const std::vector<int64_t>& labels,
                   const NmsRules& rules, const std::vector<size_t>& kept) {
  return detops_test::MayBeSuppression(OrderOf(boxes, scores, rules), MostOf(boxes, rules), kept,
                                       RemovalOf(boxes, labels, rules));
}

}  // namespace detops_reference
