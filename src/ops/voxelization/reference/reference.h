// Hard voxelisation as its page words it, for tests: one point after the other. Nothing is shared with the library.
#ifndef DETOPS_OPS_VOXELIZATION_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_VOXELIZATION_REFERENCE_REFERENCE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

struct HardVoxel {
  std::array<int64_t, 3> zyx;
  std::vector<int64_t> points;
};

// Voxels along x, y, z: of float numbers, NaN or any number where there is no such grid.
std::array<float, 3> VoxelsOfRange(const std::vector<double>& voxel_size, const std::vector<double>& range);

// rows: [points, features] of `type`; the grid exists.
std::vector<HardVoxel> HardVoxels(mluOpDataType_t type, const void* rows, int64_t points, int64_t features,
                                  const std::vector<double>& voxel_size, const std::vector<double>& range,
                                  int64_t max_points, int64_t max_voxels);

}  // namespace detops_reference

#endif  // DETOPS_OPS_VOXELIZATION_REFERENCE_REFERENCE_H_
