#include "ops/get_indice_pairs/submanifold/pass.h"

#include <algorithm>
#include <utility>

#include "core/arena.h"
#include "core/checked_math.h"
#include "core/dynamic_tasks.h"
#include "ops/get_indice_pairs/lists.h"
#include "ops/get_indice_pairs/submanifold/rows.h"
#include "ops/get_indice_pairs/submanifold/search.h"
#include "ops/get_indice_pairs/submanifold/word_search.h"
#include "ops/get_indice_pairs/submanifold/words.h"

namespace detops::get_indice_pairs {
namespace {

constexpr int64_t kMinTaskSites = 4 << 10;

// What does not fit the workspace's description: it depends on the number of tasks, or is better in the large pages of
// the handle's scratch because it is accessed in no order.
struct TaskMemory {
  TaskMemory(const GetIndicePairsProblem& problem, const WordGeometry& geometry, const Parallel& parallel, Arena& arena)
      : tasks(TasksFor(problem, parallel)),
        lists(problem, tasks, arena),
        search_bytes(SearchBytes(problem, geometry)),
        workers(WorkersFor(parallel)),
        search(arena.Take<std::byte>(SaturatingMultiply(search_bytes, workers))),
        cleared(arena.Take<bool>(workers)),
        sort_place(arena.Mark()),
        word_sort(problem, geometry, arena),
        row_sort(problem, arena.Rewind(sort_place)),
        list_sort(problem, arena.Rewind(sort_place)) {}

  // Neither pieces of lists nor words are dear, but planes of words are: two tasks a thread.
  static int TasksFor(const GetIndicePairsProblem& problem, const Parallel& parallel) {
    const int wanted = parallel.TaskCount(problem.sites, kMinTaskSites);
    const auto tasks = std::min<int64_t>(wanted, int64_t{2} * parallel.ThreadCount());
    return PairListBuilder::TaskLimit(problem, static_cast<int>(tasks));
  }

  // As many threads as have room for their search.
  int WorkersFor(const Parallel& parallel) const {
    constexpr int64_t kMaxSearchBytes = 32 << 20;
    const auto in_memory =
        static_cast<int>(std::clamp<int64_t>(kMaxSearchBytes / search_bytes, 1, Parallel::kMaxTasks));
    return std::min({tasks, parallel.ThreadCount(), in_memory});
  }

  static int64_t SearchBytes(const GetIndicePairsProblem& problem, const WordGeometry& geometry) {
    const int64_t words = geometry.fits ? WordSearch::MaxBytes(problem, geometry) : 0;
    return std::max(words, RowSearch::MaxBytes(problem));
  }

  Arena SearchArena(int worker) const { return Arena(search + worker * search_bytes); }

  int tasks;
  PairListBuilder lists;
  int64_t search_bytes;
  int workers;
  std::byte* search;   // [workers]
  bool* cleared;       // [workers]: the cells of its word search are
  int64_t sort_place;  // sites are sorted first and lists last, so all use the same place
  WordSortScratch word_sort;
  SiteSortScratch row_sort;
  PairListBuilder::SortScratch list_sort;
};

// The sites in ascending order: as words, or as rows where there are no words.
struct OrderedSites {
  WordGeometry geometry;
  SiteWords words = {};
  SiteRows rows = {};
  bool as_words = false;

  // Groups are words or rows, begins[group] the position of a group's first site.
  const int32_t* begins() const { return as_words ? words.begins : rows.begins; }
  int64_t groups() const { return as_words ? words.count : rows.count; }
  const int32_t* order() const { return as_words ? words.order : rows.order; }
  bool ascending() const { return as_words ? words.ascending : rows.ascending; }
  bool distinct() const { return as_words || rows.distinct; }
};

// Words and rows use the same place: there is only one of them.
void TakeOrderedSites(const GetIndicePairsProblem& problem, Arena& arena, OrderedSites& sites) {
  const int64_t place = arena.Mark();
  if (sites.geometry.fits) sites.words = TakeSiteWords(problem, arena);
  sites.rows = TakeSiteRows(problem, arena.Rewind(place));
}

RunResult BuildOrderedSites(const GetIndicePairsProblem& problem, const Parallel& parallel, const TaskMemory& memory,
                            OrderedSites& sites) {
  if (sites.geometry.fits) {
    const RunResult built = BuildSiteWords(problem, sites.geometry, parallel, memory.word_sort, sites.words);
    sites.as_words = sites.words.distinct;
    if (built != RunResult::kDone || sites.as_words) return built;
  }
  return BuildSiteRows(problem, parallel, memory.row_sort, sites.rows);
}

// One call after the sorting of its sites.
class Search {
 public:
  Search(const GetIndicePairsProblem& problem, const Parallel& parallel, const OrderedSites& sites, TaskMemory& memory)
      : problem_(problem),
        parallel_(parallel),
        sites_(sites),
        tasks_(memory.tasks),
        memory_(memory),
        mirrored_(sites.distinct() && sites.geometry.centred),
        searched_(mirrored_ ? problem.offsets / 2 : problem.offsets) {
    for (int task = 0; task < tasks_; ++task) memory.lists.Start(task, sites.begins()[GroupsOf(task).begin]);
    std::fill_n(memory.cleared, memory.workers, false);
  }

