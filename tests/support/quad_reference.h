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

// Twice the signed area.
inline long double TwiceArea(const Polygon& polygon) {
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
  return std::clamp(detops::testing::PolygonOverlap(a, b), 0.0L, least);
}

inline long double IouOf(const Polygon& a, const Polygon& b) {
  const long double shared = SharedArea(a, b);
  return shared > 0 ? shared / (TwiceArea(a) / 2 + TwiceArea(b) / 2 - shared) : 0;
}
inline long double IofOf(const Polygon& a, const Polygon& b) {
  const long double shared = SharedArea(a, b);
  return shared > 0 ? shared / (TwiceArea(a) / 2) : 0;
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_QUAD_REFERENCE_H_
