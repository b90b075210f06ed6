// Rotated boxes as numbers in double, one at a time or as planes that vector code reads. What two of them share:
// rotated-inl.h.
//
//            y ^        _.-1              centre (cx, cy), sides w and h; a positive angle turns the
//              |    _.-'    \             box's own x axis towards +y:
//              | 2-'    _.-> \              corner = centre + R(angle) (+-w/2, +-h/2)
//              |  \   (cx,cy) 0
//              |   \     _.-'             A box with w <= 0 or h <= 0, or with a NaN or Inf among its
//              |    3_.-'                 numbers, has area 0 and overlaps nothing.
//              +-----------------> x
#ifndef DETOPS_BOXES_SHAPE_ROTATED_H_
#define DETOPS_BOXES_SHAPE_ROTATED_H_

#include <cstdint>

#include "core/arena.h"
#include "mlu_op/types.h"

namespace detops::boxes {

// A box that is "wide" has a side or a centre so large or so small that products of such numbers might leave the range
// of double. Only boxes of doubles can be. Its area is kWideArea instead of a product, which sends the pairs it is in
// to a slower path that brings both boxes to ordinary size first.
inline constexpr double kWideArea = -1.0;

// Products of four such lengths stay far inside of double, and so do a distance times a slope.
constexpr bool OrdinaryLength(double length) { return length >= 0x1p-300 && length <= 0x1p300; }

struct RotatedBox {
  double cx, cy, w, h;
  double cosine, sine, angle;
  double area;
  // A rectangle with upright sides that holds the box. It may be larger by some roundings, never smaller. A box
  // without area has an empty one, a wide box the whole plane.
  double x_min, y_min, x_max, y_max;
};

RotatedBox MakeRotatedBox(double cx, double cy, double w, double h, double angle);

// How a row of a tensor holds a box.
enum class RowFormat {
  kRotated,     // cx, cy, w, h, angle
  kBev,         // x, y, z, dx, dy, dz, heading: seen from above, so z and dz do not count
  kBevUpright,  // the same with the heading taken as 0
};
constexpr int64_t NumbersOf(RowFormat format) { return format == RowFormat::kRotated ? 5 : 7; }

// Row `row` of a dense tensor of half, bfloat16, float or double numbers.
RotatedBox ReadRotatedBox(RowFormat format, mluOpDataType_t type, const void* rows, int64_t row);

// Planes end with boxes that have no area, so that vectors of any target may be read from any box on.
inline constexpr int64_t kPlanePadding = 32;

// Boxes as one array for each of their numbers.
struct RotatedPlanes {
  double* cx;
  double* cy;
  double* w;
  double* h;
  double* cosine;
  double* sine;
  double* angle;
  double* area;
  double* x_min;
  double* y_min;
  double* x_max;
  double* y_max;
  int64_t count;

  static RotatedPlanes Take(Arena& arena, int64_t count);
  void Set(int64_t index, const RotatedBox& box) const;
  RotatedBox Get(int64_t index) const;
  // The boxes behind the last one. Once, by whoever fills the planes.
  void Pad() const;
};

// Boxes [begin, end) of the planes from the rows of a tensor; Pad is the caller's.
void FillRotated(const RotatedPlanes& planes, RowFormat format, mluOpDataType_t type, const void* rows, int64_t begin,
                 int64_t end);

// What is asked of two boxes. All are 0 if they do not overlap, if they touch, or if one has no area.
enum class PairValue {
  kOverlap,    // the area they share
  kIou,        // that over the area of both together
  kIofFirst,   // that over the area of the first
  kIofSecond,  // that over the area of the second
};

// One pair; the same bits as a lane of RotatedValue of rotated-inl.h.
double RotatedValueOf(PairValue value, const RotatedBox& a, const RotatedBox& b);

// A pair with a wide box, scaled by 2^-exponent so that the longest side is about 1, with its centre near 0. False if
// the boxes share nothing.
bool ScaleWidePair(const RotatedBox& a, const RotatedBox& b, RotatedBox* small_a, RotatedBox* small_b, int* exponent);

// RotatedValueOf for pairs with a wide box.
double WideRotatedValue(PairValue value, const RotatedBox& a, const RotatedBox& b);

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_SHAPE_ROTATED_H_
