// The convex hull of points by its definition, in long double: for the references of several operators.
#ifndef DETOPS_TESTS_SUPPORT_HULL_REFERENCE_H_
#define DETOPS_TESTS_SUPPORT_HULL_REFERENCE_H_

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "support/polygon_overlap.h"

namespace detops_test {

// The largest part of the exact sum, which has its sign: the sum is kept as parts that overlap in no digit, ascending.
inline long double ExactSum(const std::array<long double, 12>& terms) {
  std::vector<long double> parts;
  for (long double term : terms) {
    std::vector<long double> grown;
    for (const long double part : parts) {
      const long double sum = term + part, share = sum - term;
      const long double lost = (term - (sum - share)) + (part - share);
      if (lost != 0) grown.push_back(lost);
      term = sum;
    }
    if (term != 0) grown.push_back(term);
    parts = std::move(grown);
  }
  return parts.empty() ? 0 : parts.back();
}

// Above 0 where a, b, c turn left; the sign is exact for points of doubles.
inline long double TurnOf(const detops::testing::Polygon& p, std::size_t a, std::size_t b, std::size_t c) {
  const long double left = (p[b].first - p[a].first) * (p[c].second - p[a].second);
  const long double right = (p[b].second - p[a].second) * (p[c].first - p[a].first);
  constexpr long double kRounding = 8 * std::numeric_limits<long double>::epsilon();
  if (std::fabs(left - right) > kRounding * (std::fabs(left) + std::fabs(right))) return left - right;
  std::array<long double, 12> terms;
  std::size_t count = 0;
  const auto add = [&](std::size_t i, std::size_t j) {
    for (const auto& [x, y] : {std::pair(p[i].first, p[j].second), std::pair(-p[i].second, p[j].first)}) {
      terms[count++] = x * y;
      terms[count++] = std::fma(x, y, -(x * y));
    }
  };
  add(a, b);
  add(b, c);
  add(c, a);
  return ExactSum(terms);
}

// Indices of the corners, anticlockwise; of equal points the first. On a line its two ends, or the one point.
inline std::vector<std::size_t> HullCorners(const detops::testing::Polygon& points) {
  // From a point on, the next corner is the one that has no other on its right, of those on one line the farthest.
  const auto farther = [&](std::size_t at, std::size_t than, std::size_t i) {
    return points[at] < points[than] ? points[than] < points[i] : points[i] < points[than];
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
      if (turn < 0 || (turn == 0 && farther(at, next, i))) next = i;
    }
    if (points[next] == points[lowest]) break;
    at = next;
  }
  return corners;
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_HULL_REFERENCE_H_
