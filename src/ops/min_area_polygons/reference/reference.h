// min_area_polygons as its page words it, for tests: angles and turned points in long double, nothing shared with the
// library.
#ifndef DETOPS_OPS_MIN_AREA_POLYGONS_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_MIN_AREA_POLYGONS_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

// Corners, not rounded to the tensors' type, and for each number the magnitude that rounding errors are relative to.
struct RectangleResult {
  std::vector<double> corners, magnitudes;
};
RectangleResult MinAreaPolygons(mluOpDataType_t type, int64_t rows, const void* points);

}  // namespace detops_reference

#endif  // DETOPS_OPS_MIN_AREA_POLYGONS_REFERENCE_REFERENCE_H_
