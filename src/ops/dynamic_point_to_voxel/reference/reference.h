// Dynamic scatter as its page words it, for tests: a map of the voxels. Nothing is shared with the library.
#ifndef DETOPS_OPS_DYNAMIC_POINT_TO_VOXEL_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_DYNAMIC_POINT_TO_VOXEL_REFERENCE_REFERENCE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

// The members of each voxel, in the order of the voxels, and the voxel of each point.
struct ScatteredPoints {
  std::vector<std::array<int64_t, 3>> voxels;
  std::vector<std::vector<int64_t>> points;
  std::vector<int64_t> map;
};
ScatteredPoints ScatterPoints(const std::vector<double>& coors);

// One column of one row. Sums of long sums, not rounded; `magnitude` becomes the sum of the magnitudes.
double ReduceColumn(mluOpReduceMode_t mode, const std::vector<double>& feats, int64_t columns, int64_t column,
                    const std::vector<int64_t>& points, double no_maximum, double* magnitude);

struct DynamicGradient {
  mluOpReduceMode_t mode;
  int64_t points, columns, rows;  // R of the voxels
  std::vector<double> grad, feats, voxel_feats, map, count;
};
std::vector<double> DynamicPointToVoxelGradient(const DynamicGradient& given);

}  // namespace detops_reference

#endif  // DETOPS_OPS_DYNAMIC_POINT_TO_VOXEL_REFERENCE_REFERENCE_H_
