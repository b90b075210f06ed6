#include "boxes/contract/quads.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace detops_harness::boxes {
namespace {

// In the order of the key's words.
enum Kind : size_t {
  kTurned,      // turned rectangles, as ships and cars in a picture from above
  kStar,        // a corner in each quadrant around a centre: convex or not
  kCrossed,     // the same with two neighbours exchanged: sides cross
  kGrid,        // corners with small whole numbers: common sides, corners on sides, equal corners
  kDegenerate,  // without area, or with a corner twice or on a side
  kFar          // turned rectangles far from 0
};

using Quad = std::array<double, 8>;

// A direction from plain arithmetic alone, the same on every machine.
std::pair<double, double> Direction(Random& random) {
  const double t = random.Uniform(-1, 1);
  return {(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)};
}

Quad Turned(double x, double y, double w, double h, Random& random) {
  const auto [c, s] = Direction(random);
  Quad quad;
  const double sx[] = {-w, w, w, -w}, sy[] = {-h, -h, h, h};
  for (size_t i = 0; i < 4; ++i) {
    quad[2 * i] = x + c * sx[i] - s * sy[i];
    quad[2 * i + 1] = y + s * sx[i] + c * sy[i];
  }
  return quad;
}

Quad Star(double x, double y, Random& random) {
  Quad quad;
  const double sx[] = {1, -1, -1, 1}, sy[] = {1, 1, -1, -1};
  for (size_t i = 0; i < 4; ++i) {
    quad[2 * i] = x + sx[i] * random.Uniform(0.5, 40);
    quad[2 * i + 1] = y + sy[i] * random.Uniform(0.5, 40);
  }
  return quad;
}

Quad Degenerate(double x, double y, Random& random) {
  Quad quad = Turned(x, y, 16, 8, random);
  const auto set = [&](size_t corner, double px, double py) {
    quad[2 * corner] = px;
    quad[2 * corner + 1] = py;
  };
  switch (random.Below(5)) {
    case 0:  // a point
      for (size_t i = 0; i < 4; ++i) set(i, x, y);
      break;
    case 1:  // a line, exactly
      for (size_t i = 0; i < 4; ++i) set(i, std::floor(x) + static_cast<double>(random.Below(9)), std::floor(y));
      break;
    case 2:  // a triangle with a corner twice
      set(1, quad[0], quad[1]);
      break;
    case 3:  // a triangle with a corner in the middle of a side, exactly
      for (size_t i = 0; i < 4; ++i) set(i, std::floor(quad[2 * i] / 2) * 2, std::floor(quad[2 * i + 1] / 2) * 2);
      set(1, (quad[0] + quad[4]) / 2, (quad[1] + quad[5]) / 2);
      break;
    default:  // two equal triangles that go round in opposite directions
      set(0, std::floor(x), std::floor(y));
      set(1, std::floor(x) + 8, std::floor(y) + 8);
      set(2, std::floor(x) + 8, std::floor(y));
      set(3, std::floor(x), std::floor(y) + 8);
      break;
  }
  return quad;
}

}  // namespace

ShapeKey QuadsKey() {
  return {"quads",
          "turned",
          "turned: rectangles, star: convex or not, crossed: sides cross, grid, degenerate, far",
          {"turned", "star", "crossed", "grid", "degenerate", "far"}};
}

size_t QuadsOf(const Shape& shape) {
  return shape.Choice("quads", {"turned", "star", "crossed", "grid", "degenerate", "far"});
}

Quad NewQuad(size_t kind, double field, Random& random) {
  const double x = random.Uniform(0, field), y = random.Uniform(0, field);
  Quad quad;
  switch (kind) {
    case kStar:
    case kCrossed:
      quad = Star(x, y, random);
      if (kind == kStar) break;
      std::swap(quad[2], quad[4]);
      std::swap(quad[3], quad[5]);
      break;
    case kGrid:
      for (double& number : quad) number = static_cast<double>(random.Below(7));
      break;
    case kDegenerate:
      quad = Degenerate(x, y, random);
      break;
    default: {
      const double shift = kind == kFar ? 3000 : 0;
      quad = Turned(x + shift, y - shift, random.Uniform(4, 40), random.Uniform(2, 12), random);
    }
  }
  if (random.Below(2) == 0) {
    std::swap(quad[0], quad[4]);
    std::swap(quad[1], quad[5]);
  }
  std::rotate(quad.begin(), quad.begin() + 2 * random.Below(4), quad.end());
  return quad;
}

void FillQuads(Tensor& tensor, size_t kind, double field, Random& random) {
  const int64_t width = tensor.extents[1];
  for (int64_t row = 0; row < tensor.extents[0]; ++row) {
    const Quad quad = NewQuad(kind, field, random);
    for (int64_t i = 0; i < 8; ++i) tensor.Set(row * width + i, quad[static_cast<size_t>(i)]);
  }
}

double FieldFor(int64_t rows) { return 20 * std::sqrt(static_cast<double>(rows)); }

}  // namespace detops_harness::boxes
