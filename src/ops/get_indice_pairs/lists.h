// The lists of pairs, one per kernel offset, while they are made.
//
// Several tasks append to one list at the same time, each the pairs of its own range of sites. A task's range
// begins at site b, so there cannot be more than b pairs in front of its own and none of its pairs is lost if it starts
// writing at position b of the row. When all are done, the pieces are moved together, sorted if the sites were not
// visited in the order of the input, and the tail is filled. The result does not depend on how many tasks there were.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_LISTS_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_LISTS_H_

#include <cstdint>

#include "core/arena.h"
#include "core/checked_math.h"
#include "core/parallel.h"
#include "ops/get_indice_pairs/problem.h"

namespace detops::get_indice_pairs {

// True if so many numbers are better written past the caches.
inline bool WorthStreaming(int64_t numbers) { return numbers >= (int64_t{8} << 20) / int64_t{sizeof(int32_t)}; }

inline bool StreamPairs(const GetIndicePairsProblem& problem) {
  return WorthStreaming(2 * problem.sites * problem.offsets);
}

// Room for lists as long as they can be, where they are found before they go to a rulebook.
inline int32_t* TakePairs(const GetIndicePairsProblem& problem, Arena& arena) {
  return arena.Take<int32_t>(SaturatingMultiply(SaturatingMultiply(2, problem.offsets), problem.sites));
}

// Writes -1 after the pairs of an offset, of which there are problem.counts[offset]. Lists of a rulebook have no tails.
void FillTail(const GetIndicePairsProblem& problem, int64_t offset);

class PairListBuilder {
 public:
  // Takes its own memory from the arena: 4 bytes per offset and task if there are several tasks. A single one counts in
  // problem.counts.
  PairListBuilder(const GetIndicePairsProblem& problem, int tasks, Arena& arena)
      : problem_(problem),
        tasks_(tasks),
        begins_(arena.Take<int64_t>(tasks)),
        counts_(tasks == 1 ? problem.counts : arena.Take<int32_t>(tasks * problem.offsets)) {}

  // Memory for sorting: 4 bytes per site and list that is sorted at the same time.
  struct SortScratch {
    SortScratch(const GetIndicePairsProblem& problem, Arena& arena);
    static constexpr int kLists = 8;
    int32_t* spread[kLists];
  };

  // Work on other data that is done while the lists are completed: body(i) for all i in [0, items). The body must live
  // as long as this; a std::function would keep it, but takes memory.
  class OtherWork {
   public:
    OtherWork() = default;
    template <class Body>
    OtherWork(int64_t items, const Body& body)
        : items_(items), body_(&body), call_([](const void* of, int64_t i) { (*static_cast<const Body*>(of))(i); }) {}

    int64_t items() const { return items_; }
    void Run(int64_t item) const { call_(body_, item); }

   private:
    int64_t items_ = 0;
    const void* body_ = nullptr;
    void (*call_)(const void*, int64_t) = nullptr;
  };

  // How many tasks may append at once: fewer than `wanted` where so many counts would take too much memory.
  static int TaskLimit(const GetIndicePairsProblem& problem, int wanted);

  // Task `task` appends the pairs of sites from `begin` on, with ascending task numbers and begins.
  void Start(int task, int64_t begin);

  // By offset: how many pairs the task has appended.
  int32_t* counts(int task) { return counts_ + task * problem_.offsets; }

  // Where the first input index of the task goes in the list of offset 0; the lists are 2 * problem.sites apart.
  int32_t* begin(int task) { return problem_.pairs + begins_[task]; }

  // Moves the pieces of each list together, writes tails and counts. With `mirrored` only the offsets in front of the
  // centre have been appended: the centre pairs every site with itself, and offset K - 1 - k has the pairs of k turned
  // round.
  [[nodiscard]] bool Finish(const Parallel& parallel, bool mirrored, const OtherWork& others);

  // Instead of Finish: gives the lists to problem.rulebook, for so many outputs. Mirrors are where their lists are.
  [[nodiscard]] RunResult FinishRulebook(const Parallel& parallel, bool mirrored, int64_t outputs);

  // The same for input indices that are positions in another order: order[position] is the index.
  [[nodiscard]] bool SortAndFinish(const Parallel& parallel, bool mirrored, const OtherWork& others,
                                   const int32_t* order, const SortScratch& scratch);

 private:
  template <class FinishOne>
  [[nodiscard]] bool FinishAll(const Parallel& parallel, bool mirrored, int max_workers, const OtherWork& others,
                               const FinishOne& finish);
  void FillIdentity(int64_t offset);          // pairs every site with itself
  void Close(int64_t offset, int64_t count);  // what remains when the pairs are in their places
  int64_t AppendedPairs(int64_t offset) const;
  int64_t Pack(int64_t offset, int64_t mirror);
  int32_t* row(int64_t offset) const { return problem_.pairs + offset * 2 * problem_.sites; }

  const GetIndicePairsProblem& problem_;
  int tasks_;
  int64_t* begins_;
  int32_t* counts_;
};

// Gives lists of a submanifold convolution to problem.rulebook that are whole, as mluOpGetIndicePairs has them.
[[nodiscard]] RunResult GiveToRulebook(const GetIndicePairsProblem& problem, const Parallel& parallel, bool mirrored);

// Writes -1 into the rows of out_indices after the output sites.
[[nodiscard]] bool FillUnusedRows(const GetIndicePairsProblem& problem, const Parallel& parallel, int64_t outputs);

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_LISTS_H_
