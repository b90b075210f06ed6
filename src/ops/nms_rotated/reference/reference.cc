#include "ops/nms_rotated/reference/reference.h"

namespace detops_reference {

std::vector<double> NmsRotated(const std::vector<detops_test::PolygonBox>& boxes, const std::vector<double>& scores,
                               double iou_threshold) {
  return detops_test::GreedySuppression(detops_test::Ranking(scores), boxes.size(), [&](size_t kept, size_t box) {
    return detops_test::IsAbove(boxes[kept], boxes[box], iou_threshold);
  });
}

bool MayBeNmsRotated(const std::vector<detops_test::PolygonBox>& boxes, const std::vector<double>& scores,
                     double iou_threshold, const std::vector<size_t>& kept) {
  const auto removes = [&](size_t before, size_t box, detops_test::Rounding rounding) {
    return detops_test::IsAbove(boxes[before], boxes[box], iou_threshold, rounding);
  };
  return detops_test::MayBeSuppression(detops_test::Ranking(scores), boxes.size(), kept, removes);
}

}  // namespace detops_reference
