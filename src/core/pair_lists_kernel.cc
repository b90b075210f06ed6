#include "core/pair_lists_kernel.h"

#include <algorithm>

#include "core/pair_lists.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/pair_lists_kernel.cc"
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

void MarkCrowded(const ListPiece& piece, int64_t block) {
  __atomic_store_n(&piece.crowded[block], uint8_t{1}, __ATOMIC_RELAXED);
}

}  // namespace

ListPieceResult InspectListPieceOn(const ListPiece& piece) {
  const D32 d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int32_t* const HWY_RESTRICT near = piece.near;
  const int32_t last = LastRow(piece.near_rows);
  ListPieceResult result = {-1, FindOutside(piece.far, piece.begin, piece.end, LastRow(piece.far_rows)), true};
  int64_t* const HWY_RESTRICT begins = piece.begins;
  int64_t block = -1;
  if (piece.begin > 0) {
    const int32_t before = near[piece.begin - 1];
    if (before < 0 || before > last) return result;  // the piece before reports it
    block = before >> kBlockRowsLog2;
  }
  auto low = hn::Zero(d);
  auto high = hn::Zero(d);
  for (int64_t i = piece.begin; i < piece.end; ++i) {
    // Runs in the present block, a vector at a time. The last block may be cut off, so indices are looked at too.
    const auto present = hn::Set(d, static_cast<int32_t>(block));
    for (; block >= 0 && i + n <= piece.end; i += n) {
      const auto indices = hn::LoadU(d, near + i);
      if (!hn::AllTrue(d, hn::Eq(hn::ShiftRight<kBlockRowsLog2>(indices), present))) break;
      low = hn::Min(low, indices);
      high = hn::Max(high, indices);
      // There is an index before this one: the one that led into the block.
      const auto before = hn::LoadU(d, near + i - 1);
      if (!hn::AllTrue(d, hn::Lt(before, indices))) MarkCrowded(piece, block);
    }
    // The rest of the run, and the step into another block.
    for (; i < piece.end; ++i) {
      const int32_t index = near[i];
      const int64_t next = index >> kBlockRowsLog2;
      if (index < 0 || index > last || next < block) {
        result.bad_near = FindOutside(near, piece.begin, piece.end, last);
        result.ordered = false;
        return result;
      }
      if (next == block) {
        if (near[i - 1] >= index) MarkCrowded(piece, block);
        continue;
      }
      // Several tasks may write here if the list is out of order; then all of it is written again.
      while (block < next) __atomic_store_n(&begins[++block], i, __ATOMIC_RELAXED);
      break;
    }
  }
  if (!hn::AllFalse(d, hn::Or(hn::Lt(low, hn::Zero(d)), hn::Gt(high, hn::Set(d, last))))) {
    result.bad_near = FindOutside(near, piece.begin, piece.end, last);
  }
  if (piece.end == piece.count) {
    while (block < piece.blocks) __atomic_store_n(&begins[++block], piece.count, __ATOMIC_RELAXED);
  }
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
