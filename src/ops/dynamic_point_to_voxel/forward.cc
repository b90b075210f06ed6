#include <algorithm>
#include <limits>
#include <utility>

#include "core/arena.h"
#include "core/data_type.h"
#include "ops/dynamic_point_to_voxel/coor_keys.h"
#include "voxels/fill.h"

namespace detops::dynamic_point_to_voxel {
namespace {

using voxels::PointList;
using voxels::TasksFor;

// Sorts the points by their voxels, numbers these, and writes the rows.
template <typename Word>
class ForwardPass {
 public:
  ForwardPass(const ForwardProblem& problem, const CoorKeys& keys, Arena& arena)
      : problem_(problem),
        keys_(keys),
        sorted_(problem.points, keys.bits(), arena),
        points_(arena.Take<int32_t>(problem.points)),
        begins_(arena.Take<int32_t>(problem.points + 1)) {}

  RunResult Run(const Parallel& parallel, int64_t* needed) {
    const bool sorted =
        sorted_.Sort(parallel, [&](int64_t point) { return keys_.template Key<Word>(problem_.coors, point); });
    if (!sorted || !Count(parallel)) return RunResult::kRunnerFailed;
    *needed = rows_;
    if (rows_ > problem_.most_rows) return RunResult::kDone;
    return ResultOf(WriteLists(parallel) && WriteRows(parallel));
  }

 private:
  bool IsFirst(int64_t place) const {
    const Word key = sorted_.Key(place);
    return keys_.HasVoxel(key) && (place == 0 || sorted_.Key(place - 1) != key);
  }

  // How many voxels there are, and before each task.
  bool Count(const Parallel& parallel) {
    tasks_ = TasksFor(parallel, problem_.points);
    const bool done = parallel.Run(tasks_, [&](int task) {
      const Range range = PieceOf(problem_.points, tasks_, task);
      int64_t rows = 0;
      for (int64_t i = range.begin; i < range.end; ++i) rows += IsFirst(i) ? 1 : 0;
      first_row_[task] = rows;
    });
    rows_ = 0;
    for (int task = 0; task < tasks_; ++task) rows_ += std::exchange(first_row_[task], rows_);
    return done;
  }

  bool WriteLists(const Parallel& parallel) {
    return parallel.Run(tasks_, [&](int task) {
      const Range range = PieceOf(problem_.points, tasks_, task);
      int64_t next = first_row_[task];
      for (int64_t i = range.begin; i < range.end; ++i) {
        const Word key = sorted_.Key(i);
        const bool has_voxel = keys_.HasVoxel(key);
        if (IsFirst(i)) {
          begins_[next] = static_cast<int32_t>(i);
          if (problem_.voxel_coors != nullptr) keys_.Write(key, problem_.voxel_coors + kAxes * next);
          ++next;
        }
        // The points without a voxel are the last ones: they end the last voxel.
        if (!has_voxel && (i == 0 || keys_.HasVoxel(sorted_.Key(i - 1)))) begins_[rows_] = static_cast<int32_t>(i);
        points_[i] = sorted_.Point(i);
        if (problem_.point2voxel_map == nullptr) continue;
        problem_.point2voxel_map[points_[i]] = has_voxel ? static_cast<int32_t>(next - 1) : -1;
      }
      const bool last = range.end == problem_.points;
      if (last && keys_.HasVoxel(sorted_.Key(range.end - 1))) begins_[rows_] = static_cast<int32_t>(range.end);
    });
  }

  bool WriteRows(const Parallel& parallel) {
    constexpr int64_t kMinTaskRows = 512;
    const int tasks = parallel.TaskCount(rows_, kMinTaskRows);
    return parallel.Run(tasks, [&](int task) {
      const Range range = PieceOf(rows_, tasks, task);
      for (int64_t row = range.begin; row < range.end; row += kBlockRows) {
        WriteBlock({row, std::min(row + kBlockRows, range.end)});
      }
    });
  }

