// The convex hull of nine points, and what it shares with a quadrilateral.
#ifndef DETOPS_OPS_CONVEX_IOU_HULL_H_
#define DETOPS_OPS_CONVEX_IOU_HULL_H_

#include <cstdint>

#include "boxes/polygon/quad.h"

namespace detops::convex_iou {

inline constexpr int kPoints = 9;

struct Hull {
  // Anticlockwise, from the lowest on; on a line two, all equal one, with a number that is not finite none. Scaled by
  // 2^-exponent, as boxes::Quad.
  boxes::Point corner[kPoints];
  int8_t index[kPoints];  // which of the points each corner is: of equal ones the first
  int32_t count;
  int32_t exponent;
  double area;  // of the scaled corners; 0: shares nothing
  double min_x, min_y, max_x, max_y;
};

// x1, y1 .. x9, y9.
Hull MakeHull(const double* numbers);
// The same with a given exponent, not less than the numbers need.
Hull MakeHull(const double* numbers, int exponent);

// Of the scaled corners. Both have the same exponent.
double Overlap(const Hull& hull, const boxes::Quad& quad);

// Overlap / union, in [0, 1].
double Iou(const Hull& hull, const boxes::Quad& quad);

// Generalised IoU, in [-1, 1], of nine points and a quadrilateral, and its derivatives by the 18 numbers.
void Giou(const double* points, const double* quad, double* giou, double* gradient);

}  // namespace detops::convex_iou

#endif  // DETOPS_OPS_CONVEX_IOU_HULL_H_
