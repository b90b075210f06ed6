// voxel_coordinates after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_VOXEL_COORDINATES_PROBLEM_H_
#define DETOPS_OPS_VOXEL_COORDINATES_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "voxels/geometry.h"

namespace detops::voxel_coordinates {

struct Problem {
  mluOpDataType_t type;
  voxels::VoxelGrid grid;
  int64_t points, features;
  const void* rows;      // [P, F]
  int32_t* coordinates;  // [P, dims]
};

RunResult Run(const Problem& problem, const Parallel& parallel);

}  // namespace detops::voxel_coordinates

#endif  // DETOPS_OPS_VOXEL_COORDINATES_PROBLEM_H_
