// The shapes of the design document and of the networks around it, and the least work of a call: for benchmarks.
#ifndef DETOPS_OPS_INDICE_CONVOLUTION_BENCH_CASES_H_
#define DETOPS_OPS_INDICE_CONVOLUTION_BENCH_CASES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/lidar_scan.h"
#include "bench/machine.h"
#include "detops.h"

namespace detops_cases {

struct ConvolutionCase {
  const char* name;
  int64_t inputs;   // channels
  int64_t outputs;  // channels
  int64_t sites;
  int batch;
  int input[3], filter[3], stride[3], pad[3];
  bool submanifold;

  int output(int axis) const {
    return submanifold ? input[axis] : (input[axis] + 2 * pad[axis] - filter[axis]) / stride[axis] + 1;
  }
  int64_t offsets() const { return int64_t{filter[0]} * filter[1] * filter[2]; }
};

// Section 3.7 of the design document, its neighbours in the same network, and the smallest call that makes sense.
inline constexpr ConvolutionCase kConvolutionCases[] = {
    {"subm_5_16", 5, 16, 248636, 4, {41, 1440, 1440}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, true},
    {"subm_16_16", 16, 16, 248636, 4, {41, 1440, 1440}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, true},
    {"down_64_128", 64, 128, 149100, 4, {11, 360, 360}, {3, 3, 3}, {2, 2, 2}, {0, 1, 1}, false},
    {"subm_128_128", 128, 128, 58838, 4, {5, 180, 180}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, true},
    {"down_128_128", 128, 128, 58838, 4, {5, 180, 180}, {3, 1, 1}, {2, 1, 1}, {0, 0, 0}, false},
    {"subm_100", 16, 16, 100, 1, {41, 1440, 1440}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, true},
};

// The pairs of a case, in memory of vectors: indices ascend, as the library makes them.
struct ConvolutionPairs {
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

inline mluOpTensorDescriptor_t MakeDescriptor(mluOpDataType_t type, const std::vector<int64_t>& extents) {
  mluOpTensorDescriptor_t desc = nullptr;
  mluOpCreateTensorDescriptor(&desc);
  mluOpSetTensorDescriptor_v2(desc, MLUOP_LAYOUT_ARRAY, type, static_cast<int>(extents.size()), extents.data());
  return desc;
}

// LiDAR-like sites in ascending order, and their pairs. Statuses are not looked at: the caller's first convolution
// would fail.
inline ConvolutionPairs MakePairs(mluOpHandle_t handle, const ConvolutionCase& shape) {
  std::vector<detops_bench::Voxel> sites =
      detops_bench::LidarVoxels(shape.batch, shape.sites, shape.input[0], shape.input[1], shape.input[2], 1);
  std::sort(sites.begin(), sites.end());
  mluOpSparseConvolutionDescriptor_t conv = nullptr;
  mluOpCreateSparseConvolutionDescriptor(&conv);
  const int ones[] = {1, 1, 1};
  const int output[] = {shape.output(0), shape.output(1), shape.output(2)};
  mluOpSetSparseConvolutionDescriptor(conv, 5, shape.batch, shape.pad, shape.stride, ones, shape.input, shape.filter,
                                      output, shape.submanifold ? 1 : 0, 0, 0);
  const mluOpTensorDescriptor_t indices = MakeDescriptor(MLUOP_DTYPE_INT32, {shape.sites, 4});
  int64_t outputs = 0;
  detopsCountIndicePairOutputs(handle, conv, indices, sites.data(), &outputs);
  ConvolutionPairs result = {{shape.sites, outputs}, shape.sites, {}, {}};
  result.pairs.resize(static_cast<size_t>(shape.offsets() * 2 * shape.sites));
  std::vector<int32_t> sites_out(static_cast<size_t>(outputs * 4));
  std::vector<int32_t> counts(static_cast<size_t>(shape.offsets()));
  const mluOpTensorDescriptor_t pairs = MakeDescriptor(MLUOP_DTYPE_INT32, {shape.offsets(), 2, shape.sites});
  const mluOpTensorDescriptor_t out = MakeDescriptor(MLUOP_DTYPE_INT32, {outputs, 4});
  const mluOpTensorDescriptor_t num = MakeDescriptor(MLUOP_DTYPE_INT32, {shape.offsets()});
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

// Each pass reads its two tensors and the counted pairs once and writes the third tensor once; two operations for every
// pair, input channel and output channel.
inline detops_bench::Work WorkOf(const ConvolutionCase& shape, const ConvolutionPairs& pairs, int64_t element_size) {
  const int64_t elements =
      pairs.rows[0] * shape.inputs + pairs.rows[1] * shape.outputs + shape.offsets() * shape.inputs * shape.outputs;
  const int64_t total = pairs.total();
  return {static_cast<double>(elements * element_size + 8 * total),
          2.0 * static_cast<double>(total) * static_cast<double>(shape.inputs * shape.outputs), element_size == 8};
}

}  // namespace detops_cases

#endif  // DETOPS_OPS_INDICE_CONVOLUTION_BENCH_CASES_H_
