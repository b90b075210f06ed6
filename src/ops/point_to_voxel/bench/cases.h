// Clouds as detectors see them, and the least work of a call.
#ifndef DETOPS_OPS_POINT_TO_VOXEL_BENCH_CASES_H_
#define DETOPS_OPS_POINT_TO_VOXEL_BENCH_CASES_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "bench/lidar_scan.h"
#include "bench/machine.h"

namespace detops_cases {

struct PointToVoxelCase {
  const char* name;
  int64_t points;
  int features;
  int grid[3];  // x, y, z
  int max_points;
  int64_t sites;  // voxels around which the points lie
};

// Voxels of 1 x 1 x 1 from the origin on: only the grid matters for the time.
inline constexpr PointToVoxelCase kPointToVoxelCases[] = {
    {"200000x5_41x1440x1440_t10", 200'000, 5, {1440, 1440, 41}, 10, 120'000},  // ten sweeps of a 32-ring sensor
    {"20000x4_40x1600x1408_t5", 20'000, 4, {1408, 1600, 40}, 5, 16'000},       // one car's front view
    {"60000x4_1x496x432_t32", 60'000, 4, {432, 496, 1}, 32, 12'000},           // pillars
    {"2000000x5_41x1440x1440_t10", 2'000'000, 5, {1440, 1440, 41}, 10, 300'000},
    {"100x4_40x100x100_t5", 100, 4, {100, 100, 40}, 5, 80},
};

// [points, features]. Neighbours in the scan are neighbours in the tensor, as a sensor gives them.
inline std::vector<float> MakeCloud(const PointToVoxelCase& shape, unsigned seed) {
  const std::vector<detops_bench::Voxel> sites =
      detops_bench::LidarVoxels(1, shape.sites, shape.grid[2], shape.grid[1], shape.grid[0], seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> inside(0.01f, 0.99f);
  const auto last = static_cast<int64_t>(sites.size()) - 1;
  std::vector<float> cloud;
  for (int64_t point = 0; point < shape.points; ++point) {
    const int64_t near = point * last / shape.points + static_cast<int64_t>(random() % 401) - 200;
    const detops_bench::Voxel& site = sites[static_cast<size_t>(std::clamp<int64_t>(near, 0, last))];
    for (int f = 0; f < shape.features; ++f) {
      cloud.push_back((f < 3 ? static_cast<float>(site[static_cast<size_t>(3 - f)]) : 0.0f) + inside(random));
    }
  }
  return cloud;
}

// Points read once; of the results the rows of the voxels that are there.
inline detops_bench::Work PointToVoxelWork(const PointToVoxelCase& shape, size_t element_size, int64_t voxels,
                                           bool lists) {
  const auto row = static_cast<double>(element_size) * shape.features;
  const double per_voxel = row * (lists ? shape.max_points : 1) + 12 + 4;
  return {row * static_cast<double>(shape.points) + per_voxel * static_cast<double>(voxels), 0, element_size == 8};
}

}  // namespace detops_cases

#endif  // DETOPS_OPS_POINT_TO_VOXEL_BENCH_CASES_H_