  void WriteBlock(Range range) {
    PointList lists[kBlockRows];
    const int64_t row_bytes = problem_.columns * static_cast<int64_t>(SizeOfType(problem_.type));
    for (int64_t row = range.begin; row < range.end; ++row) {
      PointList& list = lists[row - range.begin];
      list = {points_ + begins_[row], begins_[row + 1] - begins_[row]};
      if (problem_.voxel_points_count != nullptr) {
        problem_.voxel_points_count[row] = static_cast<int32_t>(list.count);
      }
      // They lie anywhere.
      for (int64_t k = 0; k < std::min<int64_t>(list.count, 8); ++k) {
        __builtin_prefetch(static_cast<const char*>(problem_.feats) + list.points[k] * row_bytes);
      }
    }
    if (problem_.columns == 0) return;
    problem_.kernels.forward({.features = problem_.feats,
                              .feature_rows = problem_.points,
                              .columns = problem_.columns,
                              .lists = lists,
                              .count = range.end - range.begin,
                              .out = static_cast<char*>(problem_.voxel_feats) + range.begin * row_bytes,
                              .no_maximum = -std::numeric_limits<double>::infinity()});
  }

  static constexpr int64_t kBlockRows = 64;

  const ForwardProblem& problem_;
  const CoorKeys& keys_;
  voxels::SortedPoints<Word> sorted_;
  int32_t* points_;
  int32_t* begins_;
  int tasks_ = 1;
  int64_t rows_ = 0;
  int64_t first_row_[voxels::kMaxPasses] = {};
};

// What follows the last row.
bool FillRest(const ForwardProblem& problem, const Parallel& parallel, int64_t rows) {
  const int64_t most = problem.most_rows;
  const double nothing = problem.mode == MLUOP_REDUCE_DMAX ? -std::numeric_limits<double>::infinity() : 0;
  const auto fill = [&](void* output, int64_t row_bytes, int byte) {
    return output == nullptr || voxels::FillBytes(parallel, output, rows * row_bytes, most * row_bytes, byte);
  };
  return voxels::FillReals(parallel, problem.type, problem.voxel_feats, rows * problem.columns, most * problem.columns,
                           nothing) &&
         fill(problem.voxel_coors, kAxes * int64_t{sizeof(int32_t)}, 0xff) &&
         fill(problem.voxel_points_count, sizeof(int32_t), 0);
}

template <typename Word>
RunResult RunWith(const ForwardProblem& problem, const CoorKeys& keys, const Parallel& parallel, Scratch& scratch,
                  int64_t* needed) {
  return RunPass(
      scratch, [&](Arena& arena) { return ForwardPass<Word>(problem, keys, arena); },
      [&](ForwardPass<Word>& pass) { return pass.Run(parallel, needed); });
}

}  // namespace

RunResult Forward(const ForwardProblem& problem, const Parallel& parallel, Scratch& scratch, int64_t* needed) {
  *needed = 0;
  RunResult result = RunResult::kDone;
  if (problem.coors != nullptr && problem.points > 0) {
    CoorRange range;
    if (!FindRange(problem.coors, problem.points, parallel, &range)) return RunResult::kRunnerFailed;
    const CoorKeys keys(range);
    result = voxels::SortedPoints<uint64_t>::Fits(problem.points, keys.bits())
                 ? RunWith<uint64_t>(problem, keys, parallel, scratch, needed)
                 : RunWith<unsigned __int128>(problem, keys, parallel, scratch, needed);
  } else if (problem.point2voxel_map != nullptr) {
    std::fill_n(problem.point2voxel_map, problem.points, -1);
  }
  if (result != RunResult::kDone || *needed > problem.most_rows) return result;
  if (!FillRest(problem, parallel, *needed)) return RunResult::kRunnerFailed;
  if (problem.voxel_num != nullptr) StoreElement<int32_t>(problem.voxel_num, 0, static_cast<int32_t>(*needed));
  return RunResult::kDone;
}

}  // namespace detops::dynamic_point_to_voxel
