// The convex hull of points by its definition, in long double: for the references of several operators.
#ifndef DETOPS_TESTS_SUPPORT_HULL_REFERENCE_H_
#define DETOPS_TESTS_SUPPORT_HULL_REFERENCE_H_

#include <cstddef>
#include <vector>

#include "support/polygon_overlap.h"

namespace detops_test {

inline long double TurnOf(const detops::testing::Polygon& p, std::size_t a, std::size_t b, std::size_t c) {
  return (p[b].first - p[a].first) * (p[c].second - p[a].second) -
         (p[b].second - p[a].second) * (p[c].first - p[a].first);
}

// Indices of the corners, anticlockwise; of equal points the first. On a line its two ends, or the one point.
inline std::vector<std::size_t> HullCorners(const detops::testing::Polygon& points) {
  // From a point on, the next corner is the one that has no other on its right, of those on one line the farthest.
  const auto distance = [&](std::size_t a, std::size_t b) {
    const long double x = points[b].first - points[a].first, y = points[b].second - points[a].second;
    return x * x + y * y;
  };
  std::size_t lowest = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i] < points[lowest]) lowest = i;
  }
  std::vector<std::size_t> corners;
  for (std::size_t at = lowest; corners.size() <= points.size();) {
    corners.push_back(at);
    std::size_t next = at;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i] == points[at]) continue;
      const long double turn = next == at ? -1 : TurnOf(points, at, next, i);
      if (turn < 0 || (turn == 0 && distance(at, i) > distance(at, next))) next = i;
    }
    if (points[next] == points[lowest]) break;
    at = next;
  }
  return corners;
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_HULL_REFERENCE_H_
