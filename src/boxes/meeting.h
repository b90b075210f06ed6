// Matrices of pairs of shapes of which most are far apart: the upright rectangles around them are compared first, a
// vector at a time, and only pairs whose rectangles overlap are looked at.
#ifndef DETOPS_BOXES_MEETING_H_
#define DETOPS_BOXES_MEETING_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "boxes/upright.h"
#include "core/half.h"
#include "core/parallel.h"

namespace detops::boxes {

// The rectangle around a shape with `exponent`, whose numbers are divided by 2^exponent: one that is scaled may meet
// anything. A shape without area meets nothing.
template <class Shape>
UprightBox BoundsOf(const Shape& shape) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!(shape.area > 0)) return {kInfinity, kInfinity, -kInfinity, -kInfinity, 0};
  if (shape.exponent != 0) return {-kInfinity, -kInfinity, kInfinity, kInfinity, 0};
  return {shape.min_x, shape.min_y, shape.max_x, shape.max_y, 0};
}

// Bit i: whether `box` and box begin + i of the planes have an inner point in common; count <= 64.
using MeetingKernel = uint64_t (*)(const UprightPlanes& planes, const UprightBox& box, int64_t begin, int64_t count);
MeetingKernel ChooseMeetingKernel();

// Elements `pairs` of the matrix whose columns are the boxes of the planes: value(row, column) where the rectangles
// meet, 0 elsewhere. bounds(row) is the rectangle of a row.
template <typename T, class Bounds, class Value>
void FillPairs(MeetingKernel meeting, const Bounds& bounds, const UprightPlanes& columns, Range pairs, void* matrix,
               const Value& value) {
  for (int64_t at = pairs.begin; at < pairs.end;) {
    const int64_t row = at / columns.count;
    const UprightBox box = bounds(row);
    const int64_t row_begin = row * columns.count;
    const int64_t end = std::min(row_begin + columns.count, pairs.end);
    while (at < end) {
      const int64_t count = std::min<int64_t>(64, end - at);
      for (int64_t i = 0; i < count; ++i) StoreElement(matrix, at + i, T{});
      uint64_t bits = meeting(columns, box, at - row_begin, count);
      for (; bits != 0; bits &= bits - 1) {
        const int64_t place = at + std::countr_zero(bits);
        StoreElement(matrix, place, FromDouble<T>(value(row, place - row_begin)));
      }
      at += count;
    }
  }
}

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_MEETING_H_
