#include "ops/get_indice_pairs/lists.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/checked_math.h"
#include "core/dynamic_tasks.h"

namespace detops::get_indice_pairs {
namespace {

constexpr int64_t kMinTaskNumbers = 32 << 10;  // below this one thread is done before another has started

size_t Bytes(int64_t numbers) { return static_cast<size_t>(numbers) * sizeof(int32_t); }

// Where the lists of a rulebook go that are copied to it, those of the offsets [0, end): one behind the other, first
// the rows of the inputs, then those of the outputs, and after them `more` numbers.
class ListPlaces {
 public:
  template <class CountOf>
  ListPlaces(RulebookBuilder& rulebook, int64_t end, const CountOf& count_of) : rulebook_(rulebook), end_(end) {
    for (int64_t k = 0; k < end; ++k) pairs_ += rulebook.lists()[k].count = count_of(k);
  }

  // False if memory is short. The counts of other lists have been set too.
  [[nodiscard]] bool Reserve(int64_t more, int64_t inputs, int64_t outputs, bool mirrored) {
    inputs_ = rulebook_.Reserve(2 * pairs_ + more, inputs, outputs, mirrored);
    if (inputs_ == nullptr) return false;
    int64_t before = 0;
    for (int64_t k = 0; k < end_; ++k) {
      FoundPairs& list = rulebook_.lists()[k];
      list.rows[0] = inputs_ + before;
      list.rows[1] = inputs_ + pairs_ + before;
      before += list.count;
    }
    return true;
  }

  int32_t* inputs(int64_t k) const { return inputs_ + (rulebook_.lists()[k].rows[0] - inputs_); }
  int32_t* outputs(int64_t k) const { return inputs(k) + pairs_; }
  int32_t* more() const { return inputs_ + 2 * pairs_; }

