#include "sparse/rulebook.h"

#include <algorithm>

#include "core/arena.h"

namespace detops {
namespace {

// Lists with the same pairs in the same order: neither has been copied in another order.
bool SameOrder(const PairList& by_input, const PairList& by_output) {
  return by_input.near == by_output.far && by_input.far == by_output.near;
}

const int32_t* Copy(Arena& arena, const int32_t* from, int64_t count) {
  int32_t* const to = arena.Take<int32_t>(count);
  if (to != nullptr) std::copy_n(from, count, to);
  return to;
}

// The same code counts and copies.
void TakeLists(const PairLists by_side[2], Arena& arena, PairLists result[2]) {
  PairList* list[2];
  for (int side = 0; side < 2; ++side) {
    list[side] = arena.Take<PairList>(by_side[side].lists);
    result[side] = by_side[side];
    result[side].list = list[side];
    uint8_t* const crowded = arena.Take<uint8_t>(by_side[side].blocks);
    if (crowded != nullptr) std::copy_n(by_side[side].crowded, by_side[side].blocks, crowded);
    result[side].crowded = crowded;
  }
  for (int64_t k = 0; k < by_side[0].lists; ++k) {
    PairList copy[2] = {by_side[0].list[k], by_side[1].list[k]};
    const bool shared = SameOrder(copy[0], copy[1]);
    for (int side = 0; side < 2; ++side) {
      const PairList& from = by_side[side].list[k];
      int64_t* const begins = arena.Take<int64_t>(by_side[side].blocks + 1);
      if (begins != nullptr) std::copy_n(from.begins, by_side[side].blocks + 1, begins);
      copy[side].begins = begins;
      copy[side].near = side == 1 && shared ? copy[0].far : Copy(arena, from.near, from.count);
      copy[side].far = side == 1 && shared ? copy[0].near : Copy(arena, from.far, from.count);
      if (list[side] != nullptr) list[side][k] = copy[side];
    }
  }
}

}  // namespace

bool FillRulebook(const PairLists by_side[2], detopsRulebookStruct* rulebook) {
  return TakeFromScratch(rulebook->memory, [&](Arena& arena) { TakeLists(by_side, arena, rulebook->by_side); });
}

}  // namespace detops
