// What is known of a box without computing its IoU with another: upright bounds and areas in float, chosen so that no
// pair is missed.
//
// IoU = I / (A + B - I) is above t if and only if I is above c (A + B) with c = t / (1 + t), and I is not above the
// overlap of the bounds, A or B. So with a share of c A and c B that is a little too small, and bounds and areas that
// are a little too large,
//
//     min(overlap of the bounds, A, B) > share of a + share of b
//
// holds for every pair with an IoU above t. The rest is too small by 2^-18 of itself, where the few roundings on the
// way take 2^-21, and by 2^-44 of the squared extent, where computing the IoU in double may err by 2^-46 of it.
#ifndef DETOPS_BOXES_SUPPRESSION_OUTLINE_H_
#define DETOPS_BOXES_SUPPRESSION_OUTLINE_H_

#include <cstdint>

#include "boxes/polygon/quad.h"
#include "boxes/shape/rotated.h"
#include "boxes/shape/upright.h"

namespace detops::boxes {

struct Outline {
  float x_min, y_min, x_max, y_max;
  float area;
  float share;
};

// Sixteen outlines as planes; those behind the last one pass no test.
struct alignas(64) OutlineChunk {
  static constexpr int kSize = 16;
  float x_min[kSize], y_min[kSize], x_max[kSize], y_max[kSize], area[kSize], share[kSize];
  uint32_t id[kSize];

  void Clear();
  void Set(int place, const Outline& outline, uint32_t number);
};

// Below this threshold the product of two sides might underflow where c (A + B) does: then any two boxes whose bounds
// meet pass the test.
inline constexpr double kLeastShared = 0x1p-20;

// The threshold is in [0, 1), and the box has an area.
Outline OutlineOf(const UprightBox& box, double threshold);
Outline OutlineOf(const RotatedBox& box, double threshold);
Outline OutlineOf(const Quad& quad, double threshold);

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_SUPPRESSION_OUTLINE_H_
