// The shapes of benchmarks, and the least work of a call.
#ifndef DETOPS_OPS_INDICE_POOL_BENCH_CASES_H_
#define DETOPS_OPS_INDICE_POOL_BENCH_CASES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/lidar_scan.h"
#include "bench/machine.h"
#include "detops.h"

namespace detops_cases {

struct PoolCase {
  const char* name;
  int64_t channels;
  int64_t sites;
  int batch;
  int input[3], filter[3], stride[3], pad[3];

  int output(int axis) const { return (input[axis] + 2 * pad[axis] - filter[axis]) / stride[axis] + 1; }
  int64_t offsets() const { return int64_t{filter[0]} * filter[1] * filter[2]; }
};

// Layers in which a network would pool instead of convolving with a stride.
inline constexpr PoolCase kPoolCases[] = {
    {"pool3_c16", 16, 248636, 4, {41, 1440, 1440}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}},
    {"pool3_c64", 64, 248636, 4, {41, 1440, 1440}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}},
    {"pool2_c64", 64, 149100, 4, {11, 360, 360}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}},
    {"pool3_100", 16, 100, 1, {41, 1440, 1440}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}},
};

inline mluOpTensorDescriptor_t MakePoolDescriptor(mluOpDataType_t type, const std::vector<int64_t>& extents) {
  mluOpTensorDescriptor_t desc = nullptr;
  mluOpCreateTensorDescriptor(&desc);
  mluOpSetTensorDescriptor_v2(desc, MLUOP_LAYOUT_ARRAY, type, static_cast<int>(extents.size()), extents.data());
  return desc;
}

// The pairs of a case; indices ascend, as the library makes them.
struct PoolCasePairs {
  int64_t rows[2];              // input and output rows
  int64_t length;               // last extent of `pairs`
  std::vector<int32_t> pairs;   // [offsets, 2, length]
  std::vector<int64_t> counts;  // [offsets]

  int64_t total() const {
    int64_t sum = 0;
    for (const int64_t count : counts) sum += count;
    return sum;
  }
};

// LiDAR-like sites in ascending order, and their pairs. Statuses are not looked at: the caller's first pooling would
// fail.
inline PoolCasePairs MakePoolPairs(mluOpHandle_t handle, const PoolCase& shape) {
  std::vector<detops_bench::Voxel> sites =
      detops_bench::LidarVoxels(shape.batch, shape.sites, shape.input[0], shape.input[1], shape.input[2], 1);
  std::sort(sites.begin(), sites.end());
  const int ones[] = {1, 1, 1};
  const int output[] = {shape.output(0), shape.output(1), shape.output(2)};
  mluOpSparseConvolutionDescriptor_t conv = nullptr;
  mluOpCreateSparseConvolutionDescriptor(&conv);
  mluOpSetSparseConvolutionDescriptor(conv, 5, shape.batch, shape.pad, shape.stride, ones, shape.input, shape.filter,
                                      output, 0, 0, 0);
  const mluOpTensorDescriptor_t indices = MakePoolDescriptor(MLUOP_DTYPE_INT32, {shape.sites, 4});
  int64_t outputs = 0;
  detopsCountIndicePairOutputs(handle, conv, indices, sites.data(), &outputs);
  PoolCasePairs result = {{shape.sites, outputs}, shape.sites, {}, {}};
  result.pairs.resize(static_cast<size_t>(shape.offsets() * 2 * shape.sites));
  std::vector<int32_t> sites_out(static_cast<size_t>(outputs * 4)), counts(static_cast<size_t>(shape.offsets()));
  const mluOpTensorDescriptor_t pairs = MakePoolDescriptor(MLUOP_DTYPE_INT32, {shape.offsets(), 2, shape.sites});
  const mluOpTensorDescriptor_t out = MakePoolDescriptor(MLUOP_DTYPE_INT32, {outputs, 4});
  const mluOpTensorDescriptor_t num = MakePoolDescriptor(MLUOP_DTYPE_INT32, {shape.offsets()});
  size_t bytes = 0;
  mluOpGetIndicePairsWorkspaceSize(handle, conv, indices, pairs, out, num, &bytes);
  std::vector<char> workspace(bytes);
  mluOpGetIndicePairs(handle, conv, indices, sites.data(), workspace.data(), bytes, pairs, result.pairs.data(), out,
                      sites_out.data(), num, counts.data());
  result.counts.assign(counts.begin(), counts.end());
  for (const mluOpTensorDescriptor_t desc : {indices, pairs, out, num}) mluOpDestroyTensorDescriptor(desc);
  mluOpDestroySparseConvolutionDescriptor(conv);
  return result;
}

// Every tensor once (the gradient of a maximum has two of either side) and the counted pairs.
inline detops_bench::Work PoolWork(const PoolCase& shape, const PoolCasePairs& pairs, int64_t element_size,
                                   bool maximum_gradient) {
  const int64_t elements = (pairs.rows[0] + pairs.rows[1]) * shape.channels * (maximum_gradient ? 2 : 1);
  const int64_t total = pairs.total();
  return {static_cast<double>(elements * element_size + 8 * total), static_cast<double>(total * shape.channels),
          element_size == 8};
}

}  // namespace detops_cases

#endif  // DETOPS_OPS_INDICE_POOL_BENCH_CASES_H_
