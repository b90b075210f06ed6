#include "sparse/pair_lists_kernel.h"

#include <algorithm>

#include "core/simd_target.h"
#include "sparse/pair_lists.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sparse/pair_lists_kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D32 = hn::ScalableTag<int32_t>;

// The largest index that is a row.
int32_t LastRow(int64_t rows) { return static_cast<int32_t>(std::min<int64_t>(rows, int64_t{1} << 31) - 1); }

// The first of [begin, end) that is not in [0, last]; -1: none.
int64_t FindOutside(const int32_t* HWY_RESTRICT indices, int64_t begin, int64_t end, int32_t last) {
  const D32 d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  auto low = hn::Zero(d);
  auto high = hn::Zero(d);
  int64_t i = begin;
  for (; i + n <= end; i += n) {
    const auto v = hn::LoadU(d, indices + i);
    low = hn::Min(low, v);
    high = hn::Max(high, v);
  }
  const auto outside = hn::Or(hn::Lt(low, hn::Zero(d)), hn::Gt(high, hn::Set(d, last)));
  if (!hn::AllFalse(d, outside)) i = begin;
  for (; i < end; ++i) {
    if (indices[i] < 0 || indices[i] > last) return i;
  }
  return -1;
}

void MarkRepeated(const ListPiece& piece, int64_t block) {
  __atomic_store_n(&piece.has_repeated_row[block], uint8_t{1}, __ATOMIC_RELAXED);
}

// The block rows of a piece in which every index is above the one before, as in lists of different sites in order:
// then it is enough to look at the last one and to find where the block changes. False if they are not so, or outside;
// what has been written to `begins` by then is what InspectAny writes there too.
bool InspectAscending(const ListPiece& piece) {
  const D32 d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int32_t* const HWY_RESTRICT block_rows = piece.block_rows;
  const int32_t last = LastRow(piece.block_count);
  int64_t i = piece.begin;
  const int32_t before = i > 0 ? block_rows[i - 1] : -1;
  if (before < (i > 0 ? 0 : -1) || before > last) return false;
  int64_t block = before >> kBlockRowsLog2;  // -1 >> n is -1
  // Several tasks may write here if the list is out of order; then all of it is written again.
  const auto begin_blocks_until = [&](int64_t next, int64_t position) HWY_ATTR {
    while (block < next) __atomic_store_n(&piece.begins[++block], position, __ATOMIC_RELAXED);
  };
  const auto enter = [&](int64_t position) HWY_ATTR {
    if (block_rows[position] > last) return false;
    begin_blocks_until(block_rows[position] >> kBlockRowsLog2, position);
    return true;
  };
  if (block_rows[i] <= before || !enter(i)) return false;
  ++i;
  const auto in_block = hn::Set(d, static_cast<int32_t>(kBlockRows - 1));
  for (; i + n <= piece.end; i += n) {
    const auto indices = hn::LoadU(d, block_rows + i);
    const auto those_before = hn::LoadU(d, block_rows + i - 1);
    if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Lt(those_before, indices)))) return false;
    const auto enters = hn::Gt(hn::Xor(those_before, indices), in_block);  // neither is negative
    if (hn::AllFalse(d, enters)) continue;
    uint64_t lanes = 0;
    hn::StoreMaskBits(d, enters, reinterpret_cast<uint8_t*>(&lanes));
    for (; lanes != 0; lanes &= lanes - 1) {
      if (!enter(i + __builtin_ctzll(lanes))) return false;
    }
  }
  for (; i < piece.end; ++i) {
    if (block_rows[i] <= block_rows[i - 1] || !enter(i)) return false;
  }
  if (block_rows[piece.end - 1] > last) return false;
  if (piece.end == piece.count) begin_blocks_until(piece.blocks, piece.count);
  return true;
}

// The block rows of any piece.
void InspectAny(const ListPiece& piece, ListPieceResult& result) {
  const D32 d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int32_t* const HWY_RESTRICT block_rows = piece.block_rows;
  const int32_t last = LastRow(piece.block_count);
  int64_t* const HWY_RESTRICT begins = piece.begins;
  int64_t block = -1;
  if (piece.begin > 0) {
    const int32_t before = block_rows[piece.begin - 1];
    if (before < 0 || before > last) return;  // the piece before reports it
    block = before >> kBlockRowsLog2;
  }
  auto low = hn::Zero(d);
  auto high = hn::Zero(d);
  for (int64_t i = piece.begin; i < piece.end; ++i) {
    // Runs in the present block, a vector at a time. The last block may be cut off, so indices are looked at too.
    const auto present = hn::Set(d, static_cast<int32_t>(block));
    for (; block >= 0 && i + n <= piece.end; i += n) {
      const auto indices = hn::LoadU(d, block_rows + i);
      if (!hn::AllTrue(d, hn::Eq(hn::ShiftRight<kBlockRowsLog2>(indices), present))) break;
      low = hn::Min(low, indices);
      high = hn::Max(high, indices);
      // There is an index before this one: the one that led into the block.
      const auto before = hn::LoadU(d, block_rows + i - 1);
      if (!hn::AllTrue(d, hn::Lt(before, indices))) MarkRepeated(piece, block);
    }
    // The rest of the run, and the step into another block.
    for (; i < piece.end; ++i) {
      const int32_t index = block_rows[i];
      const int64_t next = index >> kBlockRowsLog2;
      if (index < 0 || index > last || next < block) {
        result.bad_block_row = FindOutside(block_rows, piece.begin, piece.end, last);
        result.ordered = false;
        return;
      }
      if (next == block) {
        if (block_rows[i - 1] >= index) MarkRepeated(piece, block);
        continue;
      }
      // Several tasks may write here if the list is out of order; then all of it is written again.
      while (block < next) __atomic_store_n(&begins[++block], i, __ATOMIC_RELAXED);
      break;
    }
  }
  if (!hn::AllFalse(d, hn::Or(hn::Lt(low, hn::Zero(d)), hn::Gt(high, hn::Set(d, last))))) {
    result.bad_block_row = FindOutside(block_rows, piece.begin, piece.end, last);
  }
  if (piece.end == piece.count) {
    while (block < piece.blocks) __atomic_store_n(&begins[++block], piece.count, __ATOMIC_RELAXED);
  }
}

}  // namespace

ListPieceResult InspectListPieceOn(const ListPiece& piece) {
  ListPieceResult result = {-1, -1, true};
  if (piece.other_rows != nullptr) {
    result.bad_other_row = FindOutside(piece.other_rows, piece.begin, piece.end, LastRow(piece.other_count));
  }
  if (!InspectAscending(piece)) InspectAny(piece, result);
  return result;
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops {

HWY_EXPORT(InspectListPieceOn);

ListPieceResult InspectListPiece(const ListPiece& piece) { return DETOPS_DISPATCH(InspectListPieceOn)(piece); }

}  // namespace detops
#endif  // HWY_ONCE
