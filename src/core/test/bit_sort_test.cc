#include "core/bit_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace detops {
namespace {

enum class Spread { kEven, kOnePart, kFewValues };

// Words whose bits outside of [low, high) differ too: they must neither count nor get lost.
template <typename Word>
std::vector<Word> MakeWords(int64_t count, int high, Spread spread) {
  std::mt19937_64 random(static_cast<uint64_t>(count * 64 + high));
  std::vector<Word> words(static_cast<size_t>(count));
  for (Word& word : words) {
    word = static_cast<Word>(random());
    if constexpr (sizeof(Word) > sizeof(uint64_t)) word = word << 64 | random();
    if (spread == Spread::kOnePart && random() % 16 != 0) {
      word = (word | Word{0xFF} << (high - 8)) ^ Word { 0x55 } << (high - 8);  // the same eight highest bits
    }
    if (spread == Spread::kFewValues) word &= ~(Word{0x3FFFF} << (high - 20));
  }
  return words;
}

template <typename Word>
void ExpectSorted(int64_t count, int low, int high, Spread spread, int threads) {
  SCOPED_TRACE(testing::Message() << count << " words, bits " << low << " to " << high << ", spread "
                                  << static_cast<int>(spread) << ", " << threads << " threads");
  Parallel parallel;
  parallel.SetThreadCount(threads);
  std::vector<Word> words = MakeWords<Word>(count, high, spread), spare(words.size());
  const Word mask = (Word{1} << (high - low)) - 1;
  std::vector<std::pair<Word, size_t>> places;  // by key and then by place: stable
  places.reserve(words.size());
  for (size_t i = 0; i < words.size(); ++i) places.emplace_back(words[i] >> low & mask, i);
  std::sort(places.begin(), places.end());
  std::vector<Word> expected;
  expected.reserve(words.size());
  for (const auto& place : places) expected.push_back(words[place.second]);
  std::vector<uint32_t> counters(kSortCounters);
  Word* sorted = nullptr;
  ASSERT_TRUE(SortByBits(parallel, words.data(), spare.data(), count, low, high, counters.data(), &sorted));
  ASSERT_TRUE(sorted == words.data() || sorted == spare.data());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), sorted));
}

TEST(SortByBits, IsAStableSort) {
  for (const int64_t count : {0, 1, 2, 47, 100, 16383, 16384, 100'000}) {
    for (const auto& [low, high] : {std::pair{0, 1}, {3, 14}, {5, 17}, {18, 47}, {20, 60}, {0, 24}}) {
      ExpectSorted<uint64_t>(count, low, high, Spread::kEven, 1);
      ExpectSorted<uint64_t>(count, low, high, Spread::kEven, 3);
    }
  }
}

TEST(SortByBits, CutsTheBitsOfFewWordsIntoShortDigits) {
  EXPECT_EQ(DigitCount(20'000, 0), 0);
  EXPECT_EQ(DigitCount(20'000, 1), 1);
  EXPECT_EQ(DigitCount(20'000, 28), 3);
  EXPECT_EQ(DigitCount(2'000'000, 62), 6);
  EXPECT_EQ(DigitCount(100, 20), 4);  // 4 x (100 + 32) steps, against 2 x (100 + 1024)
  EXPECT_EQ(DigitCount(128, 62), 9);  // 9 x (128 + 128) steps, against 6 x (128 + 2048)
  for (int bits = 1; bits <= 62; ++bits) {
    for (const int64_t words : {0, 1, 50, 1'000, 1'000'000}) {
      const int digits = DigitCount(words, bits);
      ASSERT_LE(digits, bits);
      ASSERT_LE(DivideRoundUp(bits, digits), kMaxDigitBits);
    }
  }
}

TEST(SortByBits, TakesAnyDistribution) {
  for (const Spread spread : {Spread::kEven, Spread::kOnePart, Spread::kFewValues}) {
    for (const int threads : {1, 2, 16}) {
      ExpectSorted<uint64_t>(50'000, 18, 47, spread, threads);
      ExpectSorted<unsigned __int128>(50'000, 40, 101, spread, threads);
    }
  }
}

}  // namespace
}  // namespace detops
