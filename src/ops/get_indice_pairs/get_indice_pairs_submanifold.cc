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

// One call behind the sorting of its sites.
class Search {
 public:
  Search(const GetIndicePairsProblem& problem, const Parallel& parallel, const SiteRows& rows, int tasks,
         TaskMemory& memory)
      : problem_(problem),
        parallel_(parallel),
        rows_(rows),
        tasks_(tasks),
        memory_(memory),
        mirrored_(rows.distinct && IsCentred(problem)),
        searched_(mirrored_ ? problem.offsets / 2 : problem.offsets) {
    for (int task = 0; task < tasks; ++task) memory.lists.Start(task, rows.begins[RowsOf(task).begin]);
  }

  // Finds all pairs of ascending input. Searching computes, writing waits for memory: side by side they take less time
  // than one after the other. So many offsets are searched in two or more groups, and while one is searched the lists
  // of the one before are finished.
  [[nodiscard]] bool FindAscending() {
    constexpr int64_t kWorthTwo = 8;  // each group goes through all rows again
    const bool one_group = tasks_ == 1 || searched_ < kWorthTwo;
    OffsetGroups groups(problem_, searched_, one_group ? searched_ : DivideRoundUp(2 * searched_, 3));
    bool first = true;
    Range finishable = {0, 0};
    for (bool more = true; more; first = false) {
      const Range finish = finishable;
      more = groups.Next(group_);
      finishable = {finish.end, groups.done()};
      if (!SideBySide(more ? tasks_ : 0, finish, first)) return false;
    }
    return SideBySide(0, finishable, false);
  }

  // Finds all pairs of input in any order.
  [[nodiscard]] bool FindSorted() {
    OffsetGroups groups(problem_, searched_, searched_);
    while (groups.Next(group_)) {
      if (!parallel_.Run(tasks_, [&](int task) { SearchRows(task); })) return false;
    }
    return memory_.lists.SortAndFinish(parallel_, mirrored_, rows_.order, memory_.list_sort) &&
           parallel_.Run(tasks_, [&](int task) { CopyOutputs(task); });
  }

 private:
  // The rows of a task: about as many sites each. A row belongs to the task that has its first site.
  Range RowsOf(int task) const {
    const auto first_from = [&](int64_t position) {
      return std::lower_bound(rows_.begins, rows_.begins + rows_.count, static_cast<int32_t>(position)) - rows_.begins;
    };
    const Range positions = PieceOf(problem_.sites, tasks_, task);
    return {first_from(positions.begin), first_from(positions.end)};
  }

  void SearchRows(int task) {
    Arena arena = memory_.SearchArena(task);
    RowSearch search(problem_, rows_, group_, arena);
    const Range range = RowsOf(task);
    search.Append(range.begin, range.end, memory_.lists.begin(task), memory_.lists.counts(task));
  }

  // Part `task` of `tasks_` of what needs no search: the outputs, and the pairs of the centre.
  void CopyOutputs(int task) const {
    const Range range = PieceOf(problem_.out_rows * problem_.columns(), tasks_, task);
    const int64_t copied = std::clamp(problem_.sites * problem_.columns(), range.begin, range.end);
    problem_.kernels.copy(problem_.out_indices + range.begin, problem_.indices + range.begin, copied - range.begin,
                          StreamPairs(problem_));
    problem_.kernels.fill(problem_.out_indices + copied, range.end - copied, -1, StreamPairs(problem_));
  }

  [[nodiscard]] bool SideBySide(int searches, Range finish, bool first) {
    constexpr int64_t kMaxParts = 256;
    const auto parts = static_cast<int>(std::min(kMaxParts, finish.end - finish.begin));
    const int others = parts + (first ? tasks_ + (mirrored_ ? 1 : 0) : 0);
    const auto other = [&](int index) {
      if (index < parts) {
        for (int64_t offset = finish.begin + index; offset < finish.end; offset += parts) {
          memory_.lists.FinishOffset(offset, mirrored_ ? problem_.offsets - 1 - offset : -1);
        }
      } else if (index < parts + tasks_) {
        CopyOutputs(index - parts);
      } else {
        memory_.lists.FillIdentity(problem_.offsets / 2);
      }
    };
    const int paired = std::min(searches, others);
    const auto item = [&](int index) {
      if (index < 2 * paired) {
        index % 2 == 0 ? SearchRows(index / 2) : other(index / 2);
      } else {
        searches > others ? SearchRows(index - others) : other(index - searches);
      }
    };
    const int items = searches + others;
    // Small calls stay with one thread.
    return parallel_.Run(tasks_ == 1 ? 1 : items, [&](int index) {
      for (int i = index; i < items; i += tasks_ == 1 ? 1 : items) item(i);
    });
  }

  const GetIndicePairsProblem& problem_;
  const Parallel& parallel_;
  const SiteRows& rows_;
  int tasks_;
  TaskMemory& memory_;
  bool mirrored_;  // offset K - 1 - k is the way back of offset k, and only those in front of the centre are searched
  int64_t searched_;   // number of offsets that are searched
  OffsetGroup group_;  // those that are searched now
};

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

  Search search(problem, parallel, rows, tasks, memory);
  const bool done = rows.ascending ? search.FindAscending() : search.FindSorted();
  return done ? RunResult::kDone : RunResult::kRunnerFailed;
}

}  // namespace detops
