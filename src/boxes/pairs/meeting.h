// The upright rectangles around shapes, and which of them overlap: the vector part of meeting_matrix.h.
#ifndef DETOPS_BOXES_PAIRS_MEETING_H_
#define DETOPS_BOXES_PAIRS_MEETING_H_

#include <cstdint>
#include <limits>

#include "boxes/shape/upright.h"

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

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_PAIRS_MEETING_H_
