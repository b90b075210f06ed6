// What two quadrilaterals share, in long double: for the references of several operators.
#ifndef DETOPS_TESTS_SUPPORT_QUAD_REFERENCE_H_
#define DETOPS_TESTS_SUPPORT_QUAD_REFERENCE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "support/element.h"
#include "support/polygon_overlap.h"

namespace detops_test {

using detops::testing::Polygon;

// Twice the signed area; of four corners by the diagonals, so that one that is far away costs no digits.
inline long double TwiceArea(const Polygon& polygon) {
  if (polygon.size() == 4) {
    const auto &a = polygon[0], &b = polygon[1], &c = polygon[2], &d = polygon[3];
    return (c.first - a.first) * (d.second - b.second) - (c.second - a.second) * (d.first - b.first);
  }
  long double twice = 0;
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    const auto [ox, oy] = polygon[0];
    twice +=
        (polygon[i].first - ox) * (polygon[i + 1].second - oy) - (polygon[i].second - oy) * (polygon[i + 1].first - ox);
  }
  return twice;
}

// `points` points from element `first` on.
inline Polygon ReadPoints(mluOpDataType_t type, const void* data, int64_t first, int points) {
  Polygon polygon;
  for (int i = 0; i < points; ++i) {
    polygon.push_back({ReadElement(type, data, first + 2 * i), ReadElement(type, data, first + 2 * i + 1)});
  }
  return polygon;
}

// The quadrilateral of a row of `width` numbers, gone round anticlockwise, as far as that can be said.
inline Polygon ReadQuad(mluOpDataType_t type, const void* data, int64_t row, int64_t width = 8) {
  Polygon quad = ReadPoints(type, data, row * width, 4);
  if (TwiceArea(quad) < 0) std::reverse(quad.begin(), quad.end());
  return quad;
}

// Width and height of what is around it.
inline long double Extent(const Polygon& polygon) {
  long double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
  for (const auto& [px, py] : polygon) {
    x[0] = std::min(x[0], px);
    x[1] = std::max(x[1], px);
    y[0] = std::min(y[0], py);
    y[1] = std::max(y[1], py);
  }
  return (x[1] - x[0]) + (y[1] - y[0]);
}

// What rounding errors of a shared area are relative to.
inline long double SharedMagnitude(const Polygon& a, const Polygon& b) {
  return (Extent(a) + Extent(b)) * std::min(Extent(a), Extent(b));
}

// Not below 0 and not above either area, as it may be where sides of a polygon cross.
inline long double SharedArea(const Polygon& a, const Polygon& b) {
  const long double least = std::min(TwiceArea(a), TwiceArea(b)) / 2;
  if (!(least > 0)) return 0;
  const auto apart = [&](auto coordinate) {
    const auto less = [&](const auto& p, const auto& q) { return coordinate(p) < coordinate(q); };
    const auto [a_low, a_high] = std::minmax_element(a.begin(), a.end(), less);
    const auto [b_low, b_high] = std::minmax_element(b.begin(), b.end(), less);
    return coordinate(*a_high) <= coordinate(*b_low) || coordinate(*b_high) <= coordinate(*a_low);
  };
  if (apart([](const auto& p) { return p.first; }) || apart([](const auto& p) { return p.second; })) return 0;
  // What only touches shares nothing; long doubles round too, the less the nearer the origin is.
  const auto origin = Extent(a) < Extent(b) ? a[0] : b[0];
  const auto moved = [origin](Polygon polygon) {
    for (auto& point : polygon) point = {point.first - origin.first, point.second - origin.second};
    return polygon;
  };
  long double rounding = 0;
  const long double shared = std::min(detops::testing::PolygonOverlap(moved(a), moved(b), &rounding), least);
  return shared > rounding ? shared : 0;
}

inline long double IouOf(const Polygon& a, const Polygon& b) {
  const long double shared = SharedArea(a, b);
  return shared > 0 ? shared / (TwiceArea(a) / 2 + TwiceArea(b) / 2 - shared) : 0;
}
// What rounding errors of their IoU or IoF are relative to.
inline long double RatioMagnitude(const Polygon& a, const Polygon& b) {
  const long double area = std::min(TwiceArea(a), TwiceArea(b)) / 2;
  return area > 0 ? std::max(1.0L, SharedMagnitude(a, b) / area) : 1.0L;
}
inline long double IofOf(const Polygon& a, const Polygon& b) {
  const long double shared = SharedArea(a, b);
  return shared > 0 ? shared / (TwiceArea(a) / 2) : 0;
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_QUAD_REFERENCE_H_
