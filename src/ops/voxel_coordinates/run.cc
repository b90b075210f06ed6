#include <algorithm>

#include "ops/voxel_coordinates/problem.h"
#include "voxels/cell_block.h"

namespace detops::voxel_coordinates {
namespace {

template <typename T>
void WriteRange(const Problem& problem, Range range) {
  voxels::CellBlock<T> block(problem.grid);
  const int dims = problem.grid.dims;
  int32_t* to = problem.coordinates + range.begin * dims;
  for (int64_t first = range.begin; first < range.end; first += voxels::kBlockPoints) {
    const int64_t count = std::min(voxels::kBlockPoints, range.end - first);
    block.Read(problem.rows, problem.features, first, count);
    for (int64_t i = 0; i < count; ++i) {
      const int32_t outside = block.inside[i] - 1;  // all bits, or none
      for (int axis = dims - 1; axis >= 0; --axis) *to++ = block.cell[axis][i] | outside;
    }
  }
}

}  // namespace

RunResult Run(const Problem& problem, const Parallel& parallel) {
  constexpr int64_t kMinTaskPoints = 4 << 10;
  const int tasks = parallel.TaskCount(problem.points, kMinTaskPoints);
  return ResultOf(parallel.Run(tasks, [&](int task) {
    WithElementType(problem.type, [&]<typename T>() { WriteRange<T>(problem, PieceOf(problem.points, tasks, task)); });
  }));
}

}  // namespace detops::voxel_coordinates
