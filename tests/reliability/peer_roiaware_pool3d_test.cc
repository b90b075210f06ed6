// Bugs of other libraries in pooling with stored winners, put to roiaware_pool3d.
#include <cstdint>
#include <string>
#include <vector>

#include "properties/expect.h"

namespace detops_test {
namespace {

using detops_harness::Call;

constexpr char kForward[] = "mluOpRoiAwarePool3dForward", kBackward[] = "mluOpRoiAwarePool3dBackward",
               kSwitches[] = "detopsRoiAwarePool3dForward", kCount[] = "detopsCountRoiAwareVoxels",
               kCompactForward[] = "detopsRoiAwarePool3dCompactForward",
               kCompactBackward[] = "detopsRoiAwarePool3dCompactBackward";
constexpr const char* kTakeBoxes[] = {kForward, kSwitches, kCount, kCompactForward};
constexpr const char* kBackwards[] = {kBackward, kCompactBackward};

void SetDim(Call& call, const std::string& dim, int64_t value) { call.function->contract().SetDim(call, dim, value); }

void ExpectElementRefused(Call call, const char* tensor, int64_t element, double value) {
  call[tensor].Set(element, value);
  ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, std::string(tensor) + "[");
}

// With average, from the good call.
Call Average(const char* function) {
  Call call = GoodCall(function);
  call.integers.at("pool_method") = 1;
  return call;
}

// ---- more voxels on an axis than eight bits can count ----

// 200 points in one box with 300 voxels on one axis.
void ExpectLongAxisRight(const std::string& out) {
  for (const char* function : {kForward, kCompactForward}) {
    for (const char* method : {",pool=max", ",pool=avg"}) {
      Call call = CallOf(function, "boxes=1,points=200,channels=3,max_pts=9,scene=held,out=" + out + method);
      ExpectAgreementEverywhere(call);
    }
  }
}

TEST(PeerRoiAwarePool3d, OpenPcdetOutX300PointsInWrongVoxels) { ExpectLongAxisRight("300x2x2"); }
TEST(PeerRoiAwarePool3d, OpenPcdetOutY300HeapOverflow) { ExpectLongAxisRight("2x300x2"); }
TEST(PeerRoiAwarePool3d, MmcvAssertThatReleaseBuildsLeaveOut) { ExpectLongAxisRight("2x2x300"); }

TEST(PeerRoiAwarePool3d, OpenPcdetMaxPointsZero) {
  for (const char* function : {kForward, kBackward, kCount, kCompactForward}) {
    Call call = GoodCall(function);
    SetDim(call, "max_pts_each_voxel", 0);
    ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "max_pts_each_voxel is 0");
  }
  // A tensor cannot have fewer than no slots.
  for (const char* function : {kCount, kCompactForward}) {
    Call call = GoodCall(function);
    call.integers.at("max_pts_each_voxel") = -1;
    ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "max_pts_each_voxel is -1");
  }
  Call call = GoodCall(kSwitches);  // where the number is an extent, the tensor is named
  SetDim(call, "M", 0);
  ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "pts_idx_of_voxels has 0 elements");
}

// Beyond 4096 x 512 points the kernels there read outside of the points.
TEST(PeerRoiAwarePool3d, OpenPcdetMoreThan2097152Points) {
  constexpr int64_t kPoints = 2097152 + 1000;
  Call call = GoodCall(kForward);
  // Made here, as a shape has no more than two million of anything.
  SetDim(call, "pts_num", kPoints);
  SetDim(call, "channels", 1);
  call["pts"] = detops_harness::Input("pts", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {kPoints, 3});
  call["pts_feature"] = detops_harness::Input("pts_feature", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {kPoints, 1});
  for (const char* output : {"argmax", "pooled_features"}) {
    call[output].bytes = static_cast<size_t>(call[output].byte_count());
  }
  for (int64_t i = 0; i < kPoints * 3; ++i) call["pts"].Set(i, 100);  // in no box
  for (const int64_t point : {int64_t{0}, int64_t{2097151}, int64_t{2097152}, kPoints - 1}) {
    for (int64_t axis = 0; axis < 3; ++axis) call["pts"].Set(point * 3 + axis, point % 2 == 0 ? 0.25 : -0.25);
  }
  ExpectAgreementEverywhere(call);
}

// ---- stored winners and lists ----

// The winner fits the larger of the two arrays that it is used on.
TEST(PeerRoiAwarePool3d, Cve2021Nr29570OneIndexForTwoArrays) {
  for (const char* function : kBackwards) ExpectElementRefused(GoodCall(function), "argmax", 0, 11);
}
TEST(PeerRoiAwarePool3d, OnnxRuntime27903WinnersAsOffsets) {
  for (const char* function : kBackwards) {
    for (const double winner : {-2.0, 65.0, 2147483647.0, -2147483648.0}) {
      ExpectElementRefused(GoodCall(function), "argmax", 5, winner);
    }
  }
}
TEST(PeerRoiAwarePool3d, Cve2021Nr29569NoElements) {
  for (const char* function : {kForward, kBackward, kSwitches, kCount, kCompactForward, kCompactBackward}) {
    Call call = GoodCall(function);
    SetDim(call, function == kForward ? "pts_num" : "P", 0);
    ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "0");
  }
}
TEST(PeerRoiAwarePool3d, Cve2021Nr29576GradientOfAnotherShape) {
  for (const size_t axis : {0, 1, 2, 3, 4}) {
    Call call = GoodCall(kBackward);
    --call["grad_out"].extents[axis];
    ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "grad_out has extent");
  }
}
TEST(PeerRoiAwarePool3d, Cve2021Nr29577GradientOfAnotherShapeAverage) {
  for (const size_t axis : {0, 1, 2, 3, 4}) {
    Call call = Average(kBackward);
    --call["pts_idx_of_voxels"].extents[axis];
    ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM, "has extent");
  }
}
// A count beyond the list that it counts.
TEST(PeerRoiAwarePool3d, Cve2020Nr15198CountsBeyondTheList) {
  for (const double count : {8.0, 2147483647.0, -1.0}) {
    ExpectElementRefused(Average(kBackward), "pts_idx_of_voxels", 16, count);
  }
}
TEST(PeerRoiAwarePool3d, Cve2021Nr29514ListsBeyondTheirEnd) {
  for (const double begin : {30.0, -1.0, 2147483647.0}) {
    ExpectElementRefused(Average(kCompactBackward), "voxel_begins", 20, begin);
  }
}
TEST(PeerRoiAwarePool3d, Cve2021Nr29571LastDimensionOfBoxes) {
  for (const char* function : kTakeBoxes) {
    for (const int64_t surplus : {-1, -3, 1}) {
      Call call = GoodCall(function);
      call["rois"].extents[1] += surplus;
      ExpectRefusedEverywhere(call, MLUOP_STATUS_BAD_PARAM,
                              "rois has extent " + std::to_string(7 + surplus) + " on axis 1");
    }
  }
}

}  // namespace
}  // namespace detops_test
