// The vector part of making lists.
#ifndef DETOPS_SPARSE_PAIR_LISTS_KERNEL_H_
#define DETOPS_SPARSE_PAIR_LISTS_KERNEL_H_

#include <cstdint>

namespace detops {

// The positions [begin, end), not none, of a list with `count` pairs.
struct ListPiece {
  const int32_t* block_rows;
  const int32_t* other_rows;  // nullptr: they are known to be rows
  int64_t begin;
  int64_t end;
  int64_t count;
  int64_t block_count;
  int64_t other_count;
  int64_t blocks;
  int64_t* begins;            // of the list
  uint8_t* has_repeated_row;  // [blocks]: becomes 1 where the indices do not ascend, so that a row may occur twice
};

struct ListPieceResult {
  int64_t bad_block_row;  // first position with an index outside its rows; -1: none
  int64_t bad_other_row;
  bool ordered;  // by block, also against the piece before
};

// Checks the indices and fills `begins` as far as this piece knows it. All pieces together fill it if all are ordered.
ListPieceResult InspectListPiece(const ListPiece& piece);

}  // namespace detops

#endif  // DETOPS_SPARSE_PAIR_LISTS_KERNEL_H_
