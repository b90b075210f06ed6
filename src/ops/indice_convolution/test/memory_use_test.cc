// How much memory convolutions and rulebooks take besides their tensors: scratch in proportion to the work, nothing
// that stays behind.
#include "support/memory_use.h"

#include <numeric>
#include <string>

#include "ops/indice_convolution/test/calls.h"
#include "ops/indice_convolution/test/rulebook.h"

namespace detops_test {
namespace {

class IndiceConvolutionMemoryUse : public testing::Test {
 protected:
  void SetUp() override {
    if (!CanMeasureMemory()) GTEST_SKIP() << "memory cannot be measured here";
  }
};

// Enough for the lists of the pairs, for the filters and partial sums of them, whatever the algorithm; not enough for
// rows gathered per pair, which would be channels times as much.
int64_t BoundForScratch(const Call& call, int64_t rows, int64_t filters) {
  const std::vector<int64_t>& counts = call.integer_lists.at("indice_num");
  return 24 * std::accumulate(counts.begin(), counts.end(), int64_t{0}) + 16 * rows + 64 * filters + 8 * kMebibyte;
}

TEST_F(IndiceConvolutionMemoryUse, ScratchOfACall) {
  const struct {
    const char* shape;
    int64_t rows, filters;
    mluOpDataType_t type = MLUOP_DTYPE_FLOAT;
  } cases[] = {
      {"sites=100000,outputs=100000,ci=16,co=16,filter=3x3x3,pairs=submanifold", 200000, 27 * 16 * 16},
      {"sites=100000,outputs=80000,ci=64,co=32,filter=3x3x1,pairs=shuffled", 180000, 9 * 64 * 32},
      {"sites=50000,outputs=50000,ci=128,co=128,filter=3x1x1,pairs=ascending", 100000, 3 * 128 * 128, MLUOP_DTYPE_HALF},
      {"sites=20000,outputs=20000,ci=8,co=8,filter=5x5x5,pairs=random", 40000, 125 * 8 * 8}};
  for (const auto& [shape, rows, filters, type] : cases) {
    for (const Way way : kWays) {
      const Call call = CallOf(NameOf(way), shape, type);
      for (const int threads : {1, 2}) {
        SCOPED_TRACE(NameOf(way) + " " + shape + ", threads " + std::to_string(threads));
        const MemoryUse use = MeasureMemory([&](MemoryUse& result) {
          PlacedCall placed(call);
          placed.Reset(0);
          // The first round also brings code into memory, and a stack that the C library keeps for later threads.
          for (const bool measured : {false, true}) {
            if (measured) result.Begin();
            const Handle handle(DETOPS_PROFILE_FULL, threads);
            Must(placed.RunAlone(handle.get()), "the convolution");
            result.Keep();
          }
          result.End();
        });
        EXPECT_LE(use.peak, BoundForScratch(call, rows, filters));
        EXPECT_LE(use.peak, use.kept + 2 * kMebibyte) << "what is not kept would be made anew every time";
        EXPECT_LE(use.left, kMebibyte / 2) << "destroyed handles keep memory";
      }
    }
  }
}

TEST_F(IndiceConvolutionMemoryUse, Rulebook) {
  for (const std::string kind : {"ascending", "shuffled", "random"}) {
    const RulebookPairs pairs("sites=150000,outputs=120000,columns=150000,offsets=27,pairs=" + kind);
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(kind + ", threads " + std::to_string(threads));
      int64_t made = 0;
      const MemoryUse use = MeasureMemory([&](MemoryUse& result) {
        result.Begin();
        detopsRulebook_t rulebook = nullptr;
        {
          const Handle handle(DETOPS_PROFILE_FULL, threads);
          Must(pairs.Create(handle, &rulebook), "detopsCreateRulebook");
          result.Keep();
        }
        made = ResidentBytes() - result.start;
        result.number = SizeOf(rulebook);
        // Whether the system gives large pages, and so touches the rest of the last one, is its own choice.
        if (std::abs(made - result.number) > 4 * kMebibyte) throw std::runtime_error("it is not as large as it says");
        Must(detopsDestroyRulebook(rulebook), "detopsDestroyRulebook");
        result.End();
      });
      EXPECT_LE(use.number, pairs.LargestSize(kind == "ascending"));
      EXPECT_LE(use.peak, use.kept + 4 * kMebibyte) << "more than the rulebook and the handle's scratch";
      EXPECT_LE(use.left, 4 * kMebibyte) << "a destroyed rulebook keeps memory";
    }
  }
}

}  // namespace
}  // namespace detops_test
