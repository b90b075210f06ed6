// The shapes of the design document and of the networks around it, and the least work of a call: for benchmarks.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_BENCH_CASES_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_BENCH_CASES_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "bench/lidar_scan.h"
#include "bench/machine.h"
#include "mlu_op.h"

namespace detops_cases {

struct GetIndicePairsCase {
  const char* name;
  int64_t sites;
  int batch;
  int input[3], filter[3], stride[3], pad[3];
  bool submanifold;

  int output(int axis) const {
    return submanifold ? input[axis] : (input[axis] + 2 * pad[axis] - filter[axis]) / stride[axis] + 1;
  }
  int64_t offsets() const { return int64_t{filter[0]} * filter[1] * filter[2]; }
};

// Section 3.7 of the design document, then kernels of the same network and the smallest call that makes sense.
inline constexpr GetIndicePairsCase kGetIndicePairsCases[] = {
    {"subm_3x3x3", 248636, 4, {41, 1440, 1440}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, true},
    {"down_3x3x3", 149100, 4, {11, 360, 360}, {3, 3, 3}, {2, 2, 2}, {0, 1, 1}, false},
    {"subm_3x1x1", 248636, 4, {41, 1440, 1440}, {3, 1, 1}, {1, 1, 1}, {1, 0, 0}, true},
    {"subm_1x3x3", 248636, 4, {41, 1440, 1440}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, true},
    {"down_first", 248636, 4, {41, 1440, 1440}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}, false},
    {"subm_100", 100, 1, {41, 1440, 1440}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, true},
    {"down_100", 100, 1, {11, 360, 360}, {3, 3, 3}, {2, 2, 2}, {0, 1, 1}, false},
};

enum class SiteOrder {
  kSorted,    // ascending (batch, depth, height, width)
  kScan,      // as the sensor found them
  kShuffled,  // any
};

inline std::vector<detops_bench::Voxel> MakeSites(const GetIndicePairsCase& shape, SiteOrder order, bool random) {
  const auto make = random ? detops_bench::RandomVoxels : detops_bench::LidarVoxels;
  std::vector<detops_bench::Voxel> sites =
      make(shape.batch, shape.sites, shape.input[0], shape.input[1], shape.input[2], 1);
  if (order == SiteOrder::kSorted) std::sort(sites.begin(), sites.end());
  if (order == SiteOrder::kShuffled) std::shuffle(sites.begin(), sites.end(), std::mt19937_64(7));
  return sites;
}

// Indices read once; pairs with their -1 tails, counts and outputs written once.
inline detops_bench::Work WorkOf(const GetIndicePairsCase& shape, int64_t outputs) {
  const int64_t numbers = 4 * shape.sites + 2 * shape.sites * shape.offsets() + shape.offsets() + 4 * outputs;
  return {static_cast<double>(numbers) * sizeof(int32_t), 0, false};
}

}  // namespace detops_cases

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_BENCH_CASES_H_
