// Suppression of boxes as plain loops, and their IoU as that of polygons in long double: for references and tests.
// Nothing is shared with the library.
#ifndef DETOPS_TESTS_SUPPORT_GREEDY_SUPPRESSION_H_
#define DETOPS_TESTS_SUPPORT_GREEDY_SUPPRESSION_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "support/polygon_overlap.h"

namespace detops_test {

// Score descending, the lower index first among equal ones.
inline std::vector<size_t> Ranking(const std::vector<double>& scores) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  return order;
}

// Those of `order` that stay, at most `most`. removes(a, b): a, which stays, removes b.
template <class Removes>
std::vector<double> GreedySuppression(const std::vector<size_t>& order, size_t most, const Removes& removes) {
  std::vector<size_t> kept;
  for (const size_t box : order) {
    if (kept.size() == most) break;
    if (std::none_of(kept.begin(), kept.end(), [&](size_t k) { return removes(k, box); })) kept.push_back(box);
  }
  return {kept.begin(), kept.end()};
}

// A box as a polygon, with a circle around it; without corners: a box without area.
struct PolygonBox {
  detops::testing::Polygon corners{};  // anticlockwise
  long double area = 0, x = 0, y = 0, reach = 0;
};

inline PolygonBox MakePolygonBox(detops::testing::Polygon corners) {
  PolygonBox box;
  long double twice = 0;
  for (size_t i = 0; i < corners.size(); ++i) {
    const auto &p = corners[i], &q = corners[(i + 1) % corners.size()], &o = corners[0];
    twice += (p.first - o.first) * (q.second - o.second) - (q.first - o.first) * (p.second - o.second);
  }
  if (!std::isfinite(twice) || twice == 0) return box;
  if (twice < 0) std::reverse(corners.begin(), corners.end());
  box.area = std::abs(twice) / 2;
  for (const auto& [x, y] : corners) {
    box.x += x / static_cast<long double>(corners.size());
    box.y += y / static_cast<long double>(corners.size());
  }
  for (const auto& [x, y] : corners) box.reach = std::max(box.reach, std::hypot(x - box.x, y - box.y));
  box.corners = std::move(corners);
  return box;
}

// Centre, sides, and the angle in radians by which +x is turned towards +y.
inline PolygonBox MakePolygonBox(double x, double y, double w, double h, double angle) {
  if (!(w > 0) || !(h > 0) || !std::isfinite(x + y + w + h + angle)) return {};
  const long double c = std::cos(static_cast<long double>(angle)), s = std::sin(static_cast<long double>(angle));
  detops::testing::Polygon corners;
  for (const auto& [u, v] : std::initializer_list<std::pair<double, double>>{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
    const long double p = u * w / 2, q = v * h / 2;
    corners.push_back({x + c * p - s * q, y + s * p + c * q});
  }
  return MakePolygonBox(std::move(corners));
}

// In [0, 1]; 0 if they are disjoint or touch, which rounding makes a sliver of.
inline double PolygonIou(const PolygonBox& a, const PolygonBox& b) {
  if (a.corners.empty() || b.corners.empty()) return 0;
  const long double dx = a.x - b.x, dy = a.y - b.y, reach = a.reach + b.reach;
  if (dx * dx + dy * dy > reach * reach) return 0;
  const long double overlap = detops::testing::PolygonOverlap(a.corners, b.corners);
  if (overlap < 1e-14L * std::min(a.area, b.area)) return 0;
  return std::min(1.0, static_cast<double>(overlap / (a.area + b.area - overlap)));
}

// Whether the IoU of two boxes is above the threshold; without area there is none.
inline bool IsAbove(const PolygonBox& a, const PolygonBox& b, double threshold) {
  return !a.corners.empty() && !b.corners.empty() && PolygonIou(a, b) > threshold;
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_GREEDY_SUPPRESSION_H_
