// Bugs of other libraries in bilinear sampling, put to rotated_feature_align.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "properties/expect.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::MemoryKind;

constexpr const char* kFunctions[] = {"mluOpRotatedFeatureAlignForward", "mluOpRotatedFeatureAlignBackward"};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

void ExpectBoxRefused(const std::string& function, double number, const std::string& text) {
  for (const int64_t element : {int64_t{0}, int64_t{8}, int64_t{119}}) {
    Call call = GoodCall(function);
    call["bboxes"].Set(element, number);
    ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, text);
  }
}

// y, x, w, h and angle of one pixel.
void SetBox(Call& call, int64_t pixel, const std::vector<double>& numbers) {
  for (int64_t i = 0; i < 5; ++i) call["bboxes"].Set(pixel * 5 + i, numbers[static_cast<size_t>(i)]);
}

TEST(PeerRotatedFeatureAlign, MmcvForwardOneNanBox) { ExpectBoxRefused(kFunctions[0], kNan, "] is nan"); }
TEST(PeerRotatedFeatureAlign, MmcvBackwardOneNanBox) { ExpectBoxRefused(kFunctions[1], kNan, "] is nan"); }
TEST(PeerRotatedFeatureAlign, MmcvInfiniteBoxes) {
  for (const char* function : kFunctions) {
    ExpectBoxRefused(function, kInf, "] is inf");
    ExpectBoxRefused(function, -kInf, "] is -inf");
  }
}

TEST(PeerRotatedFeatureAlign, MmcvHugeFiniteBoxes) {
  for (const char* function : kFunctions) {
    Call call = CallOf(function, "batch=1,height=4,width=5,channels=9,scale=1,points=5");
    SetBox(call, 0, {1e30, 1e30, 4, 4, 0.5});
    SetBox(call, 7, {2, 2, 1e30, 1e30, 0.5});
    SetBox(call, 19, {-1e30, 2, 1e30, 1, -3});
    ExpectAgreementEverywhere(call);
  }
}

// Inf - Inf inside of the kernel: a sample whose place is not a number adds nothing.
TEST(PeerRotatedFeatureAlign, Cve2020Nr15266NanMadeInTheKernel) {
  const double most = static_cast<double>(std::numeric_limits<float>::max());
  for (const char* function : kFunctions) {
    Call call = CallOf(function, "batch=1,height=3,width=3,channels=6,scale=16,points=5");
    SetBox(call, 0, {most, most, most, most, 0.7853981633974483});
    SetBox(call, 4, {-most, most, most, -most, 1});
    SetBox(call, 8, {0, 0, most, most, 0});
    ExpectAgreementEverywhere(call);
  }
}

// "isfinite" of the input is not enough.
TEST(PeerRotatedFeatureAlign, TorchvisionPull9629FiniteBoxesOverflowInside) {
  const double most = static_cast<double>(std::numeric_limits<float>::max());
  for (const char* function : kFunctions) {
    for (const MemoryKind kind : {MemoryKind::kAgainstEnd, MemoryKind::kAgainstFront}) {
      Call call = CallOf(function, "batch=2,height=5,width=4,channels=7,scale=1,points=5");
      for (int64_t pixel = 0; pixel < 40; ++pixel) {
        const double sign = pixel % 2 == 0 ? 1 : -1, huge = most / static_cast<double>(1 + pixel % 3);
        SetBox(call, pixel, {sign * huge, pixel % 5 == 0 ? 1.0 : -huge, huge, sign * huge, 0.3 * sign});
      }
      ExpectAgreementEverywhere(call, {kind});
    }
  }
}

// Samples on the last row and column and beyond, next to a page that may not be read.
TEST(PeerRotatedFeatureAlign, Cve2021Nr29529RoundingOffByOne) {
  for (const char* function : kFunctions) {
    for (const MemoryKind kind : {MemoryKind::kAgainstEnd, MemoryKind::kAgainstFront}) {
      ExpectAgreementEverywhere(CallOf(function, "batch=2,height=6,width=9,channels=5,scale=1,points=5,boxes=borders"),
                                {kind});
    }
  }
}

TEST(PeerRotatedFeatureAlign, Cve2021Nr29571LastDimensionOfBoxes) {
  for (const char* function : kFunctions) {
    for (const int64_t surplus : {-1, -5, 1}) {
      Call call = GoodCall(function);
      call["bboxes"].extents[3] += surplus;
      ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "bboxes has ");
    }
  }
}

}  // namespace
}  // namespace detops_test
