// get_indice_pairs and memory: how much it takes besides its tensors, whatever the size of the space.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/get_indice_pairs/test/sites.h"
#include "support/memory_use.h"

namespace detops_test {
namespace {

// What the header promises for the workspace and the handle's scratch together.
int64_t PromisedBytes(int64_t sites, int64_t outputs) { return 64 * (sites + outputs) + 64 * kMebibyte; }

constexpr const char* kSpaces[] = {"64x128x128", "2048x1024x1024", "8192x8192x16384"};  // 2^20, 2^31, 2^40

class GetIndicePairsMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (!CanMeasureMemory()) GTEST_SKIP() << "memory cannot be measured here";
  }

  static void ExpectPromise(const std::string& shape, const Sites& sites, int threads) {
    SCOPED_TRACE(shape + ", threads " + std::to_string(threads));
    const Call call = QuickCallOn(shape, sites);
    Call count = detops_test::CallOf(kCountFunction, "sites=0," + shape, MLUOP_DTYPE_INT32);
    SetSites(count, sites);
    const int64_t promised = PromisedBytes(call["indices"].extents[0], call["out_indices"].extents[0]);
    EXPECT_LE(call.integer("workspace_size"), promised);
    for (const Call& each : {count, call}) {
      const MemoryUse use = MeasureMemory([&](MemoryUse& result) {
        PlacedCall placed(each, {detops_harness::MemoryKind::kHeap});
        placed.Reset(0);
        const Handle handle(DETOPS_PROFILE_FULL, threads);
        result.Begin();
        Must(placed.RunAlone(handle.get()), "the call");
        result.End();
      });
      // The workspace was there before.
      EXPECT_LE(use.peak + static_cast<int64_t>(each.workspace.bytes), promised) << each.function->name();
    }
  }
};

// Anywhere in the space, or on a sheet with some noise, as a scanner sees the world: there neighbours share outputs.
Sites ScatteredSites(int64_t count, const std::string& shape, bool shuffled) {
  const Call empty = CallOf(shape + ",sites=0");
  const std::vector<int64_t>& space = empty.integer_lists.at("input_space");
  Random random(static_cast<uint64_t>(count));
  Sites sites(static_cast<size_t>(count), Site{});
  for (Site& site : sites) {
    site[0] = static_cast<int32_t>(random.Below(empty.integer("batch")));
    for (size_t a = 0; a < space.size(); ++a) site[a + 1] = static_cast<int32_t>(random.Below(space[a]));
  }
  std::sort(sites.begin(), sites.end());
  if (shuffled) Shuffle(sites, random);
  return sites;
}
Sites SheetOfSites(int64_t count, const std::string& shape, bool shuffled) {
  const std::vector<int64_t> space = CallOf(shape + ",sites=0").integer_lists.at("input_space");
  Random random(static_cast<uint64_t>(count));
  const int64_t width = std::min<int64_t>(space[2], 1024);
  Sites sites;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = i / width, depth = row / space[1] * 2 + random.Below(2);
    sites.push_back(
        {0, static_cast<int32_t>(depth), static_cast<int32_t>(row % space[1]), static_cast<int32_t>(i % width)});
  }
  std::sort(sites.begin(), sites.end());
  if (shuffled) Shuffle(sites, random);
  return sites;
}

// A measurement that sees nothing would hold every promise.
TEST_F(GetIndicePairsMemory, TheMeasurementSeesMemory) {
  const MemoryUse use = MeasureMemory([](MemoryUse& result) {
    result.Begin();
    {
      const std::vector<char> kept(static_cast<size_t>(40 * kMebibyte), 'x');
      result.Keep();
      result.number = kept.back();
    }
    result.End();
    const int64_t peak = result.peak;
    result.Begin();
    result.End();
    if (result.peak > 2 * kMebibyte) throw std::runtime_error("the peak was not reset");
    result.peak = peak;
  });
  EXPECT_GE(use.kept, 39 * kMebibyte);
  EXPECT_GE(use.peak, 39 * kMebibyte) << "the peak forgets memory that is gone";
  EXPECT_LE(use.peak, 42 * kMebibyte);
  EXPECT_LE(use.left, 2 * kMebibyte);
}

