#include "boxes/suppression/outline.h"

#include <algorithm>
#include <cmath>

#include "boxes/points/interior.h"

namespace detops::boxes {

namespace {

constexpr float kFar = 0x1p62F;
// More than every overlap.
constexpr float kHuge = 0x1p120F;

// Passes the test with every box.
constexpr Outline kEverywhere = {-kFar, -kFar, kFar, kFar, kHuge, -kHuge};
// With none, not even with that one.
constexpr Outline kNowhere = {kFar, kFar, -kFar, -kFar, 0, 0x1p125F};

// Of these numbers no product in float leaves its range.
bool Ordinary(double x_min, double y_min, double x_max, double y_max, double area) {
  const double farthest = std::max(std::max(-x_min, -y_min), std::max(x_max, y_max));
  return farthest <= 0x1p60 && area >= 0x1p-80 && area <= 0x1p80;
}

Outline Make(double x_min, double y_min, double x_max, double y_max, double area, double threshold) {
  if (!Ordinary(x_min, y_min, x_max, y_max, area)) return kEverywhere;
  const double extent = (x_max - x_min) + (y_max - y_min);
  const double share = threshold / (1 + threshold) * area * (1 - 0x1p-18) - 0x1p-44 * (extent * extent);
  return {RoundedDown<float>(x_min),
          RoundedDown<float>(y_min),
          RoundedUp<float>(x_max),
          RoundedUp<float>(y_max),
          static_cast<float>(area * (1 + 0x1p-18)),
          static_cast<float>(share)};
}

}  // namespace

void OutlineChunk::Clear() {
  for (int i = 0; i < kSize; ++i) Set(i, kNowhere, 0);
}

void OutlineChunk::Set(int place, const Outline& outline, uint32_t number) {
  x_min[place] = outline.x_min;
  y_min[place] = outline.y_min;
  x_max[place] = outline.x_max;
  y_max[place] = outline.y_max;
  area[place] = outline.area;
  share[place] = outline.share;
  id[place] = number;
}

Outline OutlineOf(const UprightBox& box, double threshold) {
  return Make(box.x_min, box.y_min, box.x_max, box.y_max, box.area, threshold);
}

Outline OutlineOf(const RotatedBox& box, double threshold) {
  return Make(box.x_min, box.y_min, box.x_max, box.y_max, box.area, threshold);
}

Outline OutlineOf(const Quad& quad, double threshold) {
  if (quad.exponent != 0) return kEverywhere;
  return Make(quad.min_x, quad.min_y, quad.max_x, quad.max_y, quad.area, threshold);
}

}  // namespace detops::boxes
