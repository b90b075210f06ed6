// roiaware_pool3d with many points: 20,000 and more in every kind of scene, a single crowded voxel, one outlier that
// would spoil a search structure built over the whole range of the points, and grids beyond all memory.
#include <climits>
#include <cstdint>
#include <iterator>
#include <string>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::MemoryKind;
using detops_harness::PlacedCall;

constexpr char kDense[] = "mluOpRoiAwarePool3dForward", kCompact[] = "detopsRoiAwarePool3dCompactForward";

TEST(RoiAwarePool3dLarge, ManyPointsInEveryScene) {
  uint64_t seed = 100;
  for (const char* scene : {"traffic", "scattered", "faces", "far", "clustered", "one_voxel", "outliers", "degenerate",
                            "special", "crowd"}) {
    SCOPED_TRACE(scene);
    const mluOpDataType_t type = kTypes[seed % std::size(kTypes)];
    const std::string shape = std::string("boxes=23,points=20011,channels=3,out=5x4x3,max_pts=33,scene=") + scene;
    ++seed;
    ExpectAgreementEverywhere(CallOf(kDense, shape + (seed % 2 == 0 ? ",pool=max" : ",pool=avg"), type, seed));
  }
}

// From 8 MiB on outputs are written past the caches, wherever they begin, but for addresses that integers may not have.
TEST(RoiAwarePool3dLarge, OutputsPastTheCaches) {
  const std::string shape = "boxes=40,points=3000,channels=31,out=12x12x12,max_pts=32,scene=scattered";
  static_assert(40 * 12 * 12 * 12 * 31 * 4 >= (8 << 20), "argmax, the smallest");
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF}) {
    for (const size_t offset : {0, 2, 4}) {
      SCOPED_TRACE(testing::Message() << ElementName(type) << ", offset " << offset);
      ExpectAgreementEverywhere(CallOf(kDense, shape + (offset == 2 ? ",pool=max" : ",pool=avg"), type),
                                {MemoryKind::kAgainstFront, offset});
    }
  }
}

// Boxes that hold more points together than are searched at once, four million: the compact form, which must know all
// sizes first, searches them again.
TEST(RoiAwarePool3dLarge, MoreThanIsSearchedAtOnce) {
  for (const char* function : {kDense, kCompact}) {
    PlacedCall placed(CallOf(function, "boxes=230,points=20000,channels=1,out=2x1x1,max_pts=3,scene=held"));
    const Handle handle(DETOPS_PROFILE_FULL, 2);
    CarryOut(placed, handle);
    ASSERT_EQ(Disagreement(placed.call(), placed.call().function->Reference(placed.call())), "");
  }
}

// One point, or one box, very far away from the others.
TEST(RoiAwarePool3dLarge, OneOutlier) {
  for (const double distance : {1e6, 1e30, 3e38}) {
    for (const bool box_is_far : {false, true}) {
      SCOPED_TRACE(testing::Message() << distance << (box_is_far ? ", box" : ", point"));
      Call call = CallOf(kDense, "boxes=7,points=20500,channels=2,out=3x3x3,max_pts=64,scene=scattered");
      if (box_is_far) {
        SetRow(call, "rois", 3, {distance, -distance, 0, 2, 2, 2, 0.5});
      } else {
        SetRow(call, "pts", 777, {-distance, distance, 0});
      }
      ExpectAgreementEverywhere(call);
    }
  }
}

// A box that is as large as the world holds every point; another holds only the far one.
TEST(RoiAwarePool3dLarge, WorldBox) {
  Call call = CallOf(kDense, "boxes=3,points=20500,channels=1,out=2x2x2,max_pts=30000,scene=scattered,pool=avg");
  SetRow(call, "pts", 20499, {1e30, 1e30, 0});
  SetRow(call, "rois", 0, {0, 0, -1e30, 3e30, 3e30, 2e30, 0});
  SetRow(call, "rois", 1, {1e30, 1e30, -1, 2e24, 2e24, 2, 0});
  ExpectAgreementEverywhere(call);
}

// All points in one voxel, with room for one, for many and for most of them.
TEST(RoiAwarePool3dLarge, OneCrowdedVoxel) {
  for (const char* max_pts : {"2", "3", "1000", "2976"}) {
    for (const char* method : {",pool=max", ",pool=avg"}) {
      ExpectAgreementEverywhere(CallOf(
          kDense,
          std::string("boxes=2,points=20100,channels=5,out=3x3x3,scene=one_voxel") + ",max_pts=" + max_pts + method));
    }
  }
}

// More voxels along one axis than the accelerator could number.
TEST(RoiAwarePool3dLarge, LongAxes) {
  for (const char* out : {"70000x2x1", "1x70000x1", "1x2x70000", "256x2x1", "1x255x1", "1x2x257"}) {
    ExpectAgreementEverywhere(
        CallOf(kDense, std::string("boxes=2,points=400,channels=3,max_pts=4,scene=faces,out=") + out));
  }
}

// As many bins and slots as an int can say, which the compact form does not mind.
TEST(RoiAwarePool3dLarge, CompactGridOfTheLargestNumbers) {
  for (const mluOpDataType_t type : kTypes) {
    for (const char* method : {",pool=max", ",pool=avg"}) {
      // Room for any number of voxels and points.
      Call call = CallOf(kCompact,
                         std::string("boxes=3,points=5000,channels=2,out=1x1x1,max_pts=2,scene=scattered,") +
                             "spare_voxels=14997,spare_points=14997" + method,
                         type);
      call.integers.at("out_x") = INT_MAX;
      call.integers.at("out_y") = 2;
      call.integers.at("max_pts_each_voxel") = INT_MAX;
      ExpectAgreementEverywhere(call);
    }
  }
}

// Boxes that are not numbers, unchecked: what the result is stands nowhere, but every step outside of the tensors would
// be noticed.
TEST(RoiAwarePool3dLarge, BadBoxesAreHarmlessUnchecked) {
  const double bad[] = {kNan, kInf, -kInf};
  for (const mluOpDataType_t type : kTypes) {
    for (const char* scene : {"scattered", "degenerate", "special"}) {
      for (const char* function : {kDense, kCompact}) {
        std::string shape = std::string("boxes=60,points=700,channels=3,out=3x2x4,max_pts=5,scene=") + scene;
        if (function == kCompact) shape += ",spare_voxels=1440,spare_points=5760";
        Call call = CallOf(function, shape, type);
        for (int64_t i = 0; i < call["rois"].elements(); i += 4) call["rois"].Set(i, bad[i / 4 % 3]);
        call.value_checks = false;
        PlacedCall placed(call, {MemoryKind::kAgainstEnd});
        ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) { CarryOut(placed, handle); });
      }
    }
  }
}

// A workspace that is given though none is needed is left alone.
TEST(RoiAwarePool3dWorkspace, IsLeftAlone) {
  PlacedCall placed(CallOf(kDense, "boxes=4,points=200,out=2x2x2,workspace=400"));
  CarryOut(placed, Handle(DETOPS_PROFILE_FULL, 2));
  const auto* const space = static_cast<const unsigned char*>(placed.call().workspace.address);
  for (size_t i = 0; i < placed.call().workspace.bytes; ++i) ASSERT_EQ(space[i], 0xFF);  // as CarryOut found it
}

}  // namespace
}  // namespace detops_test
