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

bool RulebookBuilder::Begin(int64_t offsets) {
  offsets_ = offsets;
  const bool taken = TakeFromScratch(rulebook_->search, [&](Arena& arena) {
    lists_ = arena.Take<FoundPairs>(offsets);
    counts_ = arena.Take<int32_t>(offsets);
  });
  if (!taken) return false;
  std::fill_n(lists_, offsets, FoundPairs{});
  std::fill_n(counts_, offsets, 0);
  return true;
}

IndicePairs RulebookBuilder::Found() const { return {offsets_, 0, nullptr, nullptr, {rows_[0], rows_[1]}, lists_}; }

void RulebookBuilder::TakeTables(Arena& arena) {
  tables_[0] = BlockedPairsMemory(Found(), 0, parallel_, arena, true);
  if (mirrored_) {
    turned_ = arena.Take<PairList>(tables_[0].list_count);
  } else {
    tables_[1] = BlockedPairsMemory(Found(), 1, parallel_, arena);
  }
}

int32_t* RulebookBuilder::Reserve(int64_t numbers, int64_t inputs, int64_t outputs, bool mirrored) {
  rulebook_->Clear();
  rows_[0] = inputs;
  rows_[1] = outputs;
  mirrored_ = mirrored;
  if (!TakeFromScratch(rulebook_->memory, [&](Arena& arena) { TakeTables(arena); })) return nullptr;
  return static_cast<int32_t*>(rulebook_->found.Reserve(static_cast<size_t>(numbers) * sizeof(int32_t)));
}

RunResult RulebookBuilder::Finish() {
  BlockedPairs made[2];
  BadIndex bad;  // there is none
  for (int side = 0; side < (mirrored_ ? 1 : 2); ++side) {
    const RunResult result = MakeBlockedPairs(Found(), side, parallel_, tables_[side], &made[side], &bad);
    if (result != RunResult::kDone) return result;
  }
  if (mirrored_) {
    made[1] = made[0];
    made[1].list = turned_;
    for (int64_t i = 0; i < made[0].list_count; ++i) {
      turned_[i] = made[0].list[made[0].list_count - 1 - i];
      turned_[i].offset = offsets_ - 1 - turned_[i].offset;
    }
  }
  rulebook_->offsets = offsets_;
  std::copy_n(rows_, 2, rulebook_->rows);
  std::copy_n(made, 2, rulebook_->by_side);
  return RunResult::kDone;
}

}  // namespace detops

void detopsRulebookStruct::Clear() {
  std::fill_n(rows, 2, 0);
  std::fill_n(by_side, 2, detops::BlockedPairs{});
}
