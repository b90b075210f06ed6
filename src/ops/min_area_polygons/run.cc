// Each row is worked out on its own.
#include "boxes/shape/numbers.h"
#include "ops/min_area_polygons/problem.h"

namespace detops::min_area_polygons {

RunResult Run(const Problem& problem, const Parallel& parallel) {
  constexpr int64_t kLeastRows = 256;
  return ResultOf(parallel.RunItems(problem.rows, kLeastRows, [&](Range piece) {
    for (int64_t i = piece.begin; i < piece.end; ++i) {
      double points[18], corners[8];
      boxes::ReadNumbers(problem.type, problem.points, i * 18, 18, points);
      LeastRectangle(points, corners);
      boxes::WriteNumbers(problem.type, corners, 8, problem.quads, i * 8);
    }
  }));
}

}  // namespace detops::min_area_polygons
