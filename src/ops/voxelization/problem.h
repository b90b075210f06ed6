// voxelization after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_VOXELIZATION_PROBLEM_H_
#define DETOPS_OPS_VOXELIZATION_PROBLEM_H_

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "voxels/voxelize.h"

namespace detops::voxelization {

struct Problem {
  voxels::PointToVoxelProblem points;  // most_rows rows of voxels, coordinates and num_points
  int32_t* voxel_num;
};

// Voxels, and zeros after them.
RunResult Run(const Problem& problem, const Parallel& parallel, Scratch& scratch);

}  // namespace detops::voxelization

#endif  // DETOPS_OPS_VOXELIZATION_PROBLEM_H_
