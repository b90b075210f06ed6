// The voxel of a point as the page words it, for tests. Nothing is shared with the library.
#ifndef DETOPS_OPS_VOXEL_COORDINATES_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_VOXEL_COORDINATES_REFERENCE_REFERENCE_H_

#include <vector>

#include "mlu_op.h"

namespace detops_reference {

// (..., z, y, x) of one point, whose coordinates are x, y, z, ...; -1 where it has none.
std::vector<double> VoxelOfPoint(mluOpDataType_t type, const std::vector<double>& point,
                                 const std::vector<double>& range_min, const std::vector<double>& voxel_size,
                                 const std::vector<int64_t>& grid);

}  // namespace detops_reference

#endif  // DETOPS_OPS_VOXEL_COORDINATES_REFERENCE_REFERENCE_H_
