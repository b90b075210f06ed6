// Points into voxels, for the rooms whose rows are voxels: their lists of points, means, coordinates. Plain data, after
// validation.
#ifndef DETOPS_VOXELS_VOXELIZE_H_
#define DETOPS_VOXELS_VOXELIZE_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "voxels/geometry.h"
#include "voxels/reduce.h"

namespace detops::voxels {

// Points and clouds are numbered in 31 bits.
inline constexpr int64_t kMaxCloudPoints = INT32_MAX;

struct PointToVoxelProblem {
  mluOpDataType_t type;
  VoxelGrid grid;
  int64_t points, features;
  const void* rows;  // [P, F]
  int64_t clouds;
  const int32_t* cloud_begins;  // [clouds + 1]; nullptr: one cloud, and no column for it
  int64_t most_points;          // kept in a voxel
  int64_t most_voxels;          // of a cloud
  int64_t most_rows;            // M
  bool ascending;
  // Results; nullptr: not wanted.
  void* voxels;          // [M, most_points, F]
  void* means;           // [M, F]
  int32_t* coordinates;  // [M, dims], with clouds [M, 1 + dims]
  int32_t* num_points;   // [M]
  int32_t* point_voxel;  // [P]
  ReduceKernels kernels;
};

RunResult PointToVoxel(const PointToVoxelProblem& problem, const Parallel& parallel, Scratch& scratch,
                       int64_t* voxel_num);

}  // namespace detops::voxels

#endif  // DETOPS_VOXELS_VOXELIZE_H_
