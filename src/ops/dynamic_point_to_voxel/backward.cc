#include <algorithm>
#include <cstring>

#include "core/arena.h"
#include "core/data_type.h"
#include "ops/dynamic_point_to_voxel/problem.h"
#include "voxels/listed_groups.h"

namespace detops::dynamic_point_to_voxel {
namespace {

using voxels::GroupNumbers;
using voxels::ListedGroups;
using voxels::PointList;

constexpr int64_t kBlockRows = 64;
constexpr int64_t kMinTaskRows = 512;

int64_t RowBytes(const BackwardProblem& problem) {
  return problem.columns * static_cast<int64_t>(SizeOfType(problem.type));
}

// A mean or a sum: every point has its voxel's gradient.
bool Gather(const BackwardProblem& problem, const Parallel& parallel) {
  const GroupNumbers numbers(MLUOP_DTYPE_INT32, problem.point2voxel_map, problem.rows);
  const bool mean = problem.mode == MLUOP_REDUCE_DMEAN;
  const int tasks = parallel.TaskCount(problem.points, kMinTaskRows);
  return parallel.Run(tasks, [&](int task) {
    const Range range = PieceOf(problem.points, tasks, task);
    for (int64_t first = range.begin; first < range.end; first += kBlockRows) {
      int64_t from[kBlockRows];
      int32_t divisors[kBlockRows];
      const int64_t count = std::min(kBlockRows, range.end - first);
      for (int64_t i = 0; i < count; ++i) {
        from[i] = numbers[first + i];
        if (mean && from[i] >= 0) divisors[i] = std::max(problem.voxel_points_count[from[i]], 1);
      }
      problem.kernels.gather({.output_grad = problem.grad_voxel_feats,
                              .columns = problem.columns,
                              .from = from,
                              .first = first,
                              .count = count,
                              .grad = static_cast<char*>(problem.grad_feats) + first * RowBytes(problem),
                              .divisors = divisors});
    }
  });
}

// A maximum: the points of each voxel are looked through for the one that had it.
class MaximumPass {
 public:
  MaximumPass(const BackwardProblem& problem, Arena& arena)
      : problem_(problem), groups_(problem.points, problem.rows, arena) {}

  bool Run(const Parallel& parallel) {
    return groups_.Make(parallel, {MLUOP_DTYPE_INT32, problem_.point2voxel_map, problem_.rows}) && Clear(parallel) &&
           WriteGroups(parallel);
  }

 private:
  bool Clear(const Parallel& parallel) {
    const PointList outside = groups_.outside();
    const int64_t row_bytes = RowBytes(problem_);
    const int tasks = parallel.TaskCount(outside.count, kMinTaskRows);
    return parallel.Run(tasks, [&](int task) {
      const Range range = PieceOf(outside.count, tasks, task);
      for (int64_t i = range.begin; i < range.end; ++i) {
        std::memset(static_cast<char*>(problem_.grad_feats) + outside.points[i] * row_bytes, 0,
                    static_cast<size_t>(row_bytes));
      }
    });
  }

  bool WriteGroups(const Parallel& parallel) {
    const int tasks = parallel.TaskCount(problem_.rows, kMinTaskRows);
    return parallel.Run(tasks, [&](int task) {
      const Range range = PieceOf(problem_.rows, tasks, task);
      for (int64_t row = range.begin; row < range.end; row += kBlockRows) {
        WriteBlock({row, std::min(row + kBlockRows, range.end)});
      }
    });
  }

  void WriteBlock(Range range) {
    PointList lists[kBlockRows];
    for (int64_t row = range.begin; row < range.end; ++row) lists[row - range.begin] = groups_.of(row);
    const int64_t skipped = range.begin * RowBytes(problem_);
    problem_.kernels.maximum_gradient({.features = problem_.feats,
                                       .feature_rows = problem_.points,
                                       .columns = problem_.columns,
                                       .lists = lists,
                                       .count = range.end - range.begin,
                                       .maximum = static_cast<const char*>(problem_.voxel_feats) + skipped,
                                       .output_grad = static_cast<const char*>(problem_.grad_voxel_feats) + skipped,
                                       .grad = problem_.grad_feats});
  }

  const BackwardProblem& problem_;
  ListedGroups groups_;
};

}  // namespace

RunResult Backward(const BackwardProblem& problem, const Parallel& parallel, Scratch& scratch) {
  if (problem.mode != MLUOP_REDUCE_DMAX) return ResultOf(Gather(problem, parallel));
  return RunPass(
      scratch, [&](Arena& arena) { return MaximumPass(problem, arena); },
      [&](MaximumPass& pass) { return ResultOf(pass.Run(parallel)); });
}

}  // namespace detops::dynamic_point_to_voxel
