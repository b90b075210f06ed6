// roiaware_pool3d as the specification words it, for tests: every point is held against every box, nothing is shared
// with the library.
//
// What jumps (inside or outside, which voxel) is decided in float, in double for double tensors, in the specification's
// order of operations: a double here would put a point that lies on a face on its other side. Sums are double. The
// results are not rounded to the tensors' type.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

struct RoiAwareGrid {
  int64_t out_x, out_y, out_z;
  int64_t max_pts_each_voxel;
  bool z_center = false;  // false: the third number of a box is its bottom
  double xy_margin = 0;
};

// A voxel that holds points: at most max_pts_each_voxel - 1, ascending.
struct RoiAwareVoxel {
  int64_t box, x, y, z;
  std::vector<int64_t> points;
};

// Ascending by box, x, y and z. rois: [boxes, 7], pts: [points, 3], both of `type`.
std::vector<RoiAwareVoxel> RoiAwareVoxels(mluOpDataType_t type, const RoiAwareGrid& grid, int64_t boxes,
                                          const void* rois, int64_t points, const void* pts);

// One row of `channels` per voxel.
struct RoiAwarePooled {
  std::vector<double> features;
  std::vector<int64_t> argmax;  // average: zeros
};

// pts_feature: [points, channels] of `type`. pool_method: 0 = maximum, 1 = average.
RoiAwarePooled RoiAwarePool(mluOpDataType_t type, int pool_method, const std::vector<RoiAwareVoxel>& voxels,
                            int64_t channels, const void* pts_feature);

// The gradient of pts_feature, [points, channels], from rows of argmax and grad_out.
std::vector<double> RoiAwareMaxBackward(mluOpDataType_t type, int64_t rows, int64_t channels, const int32_t* argmax,
                                        const void* grad_out, int64_t points);

// The same for the average; one list of points per row of grad_out.
std::vector<double> RoiAwareAverageBackward(mluOpDataType_t type, const std::vector<std::vector<int64_t>>& lists,
                                            int64_t channels, const void* grad_out, int64_t points);

}  // namespace detops_reference

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_REFERENCE_REFERENCE_H_
