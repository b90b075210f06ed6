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

// Brings numbers to where their products can be added up exactly. One of them may be 1e308 and the others have all
// their digits around 1, so the largest goes as far up as products allow.
void Bring(double (&numbers)[3]) {
  const int exponent = boxes::ExponentOf(numbers, 3);
  if (exponent == 0) return;
  for (double& number : numbers) number = std::scalbn(number, 500 - exponent);
}

// The sign is exact. Each axis has a power of two of its own, which leaves it as it is.
double SideOf(const Point& from, const Point& to, const Point& point) {
  double x[3] = {from.x, to.x, point.x}, y[3] = {from.y, to.y, point.y};
  Bring(x);
  Bring(y);
  return boxes::Orientation({x[0], y[0]}, {x[1], y[1]}, {x[2], y[2]});
}

bool Holds(const Point* corner, const Point& point) {
  bool odd = false;
  for (int i = 0; i < 4; ++i) {
    const Point& from = corner[(i + 3) % 4];
    const Point& to = corner[i];
    if (to == point) return false;
    if (from.y == point.y && to.y == point.y && (from.x < point.x) != (to.x < point.x)) return false;
    const bool rises = to.y > point.y;
    if ((from.y > point.y) == rises) continue;
    const double side = SideOf(from, to, point);
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

bool HoldsPoint(const QuadPlanes& quads, int64_t index, double x, double y) {
  Point corner[4];
  for (int i = 0; i < 4; ++i) corner[i] = {quads.x[i][index], quads.y[i][index]};
  return Holds(corner, {x, y});
}

}  // namespace detops::points_in_polygons
