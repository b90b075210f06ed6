// Cutting a block into arrays: what is counted is what is taken, whatever the alignment of the block.
#include "core/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace detops {
namespace {

constexpr int64_t kLine = Arena::kAlignment;

uintptr_t AddressOf(const void* place) { return reinterpret_cast<uintptr_t>(place); }

TEST(ArenaTest, NothingNeedsNoMemory) {
  EXPECT_EQ(Arena().NeededBytes(), 0);
  Arena arena;
  EXPECT_EQ(arena.Take<double>(0), nullptr);
  EXPECT_EQ(arena.NeededBytes(), 0);
}

TEST(ArenaTest, ArraysAreWholeLines) {
  for (const int64_t bytes : {1, 63, 64, 65, 127, 128, 129}) {
    Arena arena;
    EXPECT_EQ(arena.Take<char>(bytes), nullptr) << "an arena without memory only counts";
    const int64_t lines = (bytes + kLine - 1) / kLine;
    EXPECT_EQ(arena.Mark(), lines * kLine) << bytes;
    // One more line, for blocks that do not begin at one.
    EXPECT_EQ(arena.NeededBytes(), (lines + 1) * kLine) << bytes;
  }
}

TEST(ArenaTest, ArraysAreAlignedApartAndInsideTheBlock) {
  struct Arrays {
    explicit Arrays(Arena& arena)
        : bytes(arena.Take<char>(3)), numbers(arena.Take<int64_t>(9)), words(arena.Take<uint16_t>(32)) {}
    char* bytes;
    int64_t* numbers;
    uint16_t* words;
  };
  Arena sizes;
  const Arrays counted(sizes);
  EXPECT_EQ(counted.bytes, nullptr);
  EXPECT_EQ(counted.numbers, nullptr);
  EXPECT_EQ(counted.words, nullptr);
  const int64_t needed = sizes.NeededBytes();
  std::vector<char> memory(static_cast<size_t>(needed + kLine));
  for (int64_t offset = 0; offset < kLine; ++offset) {
    char* const block = memory.data() + offset;
    Arena arena(block);
    const Arrays taken(arena);
    EXPECT_EQ(AddressOf(taken.bytes) % kLine, 0u) << offset;
    EXPECT_GE(AddressOf(taken.bytes), AddressOf(block)) << offset;
    EXPECT_LT(AddressOf(taken.bytes), AddressOf(block) + kLine) << offset << ": an aligned block loses nothing";
    EXPECT_EQ(AddressOf(taken.numbers) - AddressOf(taken.bytes), 64u) << offset;
    EXPECT_EQ(AddressOf(taken.words) - AddressOf(taken.numbers), 128u) << offset;
    EXPECT_LE(AddressOf(taken.words + 32), AddressOf(block) + static_cast<uint64_t>(needed)) << offset;
  }
}

TEST(ArenaTest, RewindGivesThePlaceAgainAndCountsTheLargest) {
  alignas(Arena::kAlignment) char block[512];
  for (const bool larger_first : {false, true}) {
    Arena arena(block);
    EXPECT_EQ(arena.Take<char>(1), block);
    const int64_t mark = arena.Mark();
    EXPECT_EQ(mark, kLine);
    char* const first = arena.Take<char>(larger_first ? 200 : 1);
    EXPECT_EQ(first, block + kLine);
    EXPECT_EQ(&arena.Rewind(mark), &arena);
    EXPECT_EQ(arena.Mark(), mark);
    EXPECT_EQ(arena.Take<char>(larger_first ? 1 : 200), first);
    EXPECT_EQ(arena.NeededBytes(), kLine + 4 * kLine + kLine) << "200 bytes are four lines";
    // A smaller peak does not forget a larger one.
    arena.Rewind(mark).Rewind(0);
    EXPECT_EQ(arena.NeededBytes(), kLine + 4 * kLine + kLine);
  }
}

TEST(ArenaTest, SizesThatDoNotFitSaturate) {
  const int64_t too_many = kMaxInt64 / 8 + 1;
  Arena product;
  product.Take<int64_t>(too_many);
  EXPECT_EQ(product.NeededBytes(), kMaxInt64);
  product.Take<int64_t>(1);
  EXPECT_EQ(product.NeededBytes(), kMaxInt64) << "a second array must not wrap around";
  Arena sum;
  sum.Take<char>(kMaxInt64 / 2 + 1);
  EXPECT_LT(sum.NeededBytes(), kMaxInt64);
  sum.Take<char>(kMaxInt64 / 2 + 1);
  EXPECT_EQ(sum.NeededBytes(), kMaxInt64);
}

TEST(TakeFromScratchTest, RunsOnceToCountAndOnceWithMemory) {
  Scratch scratch;
  int runs = 0;
  int32_t* array = nullptr;
  ASSERT_TRUE(TakeFromScratch(scratch, [&](Arena& arena) {
    array = arena.Take<int32_t>(100);
    EXPECT_EQ(array == nullptr, runs++ == 0);
  }));
  EXPECT_EQ(runs, 2);
  ASSERT_NE(array, nullptr);
  for (int i = 0; i < 100; ++i) array[i] = i;
  EXPECT_EQ(array[99], 99);
}

// A size that is not representable, and one that no machine has: no memory, and the old block is still there.
TEST(TakeFromScratchTest, RefusesSizesThatDoNotFit) {
  Scratch scratch;
  double* kept = nullptr;
  ASSERT_TRUE(TakeFromScratch(scratch, [&](Arena& arena) { kept = arena.Take<double>(100); }));
  for (int i = 0; i < 100; ++i) kept[i] = i;
  for (const int64_t count : {kMaxInt64, kMaxInt64 / 16}) {
    int runs = 0;
    EXPECT_FALSE(TakeFromScratch(scratch, [&](Arena& arena) {
      ++runs;
      EXPECT_EQ(arena.Take<double>(count), nullptr);
    }));
    EXPECT_EQ(runs, 1) << "without memory nothing may be taken";
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(kept[i], i);
}

TEST(RunPassTest, MakesTwiceAndRunsOnceWithMemory) {
  Scratch scratch;
  int made = 0;
  const auto make = [&](Arena& arena) {
    ++made;
    return arena.Take<double>(100);
  };
  double* kept = nullptr;
  const RunResult result = RunPass(scratch, make, [&](double* numbers) {
    kept = numbers;
    return ResultOf(false);
  });
  EXPECT_EQ(result, RunResult::kRunnerFailed) << "what run says";
  EXPECT_EQ(made, 2);
  EXPECT_NE(kept, nullptr);
}

TEST(RunPassTest, DoesNotRunWithoutMemory) {
  Scratch scratch;
  bool ran = false;
  const auto make = [](Arena& arena) { return arena.Take<double>(kMaxInt64); };
  const RunResult result = RunPass(scratch, make, [&](double*) {
    ran = true;
    return ResultOf(true);
  });
  EXPECT_EQ(result, RunResult::kNoMemory);
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace detops
