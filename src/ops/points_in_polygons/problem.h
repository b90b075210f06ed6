// The problem after validation: plain data.
#ifndef DETOPS_OPS_POINTS_IN_POLYGONS_PROBLEM_H_
#define DETOPS_OPS_POINTS_IN_POLYGONS_PROBLEM_H_

#include <cstdint>

#include "core/arena.h"
#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "mlu_op/types.h"

namespace detops::points_in_polygons {

// Quadrilaterals as one array for each of their numbers, with more of them after the last that hold no point.
struct QuadPlanes {
  static QuadPlanes Take(Arena& arena, int64_t count);
  // x1, y1 .. x4, y4. One with a number that is not finite holds no point.
  void Set(int64_t index, const double* numbers) const;
  void Pad() const;

  double* x[4];
  double* y[4];
  double *min_x, *min_y, *max_x, *max_y;
  int64_t count;
};

// Bit i: of quadrilateral begin + i.
struct Sides {
  uint64_t inside;
  uint64_t unsure;  // rounding hides on which side of a line the point is; `inside` says nothing then
};
using Kernel = Sides (*)(const QuadPlanes& quads, double x, double y, int64_t begin, int64_t count);
Kernel ChooseKernel();

// The same, exactly.
bool HoldsPoint(const QuadPlanes& quads, int64_t index, double x, double y);

struct Problem {
  mluOpDataType_t type;
  int64_t points, quads;  // rows
  const void* point_rows;
  const void* quad_rows;
  void* inside;
};

RunResult Run(const Problem& problem, Kernel kernel, const Parallel& parallel, Scratch& scratch);

}  // namespace detops::points_in_polygons

#endif  // DETOPS_OPS_POINTS_IN_POLYGONS_PROBLEM_H_
