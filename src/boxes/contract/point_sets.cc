#include "boxes/contract/point_sets.h"

#include <cmath>

namespace detops_harness::boxes {
namespace {

// In the order of the key's words.
enum Kind : size_t {
  kScattered,  // anywhere around a place
  kGrid,       // small whole numbers: equal points, points on sides
  kTriangle,   // three points, three times each
  kLine,       // on a line, exactly; sometimes all equal
  kFar         // scattered far from 0
};

}  // namespace

ShapeKey PointSetsKey() {
  return {"sets",
          "scattered",
          "points of a set: scattered, grid, triangle: three of them three times, line, far",
          {"scattered", "grid", "triangle", "line", "far"}};
}

size_t PointSetsOf(const Shape& shape) {
  return shape.Choice("sets", {"scattered", "grid", "triangle", "line", "far"});
}

void FillPointSets(Tensor& tensor, size_t kind, double field, Random& random) {
  for (int64_t row = 0; row < tensor.extents[0]; ++row) {
    const double shift = kind == kFar ? 3000 : 0;
    const double x = random.Uniform(0, field) + shift, y = random.Uniform(0, field) - shift;
    const double reach_x = random.Uniform(4, 30), reach_y = random.Uniform(4, 30);
    const auto steps = static_cast<double>(random.Below(4)), rise = static_cast<double>(random.Between(-2, 2));
    for (int64_t i = 0; i < 9; ++i) {
      double px = x + random.Uniform(-reach_x, reach_x), py = y + random.Uniform(-reach_y, reach_y);
      if (kind == kGrid) {
        px = static_cast<double>(random.Below(7));
        py = static_cast<double>(random.Below(7));
      } else if (kind == kTriangle && i > 2) {
        px = tensor.Get(row * 18 + i % 3 * 2);
        py = tensor.Get(row * 18 + i % 3 * 2 + 1);
      } else if (kind == kLine) {
        const double along = steps * static_cast<double>(random.Below(5));
        px = std::floor(x) + along;
        py = std::floor(y) + along * rise;
      }
      tensor.Set(row * 18 + i * 2, px);
      tensor.Set(row * 18 + i * 2 + 1, py);
    }
  }
}

}  // namespace detops_harness::boxes
