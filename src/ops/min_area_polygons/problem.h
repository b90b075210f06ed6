// The problem after validation: plain data.
#ifndef DETOPS_OPS_MIN_AREA_POLYGONS_PROBLEM_H_
#define DETOPS_OPS_MIN_AREA_POLYGONS_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "mlu_op/types.h"

namespace detops::min_area_polygons {

struct Problem {
  mluOpDataType_t type;
  int64_t rows;
  const void* points;
  void* quads;
};

RunResult Run(const Problem& problem, const Parallel& parallel);

// The corners of the least rectangle around nine points.
void LeastRectangle(const double* points, double* corners);

}  // namespace detops::min_area_polygons

#endif  // DETOPS_OPS_MIN_AREA_POLYGONS_PROBLEM_H_
