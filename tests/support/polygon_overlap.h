// The overlap of two polygons by vertical strips, in long double: for references and tests. It shares no idea with the
// library, which cuts polygons by lines. Slow.
#ifndef DETOPS_TESTS_SUPPORT_POLYGON_OVERLAP_H_
#define DETOPS_TESTS_SUPPORT_POLYGON_OVERLAP_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace detops::testing {

// Corners x, y in boundary order.
using Polygon = std::vector<std::pair<long double, long double>>;

// The integral of the product of both polygons' winding numbers: for polygons whose sides do not cross, both going
// round the same way, the area of their intersection. Between two neighbouring corners or crossings no two sides cross,
// so that every strip is cut into trapezia. What rounding may have done to the sum is added to *rounding.
inline long double PolygonOverlap(const Polygon& a, const Polygon& b, long double* rounding = nullptr) {
  struct Side {
    long double x0, y0, x1, y1;
    int polygon, direction;
    // From the lower end, which may be much nearer to the origin.
    long double At(long double x) const {
      return std::fabs(y0) <= std::fabs(y1) ? y0 + (y1 - y0) * ((x - x0) / (x1 - x0))
                                            : y1 + (y0 - y1) * ((x1 - x) / (x1 - x0));
    }
    long double ErrorAt(long double y) const { return std::min(std::fabs(y0), std::fabs(y1)) + std::fabs(y); }
  };
  std::vector<Side> sides;
  std::vector<long double> cuts;
  const Polygon* polygons[] = {&a, &b};
  for (int which = 0; which < 2; ++which) {
    const Polygon& polygon = *polygons[which];
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      auto p = polygon[i];
      auto q = polygon[(i + 1) % polygon.size()];
      cuts.push_back(p.first);
      if (p.first == q.first) continue;
      const int direction = p.first < q.first ? 1 : -1;
      if (direction < 0) std::swap(p, q);
      sides.push_back({p.first, p.second, q.first, q.second, which, direction});
    }
  }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Side& s = sides[i];
      const Side& t = sides[j];
      const long double left = std::max(s.x0, t.x0), right = std::min(s.x1, t.x1);
      if (left >= right) continue;
      const long double gap0 = s.At(left) - t.At(left), gap1 = s.At(right) - t.At(right);
      if ((gap0 < 0 && gap1 > 0) || (gap0 > 0 && gap1 < 0)) {
        cuts.push_back(left + (right - left) * (gap0 / (gap0 - gap1)));
      }
    }
  }
  std::sort(cuts.begin(), cuts.end());
  long double area = 0;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const long double width = cuts[i + 1] - cuts[i];
    const long double middle = cuts[i] + width / 2;
    if (!(width > 0)) continue;
    std::vector<std::pair<long double, const Side*>> crossed;
    for (const Side& side : sides) {
      if (side.x0 < middle && middle < side.x1) crossed.push_back({side.At(middle), &side});
    }
    std::sort(crossed.begin(), crossed.end());
    int winding[2] = {0, 0};
    for (std::size_t j = 0; j + 1 < crossed.size(); ++j) {
      winding[crossed[j].second->polygon] += crossed[j].second->direction;
      const auto& [low, low_side] = crossed[j];
      const auto& [high, high_side] = crossed[j + 1];
      area += winding[0] * winding[1] * (high - low) * width;
      if (rounding == nullptr || winding[0] * winding[1] == 0) continue;
      const long double of_x = std::fabs(cuts[i]) + std::fabs(cuts[i + 1]);
      const long double of_y = low_side->ErrorAt(low) + high_side->ErrorAt(high);
      *rounding += 8 * std::numeric_limits<long double>::epsilon() * (of_x * (high - low) + of_y * width);
    }
  }
  return area;
}

}  // namespace detops::testing

#endif  // DETOPS_TESTS_SUPPORT_POLYGON_OVERLAP_H_
