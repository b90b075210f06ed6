// Bugs of other libraries in RoI pooling, put to psroipool.
#include <climits>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "properties/expect.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::MemoryKind;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
constexpr mluOpStatus_t kBad = MLUOP_STATUS_BAD_PARAM;
constexpr const char *kForward = "mluOpPsRoiPoolForward", *kBackward = "mluOpPsRoiPoolBackward",
                     *kVisionForward = "detopsPsRoiPoolForward", *kVisionBackward = "detopsPsRoiPoolBackward";
constexpr const char* kFunctions[] = {kForward, kBackward, kVisionForward, kVisionBackward,
                                      "mluOpPsRoiPoolForwardWithWorkspace"};

bool IsForward(const std::string& function) { return function.find("Forward") != std::string::npos; }
const char* MapOf(const std::string& function) { return IsForward(function) ? "input" : "bottom_grad"; }

// As torchvision is called: NCHW, its own convention.
Call VisionCall(const std::string& function, const std::string& shape) {
  return CallOf(function, shape + ",layout=NCHW,convention=torchvision");
}

void SetRoi(Call& call, int64_t roi, const std::vector<double>& numbers) {
  for (int64_t i = 0; i < 5; ++i) call["rois"].Set(roi * 5 + i, numbers[static_cast<size_t>(i)]);
}

// One image, whose only neighbours in memory are forbidden pages; the first roi names another one.
void ExpectBatchIdRefused(const std::string& function, double id, const std::string& text) {
  const std::string shape = "batch=1,height=4,width=9,rois=6,pooled=3,dim=7,corners=mixed";
  Call call = function[0] == 'd' ? VisionCall(function, shape) : CallOf(function, shape);
  call["rois"].Set(0, id);
  ExpectRefusedEverywhere(call, kBad, text);
}

TEST(PeerPsRoiPool, TorchvisionForwardBatchIndexOneOfOneImage) {
  ExpectBatchIdRefused(kVisionForward, 1, "rois[0, 0] is 1");
}
TEST(PeerPsRoiPool, TorchvisionForwardBatchIndexMinusOne) {
  ExpectBatchIdRefused(kVisionForward, -1, "rois[0, 0] is -1");
}
TEST(PeerPsRoiPool, TorchvisionBackwardBatchIndexOneOfOneImage) {
  ExpectBatchIdRefused(kVisionBackward, 1, "rois[0, 0] is 1");
}
TEST(PeerPsRoiPool, TorchvisionBackwardBatchIndexMinusOne) {
  ExpectBatchIdRefused(kVisionBackward, -1, "rois[0, 0] is -1");
}
TEST(PeerPsRoiPool, MluOpsForwardBatchIdUnchecked) {
  for (const double id : {1.0, -1.0, 0.5, 65536.0}) ExpectBatchIdRefused(kForward, id, "rois[0, 0] is ");
}
TEST(PeerPsRoiPool, MluOpsBackwardBatchIdUnchecked) {
  for (const double id : {1.0, -1.0, 0.5, 65536.0}) ExpectBatchIdRefused(kBackward, id, "rois[0, 0] is ");
}
// Identifiers far outside: as a 32-bit offset they wrap around, as a 64-bit one they lead anywhere.
TEST(PeerPsRoiPool, OnnxRuntime27543BatchIndicesAsOffsets) {
  for (const double id : {1e9, -1e9, 2147483648.0, -2147483648.0, 1e30, kNan, kInf, -kInf}) {
    ExpectBatchIdRefused(kVisionForward, id, "rois[0, 0] is ");
  }
}
TEST(PeerPsRoiPool, OnnxRuntime27603BatchIndicesBackward) {
  for (const double id : {1e9, -1e9, 2147483648.0, -2147483648.0, 1e30, kNan, kInf, -kInf}) {
    ExpectBatchIdRefused(kVisionBackward, id, "rois[0, 0] is ");
  }
}

// A [K, 5] tensor of random numbers, so that the first column holds no identifiers.
TEST(PeerPsRoiPool, TorchvisionIssue4828FirstColumnIsNoIdentifier) {
  Call call = VisionCall(kVisionForward, "batch=2,height=4,width=9,rois=6,pooled=3,dim=7");
  for (int64_t i = 0; i < 30; ++i) call["rois"].Set(i, static_cast<double>(i * 7 % 30 + 1) / 10.5);
  ExpectRefusedEverywhere(call, kBad, "rois[0, 0] is ");
}

// Products of extents beyond 32 bits: refused in the contract, and beyond 63 bits everywhere.
TEST(PeerPsRoiPool, TorchvisionIssue8206LargeBatch) {
  Call call = GoodCall(kForward);
  call["input"].extents[0] = 1 << 24;
  ExpectRefusedEverywhere(call, MLUOP_STATUS_NOT_SUPPORTED, "the full profile lifts this limit");
}
TEST(PeerPsRoiPool, TorchvisionIntProductsOfExtents) {
  for (const char* function : kFunctions) {
    Call call = GoodCall(function);
    call.profile = DETOPS_PROFILE_FULL;
    call[MapOf(function)].extents[1] = call[MapOf(function)].extents[2] = int64_t{1} << 31;
    ExpectRefusedEverywhere(call, MLUOP_STATUS_NOT_SUPPORTED, "expected fewer than 2^63 bytes");
  }
}

