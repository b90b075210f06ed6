// Scratch memory: aligned, at least as large as asked for, kept, and left alone when there is no more.
#include "core/scratch.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"

namespace detops {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

bool IsAligned(const void* block) { return reinterpret_cast<uintptr_t>(block) % 64 == 0; }

// Both sides of where another way of allocating begins, and of whole pages.
const size_t kSizes[] = {1,        63,   64,       65,           4095,     4096,         100000,
                         kMiB - 1, kMiB, kMiB + 1, 2 * kMiB - 1, 2 * kMiB, 2 * kMiB + 1, 5 * kMiB + 12345};

TEST(ScratchTest, IsEmptyAtFirst) {
  const Scratch scratch;
  EXPECT_EQ(scratch.capacity(), 0u);
}

TEST(ScratchTest, EverySizeIsUsableFromEndToEnd) {
  for (const size_t bytes : kSizes) {
    Scratch scratch;
    auto* block = static_cast<unsigned char*>(scratch.Reserve(bytes));
    ASSERT_NE(block, nullptr) << bytes;
    EXPECT_TRUE(IsAligned(block)) << bytes;
    EXPECT_GE(scratch.capacity(), bytes);
    std::memset(block, 0xa5, scratch.capacity());  // all that is said to be there
    EXPECT_EQ(block[0], 0xa5);
    EXPECT_EQ(block[bytes - 1], 0xa5);
  }
}

TEST(ScratchTest, NothingIsAValidRequest) {
  Scratch scratch;
  EXPECT_NE(scratch.Reserve(0), nullptr);
  EXPECT_TRUE(IsAligned(scratch.Reserve(0)));
}

TEST(ScratchTest, SmallerRequestsReuseTheBlock) {
  for (const size_t bytes : kSizes) {
    Scratch scratch;
    void* block = scratch.Reserve(bytes);
    const size_t capacity = scratch.capacity();
    EXPECT_EQ(scratch.Reserve(bytes), block);
    EXPECT_EQ(scratch.Reserve(bytes / 2), block);
    EXPECT_EQ(scratch.Reserve(0), block);
    EXPECT_EQ(scratch.Reserve(capacity), block);
    EXPECT_EQ(scratch.capacity(), capacity) << bytes;
  }
}

TEST(ScratchTest, GrowsThroughAllSizesAndBack) {
  Scratch scratch;
  size_t largest = 0;
  for (int round = 0; round < 3; ++round) {
    for (const size_t bytes : kSizes) {
      auto* block = static_cast<unsigned char*>(scratch.Reserve(bytes));
      ASSERT_NE(block, nullptr);
      EXPECT_TRUE(IsAligned(block));
      block[0] = 1;
      block[bytes - 1] = 2;
      EXPECT_GE(scratch.capacity(), largest) << "shrank";
      largest = scratch.capacity();
    }
    if (round == 1) {
      scratch.Release();
      largest = 0;
    }
  }
}

#if defined(__linux__)
// docs/architecture.md: "From 1 MiB on a block is rounded up to whole 2 MiB pages".
TEST(ScratchTest, LargeBlocksAreWholeHugePages) {
  for (const size_t bytes : kSizes) {
    Scratch scratch;
    ASSERT_NE(scratch.Reserve(bytes), nullptr);
    const size_t unit = bytes >= kMiB ? 2 * kMiB : 64;
    EXPECT_EQ(scratch.capacity(), (bytes + unit - 1) / unit * unit) << bytes;
  }
}
#endif

TEST(ScratchTest, ReleaseGivesEverythingBackAndMayBeRepeated) {
  for (const size_t bytes : kSizes) {
    Scratch scratch;
    ASSERT_NE(scratch.Reserve(bytes), nullptr);
    scratch.Release();
    EXPECT_EQ(scratch.capacity(), 0u);
    scratch.Release();
    EXPECT_EQ(scratch.capacity(), 0u);
    auto* block = static_cast<unsigned char*>(scratch.Reserve(bytes));
    ASSERT_NE(block, nullptr);
    block[bytes - 1] = 1;
  }
}

TEST(ScratchTest, ImpossibleRequestLeavesWhatWasThere) {
  for (const size_t bytes : {size_t{1000}, 3 * kMiB}) {
    Scratch scratch;
    auto* block = static_cast<unsigned char*>(scratch.Reserve(bytes));
    ASSERT_NE(block, nullptr);
    std::memset(block, 0x3c, bytes);
    const size_t capacity = scratch.capacity();
    for (const size_t impossible : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 63, SIZE_MAX - 64, SIZE_MAX / 2 + 1,
                                    SIZE_MAX / 2, SIZE_MAX / 2 - 4 * kMiB, size_t{1} << 60}) {
      EXPECT_EQ(scratch.Reserve(impossible), nullptr) << impossible;
      EXPECT_EQ(scratch.capacity(), capacity);
    }
    EXPECT_EQ(scratch.Reserve(bytes), block);
    EXPECT_EQ(std::vector<unsigned char>(block, block + bytes), std::vector<unsigned char>(bytes, 0x3c));
  }
}

TEST(ScratchTest, ImpossibleRequestOfAnEmptyOne) {
  Scratch scratch;
  EXPECT_EQ(scratch.Reserve(SIZE_MAX), nullptr);
  EXPECT_EQ(scratch.capacity(), 0u);
  EXPECT_NE(scratch.Reserve(10), nullptr);
}

}  // namespace
}  // namespace detops
