#include "ops/nms/reference/reference.h"

#include <algorithm>
#include <cmath>

#include "support/polygon_overlap.h"

namespace detops_reference {
namespace {

detops::testing::Polygon Outline(const std::array<double, 7>& box) {
  const long double cosine = std::cos(static_cast<long double>(box[6])),
                    sine = std::sin(static_cast<long double>(box[6]));
  detops::testing::Polygon corners;
  for (const auto& [u, v] : {std::pair(-1, -1), {1, -1}, {1, 1}, {-1, 1}}) {
    const long double x = u * static_cast<long double>(box[3]) / 2, y = v * static_cast<long double>(box[4]) / 2;
    corners.emplace_back(box[0] + x * cosine - y * sine, box[1] + x * sine + y * cosine);
  }
  return corners;
}

bool HasArea(const std::array<double, 7>& box) {
  for (const double number : box) {
    if (!std::isfinite(number)) return false;
  }
  return box[3] > 0 && box[4] > 0;
}

long double BevIou(const std::array<double, 7>& a, const std::array<double, 7>& b) {
  const auto area = [](const std::array<double, 7>& box) { return static_cast<long double>(box[3]) * box[4]; };
  const long double strips = detops::testing::PolygonOverlap(Outline(a), Outline(b));
  // Of equal boxes the strips may add up to more than a box.
  const long double shared = std::min({strips, area(a), area(b)});
  // What the strips leave of boxes that only touch.
  if (shared < 1e-15L * (area(a) + area(b))) return 0;
  return shared / (area(a) + area(b) - shared);
}

}  // namespace

std::vector<NmsPick> Nms(const std::vector<detops_test::UprightBox>& boxes, std::vector<double> scores,
                         const NmsRules& rules) {
  std::vector<NmsPick> picks;
  while (picks.size() < rules.most) {
    size_t best = boxes.size();
    for (size_t i = 0; i < boxes.size(); ++i) {
      if (scores[i] > rules.confidence_threshold && (best == boxes.size() || scores[i] > scores[best])) best = i;
    }
    if (best == boxes.size()) break;
    picks.push_back({best, scores[best]});
    scores[best] = 0;
    for (size_t i = 0; i < boxes.size(); ++i) {
      const double iou = detops_test::UprightIou(boxes[best], boxes[i]);
      const bool both = boxes[best].HasArea() && boxes[i].HasArea();
      if (rules.method == 2 && rules.sigma > 0) {
        scores[i] *= std::exp(-(iou * iou) / (2 * rules.sigma));
      } else if (both && iou > rules.iou_threshold) {
        scores[i] *= rules.method == 1 ? 1 - iou : 0;
      }
    }
  }
  return picks;
}

std::vector<size_t> NmsBev(const std::vector<std::array<double, 7>>& boxes, double iou_threshold) {
  std::vector<size_t> kept;
  for (size_t i = 0; i < boxes.size(); ++i) {
    bool stays = true;
    for (size_t k = 0; k < kept.size() && stays; ++k) {
      const bool both = HasArea(boxes[i]) && HasArea(boxes[kept[k]]);
      stays = !both || !(BevIou(boxes[i], boxes[kept[k]]) > static_cast<long double>(iou_threshold));
    }
    if (stays) kept.push_back(i);
  }
  return kept;
}

}  // namespace detops_reference
