// points_in_polygons by the sum of the angles that the sides take up as quarter turns, with exact signs, for tests:
// nothing shared with the library.
#ifndef DETOPS_OPS_POINTS_IN_POLYGONS_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_POINTS_IN_POLYGONS_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

std::vector<double> PointsInPolygons(mluOpDataType_t type, int64_t points, int64_t quads, const void* point_rows,
                                     const void* quad_rows);

}  // namespace detops_reference

#endif  // DETOPS_OPS_POINTS_IN_POLYGONS_REFERENCE_REFERENCE_H_
