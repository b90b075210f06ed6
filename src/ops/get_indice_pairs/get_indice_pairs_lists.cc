#include "ops/get_indice_pairs/get_indice_pairs_lists.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/checked_math.h"
#include "core/one_by_one.h"

namespace detops {
namespace {

constexpr int64_t kMinTaskNumbers = 32 << 10;  // below this one thread is done before another has started

size_t Bytes(int64_t numbers) { return static_cast<size_t>(numbers) * sizeof(int32_t); }

}  // namespace

void FillTail(const GetIndicePairsProblem& problem, int64_t offset) {
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

int PairLists::TaskLimit(const GetIndicePairsProblem& problem, int wanted) {
  constexpr int64_t kMaxCounts = 1 << 19;  // 2 MiB
  return static_cast<int>(std::clamp<int64_t>(kMaxCounts / problem.offsets, 1, wanted));
}

void PairLists::Start(int task, int64_t begin) {
  begins_[task] = begin;
  std::fill_n(counts(task), problem_.offsets, 0);
}

// Moves the pieces of a list together; the mirror, if there is one, gets them turned round while they are in the cache.
int64_t PairLists::Pack(int64_t offset, int64_t mirror) {
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

void PairLists::FillIdentity(int64_t offset) {
  std::iota(row(offset), row(offset) + problem_.sites, 0);
  std::iota(row(offset) + problem_.sites, row(offset) + 2 * problem_.sites, 0);
  problem_.counts[offset] = static_cast<int32_t>(problem_.sites);
}

int PairLists::TasksFor(const Parallel& parallel, int64_t offsets, int max_tasks) const {
  const int64_t min_offsets = DivideRoundUp(kMinTaskNumbers, problem_.sites * 2);
  // Offsets differ much in their number of pairs, so tasks are small where nothing speaks against it.
  return parallel.TaskCount(offsets, min_offsets) == 1 ? 1 : static_cast<int>(std::min<int64_t>(offsets, max_tasks));
}

// What remains when the pairs are in their places.
void PairLists::Close(int64_t offset, int64_t mirror, int64_t count) {
  problem_.counts[offset] = static_cast<int32_t>(count);
  FillTail(problem_, offset);
  if (mirror < 0) return;
  problem_.counts[mirror] = static_cast<int32_t>(count);
  FillTail(problem_, mirror);
}

void PairLists::FinishOffset(int64_t offset, int64_t mirror) { Close(offset, mirror, Pack(offset, mirror)); }

bool PairLists::Finish(const Parallel& parallel) {
  const int tasks = TasksFor(parallel, problem_.offsets, 256);
  return parallel.Run(tasks, [&](int task) {
    for (int64_t offset = task; offset < problem_.offsets; offset += tasks) FinishOffset(offset, -1);
  });
}

PairLists::SortRoom::SortRoom(const GetIndicePairsProblem& problem, Arena& arena) {
  for (int32_t*& list : spread) list = arena.Take<int32_t>(problem.sites);
}

bool PairLists::SortAndFinish(const Parallel& parallel, bool mirrored, const int32_t* order, const SortRoom& room) {
  const int64_t sites = problem_.sites;
  const auto sort = [&](int worker, int64_t offset, int64_t mirror) {
    ListToSort list = {.keys = row(offset),
                       .renamed = order,
                       .values = row(offset) + sites,
                       .count = Pack(offset, -1),
                       .universe = sites,
                       .spread = room.spread[worker],
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
    Close(offset, mirror, list.count);
  };
  const int64_t appended = mirrored ? problem_.offsets / 2 : problem_.offsets;
  // A thread stays in its room, which then stays in its cache. Offsets are handed out one by one, from the centre on:
  // there they have the most pairs.
  const int rooms = std::min(parallel.ThreadCount(), SortRoom::kLists);
  const int workers = TasksFor(parallel, appended + 1, rooms);
  const bool cleared = parallel.Run(workers, [&](int worker) { std::fill_n(room.spread[worker], sites, -1); });
  return cleared && RunOneByOne(parallel, workers, appended + 1, [&](int worker, int64_t item) {
           if (item > 0) {
             const int64_t offset = appended - item;
             sort(worker, offset, mirrored ? problem_.offsets - 1 - offset : -1);
           } else if (mirrored) {
             FillIdentity(problem_.offsets / 2);
           }
         });
}

bool FillUnusedRows(const GetIndicePairsProblem& problem, const Parallel& parallel, int64_t outputs) {
  int32_t* const rows = problem.out_indices + outputs * problem.columns();
  const int64_t count = (problem.out_rows - outputs) * problem.columns();
  const int tasks = parallel.TaskCount(count, kMinTaskNumbers);
  return parallel.Run(tasks, [&](int task) {
    const Range range = PieceOf(count, tasks, task);
    problem.kernels.fill(rows + range.begin, range.end - range.begin, -1, WorthStreaming(count));
  });
}

}  // namespace detops
