// The pairs of one block row by row: lists are in order of blocks and, in a block, of offsets; a row wants all its
// pairs side by side, so that its result stays in registers.
#ifndef DETOPS_OPS_INDICE_POOL_ROWS_H_
#define DETOPS_OPS_INDICE_POOL_ROWS_H_

#include <algorithm>
#include <cstdint>

#include "sparse/pair_lists.h"

namespace detops::indice_pool {

// Unsigned, so that it costs one instruction.
inline uint32_t RowInBlock(int32_t row) { return static_cast<uint32_t>(row) % static_cast<uint32_t>(kBlockRows); }

// Pairs of all blocks before this one.
inline int64_t PairsBefore(const BlockedPairs& lists, int64_t block) {
  int64_t pairs = 0;
  for (int64_t k = 0; k < lists.list_count; ++k) pairs += lists.list[k].begins[block];
  return pairs;
}

// counts[r] = the number of pairs of row r of the block.
inline void CountRowPairs(const BlockedPairs& lists, int64_t block, int64_t counts[kBlockRows]) {
  std::fill_n(counts, kBlockRows, int64_t{0});
  for (int64_t k = 0; k < lists.list_count; ++k) {
    const PairList& list = lists.list[k];
    const int64_t end = list.begins[block + 1];
    for (int64_t i = list.begins[block]; i < end; ++i) ++counts[RowInBlock(list.block_rows[i])];
  }
}

// The other rows of row r of the block are other_rows[begins[r]] up to other_rows[begins[r + 1]], by offset, then by
// place in the list.
inline void ListByRows(const BlockedPairs& lists, int64_t block, int64_t begins[kBlockRows + 1], int32_t* other_rows) {
  // While pairs are placed, begins[r + 1] is where the next one of row r goes; in the end that is where r + 1 begins.
  int64_t counts[kBlockRows];
  CountRowPairs(lists, block, counts);
  begins[0] = 0;
  for (int64_t r = 0, before = 0; r < kBlockRows; ++r) {
    begins[r + 1] = before;
    before += counts[r];
  }
  for (int64_t k = 0; k < lists.list_count; ++k) {
    const PairList& list = lists.list[k];
    const int64_t end = list.begins[block + 1];
    for (int64_t i = list.begins[block]; i < end; ++i)
      other_rows[begins[RowInBlock(list.block_rows[i]) + 1]++] = list.other_rows[i];
  }
}

}  // namespace detops::indice_pool

#endif  // DETOPS_OPS_INDICE_POOL_ROWS_H_
