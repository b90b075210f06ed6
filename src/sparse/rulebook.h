// What a rulebook holds, and how it is filled.
#ifndef DETOPS_SPARSE_RULEBOOK_H_
#define DETOPS_SPARSE_RULEBOOK_H_

#include <cstdint>

#include "core/arena.h"
#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "sparse/pair_lists.h"

struct detopsRulebookStruct {
  int64_t offsets = 0;
  int64_t rows[2] = {0, 0};              // of the input and of the output side
  detops::BlockedPairs by_side[2] = {};  // with blocks made of that side
  detops::Scratch memory;                // of all tables, and of lists that were copied
  // Of one that was made by a search:
  detops::Scratch found;   // the lists, as they were found
  detops::Scratch search;  // what the search knows of each offset

  // Leaves no pairs and no rows.
  void Clear();
};

namespace detops {

// Copies lists that were made of the same pairs, with blocks of either side. False if memory is short.
[[nodiscard]] bool FillRulebook(const BlockedPairs by_side[2], detopsRulebookStruct* rulebook);

// Makes a rulebook of what a search finds, in the memory that the rulebook has. In this order: Begin; the search counts
// the pairs; Reserve; the search writes the pairs; Finish.
//
// The pairs of every offset ascend by input. They are `mirrored` if those of offset K - 1 - k are those of k turned
// round: then one side's lists are the other's from the last to the first.
class RulebookBuilder {
 public:
  RulebookBuilder(detopsRulebookStruct* rulebook, const Parallel& parallel)
      : rulebook_(rulebook), parallel_(parallel) {}

  // False if memory is short; then the rulebook is as it was.
  [[nodiscard]] bool Begin(int64_t offsets);

  FoundPairs* lists() { return lists_; }  // [offsets]: to be filled, the counts before Reserve
  int32_t* counts() { return counts_; }   // [offsets]: for the search alone

  // Memory for so many numbers; nullptr if it is short. From here on what the rulebook was before is lost.
  [[nodiscard]] int32_t* Reserve(int64_t numbers, int64_t inputs, int64_t outputs, bool mirrored);

  [[nodiscard]] RunResult Finish();

 private:
  IndicePairs Found() const;
  void TakeTables(Arena& arena);

  detopsRulebookStruct* rulebook_;
  const Parallel& parallel_;
  int64_t offsets_ = 0;
  FoundPairs* lists_ = nullptr;
  int32_t* counts_ = nullptr;
  int64_t rows_[2] = {0, 0};
  bool mirrored_ = false;
  BlockedPairsMemory tables_[2] = {};
  PairList* turned_ = nullptr;  // the other side's of mirrored lists
};

}  // namespace detops

#endif  // DETOPS_SPARSE_RULEBOOK_H_
