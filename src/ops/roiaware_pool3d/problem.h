// roiaware_pool3d after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_PROBLEM_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_PROBLEM_H_

#include <cstddef>
#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "ops/roiaware_pool3d/kernel/kernel.h"

namespace detops::roiaware_pool3d {

enum class PoolMethod { kMax, kAverage };

// Which points lie in which voxels.
struct BoxSearchProblem {
  mluOpDataType_t type;
  int64_t boxes, points;
  const void* rois;  // [B, 7]
  const void* pts;   // [P, 3]
  VoxelGrid grid;
  boxes::BoxRules rules;
  int64_t most_points;  // kept in a voxel
  RoiAwareKernels kernels;
};

struct PoolSource {
  PoolMethod method;
  int64_t channels;
  const void* features;  // [P, C]
};

// Dense results.
struct DensePool {
  PoolSource source;
  int64_t max_points;          // numbers of a row of pts_idx
  int32_t* pts_idx;            // [B, X, Y, Z, max_points]
  void* pooled;                // [B, X, Y, Z, C]
  int32_t* argmax;             // [B, X, Y, Z, C]; with kAverage not written here
  int64_t argmax_zeros_bytes;  // with kAverage: how much to fill with zeros
};

RunResult RoiAwarePoolDense(const BoxSearchProblem& search, const DensePool& pool, const Parallel& parallel,
                            Scratch& scratch);

// Compact results, with room for so many voxels and points.
struct CompactPool {
  PoolSource source;
  int64_t most_voxels, most_points;
  int32_t* voxels;        // [V, 4]
  int32_t* voxel_begins;  // [V + 1]
  int32_t* pts_idx;       // [E]
  void* pooled;           // [V, C]
  int32_t* argmax;        // [V, C]; may be nullptr with kAverage
};

struct CompactSizes {
  int64_t voxels = 0;
  int64_t points = 0;
};

RunResult RoiAwareCount(const BoxSearchProblem& search, const Parallel& parallel, Scratch& scratch,
                        CompactSizes* sizes);

// Writes nothing but *sizes if they are too few, or points are 2^31 or more.
RunResult RoiAwarePoolCompact(const BoxSearchProblem& search, const CompactPool& pool, const Parallel& parallel,
                              Scratch& scratch, CompactSizes* sizes);

// Backward. Voxel v has row v of the gradient and of argmax, or the points
// dense:   pts_idx[v * max_points + 1 ...], as many as pts_idx[v * max_points] says;
// compact: pts_idx[begins[v] ... begins[v + 1]).
struct GradientProblem {
  mluOpDataType_t type;
  PoolMethod method;
  int64_t voxels, points, channels;
  const void* grad_out;
  void* grad_in;
  const int32_t* argmax;   // kMax
  const int32_t* pts_idx;  // kAverage
  const int32_t* begins;   // kAverage, compact
  int64_t max_points;      // kAverage, dense
  int64_t listed_points;   // kAverage, compact: numbers of pts_idx
  RoiAwareKernels kernels;
};

// Something wrong in the tensor that backward reads: the flat index of the first wrong number. `kind` says which.
struct GradientFault {
  enum Kind { kNone, kArgmax, kCount, kPoint, kBegin } kind = kNone;
  int64_t index = -1;
};

// Looks for a fault first, if `check`; nothing is written if there is one.
RunResult RoiAwareBackward(const GradientProblem& problem, bool check, const Parallel& parallel, Scratch& scratch,
                           GradientFault* fault);

// Voxels of a box are numbered in 32 bits, points in 31.
inline constexpr int64_t kMaxVoxels = int64_t{1} << 32;
inline constexpr int64_t kMaxPoints = INT32_MAX;

}  // namespace detops::roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_PROBLEM_H_
