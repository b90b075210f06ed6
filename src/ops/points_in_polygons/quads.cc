// Quadrilaterals as planes, and the exact answer for one of them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "boxes/polygon/polygon.h"
#include "boxes/shape/rotated.h"
#include "ops/points_in_polygons/problem.h"

namespace detops::points_in_polygons {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using boxes::Point;

bool Holds(const Point* corner, const Point& point) {
  bool odd = false;
  for (int i = 0; i < 4; ++i) {
    const Point& from = corner[(i + 3) % 4];
    const Point& to = corner[i];
    if (to == point) return false;
    if (from.y == point.y && to.y == point.y && (from.x < point.x) != (to.x < point.x)) return false;
    const bool rises = to.y > point.y;
    if ((from.y > point.y) == rises) continue;
    const double side = boxes::Orientation(from, to, point);
    if (side == 0) return false;
    odd ^= (side > 0) == rises;
  }
  return odd;
}

}  // namespace

QuadPlanes QuadPlanes::Take(Arena& arena, int64_t count) {
  const int64_t padded = SaturatingAdd(count, boxes::kPlanePadding);
  QuadPlanes planes = {};
  for (int i = 0; i < 4; ++i) {
    planes.x[i] = arena.Take<double>(padded);
    planes.y[i] = arena.Take<double>(padded);
  }
  for (double** plane : {&planes.min_x, &planes.min_y, &planes.max_x, &planes.max_y}) {
    *plane = arena.Take<double>(padded);
  }
  planes.count = count;
  return planes;
}

void QuadPlanes::Set(int64_t index, const double* numbers) const {
  bool finite = true;
  for (int i = 0; i < 4; ++i) {
    x[i][index] = numbers[2 * i];
    y[i][index] = numbers[2 * i + 1];
    finite &= std::isfinite(numbers[2 * i]) && std::isfinite(numbers[2 * i + 1]);
  }
  const double* n = numbers;
  min_x[index] = finite ? std::min(std::min(n[0], n[2]), std::min(n[4], n[6])) : kInfinity;
  max_x[index] = finite ? std::max(std::max(n[0], n[2]), std::max(n[4], n[6])) : -kInfinity;
  min_y[index] = finite ? std::min(std::min(n[1], n[3]), std::min(n[5], n[7])) : kInfinity;
  max_y[index] = finite ? std::max(std::max(n[1], n[3]), std::max(n[5], n[7])) : -kInfinity;
}

void QuadPlanes::Pad() const {
  constexpr double kNowhere[8] = {kInfinity, kInfinity, kInfinity, kInfinity,
                                  kInfinity, kInfinity, kInfinity, kInfinity};
  for (int64_t i = count; i < count + boxes::kPlanePadding; ++i) Set(i, kNowhere);
}

bool HoldsPoint(const QuadPlanes& quads, int64_t index, double point_x, double point_y) {
  double numbers[10] = {point_x, point_y};
  for (int i = 0; i < 4; ++i) {
    numbers[2 + 2 * i] = quads.x[i][index];
    numbers[3 + 2 * i] = quads.y[i][index];
  }
  const int exponent = boxes::ExponentOf(numbers, 10);
  if (exponent != 0) {
    for (double& number : numbers) number = std::scalbn(number, -exponent);
  }
  Point corner[4];
  for (int i = 0; i < 4; ++i) corner[i] = {numbers[2 + 2 * i], numbers[3 + 2 * i]};
  return Holds(corner, {numbers[0], numbers[1]});
}

}  // namespace detops::points_in_polygons
