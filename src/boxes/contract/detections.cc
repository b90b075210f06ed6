#include "boxes/contract/detections.h"

#include <algorithm>

namespace detops_harness::boxes {
namespace {

// In the order of the key's words.
enum class Kind {
  kClusters,    // some objects, each with many boxes around it
  kScattered,   // few of them overlap
  kGrid,        // whole numbers, few different scores: much is equal
  kEqual,       // one box, one score
  kDegenerate,  // corners in any order, sides of length 0
  kFar          // clusters around places far from the origin, also on its negative side
};

std::array<double, 4> Around(double x, double y, double width, double height, double jitter, Random& random) {
  const double left = x + random.Uniform(-jitter, jitter) * width;
  const double top = y + random.Uniform(-jitter, jitter) * height;
  return {left, top, left + width * random.Uniform(1 - jitter, 1 + jitter),
          top + height * random.Uniform(1 - jitter, 1 + jitter)};
}

}  // namespace

ShapeKey DetectionsKey() {
  return {"boxes",
          "clusters",
          "clusters: many boxes around each object, scattered, grid: much is equal, equal, degenerate, far",
          {"clusters", "scattered", "grid", "equal", "degenerate", "far"}};
}

std::vector<Detection> MakeDetections(const Shape& shape, int64_t count, Random& random) {
  const auto kind =
      static_cast<Kind>(shape.Choice("boxes", {"clusters", "scattered", "grid", "equal", "degenerate", "far"}));
  std::vector<Detection> objects;
  for (int64_t i = 0; i < std::max<int64_t>(1, count / 12); ++i) {
    const double x = random.Uniform(-800, 800), y = random.Uniform(-600, 600);
    objects.push_back({{x, y, random.Uniform(10, 90), random.Uniform(10, 90)}, 0});
  }
  const double shift = kind == Kind::kFar ? 30000 : 0;
  std::vector<Detection> made;
  for (int64_t i = 0; i < count; ++i) {
    Detection detection = {{1, 2, 5, 9}, 0.5};
    const std::array<double, 4>& o =
        objects[static_cast<size_t>(random.Below(static_cast<int64_t>(objects.size())))].corners;
    switch (kind) {
      case Kind::kScattered: {
        const double x = random.Uniform(-1000, 1000), y = random.Uniform(-1000, 1000);
        detection.corners = Around(x, y, 40, 30, 0.25, random);
        break;
      }
      case Kind::kGrid: {
        const auto at = [&] { return static_cast<double>(random.Between(-8, 8)); };
        const double x = at(), y = at();
        detection.corners = {x, y, x + static_cast<double>(random.Between(1, 6)),
                             y + static_cast<double>(random.Between(1, 6))};
        break;
      }
      case Kind::kEqual:
        break;
      case Kind::kDegenerate:
        for (double& number : detection.corners) number = static_cast<double>(random.Between(-6, 6));
        break;
      default: {
        const double sign = random.Below(2) == 0 ? 1 : -1;
        detection.corners = Around(o[0] + sign * shift, o[1] + sign * shift, o[2], o[3], 0.25, random);
        break;
      }
    }
    const bool few = kind == Kind::kGrid || kind == Kind::kDegenerate;
    if (few) detection.score = static_cast<double>(random.Between(1, 5)) / 8;
    if (!few && kind != Kind::kEqual) detection.score = random.Uniform(0.01, 1);
    made.push_back(detection);
  }
  return made;
}

void FillDetections(const Shape& shape, Tensor& boxes, Tensor& scores, uint64_t seed) {
  Random random(seed);
  int64_t i = 0;
  for (const Detection& detection : MakeDetections(shape, boxes.extents[0], random)) {
    for (size_t k = 0; k < 4; ++k) boxes.Set(4 * i + static_cast<int64_t>(k), detection.corners[k]);
    scores.Set(i++, detection.score);
  }
}

std::vector<detops_test::UprightBox> UprightBoxes(const Tensor& boxes, double offset) {
  std::vector<detops_test::UprightBox> list;
  for (int64_t i = 0; i < boxes.extents[0]; ++i) {
    const auto number = [&](int64_t k) { return boxes.Get(4 * i + k); };
    list.push_back({number(0), number(1), number(2) + offset, number(3) + offset});
  }
  return list;
}

ShapeKey ScoresKey() {
  return {"scores", "same", "type of the scores", {"same", "float", "half", "double", "bfloat16"}};
}

mluOpDataType_t ScoresType(const Shape& shape, mluOpDataType_t boxes) {
  const mluOpDataType_t types[] = {boxes, MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_DOUBLE,
                                   MLUOP_DTYPE_BFLOAT16};
  return types[shape.Choice("scores", {"same", "float", "half", "double", "bfloat16"})];
}

ShapeKey IndexKey() { return {"index", "int32", "type of the indices", {"int32", "int64"}}; }

mluOpDataType_t IndexType(const Shape& shape) {
  return shape.Choice("index", {"int32", "int64"}) == 0 ? MLUOP_DTYPE_INT32 : MLUOP_DTYPE_INT64;
}

}  // namespace detops_harness::boxes
