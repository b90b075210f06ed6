// Suppression of boxes as plain loops, and their IoU as that of polygons in long double: for references and tests.
// Nothing is shared with the library.
#ifndef DETOPS_TESTS_SUPPORT_GREEDY_SUPPRESSION_H_
#define DETOPS_TESTS_SUPPORT_GREEDY_SUPPRESSION_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "support/polygon_overlap.h"
#include "support/quad_reference.h"

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

// A decision as it is, or as rounding in double may turn it: against what is asked, or for it.
enum class Rounding { kNone, kAgainst, kFor };

// Whether these, in their order, may be left where rounding leaves some decisions open: those that stay are removed by
// none for certain, and each of the others may be removed by one that stays. removes(a, b, rounding) as above.
template <class Removes>
bool MayBeSuppression(const std::vector<size_t>& order, size_t most, const std::vector<size_t>& kept,
                      const Removes& removes) {
  size_t count = 0;
  for (const size_t box : order) {
    if (count == most) break;
    const bool stays = count < kept.size() && kept[count] == box;
    const Rounding rounding = stays ? Rounding::kAgainst : Rounding::kFor;
    const auto end = kept.begin() + static_cast<std::ptrdiff_t>(count);
    if (std::any_of(kept.begin(), end, [&](size_t k) { return removes(k, box, rounding); }) == stays) return false;
    if (stays) ++count;
  }
  return count == kept.size();
}

// A box as a polygon, with a circle around it; without corners: a box without area.
struct PolygonBox {
  detops::testing::Polygon corners{};  // anticlockwise, from (x, y), so that a place far from 0 costs no digits
  long double area = 0, x = 0, y = 0, reach = 0;
};

inline PolygonBox MakePolygonBox(long double x, long double y, long double area, detops::testing::Polygon corners) {
  if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(area) || area == 0) return {};
  PolygonBox box = {std::move(corners), area, x, y};
  for (const auto& corner : box.corners) box.reach = std::max(box.reach, std::hypot(corner.first, corner.second));
  return box;
}

inline PolygonBox MakePolygonBox(detops::testing::Polygon corners) {
  // From the corner with the least numbers on.
  const auto size = [](const auto& corner) { return std::abs(corner.first) + std::abs(corner.second); };
  const auto [x, y] = *std::min_element(corners.begin(), corners.end(),
                                        [&](const auto& p, const auto& q) { return size(p) < size(q); });
  for (auto& corner : corners) corner = {corner.first - x, corner.second - y};
  const long double twice = TwiceArea(corners);
  if (twice < 0) std::reverse(corners.begin(), corners.end());
  return MakePolygonBox(x, y, std::abs(twice) / 2, std::move(corners));
}

// Centre, sides, and the angle in radians by which +x is turned towards +y.
inline PolygonBox MakePolygonBox(double x, double y, double w, double h, double angle) {
  if (!(w > 0) || !(h > 0) || !std::isfinite(angle)) return {};
  const long double c = std::cos(static_cast<long double>(angle)), s = std::sin(static_cast<long double>(angle));
  detops::testing::Polygon corners;
  for (const auto& [u, v] : std::initializer_list<std::pair<double, double>>{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
    const long double p = static_cast<long double>(w) * u / 2, q = static_cast<long double>(h) * v / 2;
    corners.push_back({c * p - s * q, s * p + c * q});
  }
  return MakePolygonBox(x, y, static_cast<long double>(w) * h, std::move(corners));
}

// Of `a` grown by a factor, and b; where sides of a box cross, not above either area all the same.
inline long double PolygonOverlap(const PolygonBox& a, const PolygonBox& b, long double growth = 1) {
  const long double dx = b.x - a.x, dy = b.y - a.y, reach = a.reach * growth + b.reach;
  if (dx * dx + dy * dy > reach * reach) return 0;
  detops::testing::Polygon grown = a.corners, moved = b.corners;
  for (auto& corner : grown) corner = {corner.first * growth, corner.second * growth};
  for (auto& corner : moved) corner = {corner.first + dx, corner.second + dy};
  return std::min({detops::testing::PolygonOverlap(grown, moved), a.area, b.area});
}

// In [0, 1]; 0 if they are disjoint or touch, which rounding makes a sliver of. With rounding: the least or the most
// that computing in double may make of it, where areas and what is shared are differences of products of coordinates.
inline double PolygonIou(const PolygonBox& a, const PolygonBox& b, Rounding rounding = Rounding::kNone) {
  if (a.corners.empty() || b.corners.empty()) return 0;
  const long double overlap = PolygonOverlap(a, b);
  const auto ratio = [&](long double shared, long double error) {
    if (!(shared > 0)) return 0.0;
    const long double whole = a.area + b.area - shared + error;
    return shared < whole ? static_cast<double>(shared / whole) : 1.0;
  };
  if (rounding == Rounding::kNone) return overlap < 1e-14L * std::min(a.area, b.area) ? 0 : ratio(overlap, 0);
  const long double error = 0x1p-44L * (a.reach + b.reach) * std::min(a.reach, b.reach);
  if (rounding == Rounding::kAgainst) return ratio(overlap - error, error);
  return PolygonOverlap(a, b, 1 + 0x1p-40L) > 0 ? ratio(overlap + error, -error) : 0;
}

// Whether the IoU of two boxes is above the threshold; without area there is none.
inline bool IsAbove(const PolygonBox& a, const PolygonBox& b, double threshold, Rounding rounding = Rounding::kNone) {
  return !a.corners.empty() && !b.corners.empty() && PolygonIou(a, b, rounding) > threshold;
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_GREEDY_SUPPRESSION_H_