TEST(PeerPsRoiPool, TorchvisionIssue9273NanInRois) {
  for (const char* function : kFunctions) {
    for (int column = 1; column < 5; ++column) {
      Call call = GoodCall(function);
      call["rois"].Set(column, kNan);
      ExpectRefusedEverywhere(call, kBad, "rois[0, " + std::to_string(column) + "] is nan");
    }
  }
}

// A filter of inputs that are not finite does not help: these become so inside.
TEST(PeerPsRoiPool, TorchvisionPull9629FiniteBoxesOverflowInside) {
  for (const char* function : kFunctions) {
    for (const double scale : {1.0, 16.0}) {
      Call call = GoodCall(function);
      call.numbers.at("spatial_scale") = scale;
      SetRoi(call, 0, {0, -3e38, -3e38, 3e38, 3e38});
      ExpectRefusedEverywhere(call, kBad, "rois[0");
    }
  }
}

// ---- what is right instead of refused ----

// The contract's functions, and the others with all conventions and layouts.
std::vector<Call> AllWays(const std::string& shape) {
  std::vector<Call> calls = {CallOf(kForward, shape), CallOf(kBackward, shape)};
  for (const char* function : {kVisionForward, kVisionBackward}) {
    for (const char* convention : {"rfcn", "torchvision", "consistent"}) {
      for (const char* layout : {"NHWC", "NCHW"}) {
        calls.push_back(CallOf(function, shape + ",convention=" + convention + ",layout=" + layout));
      }
    }
  }
  return calls;
}

// The size of the box is not a number of 32 bits, and its bins are far larger than the map.
TEST(PeerPsRoiPool, Cve2020Nr15266HugeBox) {
  for (Call& call : AllWays("batch=1,height=4,width=4,rois=3,pooled=3,dim=2,scale=1")) {
    SetRoi(call, 0, {0, -1e30, -1e30, 1e30, 1e30});
    SetRoi(call, 1, {0, 0, 0, 1e37, 1e37});
    SetRoi(call, 2, {0, 1e30, 1e30, -1e30, -1e30});
    ExpectAgreementEverywhere(call);
  }
}

// Ends of bins that float arithmetic puts one pixel outside the map.
TEST(PeerPsRoiPool, Cve2021Nr29529RoundingOffByOne) {
  for (const char* scale_text : {"0.1", "0.3333333333333333", "0.7"}) {
    for (Call& call : AllWays(std::string("batch=1,height=10,width=7,rois=40,pooled=3,dim=2,scale=") + scale_text)) {
      const double scale = call.number("spatial_scale");
      for (int64_t r = 0; r < 40; ++r) {
        const double step = static_cast<double>(r - 20) * 0.49999997;
        SetRoi(call, r, {0, step, step, 7 / scale + step, 10 / scale - step});
      }
      ExpectAgreementEverywhere(call, {MemoryKind::kAgainstFront});
    }
  }
}

// Zeros forward, nothing to write backward.
TEST(PeerPsRoiPool, Cve2021Nr29533EmptyImage) {
  for (Call& call : AllWays("batch=1,height=0,width=7,rois=2,pooled=3,dim=2")) ExpectAgreementEverywhere(call);
}

// ---- shapes, counts, indices ----

TEST(PeerPsRoiPool, Cve2021Nr29571LastDimensionOfBoxes) {
  for (const char* function : kFunctions) {
    for (const int64_t surplus : {-1, -4, 1}) {
      Call call = GoodCall(function);
      call["rois"].extents[1] += surplus;
      ExpectRefusedEverywhere(call, kBad, "rois has extent " + std::to_string(5 + surplus) + " on axis 1");
    }
  }
}

TEST(PeerPsRoiPool, Cve2021Nr37669NegativeOrZeroCounts) {
  for (const char* function : kFunctions) {
    for (const int height : {0, -1, INT_MIN}) {
      Call call = GoodCall(function);
      call.integers.at("pooled_height") = height;
      ExpectRefusedEverywhere(call, kBad, "pooled_height");
    }
    Call call = GoodCall(function);
    call.integers.at("output_dim") = 0;
    ExpectRefusedEverywhere(call, kBad, "output_dim");
  }
}

// A parameter that makes a kernel work for ever.
TEST(PeerPsRoiPool, Cve2025Nr2953EndlessPoolSize) {
  for (const char* function : kFunctions) {
    Call call = GoodCall(function);
    call.integers.at("pooled_height") = call.integers.at("pooled_width") = INT_MAX;
    ExpectRefusedEverywhere(call, kBad, "pooled_");
  }
}

TEST(PeerPsRoiPool, OnnxRuntime27903IndicesOfTheForwardPass) {
  for (const char* function : {kBackward, kVisionBackward}) {
    for (const double channel : {-1.0, 1e6, 2147483647.0, -2147483648.0}) {
      Call call = GoodCall(function);
      call["mapping_channel"].Set(0, channel);
      ExpectRefusedEverywhere(call, kBad, "mapping_channel[0, 0, 0, 0] is ");
    }
  }
}

}  // namespace
}  // namespace detops_test
