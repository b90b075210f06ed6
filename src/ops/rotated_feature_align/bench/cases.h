// The shapes of the design document, boxes as a detector makes them, and the least work of a call: for benchmarks and
// the program.
#ifndef DETOPS_OPS_ROTATED_FEATURE_ALIGN_BENCH_CASES_H_
#define DETOPS_OPS_ROTATED_FEATURE_ALIGN_BENCH_CASES_H_

#include <cstdint>
#include <random>
#include <vector>

#include "bench/machine.h"
#include "mlu_op.h"

namespace detops_cases {

struct RotatedFeatureAlignCase {
  const char* name;
  int batch, height, width, channels;
  float spatial_scale;
  int points;

  int64_t pixels() const { return int64_t{batch} * height * width; }
  int64_t elements() const { return pixels() * channels; }
};

// Section 3.7 of the design document, and the largest level of an R3Det feature pyramid.
inline constexpr RotatedFeatureAlignCase kRotatedFeatureAlignCases[] = {
    {"case1", 2, 4, 4, 30, 0.25f, 5},      {"case2", 2, 50, 50, 600, 0.125f, 5},      {"case3", 2, 4, 40, 30, 0.25f, 1},
    {"case4", 2, 100, 50, 200, 0.125f, 1}, {"r3det_p3", 1, 128, 128, 256, 0.125f, 1},
};

enum class Boxes {
  kNear,     // around their own pixel, a few pixels large: what a refinement stage sees
  kAnywhere  // uniform over the map: no locality at all
};

// [pixels, 5] = (y, x, w, h, angle) in image units.
inline std::vector<float> MakeBoxes(const RotatedFeatureAlignCase& shape, Boxes kind, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
  std::vector<float> boxes;
  boxes.reserve(static_cast<size_t>(shape.pixels() * 5));
  for (int n = 0; n < shape.batch; ++n) {
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x) {
        const bool near = kind == Boxes::kNear;
        const float cy =
            near ? static_cast<float>(y) + uniform(-1.5f, 1.5f) : uniform(0.0f, static_cast<float>(shape.height));
        const float cx =
            near ? static_cast<float>(x) + uniform(-1.5f, 1.5f) : uniform(0.0f, static_cast<float>(shape.width));
        const float scale = shape.spatial_scale;
        boxes.insert(boxes.end(), {cy / scale, cx / scale, uniform(1.0f, 7.0f) / scale, uniform(0.5f, 3.5f) / scale,
                                   uniform(-1.5708f, 1.5708f)});
      }
    }
  }
  return boxes;
}

inline std::vector<float> MakeFeatures(const RotatedFeatureAlignCase& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> features(static_cast<size_t>(shape.elements()));
  for (float& feature : features) feature = uniform(random);
  return features;
}

// Features and boxes read once, the result written once; four multiply-adds per element and point.
inline detops_bench::Work WorkOf(const RotatedFeatureAlignCase& shape, size_t element_size) {
  const auto elements = static_cast<double>(shape.elements());
  const double numbers = 2 * elements + 5 * static_cast<double>(shape.pixels());
  return {numbers * static_cast<double>(element_size), elements * 8 * shape.points, element_size == 8};
}

}  // namespace detops_cases

#endif  // DETOPS_OPS_ROTATED_FEATURE_ALIGN_BENCH_CASES_H_
