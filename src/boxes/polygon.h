// Quadrilaterals and convex polygons in double: overlaps, areas, orientation, convex hulls.
//
// Coordinates are what the caller's tensors hold, read exactly as double. Nothing here has a margin: which side of a
// line a point lies on is decided exactly, and an overlap is rounded like any other sum. Nothing allocates.
#ifndef DETOPS_BOXES_POLYGON_H_
#define DETOPS_BOXES_POLYGON_H_

#include <cstdint>

namespace detops::boxes {

struct Point {
  double x, y;
};

inline bool operator==(const Point& a, const Point& b) { return a.x == b.x && a.y == b.y; }

// The cross product (b - a) x (d - c), with the sign of the exact one and few wrong bits even where its two terms
// nearly cancel. Exact while coordinates that are not 0 lie between 2^-480 and 2^480, so always for those that were
// float.
double Cross(const Point& a, const Point& b, const Point& c, const Point& d);

// Above 0 if a, b, c turn left (anticlockwise where y points up), 0 if they lie on a line, below 0 if they turn right:
// the sign is exact, the value rough where it is small.
double Orientation(const Point& a, const Point& b, const Point& c);

// The most points that ConvexHull takes: nine of a point set and four of a quadrilateral.
inline constexpr int kMaxHullPoints = 13;

// Writes the indices of the corners of the convex hull, anticlockwise, from the lowest x (of equal ones the lowest y)
// on, and returns their number. Points on an edge are not corners; of equal points the first stands for all. 2 corners:
// all points lie on a line; 1: they are all equal.
int ConvexHull(const Point* points, int count, int* corners);

// Area of a convex polygon whose corners stand anticlockwise; 0 with fewer than three.
double ConvexArea(const Point* corners, int count);

// Overlap of two convex polygons of 3 to 9 corners, anticlockwise, no three of them on a line. At least 0; exactly 0 if
// they share no inner point. The value can exceed the smaller area by rounding.
double ConvexOverlap(const Point* clip, int clip_count, const Point* subject, int subject_count);

// A quadrilateral as the functions below want it, made once per row of a tensor.
struct Quad {
  // Anticlockwise, from the lowest corner on: the same list for the same quadrilateral, wherever the caller begins and
  // whichever way round. Scaled by 2^-exponent, which is not 0 only where squares would leave the range of double.
  Point corner[4];
  double area;  // at least 0, of the scaled corners; 0: overlaps nothing, and the rest says nothing
  double min_x, min_y, max_x, max_y;
  int32_t exponent;
  int8_t count;     // corners if convex: 3 or 4 (those in the middle of a side are left out); 0: not convex
  int8_t diagonal;  // not convex: the triangles are (d, d + 1, d + 2) and (d, d + 2, d + 3)
  int8_t sign[2];   // of the two triangles; a quadrilateral whose sides cross has one of each
};

// Coordinates x1, y1 .. x4, y4 in boundary order, either direction. One that is not finite gives area 0.
Quad MakeQuad(const double* coordinates);
// The same with a given exponent, not less than the numbers need.
Quad MakeQuad(const double* coordinates, int exponent);
Quad Rescaled(const Quad& quad, int exponent);

// By which power of two to divide these finite numbers so that squares of them stay in the range of double: 0 unless
// they are extreme, as only those of double tensors can be.
int ExponentOf(const double* numbers, int count);

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

#endif  // DETOPS_BOXES_POLYGON_H_
