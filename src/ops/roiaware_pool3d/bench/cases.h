// The design document's shape and others around it, scenes, and the least work of a call.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_BENCH_CASES_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_BENCH_CASES_H_

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "bench/machine.h"

namespace detops_cases {

struct RoiAwareCase {
  const char* name;
  int boxes, points, channels, side, max_pts;
  bool crowded = false;  // every box holds all points

  int64_t voxels() const { return int64_t{boxes} * side * side * side; }
  int64_t pooled() const { return voxels() * channels; }
};

inline constexpr RoiAwareCase kRoiAwareCases[] = {
    {"128x16000_12x12x12_m128_c16", 128, 16000, 16, 12, 128},  // of the document
    {"128x160000_12x12x12_m128_c16", 128, 160000, 16, 12, 128},
    {"1280x160000_4x4x4_m16_c16", 1280, 160000, 16, 4, 16},
    {"1x10_2x2x2_m4_c2", 1, 10, 2, 2, 4},
};

// The most that somebody can ask of a call with so many boxes and points.
inline constexpr RoiAwareCase kCrowdedRoiAwareCases[] = {
    {"160x32000_4x4x4_m16_c16_crowded", 160, 32000, 16, 4, 16, true},
    {"160x32000_12x12x12_m128_c16_crowded", 160, 32000, 16, 12, 128, true},
};

struct RoiAwareScene {
  std::vector<float> rois, pts;
};

// Cars on a ground of 70 m by 80 m, turned at random; half of the points are in or around them, the others anywhere. If
// crowded, large boxes around the same place.
inline RoiAwareScene MakeScene(const RoiAwareCase& shape, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
  RoiAwareScene scene;
  if (shape.crowded) {
    for (int box = 0; box < shape.boxes; ++box) {
      scene.rois.insert(scene.rois.end(), {uniform(-0.5f, 0.5f), uniform(-0.5f, 0.5f), -5, uniform(20, 24),
                                           uniform(20, 24), 10, uniform(-3.1416f, 3.1416f)});
    }
    for (int point = 0; point < shape.points; ++point) {
      scene.pts.insert(scene.pts.end(), {uniform(-6.5f, 6.5f), uniform(-6.5f, 6.5f), uniform(-4.5f, 4.5f)});
    }
    return scene;
  }
  for (int box = 0; box < shape.boxes; ++box) {
    scene.rois.insert(scene.rois.end(), {uniform(0, 70), uniform(-40, 40), uniform(-2, -1), uniform(3.5f, 5),
                                         uniform(1.5f, 2), uniform(1.4f, 1.8f), uniform(-3.1416f, 3.1416f)});
  }
  for (int point = 0; point < shape.points; ++point) {
    if (point % 2 == 0) {
      scene.pts.insert(scene.pts.end(), {uniform(0, 70), uniform(-40, 40), uniform(-3, 1)});
      continue;
    }
    const float* box = &scene.rois[static_cast<size_t>(random() % static_cast<unsigned>(shape.boxes)) * 7];
    const float along = uniform(-0.55f, 0.55f) * box[3], across = uniform(-0.55f, 0.55f) * box[4];
    scene.pts.insert(scene.pts.end(), {box[0] + along * std::cos(box[6]) - across * std::sin(box[6]),
                                       box[1] + along * std::sin(box[6]) + across * std::cos(box[6]),
                                       box[2] + uniform(-0.05f, 1.05f) * box[5]});
  }
  return scene;
}

// Inputs read once, outputs written once, in their full size.
inline detops_bench::Work ForwardWork(const RoiAwareCase& shape, size_t element_size) {
  const auto size = static_cast<double>(element_size);
  const double inputs = size * (7.0 * shape.boxes + (3.0 + shape.channels) * shape.points);
  const double lists = 4.0 * static_cast<double>(shape.voxels()) * shape.max_pts;
  return {inputs + lists + static_cast<double>(shape.pooled()) * (size + 4), 0, element_size == 8};
}

// Of the lists one cache line per voxel; the maximum reads argmax instead.
inline detops_bench::Work BackwardWork(const RoiAwareCase& shape, size_t element_size, bool max) {
  const auto size = static_cast<double>(element_size);
  const double places = max ? 4.0 * static_cast<double>(shape.pooled()) : 64.0 * static_cast<double>(shape.voxels());
  return {places + static_cast<double>(shape.pooled()) * size + size * shape.channels * shape.points, 0,
          element_size == 8};
}

}  // namespace detops_cases

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_BENCH_CASES_H_
