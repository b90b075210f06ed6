#include "ops/poly_nms/reference/reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/quad_reference.h"

namespace detops_reference {

std::vector<double> PolyNms(mluOpDataType_t type, int64_t count, const void* boxes, float iou_threshold) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const auto score = [&](int64_t i) { return detops_test::ReadElement(type, boxes, i * 9 + 8); };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    if (std::isnan(score(a)) != std::isnan(score(b))) return std::isnan(score(b));
    return score(a) > score(b) || (!(score(a) < score(b)) && a < b);
  });
  std::vector<detops_test::Polygon> quads;
  std::vector<double> kept;
  for (const int64_t i : order) {
    const detops_test::Polygon quad = detops_test::ReadQuad(type, boxes, i, 9);
    const bool flat = !(detops_test::TwiceArea(quad) > 0);
    const bool falls = !flat && std::any_of(quads.begin(), quads.end(), [&](const detops_test::Polygon& other) {
      return detops_test::IouOf(quad, other) > static_cast<long double>(iou_threshold);
    });
    if (falls) continue;
    kept.push_back(static_cast<double>(i));
    if (!flat) quads.push_back(quad);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace detops_reference
