// The design document's shapes and a larger one, input makers, and the least work of a call.
#ifndef DETOPS_OPS_PSROIPOOL_BENCH_CASES_H_
#define DETOPS_OPS_PSROIPOOL_BENCH_CASES_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "bench/machine.h"

namespace detops_cases {

struct PsRoiPoolCase {
  const char* name;
  int batch, height, width;
  int rois, pooled, output_dim;
  float spatial_scale;

  int channels() const { return pooled * pooled * output_dim; }
  int64_t map_elements() const { return int64_t{batch} * height * width * channels(); }
  int64_t pooled_elements() const { return int64_t{rois} * channels(); }
};

inline constexpr PsRoiPoolCase kPsRoiPoolCases[] = {
    {"14x14x392_320x7x7x8", 1, 14, 14, 320, 7, 8, 1.0f},
    // The document says 198 channels, which 3 x 3 x 21 are not.
    {"2x14x14x189_493x3x3x21", 2, 14, 14, 493, 3, 21, 0.0625f},
    {"64x64x1029_2000x7x7x21", 1, 64, 64, 2000, 7, 21, 0.0625f},
    {"64x64x1029_20000x7x7x21", 1, 64, 64, 20000, 7, 21, 0.0625f},
    {"7x7x9_1x3x3x1", 1, 7, 7, 1, 3, 1, 1.0f},
};

// Rois with both corners anywhere on the map.
inline std::vector<float> MakeRois(const PsRoiPoolCase& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> x(0.0f,
                                          std::max(0.0f, static_cast<float>(shape.width) / shape.spatial_scale - 1));
  std::uniform_real_distribution<float> y(0.0f,
                                          std::max(0.0f, static_cast<float>(shape.height) / shape.spatial_scale - 1));
  std::vector<float> rois;
  rois.reserve(static_cast<size_t>(shape.rois) * 5);
  for (int roi = 0; roi < shape.rois; ++roi) {
    const auto [x1, x2] = std::minmax({x(random), x(random)});
    const auto [y1, y2] = std::minmax({y(random), y(random)});
    rois.insert(rois.end(), {static_cast<float>(roi % shape.batch), x1, y1, x2, y2});
  }
  return rois;
}

inline std::vector<float> MakeUniform(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = uniform(random);
  return values;
}

// Every tensor read or written once; no arithmetic is compulsory enough to count.
inline detops_bench::Work WorkOf(const PsRoiPoolCase& shape, size_t element_size) {
  const auto numbers = static_cast<double>(shape.map_elements() + shape.pooled_elements() + 5 * shape.rois);
  const auto mapping = static_cast<double>(shape.pooled_elements()) * 4;
  return {numbers * static_cast<double>(element_size) + mapping, 0, element_size == 8};
}

}  // namespace detops_cases

#endif  // DETOPS_OPS_PSROIPOOL_BENCH_CASES_H_