 private:
  RulebookBuilder& rulebook_;
  int64_t end_;
  int64_t pairs_ = 0;
  int32_t* inputs_ = nullptr;
};

// Of lists that are copied the first ones get a thread last: near the centre they have the most pairs.
constexpr int64_t kMinCopiedPairs = 32 << 10;

template <class CopyList>
[[nodiscard]] bool CopyLists(const Parallel& parallel, int64_t lists, int64_t sites, const CopyList& copy_list) {
  const int64_t workers = std::min<int64_t>(parallel.TaskCount(lists * sites, kMinCopiedPairs), parallel.ThreadCount());
  return RunDynamic(parallel, static_cast<int>(std::clamp<int64_t>(lists, 1, workers)), lists,
                    [&](int, int64_t item) { copy_list(lists - 1 - item); });
}

}  // namespace

void FillTail(const GetIndicePairsProblem& problem, int64_t offset) {
  if (problem.rulebook != nullptr) return;
  const bool stream = StreamPairs(problem);
  const int64_t count = problem.counts[offset];
  const int64_t left = problem.sites - count;
  int32_t* const inputs = problem.pairs + offset * 2 * problem.sites;
  if (count == 0) {
    problem.kernels.fill(inputs, 2 * left, -1, stream);
  } else {
    problem.kernels.fill(inputs + count, left, -1, stream);
    problem.kernels.fill(inputs + problem.sites + count, left, -1, stream);
  }
}

int PairListBuilder::TaskLimit(const GetIndicePairsProblem& problem, int wanted) {
  constexpr int64_t kMaxCounts = 1 << 19;  // 2 MiB
  return static_cast<int>(std::clamp<int64_t>(kMaxCounts / problem.offsets, 1, wanted));
}

void PairListBuilder::Start(int task, int64_t begin) {
  begins_[task] = begin;
  std::fill_n(counts(task), problem_.offsets, 0);
}

int64_t PairListBuilder::AppendedPairs(int64_t offset) const {
  int64_t count = 0;
  for (int task = 0; task < tasks_; ++task) count += counts_[task * problem_.offsets + offset];
  return count;
}

// Moves the pieces of a list together; the mirror, if there is one, gets them turned round while they are in the cache.
int64_t PairListBuilder::Pack(int64_t offset, int64_t mirror) {
  int32_t* const inputs = row(offset);
  int32_t* const outputs = inputs + problem_.sites;
  int64_t count = 0;
  for (int task = 0; task < tasks_; ++task) {
    const int64_t begin = begins_[task];
    const int64_t piece = counts(task)[offset];
    if (count != begin && piece > 0) {
      std::memmove(inputs + count, inputs + begin, Bytes(piece));
      std::memmove(outputs + count, outputs + begin, Bytes(piece));
    }
    if (mirror >= 0) {
      problem_.kernels.copy(row(mirror) + count, outputs + count, piece, StreamPairs(problem_));
      problem_.kernels.copy(row(mirror) + problem_.sites + count, inputs + count, piece, StreamPairs(problem_));
    }
    count += piece;
  }
  return count;
}

void PairListBuilder::FillIdentity(int64_t offset) {
  for (int32_t* const numbers : {row(offset), row(offset) + problem_.sites}) {
    problem_.kernels.count_up(numbers, problem_.sites, StreamPairs(problem_));
  }
  problem_.counts[offset] = static_cast<int32_t>(problem_.sites);
}

void PairListBuilder::Close(int64_t offset, int64_t count) {
  problem_.counts[offset] = static_cast<int32_t>(count);
  FillTail(problem_, offset);
}

// Lists differ much in their number of pairs, so the work is handed out one by one: the centre, then the other lists
// from the centre on, because there they have the most pairs, then what is small.
template <class FinishOne>
bool PairListBuilder::FinishAll(const Parallel& parallel, bool mirrored, int max_workers, const OtherWork& others,
                                const FinishOne& finish) {
  const int64_t appended = mirrored ? problem_.offsets / 2 : problem_.offsets;
  const int64_t lists = appended + 1;
  const int64_t items = lists + others.items();
  const bool alone = parallel.TaskCount(2 * problem_.sites * problem_.offsets, kMinTaskNumbers) == 1;
  const int64_t most = alone ? 1 : std::min<int64_t>(max_workers, Parallel::kMaxTasks);
  return RunDynamic(parallel, static_cast<int>(std::min(items, most)), items, [&](int worker, int64_t item) {
    if (item == 0) {
      if (mirrored) FillIdentity(problem_.offsets / 2);
    } else if (item < lists) {
      const int64_t offset = appended - item;
      finish(worker, offset, mirrored ? problem_.offsets - 1 - offset : -1);
    } else {
      others.Run(item - lists);
    }
  });
}

bool PairListBuilder::Finish(const Parallel& parallel, bool mirrored, const OtherWork& others) {
  // Tails of mirrors can be written at any time.
  const int64_t tails = mirrored ? problem_.offsets / 2 : 0;
  const auto close_or_other = [&](int64_t item) {
    if (item < tails) {
      Close(problem_.offsets - 1 - item, AppendedPairs(item));
    } else {
      others.Run(item - tails);
    }
  };
  const OtherWork tails_and_others(tails + others.items(), close_or_other);
  return FinishAll(parallel, mirrored, parallel.ThreadCount(), tails_and_others,
                   [&](int, int64_t offset, int64_t mirror) {
                     const int64_t count = Pack(offset, mirror);
                     // A single task has counted in problem.counts, and who writes the mirror's tail is reading that.
                     tasks_ > 1 ? Close(offset, count) : FillTail(problem_, offset);
                   });
}

RunResult PairListBuilder::FinishRulebook(const Parallel& parallel, bool mirrored, int64_t outputs) {
  const int64_t sites = problem_.sites, offsets = problem_.offsets;
  const int64_t appended = mirrored ? offsets / 2 : offsets;
  RulebookBuilder& rulebook = *problem_.rulebook;
  ListPlaces places(rulebook, appended, [&](int64_t k) { return AppendedPairs(k); });
  FoundPairs* const lists = rulebook.lists();
  if (mirrored) lists[appended].count = sites;
  for (int64_t k = 0; mirrored && k < appended; ++k) lists[offsets - 1 - k].count = lists[k].count;
  if (!places.Reserve(mirrored ? sites : 0, sites, outputs, mirrored)) return RunResult::kNoMemory;
  if (mirrored) lists[appended] = {sites, {places.more(), places.more()}};
  for (int64_t k = 0; mirrored && k < appended; ++k) {
    lists[offsets - 1 - k] = {lists[k].count, {lists[k].rows[1], lists[k].rows[0]}};
  }
  return ResultOf(CopyLists(parallel, appended + (mirrored ? 1 : 0), sites, [&](int64_t offset) {
    if (offset == appended) return problem_.kernels.count_up(places.more(), sites, false);
    int64_t at = 0;
    for (int task = 0; task < tasks_; ++task) {
      const int64_t piece = counts(task)[offset];
      const int32_t* const from = row(offset) + begins_[task];
      std::copy_n(from, piece, places.inputs(offset) + at);
      std::copy_n(from + sites, piece, places.outputs(offset) + at);
      at += piece;
    }
  }));
}

RunResult GiveToRulebook(const GetIndicePairsProblem& problem, const Parallel& parallel, bool mirrored) {
  const int64_t sites = problem.sites;
  ListPlaces places(*problem.rulebook, problem.offsets, [&](int64_t k) { return problem.counts[k]; });
  if (!places.Reserve(0, sites, sites, mirrored)) return RunResult::kNoMemory;
  return ResultOf(CopyLists(parallel, problem.offsets, sites, [&](int64_t offset) {
    const int64_t count = problem.counts[offset];
    const int32_t* const from = problem.pairs + offset * 2 * sites;
    std::copy_n(from, count, places.inputs(offset));
    std::copy_n(from + sites, count, places.outputs(offset));
  }));
}

PairListBuilder::SortScratch::SortScratch(const GetIndicePairsProblem& problem, Arena& arena) {
  for (int32_t*& list : spread) list = arena.Take<int32_t>(problem.sites);
}

bool PairListBuilder::SortAndFinish(const Parallel& parallel, bool mirrored, const OtherWork& others,
                                    const int32_t* order, const SortScratch& scratch) {
  const int64_t sites = problem_.sites;
  // A worker stays in its memory, which then stays in its cache.
  const int rooms = std::min(parallel.ThreadCount(), SortScratch::kLists);
  bool cleared[SortScratch::kLists] = {};
  return FinishAll(parallel, mirrored, rooms, others, [&](int worker, int64_t offset, int64_t mirror) {
    if (!std::exchange(cleared[worker], true)) std::fill_n(scratch.spread[worker], sites, -1);
    ListToSort list = {.keys = row(offset),
                       .renamed = order,
                       .values = row(offset) + sites,
                       .count = Pack(offset, -1),
                       .universe = sites,
                       .spread = scratch.spread[worker],
                       .sorted_keys = row(offset),
                       .row_length = sites};
    if (list.count > 0) problem_.kernels.sort_list(list);
    if (list.count > 0 && mirror >= 0) {
      list.keys = row(offset) + sites;
      list.renamed = nullptr;
      list.values = row(offset);
      list.sorted_keys = row(mirror);
      problem_.kernels.sort_list(list);
    }
    Close(offset, list.count);
    if (mirror >= 0) Close(mirror, list.count);  // vectors have been written into its tail
  });
}

bool FillUnusedRows(const GetIndicePairsProblem& problem, const Parallel& parallel, int64_t outputs) {
  int32_t* const rows = problem.out_indices + outputs * problem.columns();
  const int64_t count = (problem.out_rows - outputs) * problem.columns();
  return parallel.RunItems(count, kMinTaskNumbers, [&](Range range) {
    problem.kernels.fill(rows + range.begin, range.end - range.begin, -1, WorthStreaming(count));
  });
}

}  // namespace detops::get_indice_pairs
