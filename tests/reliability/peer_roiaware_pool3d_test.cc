// Bugs of other libraries in pooling with stored winners, put to roiaware_pool3d.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ops/roiaware_pool3d/test/bad_call.h"
#include "ops/roiaware_pool3d/test/expected.h"
#include "reliability/peer_case.h"

namespace detops_test {
namespace {

constexpr Function kAll[] = {Function::kForward, Function::kBackward,       Function::kSwitches,
                             Function::kCount,   Function::kCompactForward, Function::kCompactBackward};
constexpr Function kBackwards[] = {Function::kBackward, Function::kCompactBackward};

void ExpectRefused(BadCall& call, mluOpStatus_t status, const std::string& text) {
  ExpectRefusedEverywhere(
      call,
      [](BadCall& c, Handle& handle) {
        const mluOpStatus_t answer = c.Run(handle);
        return std::pair(answer, c.thread_text);
      },
      status, text);
}

// ---- more voxels on an axis than eight bits can count ----

// 200 points in one box with 300 voxels on one axis.
void ExpectLongAxisRight(int64_t Sizes::* axis) {
  Sizes sizes = {1, 200, 3, 2, 2, 2, 9};
  sizes.*axis = 300;
  Problem problem(MLUOP_DTYPE_FLOAT, sizes);
  problem.SetBox(0, {0, 0, -10, 20, 20, 20, 0.3});
  problem.pts.FillUniform(-9, 9, 11);
  for (const int method : kMethods) {
    const Expected expected(problem, method);
    ASSERT_GT(expected.voxel_num(), 100);
    ForEachConfiguration([&](const Handle& handle) {
      Dense dense = problem.NewDense();
      ASSERT_EQ(problem.Run(handle, method, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(expected.WrongIn(dense), "");
      Compact compact = problem.NewCompact(expected.voxel_num(), expected.point_num());
      Handle full(DETOPS_PROFILE_FULL, handle.Threads());
      ASSERT_EQ(problem.Run(full, method, {}, compact), MLUOP_STATUS_SUCCESS) << full.LastError();
      ASSERT_EQ(expected.WrongIn(compact), "");
    });
  }
}

TEST(PeerRoiAwarePool3d, OpenPcdetOutX300PointsInWrongVoxels) { ExpectLongAxisRight(&Sizes::out_x); }
TEST(PeerRoiAwarePool3d, OpenPcdetOutY300HeapOverflow) { ExpectLongAxisRight(&Sizes::out_y); }
TEST(PeerRoiAwarePool3d, MmcvAssertThatReleaseBuildsLeaveOut) { ExpectLongAxisRight(&Sizes::out_z); }

TEST(PeerRoiAwarePool3d, OpenPcdetMaxPointsZero) {
  for (const Function function : kAll) {
    if (function == Function::kCompactBackward) continue;  // takes no such number
    for (const int64_t most : {0, -1}) {
      // A tensor cannot have fewer than no slots.
      if (most < 0 && function != Function::kCount && function != Function::kCompactForward) continue;
      BadCall call(function, kMax);
      call.sizes.max_pts = most;
      // Where the number is an extent, the tensor is named.
      const bool extent = function == Function::kSwitches;
      ExpectRefused(call, MLUOP_STATUS_BAD_PARAM,
                    extent ? "pts_idx_of_voxels has 0 elements" : "max_pts_each_voxel is " + std::to_string(most));
    }
  }
}

// Beyond 4096 x 512 points the kernels there read outside of the points.
TEST(PeerRoiAwarePool3d, OpenPcdetMoreThan2097152Points) {
  constexpr int64_t kPoints = 2097152 + 1000;
  Problem problem(MLUOP_DTYPE_FLOAT, {2, kPoints, 1, 2, 1, 1, 16});
  problem.SetBox(0, {5, 0, -1, 2, 2, 2, 0});
  problem.SetBox(1, {-5, 0, -1, 2, 2, 2, 0});
  problem.pts.Fill(100);  // in no box
  for (const int64_t point : {int64_t{0}, int64_t{2097151}, int64_t{2097152}, kPoints - 1}) {
    problem.SetPoint(point, {point % 2 == 0 ? 4.5 : -5.5, 0.5, 0});
  }
  const Expected expected(problem, kMax);
  ASSERT_EQ(expected.point_num(), 4);
  ForEachTarget(DETOPS_PROFILE_CONTRACT, [&](Handle& handle) {
    handle.SetThreads(3);
    Dense dense = problem.NewDense();
    ASSERT_EQ(problem.Run(handle, kMax, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(expected.WrongIn(dense), "");
  });
}

// ---- stored winners and lists ----

// The winner fits the larger of the two arrays that it is used on.
TEST(PeerRoiAwarePool3d, Cve2021Nr29570OneIndexForTwoArrays) {
  for (const Function function : kBackwards) {
    BadCall call(function, kMax);
    call["argmax"].memory->Set(0, static_cast<double>(call.sizes.points));
    ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "argmax[");
  }
}
TEST(PeerRoiAwarePool3d, OnnxRuntime27903WinnersAsOffsets) {
  for (const Function function : kBackwards) {
    for (const double winner : {-2.0, 65.0, 2147483647.0, -2147483648.0}) {
      BadCall call(function, kMax);
      call["argmax"].memory->Set(5, winner);
      ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "argmax[");
    }
  }
}
TEST(PeerRoiAwarePool3d, Cve2021Nr29569NoElements) {
  for (const Function function : kAll) {
    BadCall call(function, kMax);
    call.sizes.points = 0;
    ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "0");
  }
}
TEST(PeerRoiAwarePool3d, Cve2021Nr29576GradientOfAnotherShape) {
  for (const int64_t axis : {0, 1, 2, 3, 4}) {
    BadCall call(Function::kBackward, kMax);
    call["grad_out"].surplus[axis] = -1;
    ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "grad_out has extent");
  }
}
TEST(PeerRoiAwarePool3d, Cve2021Nr29577GradientOfAnotherShapeAverage) {
  for (const int64_t axis : {0, 1, 2, 3, 4}) {
    BadCall call(Function::kBackward, kAverage);
    call["pts_idx_of_voxels"].surplus[axis] = -1;
    ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "has extent");
  }
}
// A count beyond the list that it counts.
TEST(PeerRoiAwarePool3d, Cve2020Nr15198CountsBeyondTheList) {
  for (const double count : {8.0, 2147483647.0, -1.0}) {
    BadCall call(Function::kBackward, kAverage);
    call["pts_idx_of_voxels"].memory->Set(16, count);
    ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "pts_idx_of_voxels[");
  }
}
TEST(PeerRoiAwarePool3d, Cve2021Nr29514ListsBehindTheirEnd) {
  for (const double begin : {30.0, -1.0, 2147483647.0}) {
    BadCall call(Function::kCompactBackward, kAverage);
    call["voxel_begins"].memory->Set(20, begin);
    ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "voxel_begins[");
  }
}
TEST(PeerRoiAwarePool3d, Cve2021Nr29571LastDimensionOfBoxes) {
  for (const Function function : kAll) {
    if (function == Function::kBackward || function == Function::kCompactBackward) continue;  // take no boxes
    for (const int64_t surplus : {-1, -3, 1}) {
      BadCall call(function, kMax);
      call["rois"].surplus[1] = surplus;
      ExpectRefused(call, MLUOP_STATUS_BAD_PARAM, "rois has extent " + std::to_string(7 + surplus) + " on axis 1");
    }
  }
}

}  // namespace
}  // namespace detops_test
