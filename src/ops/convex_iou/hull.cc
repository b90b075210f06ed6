#include "ops/convex_iou/hull.h"

#include <algorithm>
#include <cmath>

namespace detops::convex_iou {
namespace {

using boxes::Point;
using boxes::Quad;

// Everything but the exponent. `index` says which points these are.
Hull HullOf(const Point* points, const int8_t* index, int count) {
  Hull hull = {};
  int corners[kPoints];
  hull.count = boxes::ConvexHull(points, count, corners);
  for (int i = 0; i < hull.count; ++i) {
    hull.corner[i] = points[corners[i]];
    hull.index[i] = index[corners[i]];
  }
  hull.area = boxes::ConvexArea(hull.corner, hull.count);
  hull.min_x = hull.max_x = hull.corner[0].x;
  hull.min_y = hull.max_y = hull.corner[0].y;
  for (int i = 1; i < hull.count; ++i) {
    hull.min_x = std::min(hull.min_x, hull.corner[i].x);
    hull.max_x = std::max(hull.max_x, hull.corner[i].x);
    hull.min_y = std::min(hull.min_y, hull.corner[i].y);
    hull.max_y = std::max(hull.max_y, hull.corner[i].y);
  }
  return hull;
}

Hull Rescaled(const Hull& hull, int exponent) {
  Point corner[kPoints];
  for (int i = 0; i < hull.count; ++i) {
    corner[i] = {std::scalbn(hull.corner[i].x, hull.exponent - exponent),
                 std::scalbn(hull.corner[i].y, hull.exponent - exponent)};
  }
  Hull scaled = HullOf(corner, hull.index, hull.count);
  scaled.exponent = exponent;
  return scaled;
}

bool SameCorners(const Hull& hull, const Quad& quad) {
  return hull.count == quad.count && std::equal(hull.corner, hull.corner + hull.count, quad.corner);
}

double IouOfScaled(const Hull& hull, const Quad& quad) {
  const double overlap = Overlap(hull, quad);
  return overlap > 0 ? overlap / (hull.area + quad.area - overlap) : 0.0;
}

}  // namespace

Hull MakeHull(const double* numbers) {
  if (!std::all_of(numbers, numbers + 2 * kPoints, [](double number) { return std::isfinite(number); })) return {};
  return MakeHull(numbers, boxes::ExponentOf(numbers, 2 * kPoints));
}

Hull MakeHull(const double* numbers, int exponent) {
  Point point[kPoints];
  int8_t index[kPoints];
  for (int i = 0; i < kPoints; ++i) {
    // Adding 0 makes a 0 of -0, as for quadrilaterals.
    point[i] = {std::scalbn(numbers[2 * i], -exponent) + 0.0, std::scalbn(numbers[2 * i + 1], -exponent) + 0.0};
    index[i] = static_cast<int8_t>(i);
  }
  Hull hull = HullOf(point, index, kPoints);
  hull.exponent = exponent;
  return hull;
}

double Overlap(const Hull& hull, const Quad& quad) {
  if (!(hull.area > 0) || !(quad.area > 0)) return 0;
  if (hull.max_x <= quad.min_x || quad.max_x <= hull.min_x || hull.max_y <= quad.min_y || quad.max_y <= hull.min_y) {
    return 0;
  }
  if (SameCorners(hull, quad)) return hull.area;
  boxes::QuadPieces pieces;
  boxes::Split(quad, &pieces);
  double overlap = 0;
  for (int i = 0; i < pieces.count; ++i) {
    overlap += pieces.sign[i] * boxes::ConvexOverlap(hull.corner, hull.count, pieces.corner[i], pieces.corners);
  }
  return std::clamp(overlap, 0.0, std::min(hull.area, quad.area));
}

double Iou(const Hull& hull, const Quad& quad) {
  if (hull.exponent == quad.exponent) return IouOfScaled(hull, quad);
  const int exponent = std::max<int>(hull.exponent, quad.exponent);
  return IouOfScaled(hull.exponent == exponent ? hull : Rescaled(hull, exponent),
                     quad.exponent == exponent ? quad : boxes::Rescaled(quad, exponent));
}

}  // namespace detops::convex_iou
