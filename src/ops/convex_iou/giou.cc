// GIoU = I / U - (C - U) / C with I the shared area, U = A + B - I that of both together, C that of their common hull.
// By the points it changes as
//   dGIoU = dI (1 / U + I / U^2 - 1 / C) + dA (1 / C - I / U^2) - dC U / C^2,
// and an area changes by what its border sweeps: where a point of a side moves by v, by v * outward normal per length.
#include <algorithm>
#include <cmath>

#include "ops/convex_iou/hull.h"

namespace detops::convex_iou {
namespace {

using boxes::Point;
using boxes::Quad;

constexpr int kMostCorners = kPoints + 4;

// A part [begin, end] of a side, as shares of its length, and how much it counts.
struct Part {
  double begin, end, weight;
};

// The part of the side from p to q that lies in a convex piece. Along a side of the piece it counts half: there the
// area grows if p and q move to one side, and stays as it is if they move to the other.
Part PartInside(const Point& p, const Point& q, const Point* corner, int corners) {
  Part part = {0, 1, 1};
  for (int i = 0; i < corners; ++i) {
    const Point& begin = corner[i];
    const Point& end = corner[i + 1 == corners ? 0 : i + 1];
    const double at_p = boxes::Cross(begin, end, begin, p);
    const double at_q = boxes::Cross(begin, end, begin, q);
    if (at_p == 0 && at_q == 0) {
      part.weight /= 2;
    } else if (at_p <= 0 && at_q <= 0) {
      return {0, 0, 0};
    } else if (at_p < 0) {
      part.begin = std::max(part.begin, at_p / (at_p - at_q));
    } else if (at_q < 0) {
      part.end = std::min(part.end, at_p / (at_p - at_q));
    }
  }
  return part;
}

// How the shared area changes with each corner of the hull.
void OverlapSlopes(const Hull& hull, const Quad& quad, Point* slope) {
  boxes::QuadPieces pieces;
  boxes::Split(quad, &pieces);
  for (int i = 0; i < hull.count; ++i) {
    const int next = i + 1 == hull.count ? 0 : i + 1;
    const Point& p = hull.corner[i];
    const Point& q = hull.corner[next];
    double at_p = 0, at_q = 0;
    for (int k = 0; k < pieces.count; ++k) {
      const Part part = PartInside(p, q, pieces.corner[k], pieces.corners);
      if (!(part.end > part.begin)) continue;
      const double length = pieces.sign[k] * part.weight * (part.end - part.begin);
      const double middle = (part.begin + part.end) / 2;
      at_q += length * middle;
      at_p += length * (1 - middle);
    }
    const Point normal = {q.y - p.y, p.x - q.x};
    slope[i] = {slope[i].x + normal.x * at_p, slope[i].y + normal.y * at_p};
    slope[next] = {slope[next].x + normal.x * at_q, slope[next].y + normal.y * at_q};
  }
}

// How the area of a convex polygon changes with corner i.
Point AreaSlope(const Point* corner, const int* order, int count, int i) {
  const Point& before = corner[order[i == 0 ? count - 1 : i - 1]];
  const Point& after = corner[order[i + 1 == count ? 0 : i + 1]];
  return {(after.y - before.y) / 2, (before.x - after.x) / 2};
}

// A hull and a quadrilateral, which need not have an area, with their common hull.
struct Shapes {
  Shapes(const double* points, const double* numbers)
      : hull(MakeHull(points, 0)), quad(boxes::MakeQuad(numbers, 0)), overlap(Overlap(hull, quad)) {
    // The hull's corners come first: of equal corners they are those that count.
    std::copy(hull.corner, hull.corner + hull.count, corner);
    for (int i = 0; i < 4; ++i) corner[hull.count + i] = {numbers[2 * i] + 0.0, numbers[2 * i + 1] + 0.0};
    common_count = boxes::ConvexHull(corner, hull.count + 4, common);
    Point around[kMostCorners];
    for (int i = 0; i < common_count; ++i) around[i] = corner[common[i]];
    common_area = boxes::ConvexArea(around, common_count);
    both = hull.area + quad.area - overlap;
  }

  Hull hull;
  Quad quad;
  double overlap, both, common_area;
  Point corner[kMostCorners];
  int common[kMostCorners];
  int common_count;
};

// Slopes by the corners of the hull.
void Slopes(const Shapes& shapes, Point* slope) {
  const Hull& hull = shapes.hull;
  const double common = shapes.common_area;
  if (shapes.overlap > 0) {
    OverlapSlopes(hull, shapes.quad, slope);
    const double by_overlap = 1 / shapes.both + shapes.overlap / shapes.both / shapes.both - 1 / common;
    for (int i = 0; i < hull.count; ++i) slope[i] = {slope[i].x * by_overlap, slope[i].y * by_overlap};
  }
  if (hull.area > 0) {
    constexpr int kOrder[kPoints] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const double by_area = 1 / common - (shapes.overlap > 0 ? shapes.overlap / shapes.both / shapes.both : 0);
    for (int i = 0; i < hull.count; ++i) {
      const Point own = AreaSlope(hull.corner, kOrder, hull.count, i);
      slope[i] = {slope[i].x + own.x * by_area, slope[i].y + own.y * by_area};
    }
  }
  const double by_common = -shapes.both / common / common;
  for (int i = 0; i < shapes.common_count; ++i) {
    const int corner = shapes.common[i];
    if (corner >= hull.count) continue;
    const Point own = AreaSlope(shapes.corner, shapes.common, shapes.common_count, i);
    slope[corner] = {slope[corner].x + own.x * by_common, slope[corner].y + own.y * by_common};
  }
}

}  // namespace

void Giou(const double* points, const double* quad, double* giou, double* gradient) {
  constexpr int kNumbers = 2 * kPoints + 8;
  double numbers[kNumbers];
  std::copy(points, points + 2 * kPoints, numbers);
  std::copy(quad, quad + 8, numbers + 2 * kPoints);
  *giou = 0;
  std::fill(gradient, gradient + 2 * kPoints, 0.0);
  if (!std::all_of(numbers, numbers + kNumbers, [](double number) { return std::isfinite(number); })) return;
  const int exponent = boxes::ExponentOf(numbers, kNumbers);
  if (exponent != 0) {
    for (double& number : numbers) number = std::scalbn(number, -exponent);
  }
  const Shapes shapes(numbers, numbers + 2 * kPoints);
  if (!(shapes.common_area > 0)) return;
  const double iou = shapes.overlap > 0 ? shapes.overlap / shapes.both : 0.0;
  *giou = iou - (1 - std::min(1.0, shapes.both / shapes.common_area));
  Point slope[kPoints] = {};
  Slopes(shapes, slope);
  for (int i = 0; i < shapes.hull.count; ++i) {
    const int at = 2 * shapes.hull.index[i];
    gradient[at] = std::scalbn(slope[i].x, -exponent);
    gradient[at + 1] = std::scalbn(slope[i].y, -exponent);
  }
}

}  // namespace detops::convex_iou
