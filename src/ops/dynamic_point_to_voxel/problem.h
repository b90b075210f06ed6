// dynamic_point_to_voxel after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_DYNAMIC_POINT_TO_VOXEL_PROBLEM_H_
#define DETOPS_OPS_DYNAMIC_POINT_TO_VOXEL_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "voxels/reduce.h"

namespace detops::dynamic_point_to_voxel {

inline constexpr int kAxes = 3;

struct ForwardProblem {
  mluOpReduceMode_t mode;
  mluOpDataType_t type;
  int64_t points, columns, most_rows;
  const void* feats;  // [N, C]
  const void* coors;  // [N, 3]; nullptr: no point has a voxel
  // Results; with C = 0 any but voxel_feats may be nullptr.
  void* voxel_feats;            // [V, C]
  int32_t* voxel_coors;         // [V, 3]
  int32_t* point2voxel_map;     // [N]
  int32_t* voxel_points_count;  // [V]
  void* voxel_num;              // [1]
  voxels::ReduceKernels kernels;
};

// *needed becomes the number of voxels; if that is above most_rows nothing is written.
RunResult Forward(const ForwardProblem& problem, const Parallel& parallel, Scratch& scratch, int64_t* needed);

struct BackwardProblem {
  mluOpReduceMode_t mode;
  mluOpDataType_t type;
  int64_t points, columns, rows;
  const void* grad_voxel_feats;       // [V, C]
  const void* feats;                  // [N, C]
  const void* voxel_feats;            // [V, C]
  const void* point2voxel_map;        // [N]
  const int32_t* voxel_points_count;  // [V]
  void* grad_feats;                   // [N, C]
  voxels::ReduceKernels kernels;
};

RunResult Backward(const BackwardProblem& problem, const Parallel& parallel, Scratch& scratch);

}  // namespace detops::dynamic_point_to_voxel

#endif  // DETOPS_OPS_DYNAMIC_POINT_TO_VOXEL_PROBLEM_H_