  // Finds all pairs.
  [[nodiscard]] RunResult Find() {
    OffsetGroups groups(problem_, searched_);
    while (groups.Next(group_)) {
      const auto search = [&](int worker, int64_t task) { SearchSites(worker, static_cast<int>(task)); };
      if (!RunDynamic(parallel_, memory_.workers, tasks_, search)) return RunResult::kRunnerFailed;
    }
    const auto copy_outputs = [&](int64_t task) { CopyOutputs(static_cast<int>(task)); };
    PairListBuilder& lists = memory_.lists;
    // A rulebook may need memory, and then nothing has been written.
    const PairListBuilder::OtherWork others(problem_.rulebook == nullptr ? tasks_ : 0, copy_outputs);
    if (!sites_.ascending()) {
      if (!lists.SortAndFinish(parallel_, mirrored_, others, sites_.order(), memory_.list_sort)) {
        return RunResult::kRunnerFailed;
      }
      if (problem_.rulebook == nullptr) return RunResult::kDone;
    } else if (problem_.rulebook == nullptr) {
      return ResultOf(lists.Finish(parallel_, mirrored_, others));
    }
    const RunResult given = sites_.ascending() ? lists.FinishRulebook(parallel_, mirrored_, problem_.sites)
                                               : GiveToRulebook(problem_, parallel_, mirrored_);
    if (given != RunResult::kDone || problem_.out_indices == nullptr) return given;
    return ResultOf(RunDynamic(parallel_, memory_.workers, tasks_, [&](int, int64_t task) { copy_outputs(task); }));
  }

 private:
  // The words or rows of a task: about as many sites each. One belongs to the task that has its first site.
  Range GroupsOf(int task) const {
    const int32_t* const begins = sites_.begins();
    const auto first_from = [&](int64_t position) {
      return std::lower_bound(begins, begins + sites_.groups(), static_cast<int32_t>(position)) - begins;
    };
    const Range positions = PieceOf(problem_.sites, tasks_, task);
    return {first_from(positions.begin), first_from(positions.end)};
  }

  void SearchSites(int worker, int task) {
    Arena arena = memory_.SearchArena(worker);
    const Range range = GroupsOf(task);
    int32_t* const list = memory_.lists.begin(task);
    int32_t* const counts = memory_.lists.counts(task);
    if (sites_.as_words) {
      WordSearch search(problem_, sites_.geometry, sites_.words, group_, arena);
      if (!std::exchange(memory_.cleared[worker], true)) search.ClearCells();
      search.Append(range.begin, range.end, list, counts);
    } else {
      RowSearch(problem_, sites_.rows, group_, arena).Append(range.begin, range.end, list, counts);
    }
  }

  // Part `task` of `tasks_` of the outputs, which are the inputs.
  void CopyOutputs(int task) const {
    const Range range = PieceOf(problem_.out_rows * problem_.columns(), tasks_, task);
    const int64_t copied = std::clamp(problem_.sites * problem_.columns(), range.begin, range.end);
    if (copied > range.begin) {
      problem_.kernels.copy(problem_.out_indices + range.begin, problem_.indices + range.begin, copied - range.begin,
                            StreamPairs(problem_));
    }
    problem_.kernels.fill(problem_.out_indices + copied, range.end - copied, -1, StreamPairs(problem_));
  }

  const GetIndicePairsProblem& problem_;
  const Parallel& parallel_;
  const OrderedSites& sites_;
  int tasks_;
  TaskMemory& memory_;
  bool mirrored_;  // offset K - 1 - k is the way back of offset k, and only those in front of the centre are searched
  int64_t searched_;   // number of offsets that are searched
  OffsetGroup group_;  // those that are searched now
};

}  // namespace

int64_t SubmanifoldWorkspaceBytes(const GetIndicePairsProblem& problem) {
  Arena arena;
  OrderedSites sites{.geometry = WordGeometry(problem)};
  TakeOrderedSites(problem, arena, sites);
  return arena.NeededBytes();
}

RunResult GetSubmanifoldPairs(const GetIndicePairsProblem& given, const Parallel& parallel, Scratch& scratch) {
  GetIndicePairsProblem problem = given;
  OrderedSites sites{.geometry = WordGeometry(problem)};
  const auto make = [&](Arena& arena) {
    if (problem.rulebook != nullptr) {
      problem.pairs = TakePairs(problem, arena);
      problem.workspace = arena.Take<std::byte>(SubmanifoldWorkspaceBytes(given));
    }
    return TaskMemory(problem, sites.geometry, parallel, arena);
  };
  return RunPass(scratch, make, [&](TaskMemory& memory) {
    Arena arena(problem.workspace);
    TakeOrderedSites(problem, arena, sites);
    const RunResult built = BuildOrderedSites(problem, parallel, memory, sites);
    return built != RunResult::kDone ? built : Search(problem, parallel, sites, memory).Find();
  });
}

}  // namespace detops::get_indice_pairs
