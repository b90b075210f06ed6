#include "voxels/voxelize.h"

#include <algorithm>
#include <cstring>

#include "core/arena.h"
#include "core/data_type.h"
#include "voxels/groups.h"
#include "voxels/rows.h"

namespace detops::voxels {
namespace {

// memcpy of few bytes, an even number, without a call.
void CopyPoint(const char* from, char* to, int64_t bytes) {
  if (bytes >= 16) {
    for (int64_t i = 0; i + 16 < bytes; i += 16) std::memcpy(to + i, from + i, 16);
    std::memcpy(to + bytes - 16, from + bytes - 16, 16);  // overlaps the one before
  } else if (bytes >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + bytes - 8, from + bytes - 8, 8);
  } else {
    for (int64_t i = 0; i < bytes; i += 2) std::memcpy(to + i, from + i, 2);
  }
}

// Writes rows of all results, a block at a time.
class ResultWriter {
 public:
  ResultWriter(const PointToVoxelProblem& problem, const VoxelGroups& groups, const VoxelRows& rows)
      : problem_(problem),
        groups_(groups),
        rows_(rows),
        keys_(problem.grid.dims, problem.grid.extent, problem.clouds),
        point_bytes_(problem.features * static_cast<int64_t>(SizeOfType(problem.type))) {}

  bool Run(const Parallel& parallel) const {
    constexpr int64_t kMinTaskRows = 512;
    return parallel.RunItems(rows_.count(), kMinTaskRows, [&](Range range) {
      for (int64_t row = range.begin; row < range.end; row += kBlockRows) {
        WriteBlock({row, std::min(row + kBlockRows, range.end)});
      }
    });
  }

 private:
  static constexpr int64_t kBlockRows = 64;

  const VoxelGroup& GroupOf(int64_t row) const { return groups_.groups[rows_.group_of_row()[row]]; }
  const char* PointAt(int32_t point) const { return static_cast<const char*>(problem_.rows) + point * point_bytes_; }

  void WriteBlock(Range range) const {
    PointList lists[kBlockRows];
    // Everything about a row lies anywhere: what the next steps need is asked for one step ahead.
    for (int64_t row = range.end; row < std::min(range.end + kBlockRows, rows_.count()); ++row) {
      __builtin_prefetch(&GroupOf(row));
    }
    for (int64_t row = range.begin; row < range.end; ++row) {
      const VoxelGroup& group = GroupOf(row);
      lists[row - range.begin] = {groups_.points + group.begin, std::min<int64_t>(group.count, problem_.most_points)};
      __builtin_prefetch(groups_.points + group.begin);
    }
    WriteNumbers(range);
    for (int64_t i = 0; i < range.end - range.begin; ++i) __builtin_prefetch(PointAt(lists[i].points[0]));
    if (problem_.voxels != nullptr) WriteVoxels(range, lists);
    if (problem_.means != nullptr) {
      const int64_t count = range.end - range.begin;
      problem_.kernels.forward({problem_.rows, problem_.points, problem_.features, lists, count,
                                static_cast<char*>(problem_.means) + range.begin * point_bytes_});
    }
  }

  void WriteNumbers(Range range) const {
    const bool with_cloud = problem_.cloud_begins != nullptr;
    const int columns = problem_.grid.dims + (with_cloud ? 1 : 0);
    for (int64_t row = range.begin; row < range.end; ++row) {
      const VoxelGroup& group = GroupOf(row);
      keys_.Write(group.key, with_cloud, problem_.coordinates + row * columns);
      if (problem_.num_points != nullptr) {
        problem_.num_points[row] = static_cast<int32_t>(std::min<int64_t>(group.count, problem_.most_points));
      }
      if (problem_.point_voxel == nullptr) continue;
      const int32_t* const points = groups_.points + group.begin;
      for (int32_t k = 0; k < group.count; ++k) problem_.point_voxel[points[k]] = static_cast<int32_t>(row);
    }
  }

  void WriteVoxels(Range range, const PointList* lists) const {
    const int64_t row_bytes = problem_.most_points * point_bytes_;
    char* to = static_cast<char*>(problem_.voxels) + range.begin * row_bytes;
    for (const PointList* list = lists; list != lists + (range.end - range.begin); ++list, to += row_bytes) {
      const int64_t used = list->count * point_bytes_;
      for (int64_t k = 0; k < list->count; ++k) {
        CopyPoint(PointAt(list->points[k]), to + k * point_bytes_, point_bytes_);
      }
      std::memset(to + used, 0, static_cast<size_t>(row_bytes - used));
    }
  }

  const PointToVoxelProblem& problem_;
  const VoxelGroups& groups_;
  const VoxelRows& rows_;
  const VoxelKeys keys_;
  const int64_t point_bytes_;
};

}  // namespace

RunResult PointToVoxel(const PointToVoxelProblem& problem, const Parallel& parallel, Scratch& scratch,
                       int64_t* voxel_num) {
  CloudRanges clouds;
  GroupScratch group_scratch;
  VoxelGroups groups;
  VoxelRows rows;
  const bool taken = TakeFromScratch(scratch, [&](Arena& arena) {
    clouds.Take(problem, arena);
    group_scratch.Take(problem, arena);
    TakeGroups(problem, arena, groups);
    rows.Take(problem, arena);
  });
  if (!taken) return RunResult::kNoMemory;
  clouds.Set(problem);
  if (!GroupPoints(problem, clouds, parallel, group_scratch, groups) ||
      !rows.Assign(problem, clouds, parallel, group_scratch, groups) ||
      !ResultWriter(problem, groups, rows).Run(parallel)) {
    return RunResult::kRunnerFailed;
  }
  *voxel_num = rows.count();
  return RunResult::kDone;
}

}  // namespace detops::voxels
