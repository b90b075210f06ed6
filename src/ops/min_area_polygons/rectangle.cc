// The least rectangle around nine points: one of its sides lies on a side of their convex hull.
#include <algorithm>
#include <cmath>
#include <limits>

#include "boxes/polygon/polygon.h"
#include "ops/min_area_polygons/problem.h"

namespace detops::min_area_polygons {
namespace {

using boxes::Point;

constexpr int kPoints = 9;

// A rectangle with one side on a side of the hull.
struct Rectangle {
  Point origin;     // a corner of the hull
  Point direction;  // of the rectangle's own x axis, any length: x above 0, y at least 0
  // Along the axes, in lengths of `direction` times its length.
  double x_min, x_max, y_min, y_max;
  double area;
};

Point DirectionOf(const Point& from, const Point& to) {
  Point d = {to.x - from.x, to.y - from.y};
  while (!(d.x > 0 && d.y >= 0)) d = {d.y, 0.0 - d.x};
  const double numbers[] = {d.x, d.y};
  const int exponent = boxes::ExponentOf(numbers, 2);
  return exponent == 0 ? d : Point{std::scalbn(d.x, -exponent), std::scalbn(d.y, -exponent)};
}

// From the begin of the side on, so that its end has exactly the same height.
Rectangle Around(const Point* hull, int count, const Point& from, const Point& to) {
  Rectangle r = {from, DirectionOf(from, to), 0, 0, 0, 0, 0};
  for (int i = 0; i < count; ++i) {
    const double dx = hull[i].x - from.x;
    const double dy = hull[i].y - from.y;
    const double x = r.direction.x * dx + r.direction.y * dy;
    const double y = r.direction.x * dy - r.direction.y * dx;
    r.x_min = std::min(r.x_min, x);
    r.x_max = std::max(r.x_max, x);
    r.y_min = std::min(r.y_min, y);
    r.y_max = std::max(r.y_max, y);
  }
  const double square = r.direction.x * r.direction.x + r.direction.y * r.direction.y;
  r.area = (r.x_max - r.x_min) * ((r.y_max - r.y_min) / square);
  return r;
}

// Areas that are equal as real numbers differ by less, those of a triangle's sides for instance.
constexpr double kEqualAreas = 1 + 0x1p-40;

Rectangle Least(const Point* hull, int count) {
  Rectangle each[kPoints];
  const int sides = count == 2 ? 1 : count;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < sides; ++i) {
    each[i] = Around(hull, count, hull[i], hull[i + 1 == count ? 0 : i + 1]);
    least = std::min(least, each[i].area);
  }
  const Rectangle* best = nullptr;
  for (int i = 0; i < sides; ++i) {
    if (!(each[i].area <= least * kEqualAreas)) continue;
    const Point& d = each[i].direction;
    if (best == nullptr || best->direction.x * d.y < best->direction.y * d.x) best = &each[i];
  }
  return *best;
}

}  // namespace

void LeastRectangle(const double* points, double* corners) {
  if (!std::all_of(points, points + 2 * kPoints, [](double number) { return std::isfinite(number); })) {
    std::fill(corners, corners + 8, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const int exponent = boxes::ExponentOf(points, 2 * kPoints);
  Point scaled[kPoints], hull[kPoints] = {};
  for (int i = 0; i < kPoints; ++i) {
    scaled[i] = {std::scalbn(points[2 * i], -exponent), std::scalbn(points[2 * i + 1], -exponent)};
  }
  int index[kPoints];
  const int count = boxes::ConvexHull(scaled, kPoints, index);
  for (int i = 0; i < count; ++i) hull[i] = scaled[index[i]];
  Rectangle best = {hull[0], {1, 0}, 0, 0, 0, 0, 0};
  if (count > 1) best = Least(hull, count);
  const Point& d = best.direction;
  const double square = d.x * d.x + d.y * d.y;
  const double x[] = {best.x_max, best.x_min, best.x_min, best.x_max};
  const double y[] = {best.y_min, best.y_min, best.y_max, best.y_max};
  for (int i = 0; i < 4; ++i) {
    const double along = x[i] / square;
    const double across = y[i] / square;
    corners[2 * i] = std::scalbn(best.origin.x + (d.x * along - d.y * across), exponent);
    corners[2 * i + 1] = std::scalbn(best.origin.y + (d.y * along + d.x * across), exponent);
  }
}

}  // namespace detops::min_area_polygons
