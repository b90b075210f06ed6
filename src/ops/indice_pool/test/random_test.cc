// Agreement with the reference over sizes around blocks and vectors, all kinds of lists, all types, targets and numbers
// of threads, tensors against guard pages on either side and at odd addresses.
#include <cstdint>
#include <vector>

#include "ops/indice_pool/test/problem.h"

namespace detops_test {
namespace {

class IndicePoolRandom : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  static void ExpectAllWaysRight(const Problem& problem) {
    for (const Way way : kWays) {
      const PoolSums expected = problem.Expected(way);
      ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) { ExpectRight(handle, problem, way, expected); });
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Types, IndicePoolRandom, testing::ValuesIn(kTypes), TypeName);

// Around one, two and four vectors of every target, and beyond.
TEST_P(IndicePoolRandom, Channels) {
  for (const int64_t channels : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 31, 33, 57, 65}) {
    ExpectAllWaysRight({GetParam(), {40, 37, channels}, MakePairs(ListKind::kRandom, 4, 40, 37, 50, 3), 5});
  }
}

TEST_P(IndicePoolRandom, RowsAroundBlocks) {
  uint64_t seed = 0;
  for (const ListKind kind : kListKinds) {
    for (const int64_t inputs : {1, 255, 257}) {
      for (const int64_t outputs : {1, 256, 513}) {
        SCOPED_TRACE(testing::Message() << "lists of kind " << static_cast<int>(kind));
        const int64_t columns = kind == ListKind::kCrowded ? 90 : inputs + 3;
        ++seed;
        ExpectAllWaysRight(
            {GetParam(), {inputs, outputs, 5}, MakePairs(kind, 5, inputs, outputs, columns, seed), seed});
      }
    }
  }
}

// More pairs in a block than a worker's own list holds (8192), in several blocks at the same time.
TEST_P(IndicePoolRandom, ManyPairsInBlocks) {
  PoolPairs pairs = MakePairs(ListKind::kRandom, 5, 1020, 1010, 30'000, 6);
  ASSERT_GT(pairs.counts[0] + pairs.counts[1] + pairs.counts[3] + pairs.counts[4], 4 * 9000);
  ExpectAllWaysRight({GetParam(), {1020, 1010, 3}, pairs, 6});
}

TEST_P(IndicePoolRandom, GuardPagesAndOddAddresses) {
  for (const Placement placement : {Placement::kAgainstEnd, Placement::kAgainstFront}) {
    for (const size_t misalignment : {size_t{0}, size_t{1}, size_t{6}}) {
      for (const int64_t channels : {3, 19}) {
        const Shape shape = {33, 29, channels, placement, misalignment};
        ExpectAllWaysRight({GetParam(), shape, MakePairs(ListKind::kShuffled, 6, 33, 29, 33, 9), 9});
      }
    }
  }
}

// No offsets, no columns, no rows, no channels: rows without pairs are 0.
TEST_P(IndicePoolRandom, Nothing) {
  for (const Shape& shape : {Shape{0, 5, 3}, Shape{5, 0, 3}, Shape{5, 4, 0}, Shape{0, 0, 0}, Shape{5, 4, 3}}) {
    for (const int64_t offsets : {0, 3}) {
      for (const int64_t columns : {0, 4}) ExpectAllWaysRight({GetParam(), shape, NoPairs(offsets, columns)});
    }
  }
}

// Pairs between tensors whose rows have no channels are still pairs.
TEST_P(IndicePoolRandom, PairsWithoutChannels) {
  ExpectAllWaysRight({GetParam(), {5, 4, 0}, MakePairs(ListKind::kRandom, 3, 5, 4, 6, 2)});
}

}  // namespace
}  // namespace detops_test
