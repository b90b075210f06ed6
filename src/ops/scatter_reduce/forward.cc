#include <algorithm>

#include "core/arena.h"
#include "core/data_type.h"
#include "core/element_type.h"
#include "ops/scatter_reduce/problem.h"
#include "voxels/listed_groups.h"

namespace detops::scatter_reduce {
namespace {

using voxels::ListedGroups;
using voxels::PointList;

class ForwardPass {
 public:
  ForwardPass(const ForwardProblem& problem, Arena& arena)
      : problem_(problem), groups_(problem.rows, problem.groups, arena) {}

  bool Run(const Parallel& parallel) {
    return groups_.Make(parallel, {problem_.index.type, problem_.index.data, problem_.groups}) && WriteGroups(parallel);
  }

 private:
  bool WriteGroups(const Parallel& parallel) {
    // A task has a few hundred rows to read, whatever the numbers of rows and groups are.
    constexpr int64_t kMinTaskRows = 512;
    const int64_t rows_per_group = problem_.rows / std::max<int64_t>(1, problem_.groups) + 1;
    const int tasks = parallel.TaskCount(problem_.groups, std::max<int64_t>(1, kMinTaskRows / rows_per_group));
    return parallel.Run(tasks, [&](int task) {
      const Range range = PieceOf(problem_.groups, tasks, task);
      for (int64_t group = range.begin; group < range.end; group += kBlockGroups) {
        WriteBlock({group, std::min(group + kBlockGroups, range.end)});
      }
    });
  }

  void WriteBlock(Range range) {
    PointList lists[kBlockGroups];
    const int64_t row_bytes = problem_.columns * static_cast<int64_t>(SizeOfType(problem_.type));
    for (int64_t group = range.begin; group < range.end; ++group) {
      PointList& list = lists[group - range.begin];
      list = groups_.of(group);
      if (problem_.count.data != nullptr) StoreIndex(problem_.count.type, problem_.count.data, group, list.count);
      // They lie anywhere.
      for (int64_t k = 0; k < std::min<int64_t>(list.count, 8); ++k) {
        __builtin_prefetch(static_cast<const char*>(problem_.src) + list.points[k] * row_bytes);
      }
    }
    if (problem_.columns == 0) return;
    voxels::ReduceRows rows = {.features = problem_.src,
                               .feature_rows = problem_.rows,
                               .columns = problem_.columns,
                               .lists = lists,
                               .count = range.end - range.begin,
                               .out = static_cast<char*>(problem_.out) + range.begin * row_bytes};
    if (problem_.argmax.data != nullptr) WriteWinners(range, rows);
    problem_.kernels.forward(rows);
  }

  // Those of a maximum are the kernel's work.
  void WriteWinners(Range range, voxels::ReduceRows& rows) {
    const Integers& argmax = problem_.argmax;
    const int64_t begin = range.begin * problem_.columns, end = range.end * problem_.columns;
    if (problem_.mode == MLUOP_REDUCE_DMAX) {
      const auto bytes = static_cast<int64_t>(SizeOfType(argmax.type));
      rows.winners = {static_cast<char*>(argmax.data) + begin * bytes, argmax.type == MLUOP_DTYPE_INT64};
      rows.no_winner = problem_.rows;
    } else {
      for (int64_t i = begin; i < end; ++i) StoreIndex(argmax.type, argmax.data, i, problem_.rows);
    }
  }

  static constexpr int64_t kBlockGroups = 64;

  const ForwardProblem& problem_;
  ListedGroups groups_;
};

}  // namespace

RunResult Forward(const ForwardProblem& problem, const Parallel& parallel, Scratch& scratch) {
  return RunPass(
      scratch, [&](Arena& arena) { return ForwardPass(problem, arena); },
      [&](ForwardPass& pass) { return ResultOf(pass.Run(parallel)); });
}

}  // namespace detops::scatter_reduce
