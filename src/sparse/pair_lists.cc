#include "sparse/pair_lists.h"

#include <algorithm>

#include "sparse/pair_lists_kernel.h"

namespace detops {
namespace {

// Below this many pairs a second thread costs more than it brings.
constexpr int64_t kMinPairs = 32 << 10;

// Copies a list in order of blocks. While pairs are placed, begins[b] is where the next one of block b goes; in the end
// that is where block b + 1 begins.
void CopyInOrder(const int32_t* block_rows, const int32_t* other_rows, int64_t count, int64_t blocks, int64_t* begins,
                 int32_t* to_block_rows, int32_t* to_other_rows) {
  std::fill_n(begins, blocks + 1, 0);
  for (int64_t i = 0; i < count; ++i) ++begins[block_rows[i] >> kBlockRowsLog2];
  int64_t before = 0;
  for (int64_t b = 0; b < blocks; ++b) {
    const int64_t here = begins[b];
    begins[b] = before;
    before += here;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t place = begins[block_rows[i] >> kBlockRowsLog2]++;
    to_block_rows[place] = block_rows[i];
    to_other_rows[place] = other_rows[i];
  }
  std::copy_backward(begins, begins + blocks, begins + blocks + 1);
  begins[0] = 0;
}

// True if a row of the block occurs twice under one offset.
bool HasRepeatedRow(const BlockedPairs& lists, int64_t block) {
  for (int64_t k = 0; k < lists.list_count; ++k) {
    const PairList& list = lists.list[k];
    uint64_t seen[kBlockRows / 64] = {};
    for (int64_t i = list.begins[block]; i < list.begins[block + 1]; ++i) {
      const auto row = static_cast<uint64_t>(list.block_rows[i]) % kBlockRows;
      const uint64_t bit = uint64_t{1} << (row % 64);
      if ((seen[row / 64] & bit) != 0) return true;
      seen[row / 64] |= bit;
    }
  }
  return false;
}

// The first bad index of a list piece, input column first.
BadIndex FirstBad(int64_t offset, int side, const ListPieceResult& result) {
  const int64_t none = kMaxInt64;
  const int64_t block_rows = result.bad_block_row < 0 ? none : result.bad_block_row;
  const int64_t other_rows = result.bad_other_row < 0 ? none : result.bad_other_row;
  if (block_rows == none && other_rows == none) return {offset, 0, -1};
  const bool block_row_first = block_rows < other_rows || (block_rows == other_rows && side == 0);
  return {offset, block_row_first ? side : 1 - side, std::min(block_rows, other_rows)};
}

}  // namespace

BlockedPairsMemory::BlockedPairsMemory(const IndicePairs& given, int side, const Parallel& parallel, Arena& arena,
                                       bool in_order) {
  for (int64_t k = 0; k < given.offsets; ++k) {
    list_count += given.CountOf(k) > 0;
    pairs = SaturatingAdd(pairs, given.CountOf(k));
  }
  tasks = parallel.TaskCount(pairs, kMinPairs);
  list = arena.Take<PairList>(list_count);
  begins = arena.Take<int64_t>(SaturatingMultiply(list_count, BlocksOf(given.rows[side]) + 1));
  firsts = arena.Take<int64_t>(list_count + 1);
  bad = arena.Take<BadIndex>(tasks);
  ordered = arena.Take<bool>(list_count);
  has_repeated_row = arena.Take<uint8_t>(BlocksOf(given.rows[side]));
  block_rows = arena.Take<int32_t>(in_order ? 0 : pairs);
  other_rows = arena.Take<int32_t>(in_order ? 0 : pairs);
}

RunResult MakeBlockedPairs(const IndicePairs& given, int side, const Parallel& parallel,
                           const BlockedPairsMemory& memory, BlockedPairs* result, BadIndex* bad) {
  const int64_t blocks = BlocksOf(given.rows[side]);
  int64_t lists = 0;
  memory.firsts[0] = 0;
  for (int64_t k = 0; k < given.offsets; ++k) {
    const int64_t count = given.CountOf(k);
    if (count == 0) continue;
    memory.list[lists] = {k, count, given.Column(k, side), given.Column(k, 1 - side),
                          memory.begins + lists * (blocks + 1)};
    memory.ordered[lists] = true;
    memory.firsts[lists + 1] = memory.firsts[lists] + count;
    ++lists;
  }

  std::fill_n(memory.has_repeated_row, blocks, uint8_t{0});
  const bool inspected = parallel.Run(memory.tasks, [&](int task) {
    const Range range = PieceOf(memory.pairs, memory.tasks, task);
    BadIndex& found = memory.bad[task];
    found.position = -1;
    int64_t k = std::upper_bound(memory.firsts, memory.firsts + lists + 1, range.begin) - memory.firsts - 1;
    for (; k < lists && memory.firsts[k] < range.end && found.position < 0; ++k) {
      const PairList& list = memory.list[k];
      const ListPiece piece = {list.block_rows,
                               given.found == nullptr ? list.other_rows : nullptr,
                               std::max<int64_t>(range.begin - memory.firsts[k], 0),
                               std::min(range.end - memory.firsts[k], list.count),
                               list.count,
                               given.rows[side],
                               given.rows[1 - side],
                               blocks,
                               memory.begins + k * (blocks + 1),
                               memory.has_repeated_row};
      const ListPieceResult piece_result = InspectListPiece(piece);
      found = FirstBad(list.offset, side, piece_result);
      if (!piece_result.ordered) __atomic_store_n(&memory.ordered[k], false, __ATOMIC_RELAXED);
    }
  });
  if (!inspected) return RunResult::kRunnerFailed;
  const BadIndex* const first_bad =
      std::find_if(memory.bad, memory.bad + memory.tasks, [](const BadIndex& b) { return b.position >= 0; });
  bad->position = -1;
  if (first_bad != memory.bad + memory.tasks) {
    *bad = *first_bad;
    return RunResult::kDone;
  }

  // Lists out of order.
  int64_t copied = 0;
  for (int64_t k = 0; k < lists; ++k) copied += !memory.ordered[k];
  if (copied > 0) {
    const int tasks = static_cast<int>(std::min<int64_t>(lists, memory.tasks));
    const bool done = parallel.Run(tasks, [&](int task) {
      for (int64_t k = task; k < lists; k += tasks) {
        if (memory.ordered[k]) continue;
        PairList& list = memory.list[k];
        int32_t* const block_rows = memory.block_rows + memory.firsts[k];
        int32_t* const other_rows = memory.other_rows + memory.firsts[k];
        CopyInOrder(list.block_rows, list.other_rows, list.count, blocks, memory.begins + k * (blocks + 1), block_rows,
                    other_rows);
        list.block_rows = block_rows;
        list.other_rows = other_rows;
      }
    });
    if (!done) return RunResult::kRunnerFailed;
  }
  *result = {blocks, lists, memory.list, memory.pairs, copied, memory.has_repeated_row};
  // Where indices do not ascend, a closer look. What was copied has not been looked at yet.
  if (copied > 0) std::fill_n(memory.has_repeated_row, blocks, uint8_t{1});
  const auto suspects =
      static_cast<int64_t>(std::count(memory.has_repeated_row, memory.has_repeated_row + blocks, uint8_t{1}));
  if (suspects == 0) return RunResult::kDone;
  const int look_tasks = parallel.TaskCount(memory.pairs / blocks * suspects, kMinPairs);
  return ResultOf(parallel.RunPieces(look_tasks, blocks, [&](Range range) {
    for (int64_t block = range.begin; block < range.end; ++block) {
      if (memory.has_repeated_row[block] != 0) memory.has_repeated_row[block] = HasRepeatedRow(*result, block) ? 1 : 0;
    }
  }));
}

}  // namespace detops
