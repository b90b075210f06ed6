#include "ops/min_area_polygons/reference/reference.h"

#include <algorithm>
#include <cmath>

#include "support/hull_reference.h"
#include "support/quad_reference.h"

namespace detops_reference {
namespace {

using detops_test::Polygon;
using Real = long double;

struct Rectangle {
  Real c, s, area;                  // cosine and sine of its angle
  Real x_min, x_max, y_min, y_max;  // in the turned frame
};

// By cosine and sine: of an angle next to pi / 2 no digit of the cosine would be left.
Rectangle Around(const Polygon& points, Real c, Real s) {
  Rectangle r = {c, s, 0, INFINITY, -INFINITY, INFINITY, -INFINITY};
  for (const auto& [x, y] : points) {
    r.x_min = std::min(r.x_min, c * x + s * y);
    r.x_max = std::max(r.x_max, c * x + s * y);
    r.y_min = std::min(r.y_min, c * y - s * x);
    r.y_max = std::max(r.y_max, c * y - s * x);
  }
  r.area = (r.x_max - r.x_min) * (r.y_max - r.y_min);
  return r;
}

// With a side on one of direction (x, y), which is turned until its angle is in [0, pi/2).
Rectangle Along(const Polygon& points, Real x, Real y) {
  for (int quarter = 0; quarter < 4 && !(x > 0 && y >= 0); ++quarter) {
    const Real turned = -x;
    x = y;
    y = turned;
  }
  const Real length = std::hypot(x, y);
  return length == 0 ? Around(points, 1, 0) : Around(points, x / length, y / length);
}

}  // namespace

RectangleResult MinAreaPolygons(mluOpDataType_t type, int64_t rows, const void* data) {
  RectangleResult result;
  for (int64_t row = 0; row < rows; ++row) {
    Polygon points = detops_test::ReadPoints(type, data, row * 18, 9);
    const std::vector<size_t> hull = detops_test::HullCorners(points);
    // From a corner on, so that places far from 0 lose no digits.
    const auto origin = points[hull[0]];
    Real magnitude = 0;
    for (auto& [x, y] : points) {
      magnitude = std::max({magnitude, std::abs(x), std::abs(y)});
      x -= origin.first;
      y -= origin.second;
    }
    std::vector<Rectangle> all;
    for (size_t i = 0; i < hull.size(); ++i) {
      const auto [ax, ay] = points[hull[i]];
      const auto [bx, by] = points[hull[(i + 1) % hull.size()]];
      all.push_back(Along(points, bx - ax, by - ay));
    }
    Real least = INFINITY;
    for (const Rectangle& r : all) least = std::min(least, r.area);
    // Equal areas come out different by rounding.
    const Rectangle* best = nullptr;
    for (const Rectangle& r : all) {
      if (r.area > least * (1 + 1e-12L)) continue;
      if (best == nullptr || best->c * r.s < best->s * r.c) best = &r;
    }
    const auto add = [&](Real x, Real y) {
      const Real c = best->c, s = best->s;
      for (const Real number : {c * x - s * y + origin.first, s * x + c * y + origin.second}) {
        result.corners.push_back(static_cast<double>(number));
        result.magnitudes.push_back(static_cast<double>(std::max(magnitude, std::abs(number))));
      }
    };
    add(best->x_max, best->y_min);
    add(best->x_min, best->y_min);
    add(best->x_min, best->y_max);
    add(best->x_max, best->y_max);
  }
  return result;
}

}  // namespace detops_reference
