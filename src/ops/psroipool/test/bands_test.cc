// Maps that are worked on band by band of rows: what happens where memory for it is short, where there are more bands
// than tasks, and more rois than are taken at once. Samples of the catalogue have the usual bands.
#include <cstdint>
#include <limits>
#include <string>

#include "ops/psroipool/test/by_hand.h"
#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::PlacedCall;

constexpr const char* kFunctions[] = {"mluOpPsRoiPoolForward", "mluOpPsRoiPoolBackward"};

// So many threads that they do not all have room for bands: they take fewer bins at a time, lower bands, or whole
// planes, with the same bits.
void ExpectSameBitsWithManyThreads(const Call& call) {
  PlacedCall placed(call);
  const Handle alone(DETOPS_PROFILE_FULL, 1);
  CarryOut(placed, alone);
  const std::string expected = placed.Outputs();
  for (const int threads : {16, 40, 100, 200, 5000, std::numeric_limits<int>::max()}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    const Handle handle(DETOPS_PROFILE_FULL, threads);
    CarryOut(placed, handle);
    EXPECT_TRUE(placed.Outputs() == expected);
  }
}

TEST(PsRoiPoolBands, ManyThreads) {
  for (const char* function : kFunctions) {
    for (const mluOpDataType_t type : kTypes) {
      ExpectSameBitsWithManyThreads(
          CallOf(function, "batch=1,height=60,width=40,rois=300,pooled=3,dim=33,corners=mixed", type));
    }
  }
}

// A map of one column: bands of many rows, and more of them than a call may have tasks.
TEST(PsRoiPoolBands, OneColumn) {
  for (const char* function : kFunctions) {
    const Call call = CallOf(function, "batch=1,height=40000,width=1,rois=50,pooled=1,dim=8,corners=low");
    ExpectSameBitsWithManyThreads(call);
    ExpectAgreementEverywhere(call);
  }
}

// One row of bins and one column; one row of pixels more than bands have, and one less.
TEST(PsRoiPoolBands, OddShapes) {
  for (const char* function : {"detopsPsRoiPoolForward", "detopsPsRoiPoolBackward"}) {
    for (const char* shape : {"batch=1,height=321,width=11,rois=60,pooled=1,pooled_width=5,dim=24,corners=mixed",
                              "batch=1,height=319,width=11,rois=60,pooled=5,pooled_width=1,dim=24,corners=low",
                              "batch=2,height=17,width=300,rois=60,pooled=2,dim=9,corners=low"}) {
      for (const mluOpDataType_t type : kTypes) ExpectAgreementEverywhere(CallOf(function, shape, type));
    }
  }
}

// Enough work for seven threads, with bins of six rows that begin in every row, so also in the last one of each part.
TEST(PsRoiPoolBands, EveryRow) {
  for (const char* function : kFunctions) {
    Call call = CallOf(function, "batch=1,height=150,width=19,rois=1400,pooled=3,dim=21");
    for (int64_t r = 0; r < 1400; ++r) {
      const auto y = static_cast<double>(r % 140), x = static_cast<double>(r / 140);
      SetRow(call, "rois", r, {0, x, y, x + 8, y + 17});
    }
    ExpectAgreementEverywhere(call);
  }
}

// More rois than are taken at once, and more on a pixel than float sums bear.
TEST(PsRoiPoolBands, ManyRois) {
  for (const char* function : kFunctions) {
    for (const char* corners : {"low", "whole"}) {
      ExpectAgreementEverywhere(
          CallOf(function, std::string("batch=1,height=64,width=24,rois=9000,pooled=2,dim=21,corners=") + corners));
    }
  }
}

// ---- results past the caches, maps that are regrouped part by part ----

// From 8 MiB on gradients are streamed. 65 * 65 pixels of 2,048 bytes are no whole number of blocks.
TEST(PsRoiPoolStreaming, GradientHasTheBitsOfPlainStores) {
  for (const mluOpDataType_t type : kTypes) {
    const std::string shape = "batch=1,height=65,width=65,rois=40,pooled=2,corners=mixed,dim=";
    ExpectSameBitsOffTheCacheLines(kRfcn.Make(false, shape + std::to_string(512 / ElementSize(type)), type));
  }
}

// 2^21 numbers and more; at an address in the middle of a cache line too, where the first ones are stored one by one.
TEST(PsRoiPoolStreaming, EveryChannel) {
  const Call call = kContract.Make(true, "batch=1,height=4,width=4,rois=4200,pooled=2,dim=125,corners=mixed");
  ASSERT_GE(call["mapping_channel"].elements(), 2 << 20);
  for (const size_t offset : {0, 20}) {
    ExpectAgreementEverywhere(call, {detops_harness::MemoryKind::kAgainstFront, offset});
  }
}

// Planes of more than 4 MiB together are worked on in groups.
TEST(PsRoiPoolStreaming, ChannelsFirstInGroups) {
  for (const bool forward : {true, false}) {
    ExpectAgreementEverywhere(
        kRfcnFirst.Make(forward, "batch=1,height=96,width=96,rois=12,pooled=2,dim=32,corners=mixed"));
  }
}

}  // namespace
}  // namespace detops_test
