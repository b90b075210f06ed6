// Lists of pairs by blocks of rows, against a plain version: where each block begins, what is copied, which blocks are
// crowded, and the first bad index.
#include "sparse/pair_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "core/arena.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "support/runner.h"

namespace detops {
namespace {

using Pairs = std::vector<std::pair<int32_t, int32_t>>;  // input row, output row

class PairListsTest : public testing::Test {
 protected:
  // Makes the lists of `side` and looks at the result; a bad index is left to the caller.
  void Make(const std::vector<Pairs>& offsets, int64_t input_rows, int64_t output_rows, int side) {
    offsets_ = offsets;
    side_ = side;
    length_ = 1;
    counts_.clear();
    for (const Pairs& pairs : offsets) {
      counts_.push_back(static_cast<int64_t>(pairs.size()));
      length_ = std::max(length_, counts_.back());
    }
    given_.assign(offsets.size() * 2 * static_cast<size_t>(length_), -5);  // what is not counted must not be read
    for (size_t k = 0; k < offsets.size(); ++k) {
      for (size_t i = 0; i < offsets[k].size(); ++i) {
        given_[2 * k * static_cast<size_t>(length_) + i] = offsets[k][i].first;
        given_[(2 * k + 1) * static_cast<size_t>(length_) + i] = offsets[k][i].second;
      }
    }
    const IndicePairs pairs = {
        static_cast<int64_t>(offsets.size()), length_, given_.data(), counts_.data(), {input_rows, output_rows}};
    Parallel parallel;
    parallel.SetThreadCount(4);
    parallel.SetRunner(&detops_test::RunBackwards, nullptr);
    std::optional<BlockedPairsMemory> memory;
    ASSERT_TRUE(TakeFromScratch(scratch_, [&](Arena& arena) { memory.emplace(pairs, side, parallel, arena); }));
    ASSERT_EQ(MakeBlockedPairs(pairs, side, parallel, *memory, &lists_, &bad_), RunResult::kDone);
    if (bad_.position < 0) ExpectRight(side == 0 ? input_rows : output_rows);
  }

  int32_t Near(size_t k, size_t i) const { return side_ == 0 ? offsets_[k][i].first : offsets_[k][i].second; }

  // A stable sort by blocks; a list that is in order already stays where it is.
  void ExpectRight(int64_t near_rows) const {
    ASSERT_EQ(lists_.blocks, (near_rows + kBlockRows - 1) / kBlockRows);
    int64_t next = 0, pairs = 0, copied = 0;
    std::vector<uint8_t> crowded(static_cast<size_t>(lists_.blocks), 0);
    for (size_t k = 0; k < offsets_.size(); ++k) {
      if (offsets_[k].empty()) continue;
      ASSERT_LT(next, lists_.list_count);
      const PairList& list = lists_.list[next++];
      ASSERT_EQ(list.offset, static_cast<int64_t>(k));
      ASSERT_EQ(list.count, counts_[k]);
      pairs += list.count;
      std::vector<size_t> order(offsets_[k].size());
      for (size_t i = 0; i < order.size(); ++i) order[i] = i;
      const auto by_block_and_place = [&](size_t a, size_t b) {
        return std::pair(Near(k, a) / kBlockRows, a) < std::pair(Near(k, b) / kBlockRows, b);
      };
      const bool ordered = std::is_sorted(order.begin(), order.end(), by_block_and_place);
      copied += ordered ? 0 : 1;
      std::sort(order.begin(), order.end(), by_block_and_place);
      const int32_t* const column = given_.data() + (static_cast<int64_t>(k) * 2 + side_) * length_;
      EXPECT_EQ(list.block_rows == column, ordered);
      std::vector<int64_t> begins(static_cast<size_t>(lists_.blocks) + 1, 0);
      std::vector<int> seen(static_cast<size_t>(near_rows), 0);
      for (size_t i = 0; i < order.size(); ++i) {
        const auto& [input, output] = offsets_[k][order[i]];
        ASSERT_EQ(list.block_rows[i], side_ == 0 ? input : output) << i;
        ASSERT_EQ(list.other_rows[i], side_ == 0 ? output : input) << i;
        const auto row = static_cast<size_t>(list.block_rows[i]);
        ++begins[row / kBlockRows + 1];
        if (++seen[row] == 2) crowded[row / kBlockRows] = 1;
      }
      for (size_t block = 1; block < begins.size(); ++block) begins[block] += begins[block - 1];
      EXPECT_EQ(std::vector<int64_t>(list.begins, list.begins + lists_.blocks + 1), begins);
    }
    EXPECT_EQ(lists_.list_count, next);
    EXPECT_EQ(lists_.pairs, pairs);
    EXPECT_EQ(lists_.copied, copied);
    EXPECT_EQ(std::vector<uint8_t>(lists_.has_repeated_row, lists_.has_repeated_row + lists_.blocks), crowded);
  }

  // Every row once, in a random order.
  static Pairs Shuffled(int64_t rows, uint64_t seed) {
    Pairs pairs;
    for (int64_t row = 0; row < rows; ++row) pairs.emplace_back(row, rows - 1 - row);
    std::shuffle(pairs.begin(), pairs.end(), std::mt19937_64(seed));
    return pairs;
  }

