#include "sparse/rulebook.h"

#include <algorithm>

#include "core/arena.h"

namespace detops {
namespace {

// Lists with the same pairs in the same order: neither has been copied in another order.
bool SameOrder(const PairList& by_input, const PairList& by_output) {
  return by_input.block_rows == by_output.other_rows && by_input.other_rows == by_output.block_rows;
}

const int32_t* Copy(Arena& arena, const int32_t* from, int64_t count) {
  int32_t* const to = arena.Take<int32_t>(count);
  if (to != nullptr) std::copy_n(from, count, to);
  return to;
}

// The same code counts and copies.
void TakeLists(const BlockedPairs by_side[2], Arena& arena, BlockedPairs result[2]) {
  PairList* list[2];
  for (int side = 0; side < 2; ++side) {
    list[side] = arena.Take<PairList>(by_side[side].list_count);
    result[side] = by_side[side];
    result[side].list = list[side];
    uint8_t* const has_repeated_row = arena.Take<uint8_t>(by_side[side].blocks);
    if (has_repeated_row != nullptr)
      std::copy_n(by_side[side].has_repeated_row, by_side[side].blocks, has_repeated_row);
    result[side].has_repeated_row = has_repeated_row;
  }
  for (int64_t k = 0; k < by_side[0].list_count; ++k) {
    PairList copy[2] = {by_side[0].list[k], by_side[1].list[k]};
    const bool shared = SameOrder(copy[0], copy[1]);
    for (int side = 0; side < 2; ++side) {
      const PairList& from = by_side[side].list[k];
      int64_t* const begins = arena.Take<int64_t>(by_side[side].blocks + 1);
      if (begins != nullptr) std::copy_n(from.begins, by_side[side].blocks + 1, begins);
      copy[side].begins = begins;
      copy[side].block_rows = side == 1 && shared ? copy[0].other_rows : Copy(arena, from.block_rows, from.count);
      copy[side].other_rows = side == 1 && shared ? copy[0].block_rows : Copy(arena, from.other_rows, from.count);
      if (list[side] != nullptr) list[side][k] = copy[side];
    }
  }
}

}  // namespace

bool FillRulebook(const BlockedPairs by_side[2], detopsRulebookStruct* rulebook) {
  return TakeFromScratch(rulebook->memory, [&](Arena& arena) { TakeLists(by_side, arena, rulebook->by_side); });
}

}  // namespace detops
