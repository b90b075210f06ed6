#include "core/data_type.h"
#include "core/half.h"
#include "ops/voxelization/problem.h"
#include "voxels/fill.h"

namespace detops::voxelization {

RunResult Run(const Problem& problem, const Parallel& parallel, Scratch& scratch) {
  const voxels::PointToVoxelProblem& points = problem.points;
  int64_t rows = 0;
  const RunResult result = voxels::PointToVoxel(points, parallel, scratch, &rows);
  if (result != RunResult::kDone) return result;
  const int64_t most = points.most_rows;
  const int64_t voxel_bytes = points.most_points * points.features * static_cast<int64_t>(SizeOfType(points.type));
  const auto clear = [&](void* output, int64_t row_bytes) {
    return voxels::FillBytes(parallel, output, rows * row_bytes, most * row_bytes, 0);
  };
  if (!clear(points.voxels, voxel_bytes) || !clear(points.coordinates, 3 * int64_t{sizeof(int32_t)}) ||
      !clear(points.num_points, sizeof(int32_t))) {
    return RunResult::kRunnerFailed;
  }
  StoreElement<int32_t>(problem.voxel_num, 0, static_cast<int32_t>(rows));
  return RunResult::kDone;
}

}  // namespace detops::voxelization
