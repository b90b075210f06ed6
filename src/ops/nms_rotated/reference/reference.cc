#include "ops/nms_rotated/reference/reference.h"

namespace detops_reference {

std::vector<double> NmsRotated(const std::vector<detops_test::PolygonBox>& boxes, const std::vector<double>& scores,
                               double iou_threshold) {
  return detops_test::GreedySuppression(detops_test::Ranking(scores), boxes.size(), [&](size_t kept, size_t box) {
    return detops_test::IsAbove(boxes[kept], boxes[box], iou_threshold);
  });
}

}  // namespace detops_reference
