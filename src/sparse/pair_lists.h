// The pairs of a convolution in the order in which the passes read them.
//
// A pass works on blocks of kBlockRows consecutive rows of one side (the side that is written; for the filter's
// gradient the input side), and within a block offset by offset. So every offset's list must be ordered by block. Lists
// of mluOpGetIndicePairs are, on the input side always and on the output side if the sites were given in ascending
// order: they are read where they are. Others are copied in order of blocks; within a block pairs keep their order, so
// that a result does not depend on whether a list was copied.
#ifndef DETOPS_SPARSE_PAIR_LISTS_H_
#define DETOPS_SPARSE_PAIR_LISTS_H_

#include <cstdint>

#include "core/arena.h"
#include "core/call.h"
#include "core/parallel.h"

namespace detops {

inline constexpr int kBlockRowsLog2 = 8;
inline constexpr int64_t kBlockRows = int64_t{1} << kBlockRowsLog2;

inline int64_t BlocksOf(int64_t rows) { return (rows + kBlockRows - 1) >> kBlockRowsLog2; }

// The pairs of one offset as a search has found them, wherever they lie.
struct FoundPairs {
  int64_t count;
  const int32_t* rows[2];  // of the input side, of the output side
};

// Pairs as the caller gives them, or as a search has found them.
struct IndicePairs {
  int64_t offsets;
  int64_t length;                     // L
  const int32_t* pairs;               // [offsets, 2, length]
  const int64_t* counts;              // [offsets]
  int64_t rows[2];                    // of the tensor that the input indices mean, and of the output indices' one
  const FoundPairs* found = nullptr;  // [offsets]: then there is no length, pairs, counts, and all indices are rows

  int64_t CountOf(int64_t offset) const { return found != nullptr ? found[offset].count : counts[offset]; }
  const int32_t* Column(int64_t offset, int column) const {
    return found != nullptr ? found[offset].rows[column] : pairs + (offset * 2 + column) * length;
  }
};

// One offset that has pairs.
struct PairList {
  int64_t offset;  // which
  int64_t count;
  const int32_t* block_rows;  // rows of the side the blocks are made of
  const int32_t* other_rows;  // rows of the other side
  const int64_t* begins;      // [blocks + 1]: where the pairs of each block begin
};

// All of them. The memory belongs to the arena they were made in and, where a list is in order, to the caller.
struct BlockedPairs {
  int64_t blocks;
  int64_t list_count;
  const PairList* list;
  int64_t pairs;   // of all lists
  int64_t copied;  // lists that were not in order
  // [blocks]: 1 if a row of the block occurs twice under one offset. Pairs of different sites never do that, but equal
  // sites pile up on one row, and float would lose digits over the long sums.
  const uint8_t* has_repeated_row;
};

// A counted index that is not a row of its tensor.
struct BadIndex {
  int64_t offset;
  int column;
  int64_t position;  // in the list; -1: there is none
};

// Takes what MakeBlockedPairs needs; with an arena that only counts, this tells how much that is. `side`: 0 or 1, the
// side blocks are made of.
struct BlockedPairsMemory {
  BlockedPairsMemory() = default;
  // `in_order`: every list is known to be in order, so that none is copied.
  BlockedPairsMemory(const IndicePairs& pairs, int side, const Parallel& parallel, Arena& arena, bool in_order = false);
  int64_t list_count = 0;  // offsets with pairs
  int64_t pairs = 0;
  int tasks = 0;
  PairList* list = nullptr;
  int64_t* begins = nullptr;            // [lists][blocks + 1]
  int64_t* firsts = nullptr;            // [lists + 1]: number of pairs in the lists before
  uint8_t* has_repeated_row = nullptr;  // [blocks]
  int32_t* block_rows = nullptr;        // [pairs], used if a list has to be copied
  int32_t* other_rows = nullptr;        // [pairs]
  BadIndex* bad = nullptr;              // [tasks]
  bool* ordered = nullptr;              // [lists]
};

// Looks at every counted index. If one is outside its tensor, *bad tells the first of them, and *result is not made.
RunResult MakeBlockedPairs(const IndicePairs& pairs, int side, const Parallel& parallel,
                           const BlockedPairsMemory& memory, BlockedPairs* result, BadIndex* bad);

}  // namespace detops

#endif  // DETOPS_SPARSE_PAIR_LISTS_H_
