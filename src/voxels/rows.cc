#include "voxels/rows.h"

#include <algorithm>
#include <utility>

#include "core/bit_sort.h"

namespace detops::voxels {
namespace {

constexpr int64_t kMinTaskItems = 8 << 10;
constexpr int kMaxTasks = 64;

int TasksFor(const Parallel& parallel, int64_t items) {
  return std::min(kMaxTasks, parallel.TaskCount(items, kMinTaskItems));
}

int64_t CountLeaders(const int32_t* led_group, int64_t begin, int64_t end) {
  return std::count_if(led_group + begin, led_group + end, [](int32_t group) { return group >= 0; });
}

}  // namespace

void VoxelRows::Take(const PointToVoxelProblem& problem, Arena& arena) {
  first_rank_ = arena.Take<int64_t>(problem.clouds);
  first_row_ = arena.Take<int64_t>(problem.clouds + 1);
  group_of_row_ = arena.Take<int32_t>(problem.points);
}

// Of each cloud the voxels with the first first points are kept; of all clouds as many as there is room for.
void VoxelRows::LimitClouds(const PointToVoxelProblem& problem, const CloudRanges& clouds, const VoxelGroups& groups) {
  int64_t rank = 0;
  count_ = 0;
  for (int64_t cloud = 0; cloud < problem.clouds; ++cloud) {
    const int64_t voxels = problem.clouds == 1
                               ? groups.count
                               : CountLeaders(groups.led_group, clouds.begins[cloud], clouds.begins[cloud + 1]);
    first_rank_[cloud] = rank;
    first_row_[cloud] = count_;
    rank += voxels;
    count_ += std::min({voxels, problem.most_voxels, problem.most_rows - count_});
  }
  first_row_[problem.clouds] = count_;
}

bool VoxelRows::Assign(const PointToVoxelProblem& problem, const CloudRanges& clouds, const Parallel& parallel,
                       const GroupScratch& scratch, const VoxelGroups& groups) {
  LimitClouds(problem, clouds, groups);
  if (!ByFirstPoint(problem, parallel, groups)) return false;
  if (!problem.ascending) return true;
  return WordsOf64Bits(problem) ? SortByKey<uint64_t>(problem, parallel, scratch, groups)
                                : SortByKey<unsigned __int128>(problem, parallel, scratch, groups);
}

bool VoxelRows::ByFirstPoint(const PointToVoxelProblem& problem, const Parallel& parallel, const VoxelGroups& groups) {
  const int tasks = TasksFor(parallel, problem.points);
  int64_t ranks[kMaxTasks];
  const bool counted = parallel.Run(tasks, [&](int task) {
    const Range range = PieceOf(problem.points, tasks, task);
    ranks[task] = CountLeaders(groups.led_group, range.begin, range.end);
  });
  if (!counted) return false;
  int64_t total = 0;
  for (int task = 0; task < tasks; ++task) total += std::exchange(ranks[task], total);
  const VoxelKeys keys(problem.grid.dims, problem.grid.extent, problem.clouds);
  return parallel.Run(tasks, [&](int task) {
    const Range range = PieceOf(problem.points, tasks, task);
    int64_t rank = ranks[task];
    const int64_t end = task + 1 < tasks ? ranks[task + 1] : total;
    if (count_ == groups.count) {
      // Without a branch, as no processor foresees which points are first ones: each is put down at the next rank, and
      // stays there if it is one.
      for (int64_t point = range.begin; rank < end; ++point) {
        const int32_t group = groups.led_group[point];
        group_of_row_[rank] = group;
        rank += group >= 0 ? 1 : 0;
      }
      return;
    }
    for (int64_t point = range.begin; rank < end; ++point) {
      const int32_t group = groups.led_group[point];
      if (group < 0) continue;
      const uint64_t cloud = keys.Cloud(groups.groups[group].key);
      const int64_t row = rank++ - first_rank_[cloud] + first_row_[cloud];
      if (row < first_row_[cloud + 1]) group_of_row_[row] = group;
    }
  });
}

template <typename Word>
bool VoxelRows::SortByKey(const PointToVoxelProblem& problem, const Parallel& parallel, const GroupScratch& scratch,
                          const VoxelGroups& groups) {
  auto* const words = static_cast<Word*>(scratch.words);
  const int row_bits = BitsToNumber(count_);
  const int key_bits = VoxelKeys(problem.grid.dims, problem.grid.extent, problem.clouds).bits();
  const int tasks = TasksFor(parallel, count_);
  const bool made = parallel.RunPieces(tasks, count_, [&](Range range) {
    for (int64_t row = range.begin; row < range.end; ++row) {
      words[row] = static_cast<Word>(groups.groups[group_of_row_[row]].key) << row_bits | static_cast<Word>(row);
    }
  });
  Word* sorted = nullptr;
  if (!made || !SortByBits(parallel, words, static_cast<Word*>(scratch.spare), count_, row_bits, row_bits + key_bits,
                           scratch.counters, &sorted)) {
    return false;
  }
  int32_t* const by_key = groups.led_group;  // of no use any more
  const bool taken = parallel.Run(tasks, [&](int task) {
    const Word row_mask = (Word{1} << row_bits) - 1;
    const Range range = PieceOf(count_, tasks, task);
    for (int64_t row = range.begin; row < range.end; ++row) {
      by_key[row] = group_of_row_[static_cast<int64_t>(sorted[row] & row_mask)];
    }
  });
  group_of_row_ = by_key;
  return taken;
}

}  // namespace detops::voxels
