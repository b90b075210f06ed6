#include "ops/poly_nms/reference/reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/greedy_suppression.h"
#include "support/quad_reference.h"

namespace detops_reference {

namespace {

// The scores' order; NaN behind all others.
std::vector<size_t> OrderOf(mluOpDataType_t type, int64_t count, const void* boxes) {
  std::vector<size_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), size_t{0});
  const auto score = [&](size_t i) { return detops_test::ReadElement(type, boxes, static_cast<int64_t>(i) * 9 + 8); };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (std::isnan(score(a)) != std::isnan(score(b))) return std::isnan(score(b));
    return score(a) > score(b) || (!(score(a) < score(b)) && a < b);
  });
  return order;
}

}  // namespace

std::vector<double> PolyNms(mluOpDataType_t type, int64_t count, const void* boxes, float iou_threshold) {
  std::vector<detops_test::Polygon> quads;
  std::vector<double> kept;
  for (const size_t i : OrderOf(type, count, boxes)) {
    const detops_test::Polygon quad = detops_test::ReadQuad(type, boxes, static_cast<int64_t>(i), 9);
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

bool MayBePolyNms(mluOpDataType_t type, int64_t count, const void* boxes, float iou_threshold,
                  const std::vector<size_t>& kept) {
  const std::vector<size_t> order = OrderOf(type, count, boxes);
  std::vector<detops_test::PolygonBox> quads;
  for (int64_t i = 0; i < count; ++i) {
    quads.push_back(detops_test::MakePolygonBox(detops_test::ReadQuad(type, boxes, i, 9)));
  }
  std::vector<size_t> best_first;
  for (const size_t i : order) {
    if (std::binary_search(kept.begin(), kept.end(), i)) best_first.push_back(i);
  }
  const auto removes = [&](size_t before, size_t box, detops_test::Rounding rounding) {
    return detops_test::IsAbove(quads[before], quads[box], iou_threshold, rounding);
  };
  return kept.size() == best_first.size() && std::is_sorted(kept.begin(), kept.end()) &&
         detops_test::MayBeSuppression(order, quads.size(), best_first, removes);
}

}  // namespace detops_reference