TEST_F(GetIndicePairsMemory, TenThousandSites) {
  int number = 0;
  for (const char* space :
       {"batch=2,space=32x128x128", "batch=2,space=1024x1024x1024", "batch=2,space=4096x8192x16384"}) {
    for (const char* mode :
         {",filter=3,pad=1,subm=0", ",filter=5,pad=2,subm=0", ",filter=3,pad=1,subm=1", ",filter=5,pad=2,subm=1"}) {
      for (const bool shuffled : {false, true}) {
        constexpr int kThreads[] = {1, 2, 7};
        const std::string shape = std::string(space) + mode;
        ExpectPromise(shape, ScatteredSites(10000, shape, shuffled), kThreads[number++ % 3]);
      }
    }
  }
}

TEST_F(GetIndicePairsMemory, ManySites) {
  bool shuffled = false;
  for (const char* space : kSpaces) {
    for (const char* subm : {"0", "1"}) {
      shuffled = !shuffled;
      const std::string shape = std::string("batch=1,filter=3,space=") + space + ",subm=" + subm;
      ExpectPromise(shape, SheetOfSites(300000, shape, shuffled), shuffled ? 2 : 1);
    }
    shuffled = !shuffled;
  }
  for (const char* shape :
       {"batch=2,space=4096x8192x16384,filter=3,subm=0", "batch=2,space=4096x8192x16384,filter=5,pad=2,subm=1"}) {
    ExpectPromise(shape, ScatteredSites(300000, shape, true), 2);
  }
}

TEST_F(GetIndicePairsMemory, AMillionSites) {
  const std::string dense = "batch=2,space=32x128x128,filter=3,subm=0", sheet = "batch=1,filter=3,subm=0,space=";
  const std::string large = "batch=2,space=4096x8192x16384,filter=3,subm=1";
  ExpectPromise(dense, ScatteredSites(1000000, dense, true), 2);
  ExpectPromise(sheet + kSpaces[1], SheetOfSites(1000000, sheet + kSpaces[1], false), 2);
  ExpectPromise(sheet + kSpaces[2], SheetOfSites(1000000, sheet + kSpaces[2], true), 2);
  ExpectPromise(large, ScatteredSites(1000000, large, false), 2);
}

// Few sites and a kernel as long as a signal's: what is kept per offset or per pair must not be kept for ever.
TEST_F(GetIndicePairsMemory, LongKernelOnOneAxis) {
  for (const char* space : {"1048576", "2147483647"}) {
    for (const char* subm : {"0", "1"}) {
      for (const bool shuffled : {false, true}) {
        const std::string shape =
            std::string("batch=1,axes=1,filter=200,pad=100,space=") + space + ",output=" + space + ",subm=" + subm;
        ExpectPromise(shape, ScatteredSites(5000, shape, shuffled), 2);
      }
    }
  }
}

// Rows say how many outputs there may be; the size must not follow them to where no outputs can be.
TEST(GetIndicePairsWorkspaceSize, StaysSmallForLargeTensors) {
  for (const char* subm : {"0", "1"}) {
    Call call = detops_test::CallOf(
        "mluOpGetIndicePairsWorkspaceSize",
        std::string("sites=1000,batch=1,space=8192x8192x16384,filter=3,voxels=random,subm=") + subm, MLUOP_DTYPE_INT32);
    for (const int64_t rows : {int64_t{1}, int64_t{1000}, int64_t{27000}, int64_t{1} << 30, int64_t{1} << 40}) {
      call["out_indices"].extents[0] = rows;
      PlacedCall placed(call);
      CarryOut(placed, Handle(DETOPS_PROFILE_FULL, 2));
      EXPECT_LE(placed.call().results.at("workspace_size"), PromisedBytes(1000, std::min<int64_t>(rows, 27000)))
          << rows;
    }
  }
}

}  // namespace
}  // namespace detops_test
