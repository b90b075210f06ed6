// Quadrilaterals in double, convex or not: overlaps and their ratios.
//
// As in polygon.h nothing has a margin, and nothing allocates.
#ifndef DETOPS_BOXES_POLYGON_QUAD_H_
#define DETOPS_BOXES_POLYGON_QUAD_H_

#include <cstdint>

#include "boxes/polygon/polygon.h"

namespace detops::boxes {

// A quadrilateral as the functions below want it, made once per row of a tensor.
struct Quad {
  // Anticlockwise, from the lowest corner on: the same list for the same quadrilateral, wherever the caller begins and
  // whichever way round. Scaled by 2^-exponent, which is not 0 only where squares would leave the range of double.
  Point corner[4];
  double area;  // at least 0, of the scaled corners; 0: overlaps nothing, and the rest says nothing
  double min_x, min_y, max_x, max_y;
  int16_t exponent;
  uint8_t count;     // corners if convex: 3 or 4 (those in the middle of a side are left out); 0: not convex
  uint8_t diagonal;  // not convex: the triangles are (d, d + 1, d + 2) and (d, d + 2, d + 3)
  int16_t sign[2];   // of the two triangles; a quadrilateral whose sides cross has one of each
};

// Coordinates x1, y1 .. x4, y4 in boundary order, either direction. One that is not finite gives area 0.
Quad MakeQuad(const double* coordinates);
// The same with a given exponent, not less than the numbers need.
Quad MakeQuad(const double* coordinates, int exponent);
Quad Rescaled(const Quad& quad, int exponent);

// A quadrilateral of positive area as convex pieces, anticlockwise: itself, or two triangles with signs.
struct QuadPieces {
  Point corner[2][4];
  int sign[2];
  int corners;  // of each piece
  int count;
};
void Split(const Quad& quad, QuadPieces* pieces);

// Area of the intersection. Quadrilaterals whose sides cross count what they go round clockwise as negative; the sum is
// cut to [0, smaller area]. The same bits whichever comes first. `a` and `b` have the same exponent.
double QuadOverlap(const Quad& a, const Quad& b);

// Overlap / union and overlap / area of a, in [0, 1]; 1 for a quadrilateral with itself, 0 where an area is 0.
double QuadIou(const Quad& a, const Quad& b);
double QuadIof(const Quad& a, const Quad& b);

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_POLYGON_QUAD_H_
