// Convex polygons in double: exact signs, convex hulls, areas, overlaps.
//
// Coordinates are what the caller's tensors hold, read exactly as double. Nothing here has a margin: which side of a
// line a point lies on is decided exactly, and an overlap is rounded like any other sum. Nothing allocates.
#ifndef DETOPS_BOXES_POLYGON_POLYGON_H_
#define DETOPS_BOXES_POLYGON_POLYGON_H_

#include <cstdint>

namespace detops::boxes {

struct Point {
  double x, y;
};

inline bool operator==(const Point& a, const Point& b) { return a.x == b.x && a.y == b.y; }

// By x, and where that is equal by y.
inline bool LowerPoint(const Point& a, const Point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; }

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

// What rounding alone can make of an overlap that is 0, divided by the sum and the smaller of the two extents (width
// and height).
inline constexpr double kOverlapError = 0x1p-48;

// By which power of two to divide these finite numbers so that squares of them stay in the range of double: 0 unless
// they are extreme, as only those of double tensors can be.
int ExponentOf(const double* numbers, int count);

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_POLYGON_POLYGON_H_
