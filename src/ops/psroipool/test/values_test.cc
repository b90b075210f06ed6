// What psroipool does with the numbers it is given, beyond what its contract's rules say one by one: which of many
// wrong ones is named, what happens where nobody looks, and inputs that share memory.
#include <cstdint>
#include <string>
#include <vector>

#include "properties/by_hand.h"
#include "support/runner.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::MemoryKind;
using detops_harness::PlacedCall;

class PsRoiPoolValues : public testing::TestWithParam<const char*> {
 protected:
  std::string function() const { return GetParam(); }
  bool forward() const { return function().find("Forward") != std::string::npos; }
  bool extension() const { return function().find("detops") == 0; }
};
INSTANTIATE_TEST_SUITE_P(Functions, PsRoiPoolValues,
                         testing::Values("mluOpPsRoiPoolForward", "mluOpPsRoiPoolBackward", "detopsPsRoiPoolForward",
                                         "detopsPsRoiPoolBackward"),
                         [](const auto& test) { return std::string(test.param); });

// Large enough to be searched in pieces: the piece that ends first must not win.
TEST_P(PsRoiPoolValues, FirstOfManyIsNamedByAnyThread) {
  const Call good = CallOf(function(), "batch=1,height=2,width=2,rois=60000,pooled=1,dim=4,corners=thin");
  for (const char* tensor : {"rois", "mapping_channel"}) {
    const bool in_rois = tensor == std::string("rois");
    if (!in_rois && forward()) continue;
    Call call = good;
    for (const int64_t index :
         in_rois ? std::vector<int64_t>{299999, 250003, 190004} : std::vector<int64_t>{239999, 200001, 130002}) {
      call[tensor].Set(index, in_rois ? kNan : -1);
    }
    PlacedCall placed(call);
    const std::string before = placed.State();
    for (const int threads : {1, 2, 3, 7}) {
      for (const detopsRunner_t runner : {static_cast<detopsRunner_t>(nullptr), &RunBackwards}) {
        Handle handle(DETOPS_PROFILE_FULL, threads);
        handle.SetRunner(runner, nullptr);
        EXPECT_EQ(placed.Run(handle.get()), MLUOP_STATUS_BAD_PARAM);
        EXPECT_EQ(placed.text(), FunctionOf(function()).contract().Judge(placed.call()).text);
        EXPECT_NE(placed.text().find(in_rois ? "rois[38000, 4] is nan" : "mapping_channel[32500, 0, 0, 2] is -1"),
                  std::string::npos);
        EXPECT_TRUE(placed.State() == before);
      }
    }
  }
}

// What the result is then stands nowhere, but between guard pages every address outside the tensors would be noticed.
// Batch ids and channels are right: the caller vouches for those.
TEST_P(PsRoiPoolValues, RoisAreHarmlessWithValueChecksOff) {
  for (const mluOpDataType_t type : kTypes) {
    const double most = type == MLUOP_DTYPE_HALF ? 65504 : 3e38;
    const double numbers[] = {kNan, kInf, -kInf, most, -most, 1};
    for (const MemoryKind kind : {MemoryKind::kAgainstEnd, MemoryKind::kAgainstFront}) {
      for (const int64_t convention : {0, 1, 2}) {
        if (!extension() && convention != 0) continue;
        Call call = CallOf(function(), "batch=2,height=9,width=8,rois=40,pooled=3,dim=3,scale=2,corners=mixed", type);
        if (extension()) call.integers.at("convention") = convention;
        call.value_checks = false;
        for (int64_t i = 0; i < call["rois"].elements(); ++i) {
          if (i % 5 != 0 && i % 3 != 0) call["rois"].Set(i, numbers[i * 7 / 3 % 6]);
        }
        PlacedCall placed(call, {kind});
        ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) {
          EXPECT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
          EXPECT_TRUE(placed.SurroundingsIntact());
        });
      }
    }
  }
}

// rois and features of one shape: two views of the same numbers.
TEST_P(PsRoiPoolValues, InputsMayShareMemory) {
  Call call = CallOf(function(), "batch=1,height=1,width=1,rois=1,pooled=1,dim=5");
  const std::string source = forward() ? "input" : "top_grad";
  Fill(call, "rois", 0);
  call[source].contents = call["rois"].contents;
  call[source].inside = "rois";
  EXPECT_EQ(FunctionOf(function()).contract().Judge(PlacedCall(call).call()).text, "");
  ExpectAgreementEverywhere(call);
}

}  // namespace
}  // namespace detops_test