  std::vector<Pairs> offsets_;
  int side_ = 0;
  int64_t length_ = 1;
  std::vector<int64_t> counts_;
  std::vector<int32_t> given_;
  Scratch scratch_;
  BlockedPairs lists_ = {};
  BadIndex bad_ = {};
};

TEST_F(PairListsTest, InOrder) {
  const int64_t rows = 3 * kBlockRows + 5;
  Pairs ascending, every_third;
  for (int32_t row = 0; row < rows; ++row) ascending.emplace_back(row, row);
  for (int32_t row = 1; row < rows; row += 3) every_third.emplace_back(row, row - 1);
  for (const int side : {0, 1}) {
    Make({{}, ascending, {}, every_third, {{7, 7}}, {}}, rows, rows, side);
    EXPECT_EQ(bad_.position, -1);
    EXPECT_EQ(lists_.copied, 0);
  }
}

TEST_F(PairListsTest, OutOfOrder) {
  const int64_t rows = 2 * kBlockRows + 77;
  for (const int side : {0, 1}) {
    Make({Shuffled(rows, 1), {}, Shuffled(rows, 2), {{0, 0}, {static_cast<int32_t>(rows) - 1, 3}}}, rows, rows, side);
    EXPECT_EQ(bad_.position, -1);
    EXPECT_EQ(lists_.copied, 2);
  }
}

TEST_F(PairListsTest, OnlyBlocksWithARowTwiceAreCrowded) {
  const int64_t rows = 4 * kBlockRows;
  Pairs shuffled = Shuffled(rows, 3);
  const auto last = static_cast<int32_t>(2 * kBlockRows + kBlockRows - 1);
  // A row of block 2 once more, at the far end of the list and right behind itself; the same row under two offsets, or
  // rows that only have the same place in their blocks, do not count.
  Pairs twice = shuffled;
  twice.emplace_back(last, last);
  Make({shuffled, twice}, rows, rows, 0);
  EXPECT_EQ(lists_.has_repeated_row[2], 1);
  Make({{{0, 0}, {last, 1}, {last, 2}}, {{last, 0}}}, rows, rows, 0);
  EXPECT_EQ(lists_.has_repeated_row[2], 1);
  Make({shuffled, shuffled}, rows, rows, 0);
  EXPECT_EQ(lists_.has_repeated_row[2], 0);
  Make({{{1, 0}, {0, 1}}, {{static_cast<int32_t>(kBlockRows), 0}, {0, 1}}}, rows, rows, 0);
  EXPECT_EQ(lists_.has_repeated_row[0], 0);
}

TEST_F(PairListsTest, ManyPairsInSeveralTasks) {
  const int64_t rows = 70'000;
  for (const int side : {0, 1}) Make({Shuffled(rows, 4), {{3, 2}}, {}, Shuffled(rows, 5)}, rows, rows, side);
}

// Ascending lists, which are looked at in a shorter way, and the same with one index that ends the ascent or the range:
// at the ends, around the borders of blocks, vectors and tasks (160,000 pairs are several), and anywhere.
TEST_F(PairListsTest, AscendingUpToOneIndex) {
  const int64_t length = 80'000, gaps = 3, rows = length * gaps + 5;  // the last block is cut off
  std::mt19937_64 random(6);
  std::vector<int64_t> places = {0, 1, 2, 7, 8, 9, length - 2, length - 1};
  for (const int64_t border : {int64_t{85 * 8}, length / 4, length / 2, length - kBlockRows / gaps}) {
    for (int64_t step = -2; step <= 2; ++step) places.push_back(border + step);
  }
  for (int i = 0; i < 20; ++i) places.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(length)));
  Pairs ascending;
  for (int64_t i = 0; i < length; ++i) {
    ascending.emplace_back(static_cast<int32_t>(i * gaps + static_cast<int64_t>(random() % gaps)), i);
  }
  Make({ascending, {}, ascending}, rows, rows, 0);
  EXPECT_EQ(lists_.copied, 0);
  for (const int64_t place : places) {
    SCOPED_TRACE(testing::Message() << "place " << place);
    Pairs spoilt = ascending;
    int32_t& index = spoilt[static_cast<size_t>(place)].first;
    const int32_t right = index;
    for (const int32_t wrong : {spoilt[static_cast<size_t>(place > 0 ? place - 1 : 1)].first, 0, right / 2,
                                static_cast<int32_t>(rows - 1), static_cast<int32_t>((right + rows) / 2)}) {
      index = wrong;
      Make({ascending, spoilt}, rows, rows, 0);
      EXPECT_EQ(bad_.position, -1) << wrong;
    }
    for (const int32_t outside : {-1, static_cast<int32_t>(rows), static_cast<int32_t>(rows + kBlockRows),
                                  std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()}) {
      index = outside;
      Make({ascending, spoilt}, rows, rows, 0);
      EXPECT_EQ(std::vector<int64_t>({bad_.offset, bad_.column, bad_.position}), std::vector<int64_t>({1, 0, place}))
          << outside;
    }
  }
}

TEST_F(PairListsTest, TheFirstBadIndexIsNamed) {
  const int64_t rows = 70'000;
  Pairs first, second;
  for (int32_t row = 0; row < rows; ++row) first.emplace_back(row, row);
  second = first;
  second[0].second = static_cast<int32_t>(rows);
  second[60'000] = {-1, -1};
  for (const int side : {0, 1}) {
    Make({first, {}, second}, rows, rows, side);
    EXPECT_EQ(std::vector<int64_t>({bad_.offset, bad_.column, bad_.position}), std::vector<int64_t>({2, 1, 0}));
    second[0].second = 0;
    Make({first, {}, second}, rows, rows, side);  // both columns: the input's comes first
    EXPECT_EQ(std::vector<int64_t>({bad_.offset, bad_.column, bad_.position}), std::vector<int64_t>({2, 0, 60'000}));
    second[0].second = static_cast<int32_t>(rows);
  }
}

}  // namespace
}  // namespace detops
