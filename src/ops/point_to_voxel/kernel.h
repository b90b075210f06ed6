// The vector part: rows of means.
#ifndef DETOPS_OPS_POINT_TO_VOXEL_KERNEL_H_
#define DETOPS_OPS_POINT_TO_VOXEL_KERNEL_H_

#include <cstdint>

#include "mlu_op/types.h"

namespace detops::point_to_voxel {

// The points of one voxel that count, 1 at least.
struct PointList {
  const int32_t* points;
  int64_t count;
};

// Rows of means that follow each other, and the lists of their points.
struct MeanRows {
  const void* features;  // [P, F]
  int64_t feature_rows, columns;
  const PointList* lists;
  int64_t count;
  void* means;  // [count, F]
};

struct PointToVoxelKernels {
  void (*means)(const MeanRows& rows);
};

// Those for a tensor type, of the SIMD target in use. A call asks once, at its start.
PointToVoxelKernels ChoosePointToVoxelKernels(mluOpDataType_t type);

}  // namespace detops::point_to_voxel

#endif  // DETOPS_OPS_POINT_TO_VOXEL_KERNEL_H_
