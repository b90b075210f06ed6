#include "ops/get_indice_pairs/get_indice_pairs_submanifold.h"

#include <algorithm>

#include "core/arena.h"
#include "core/checked_math.h"
#include "ops/get_indice_pairs/get_indice_pairs_lists.h"
#include "ops/get_indice_pairs/get_indice_pairs_rows.h"
#include "ops/get_indice_pairs/get_indice_pairs_search.h"

namespace detops {
namespace {

constexpr int64_t kMinTaskSites = 4 << 10;

// What does not fit the workspace's description: it depends on the number of tasks, or is better in the large pages of
// the handle's scratch because it is accessed in no order.
struct TaskMemory {
  TaskMemory(const GetIndicePairsProblem& problem, int tasks, Arena& arena)
      : lists(problem, tasks, arena),
        search_bytes(RowSearch::MaxBytes(problem)),
        search(arena.Take<std::byte>(SaturatingMultiply(search_bytes, tasks))),
        sort_place(arena.Mark()),
        site_sort(problem, arena),
        list_sort(problem, arena.Rewind(sort_place)) {}

  Arena SearchArena(int task) const { return Arena(search + task * search_bytes); }

  PairLists lists;
  int64_t search_bytes;
  std::byte* search;
  int64_t sort_place;  // sites are sorted first and lists last, so both use the same place
  SiteSortRoom site_sort;
  PairLists::SortRoom list_sort;
};

int TasksFor(const GetIndicePairsProblem& problem, const Parallel& parallel) {
  constexpr int64_t kMaxSearchBytes = 32 << 20;
  const int64_t in_memory = std::max<int64_t>(1, kMaxSearchBytes / RowSearch::MaxBytes(problem));
  const int wanted = parallel.TaskCount(problem.sites, kMinTaskSites);
  return static_cast<int>(std::min<int64_t>(in_memory, PairLists::TaskLimit(problem, wanted)));
}

// True if offset K - 1 - k is the way back of offset k.
bool IsCentred(const GetIndicePairsProblem& problem) {
  return std::all_of(problem.axes, problem.axes + problem.dims, [](const SparseConvolutionAxis& axis) {
    return axis.filter % 2 == 1 && axis.pad == int64_t{axis.filter / 2} * axis.dilation;
  });
}

// The rows of a task: about as many sites each. A row belongs to the task that has its first site.
Range RowsOfTask(const SiteRows& rows, int64_t sites, int tasks, int task) {
  const auto first_from = [&](int64_t position) {
    return std::lower_bound(rows.begins, rows.begins + rows.count, static_cast<int32_t>(position)) - rows.begins;
  };
  const Range positions = PieceOf(sites, tasks, task);
  return {first_from(positions.begin), first_from(positions.end)};
}

[[nodiscard]] bool AppendPairs(const GetIndicePairsProblem& problem, const Parallel& parallel, const SiteRows& rows,
                               const OffsetGroup& group, int tasks, TaskMemory& memory) {
  return parallel.Run(tasks, [&](int task) {
    Arena arena = memory.SearchArena(task);
    RowSearch search(problem, rows, group, arena);
    const Range range = RowsOfTask(rows, problem.sites, tasks, task);
    search.Append(range.begin, range.end, memory.lists.begin(task), memory.lists.counts(task));
  });
}

[[nodiscard]] bool CopyOutputs(const GetIndicePairsProblem& problem, const Parallel& parallel) {
  const int64_t numbers = problem.sites * problem.columns();
  const int tasks = parallel.TaskCount(numbers, 64 << 10);
  const bool copied = parallel.Run(tasks, [&](int task) {
    const Range range = PieceOf(numbers, tasks, task);
    problem.kernels.copy(problem.out_indices + range.begin, problem.indices + range.begin, range.end - range.begin,
                         StreamPairs(problem));
  });
  return copied && FillAll(parallel, problem.kernels, problem.out_indices + numbers,
                           problem.out_rows * problem.columns() - numbers, -1);
}

}  // namespace

int64_t SubmanifoldWorkspaceBytes(const GetIndicePairsProblem& problem) {
  Arena arena;
  (void)TakeSiteRows(problem, arena);
  return arena.NeededBytes();
}

RunResult GetSubmanifoldPairs(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch) {
  const int tasks = TasksFor(problem, parallel);
  Arena counting;
  const TaskMemory counted(problem, tasks, counting);
  void* const block = scratch.Reserve(static_cast<size_t>(counting.NeededBytes()));
  if (block == nullptr) return RunResult::kNoMemory;
  Arena task_arena(block);
  TaskMemory memory(problem, tasks, task_arena);
  Arena arena(problem.workspace);
  SiteRows rows = TakeSiteRows(problem, arena);
  const RunResult built = BuildSiteRows(problem, parallel, memory.site_sort, rows);
  if (built != RunResult::kDone) return built;

  const bool mirrored = rows.distinct && IsCentred(problem);
  for (int task = 0; task < tasks; ++task) {
    memory.lists.Start(task, rows.begins[RowsOfTask(rows, problem.sites, tasks, task).begin]);
  }
  OffsetGroup group;
  OffsetGroups groups(problem, mirrored ? problem.offsets / 2 : problem.offsets);
  while (groups.Next(group)) {
    if (!AppendPairs(problem, parallel, rows, group, tasks, memory)) return RunResult::kRunnerFailed;
  }
  const bool finished = rows.ascending ? memory.lists.Finish(parallel, mirrored)
                                       : memory.lists.SortAndFinish(parallel, mirrored, rows.order, memory.list_sort);
  const bool done = finished && CopyOutputs(problem, parallel);
  return done ? RunResult::kDone : RunResult::kRunnerFailed;
}

}  // namespace detops
