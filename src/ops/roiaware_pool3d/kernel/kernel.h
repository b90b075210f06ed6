// The vector part: which points lie in a box, pooling, and its reverse.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_KERNEL_KERNEL_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_KERNEL_KERNEL_H_

#include <cstdint>

#include "core/long_sum.h"
#include "mlu_op/types.h"
#include "ops/roiaware_pool3d/geometry.h"

namespace detops::roiaware_pool3d {

// The arrays of points may be read this far past their ends.
inline constexpr int64_t kPointPadding = 16;

// The points [begin, end) against a box.
template <typename Real>
struct PointTest {
  const BoxFrame<Real>* frame;
  VoxelGrid grid;
  const Real* x;
  const Real* y;
  const Real* z;
  const int32_t* ids;
  int64_t begin, end;
};

// A point in a voxel, as a number that sorts by voxel and then by point.
using VoxelPoint = uint64_t;
inline uint32_t VoxelOf(VoxelPoint entry) { return static_cast<uint32_t>(entry >> 32); }
inline int32_t PointOf(VoxelPoint entry) { return static_cast<int32_t>(entry); }

// A box usually holds a few hundred points, in a grid of a few thousand voxels.
inline constexpr int64_t kFewEntries = 1024;
inline constexpr int64_t kMostVoxelsOfFew = 4096;

// One voxel: points[0, count), count > 0, and a row of results.
struct VoxelPool {
  const VoxelPoint* points;
  int64_t count;
  const void* features;  // [P, channels]
  int64_t channels;
  void* pooled;
  int32_t* argmax;  // maximum only
};

// One voxel backwards, for the channels [channel_begin, channel_end) and the points [point_begin, point_end). Sums are
// double, [P, channels].
struct VoxelGradient {
  const void* gradient;  // a row
  int64_t channels;
  int64_t channel_begin, channel_end;
  int32_t point_begin, point_end;
  double* sums;
  const int32_t* argmax;  // a row, maximum only
  const int32_t* points;  // average only
  int64_t count;
};

// What a voxel gives each of its points: its row of the gradient, times `share`.
struct VoxelShare {
  int64_t voxel;
  double share;  // a float's value, unless the type is double
};

// The gradients of the points [begin, end). Point p gets shares[ends[p - 1], ends[p]) in this order; listed =
// ends[last].
struct PointGradients {
  const VoxelShare* shares;
  const uint32_t* ends;
  int64_t listed;
  int64_t begin, end;
  const void* gradients;  // [voxels, channels]
  int64_t channels;
  void* target;  // [points, channels]
};

struct RoiAwareKernels {
  // Appends to `entries` and gives their number. The order is that of the points.
  int64_t (*find_float)(const PointTest<float>& test, VoxelPoint* entries);
  int64_t (*find_double)(const PointTest<double>& test, VoxelPoint* entries);
  // At most kFewEntries in at most kMostVoxelsOfFew; the result is in `sorted`.
  void (*sort_few)(const VoxelPoint* entries, int64_t count, int64_t voxels, VoxelPoint* sorted);
  void (*pool_max)(const VoxelPool& pool);
  void (*pool_average)(const VoxelPool& pool);
  // Past the caches if `stream`; FlushStores ends that.
  void (*fill)(int32_t* target, int64_t count, int32_t value, bool stream);
  void (*flush_stores)();
  void (*add_max)(const VoxelGradient& gradient);
  void (*add_average)(const VoxelGradient& gradient);
  // The same as add_average of all voxels and store_sums, bit for bit.
  void (*sum_shares)(const PointGradients& gradients);
  void (*store_sums)(const double* sums, void* target, int64_t count);
  // Rows of argmax, 64 at most: a bit for each that holds something else than -1. *bad becomes true if a number is
  // outside [-1, points).
  uint64_t (*inspect)(const int32_t* numbers, int64_t channels, int64_t rows, int32_t points, bool* bad);

  int64_t Find(const PointTest<float>& test, VoxelPoint* entries) const { return find_float(test, entries); }
  int64_t Find(const PointTest<double>& test, VoxelPoint* entries) const { return find_double(test, entries); }
};

// Those for a tensor type, of the SIMD target in use. A call asks once, at its start.
RoiAwareKernels ChooseRoiAwareKernels(mluOpDataType_t type);

}  // namespace detops::roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_KERNEL_KERNEL_H_
