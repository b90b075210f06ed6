// Voxelisation as the frameworks describe it, for tests: one point after the other, a map of the voxels seen so far.
// Nothing is shared with the library.
//
// The voxel of a point is decided in float, in double for double tensors. Means are double, of long sums, and not
// rounded.
#ifndef DETOPS_OPS_POINT_TO_VOXEL_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_POINT_TO_VOXEL_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

struct VoxelRules {
  std::vector<double> range_min, voxel_size;  // x first
  std::vector<int> grid;
  int64_t max_points = 0, max_voxels = 0;  // 0: no limit
  int64_t room = 0;                        // voxels of all clouds together
  bool ascending = false;
};

struct PointVoxel {
  std::vector<int64_t> site;  // cloud, ..., z, y, x
  std::vector<int64_t> kept;  // points
};

struct PointVoxels {
  std::vector<PointVoxel> voxels;
  std::vector<int64_t> voxel_of_point;  // -1: dropped
};

// rows: [points, features] of `type`. cloud_begins ascends from 0 to `points`.
PointVoxels PointsToVoxels(mluOpDataType_t type, const VoxelRules& rules, int64_t points, int64_t features,
                           const void* rows, const std::vector<int64_t>& cloud_begins);

// [voxels, features].
std::vector<double> VoxelMeans(mluOpDataType_t type, const PointVoxels& voxels, int64_t features, const void* rows);

}  // namespace detops_reference

#endif  // DETOPS_OPS_POINT_TO_VOXEL_REFERENCE_REFERENCE_H_
