// detopsPsRoiPool...: what the functions have in common with each other and with those of the contract, and what is
// different for double tensors.
#include <cstdint>
#include <string>
#include <vector>

#include "ops/psroipool/test/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::PlacedCall;

// mapping_channel left out: the same output, and the same gradient as with forward's own channels.
TEST(PsRoiPoolExtension, MappingMayBeLeftOut) {
  for (const Way& way : kAllWays) {
    if (!way.extension()) continue;
    for (const mluOpDataType_t type : kTypes) {
      for (const bool forward : {true, false}) {
        SCOPED_TRACE(testing::Message() << way.name << ", " << ElementName(type) << (forward ? "" : ", backward"));
        const std::string shape = "batch=2,height=12,width=10,rois=14,pooled=3,dim=5,scale=0.5,corners=mixed";
        const Call call = way.Make(forward, shape + ",pooled_width=2", type);
        Call without = call;
        LeaveOutMapping(without);
        PlacedCall first(call), second(without);
        ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
          CarryOut(first, handle);
          CarryOut(second, handle);
          ASSERT_EQ(second.call()[TargetOf(forward)].Values(), first.call()[TargetOf(forward)].Values());
        });
      }
    }
  }
}

// The contract's convention in NHWC is the contract's function.
TEST(PsRoiPoolConventions, RfcnIsTheContract) {
  const std::string shape = "batch=2,height=12,width=10,rois=14,pooled=3,dim=7,scale=0.25,corners=mixed";
  for (const mluOpDataType_t type : kTypes) {
    for (const bool forward : {true, false}) {
      ExpectSameBits(kContract.Make(forward, shape, type), kRfcn.Make(forward, shape, type));
    }
  }
}

// ---- double tensors ----

// The scale is a double here: 1/10 and not the float beside it. 10 / 10 = 1 and 30 / 10 = 3: pixels 1 2, where 0.1f
// would take pixel 3 as well.
TEST(PsRoiPoolDouble, ScaleIsNotRounded) {
  Call call = kRfcn.Make(true, "batch=1,height=1,width=4,rois=1,pooled=1,dim=1,scale=0.1", MLUOP_DTYPE_DOUBLE);
  Assign(call, "input", {1, 2, 4, 9});
  Assign(call, "rois", {0, 10, 0, 29, 0});
  ExpectNumbersEverywhere(call, {{"output", {3}}});
}

// A hair below 2.5 is 2 in double, but 3 once it has been narrowed to float: torchvision's backward does that, its
// forward does not, and the consistent convention never does. Pixels [1, 2) or [1, 3) of 1 2 4 8.
TEST(PsRoiPoolDouble, TorchvisionNarrowsItsCoordinatesBackward) {
  for (const Way& way : {kTorchvision, kTorchvisionFirst, kConsistent, kConsistentFirst}) {
    SCOPED_TRACE(way.name);
    for (const bool forward : {true, false}) {
      Call call = way.Make(forward, "batch=1,height=2,width=4,rois=1,pooled=1,dim=1", MLUOP_DTYPE_DOUBLE);
      Assign(call, "rois", {0, 1, 0, 2.5 - 1e-12, 1});
      if (forward) {
        Assign(call, "input", {1, 2, 4, 8, 64, 64, 64, 64});
        ExpectNumbersEverywhere(call, {{"output", {2}}});
      } else {
        Assign(call, "top_grad", {6});
        const bool narrowed = std::string(way.convention) == "torchvision";
        const double first = narrowed ? 3 : 6, second = narrowed ? 3 : 0;
        ExpectNumbersEverywhere(call, {{"bottom_grad", {0, first, second, 0, 0, 0, 0, 0}}});
      }
    }
  }
}

// ---- the log ----

// It tells which of the two algorithms a backward pass takes.
TEST(PsRoiPoolLog, TellsTheAlgorithm) {
  for (const bool usual : {true, false}) {
    Call call = kContract.Make(false, "batch=1,height=4,width=4,rois=1,pooled=2,dim=1");
    Assign(call, "mapping_channel", {0, 1, 2, usual ? 3.0 : 0.0});
    PlacedCall placed(call);
    const Handle handle(DETOPS_PROFILE_CONTRACT, 2);
    std::vector<std::string> lines;
    const auto keep = [](void* opaque, detopsLogLevel_t, const char* line) {
      static_cast<std::vector<std::string>*>(opaque)->emplace_back(line);
    };
    Must(detopsSetLog(handle.get(), DETOPS_LOG_DISPATCH, keep, &lines), "detopsSetLog");
    CarryOut(placed, handle);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_NE(lines[0].find(usual ? "mluOpPsRoiPoolBackward: rois added up in planes"
                                  : "mapping_channel is not that of the forward pass"),
              std::string::npos)
        << lines[0];
  }
}

}  // namespace
}  // namespace detops_test
