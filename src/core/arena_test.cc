// Arena: arrays at whole cache lines of any block, a count that is what taking needs, and sizes that do not wrap.
#include "core/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/scratch.h"

namespace detops {
namespace {

constexpr int64_t kLine = Arena::kAlignment;

TEST(ArenaTest, CountsWithoutMemory) {
  Arena arena;
  EXPECT_EQ(arena.NeededBytes(), 0);
  EXPECT_EQ(arena.Take<int32_t>(0), nullptr);
  EXPECT_EQ(arena.NeededBytes(), 0) << "nothing needs nothing, not even alignment";
  EXPECT_EQ(arena.Take<int32_t>(17), nullptr);
  EXPECT_EQ(arena.NeededBytes(), 2 * kLine + kLine) << "68 bytes are two lines; one more for a block at any address";
}

// Whatever the address of the block: arrays begin at lines, do not touch and end inside of what was counted.
TEST(ArenaTest, TakesWhatItCounted) {
  const int64_t counts[] = {1, 64, 65, 3};
  Arena counting;
  for (const int64_t count : counts) counting.Take<char>(count);
  const int64_t needed = counting.NeededBytes();
  std::vector<char> memory(static_cast<size_t>(needed + kLine));
  for (int64_t offset = 0; offset < kLine; ++offset) {
    char* const block = memory.data() + offset;
    Arena arena(block);
    const char* before = block;
    for (const int64_t count : counts) {
      const char* const array = arena.Take<char>(count);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(array) % kLine, 0u);
      EXPECT_GE(array, before);
      before = array + count;
    }
    EXPECT_LE(before, block + needed);
  }
}

// Arrays behind a mark share their place; the block is as large as the largest of them.
TEST(ArenaTest, RewindSharesAPlace) {
  alignas(Arena::kAlignment) char block[1024];
  Arena arena(block);
  arena.Take<char>(10);
  const int64_t mark = arena.Mark();
  char* const first = arena.Take<char>(300);
  EXPECT_EQ(arena.Rewind(mark).Take<char>(100), first);
  EXPECT_EQ(arena.NeededBytes(), kLine + 320 + kLine);
  EXPECT_EQ(arena.Rewind(mark).Take<char>(50), first) << "a second time, behind a smaller array";
  EXPECT_EQ(arena.NeededBytes(), kLine + 320 + kLine);
  EXPECT_EQ(arena.Rewind(mark).Take<char>(500), first);
  EXPECT_EQ(arena.NeededBytes(), kLine + 512 + kLine);
}

TEST(ArenaTest, SizesBeyondInt64) {
  const int64_t most = kMaxInt64;
  for (const int64_t count : {most, most / 8, most / 8 + 1, most / 4}) {
    Arena arena;
    arena.Take<int64_t>(count);
    EXPECT_EQ(arena.NeededBytes(), most) << count;
    arena.Take<int64_t>(count);
    EXPECT_EQ(arena.NeededBytes(), most) << "a second array must not wrap around: " << count;
  }
}

TEST(ArenaTest, FromScratch) {
  Scratch scratch;
  double* array = nullptr;
  ASSERT_TRUE(TakeFromScratch(scratch, [&](Arena& arena) { array = arena.Take<double>(100); }));
  ASSERT_NE(array, nullptr);
  for (int i = 0; i < 100; ++i) array[i] = i;
  // A size that is not representable, and one that no machine has: no memory, and the old block is still there.
  for (const int64_t count : {kMaxInt64, kMaxInt64 / 16}) {
    double* none = nullptr;
    EXPECT_FALSE(TakeFromScratch(scratch, [&](Arena& arena) { none = arena.Take<double>(count); }));
    EXPECT_EQ(none, nullptr);
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(array[i], i);
}

}  // namespace
}  // namespace detops
