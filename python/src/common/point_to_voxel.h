#ifndef DETOPS_PYTHON_SRC_COMMON_POINT_TO_VOXEL_H_
#define DETOPS_PYTHON_SRC_COMMON_POINT_TO_VOXEL_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/call.h"
#include "common/view.h"

namespace detops_binding {

// Where voxels are, and how many are kept; each list has a number for each axis, x first.
struct VoxelGrid {
  std::vector<double> range_min = {};
  std::vector<double> voxel_size = {};
  std::vector<int> grid = {};
  int64_t max_points_per_voxel = 0;
  int64_t max_voxels_per_cloud = 0;
  detopsVoxelOrder_t order = DETOPS_VOXEL_ORDER_FIRST_POINT;
  bool wants_voxels = true;
  bool wants_means = true;

  // The lists are of one length.
  void Require() const;
};

// "first_point" or "ascending".
detopsVoxelOrder_t VoxelOrderOf(std::string_view word);

// Results: 0 voxels (M, T, F), if wanted; 1 means (M, F), if wanted; 2 coordinates (M, D), or with clouds (M, 1 + D);
// 3 num_points (M,); 4 point_voxel (P,). M is the largest number of voxels there can be; returns how many there are.
int64_t PointToVoxel(Binding& binding, const VoxelGrid& grid, const View& points, const View& cloud_begins);

}  // namespace detops_binding

#endif  // DETOPS_PYTHON_SRC_COMMON_POINT_TO_VOXEL_H_
