// The compact form of roiaware_pool3d: by hand, and against the dense form, whose bits it must have. So must the
// extension's dense form, and a box alone.
#include <cstdint>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::PlacedCall;
using detops_harness::Tensor;

constexpr char kDense[] = "mluOpRoiAwarePool3dForward", kDenseBackward[] = "mluOpRoiAwarePool3dBackward";
constexpr char kCount[] = "detopsCountRoiAwareVoxels", kForward[] = "detopsRoiAwarePool3dCompactForward";
constexpr char kBackward[] = "detopsRoiAwarePool3dCompactBackward";

// Room for so many voxels and points in the outputs.
void SetRoom(Call& call, int64_t voxels, int64_t points) {
  for (Tensor& tensor : call.tensors) {
    if (tensor.access == detops_harness::Access::kRead) continue;
    tensor.extents[0] = tensor.name == "pts_idx" ? points : tensor.name == "voxel_begins" ? voxels + 1 : voxels;
    tensor.bytes = static_cast<size_t>(tensor.byte_count());
  }
}

class RoiAwarePool3dCompact : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // Two boxes of 2 x 1 x 2 voxels. Box 0 stands on z = 0 around the origin: point 0 in voxel (0, 0, 0), points 1 and 3
  // in (1, 0, 1), point 2 nowhere. Box 1 around x = 10: point 4 in (0, 0, 1).
  static Call TwoBoxes(const char* function, const std::string& method) {
    Call call = CallOf(function, "boxes=2,points=5,channels=1,out=2x1x2,max_pts=4,pool=" + method, GetParam());
    Assign(call, "rois", {0, 0, 0, 2, 2, 2, 0, 10, 0, 0, 2, 2, 2, 0});
    Assign(call, "pts", {-0.5, 0, 0.5, 0.5, 0, 1.5, 5, 5, 5, 0.5, 0, 2, 9.5, 0, 1});
    if (function != kCount) Assign(call, "pts_feature", {1, 4, 8, 2, -3});
    return call;
  }
  // The gradient of three voxels with these lists and winners.
  static Call GradientOfThree(const std::string& method, int64_t voxels = 3) {
    Call call = CallOf(kBackward, "boxes=1,points=5,channels=1,lists=listed,pool=" + method, GetParam());
    call.integers.at("voxel_num") = voxels;
    SetRow(call, "voxel_begins", 0, {0, 1, 3, 4});
    SetRow(call, "pts_idx", 0, {0, 1, 3, 4});
    SetRow(call, "argmax", 0, {0, 1, 4});
    SetRow(call, "grad_out", 0, {1, 2, 4});
    return call;
  }
};
INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dCompact, testing::ValuesIn(kTypes), TypeName);

// max(4, 2) = 4 of point 1; (4 + 2) / 2 = 3. The gradient is 1, 2, 4 for the voxels; the average gives 2 / 2 to points
// 1 and 3. The average has no use for argmax, nor the maximum for the lists.
TEST_P(RoiAwarePool3dCompact, ByHand) {
  for (const std::string method : {"max", "avg"}) {
    const bool max = method == "max";
    Call call = TwoBoxes(kForward, method);
    SetRoom(call, 3, 4);
    ExpectNumbersEverywhere(call, {{"voxels", {0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1}},
                                   {"voxel_begins", {0, 1, 3, 4}},
                                   {"pts_idx", {0, 1, 3, 4}},
                                   {"pooled_features", {1, max ? 4.0 : 3.0, -3}},
                                   {"argmax", max ? std::vector<double>{0, 1, 4} : std::vector<double>{0, 0, 0}}});
    Call gradient = GradientOfThree(method);
    const std::vector<double> expected = max ? std::vector<double>{1, 2, 0, 0, 4} : std::vector<double>{1, 1, 0, 1, 4};
    ExpectNumbersEverywhere(gradient, {{"grad_in", expected}});
    for (const char* unused : {"voxel_begins", "pts_idx", "argmax"}) {
      if ((unused == std::string("argmax")) == max) continue;
      gradient[unused] = detops_harness::Absent(unused, detops_harness::Access::kRead);
    }
    ExpectNumbersEverywhere(gradient, {{"grad_in", expected}});
  }
}

// Nothing found: success, and no more than the end of the lists is written, also into tensors without rows.
TEST_P(RoiAwarePool3dCompact, NothingFound) {
  Call count = TwoBoxes(kCount, "max");
  Fill(count, "pts", 50);
  ExpectAgreementEverywhere(count, {}, [](const Call& done) { ASSERT_EQ(done.results.at("voxel_num"), 0); });
  for (const char* method : {"max", "avg"}) {
    for (const int64_t room : {0, 2}) {
      Call call = TwoBoxes(kForward, method);
      Fill(call, "pts", 50);
      SetRoom(call, room, room);
      ExpectAgreementEverywhere(call, {}, [](const Call& done) { ASSERT_EQ(done.results.at("point_num"), 0); });
    }
    ExpectNumbersEverywhere(GradientOfThree(method, 0), {{"grad_in", {0, 0, 0, 0, 0}}});
  }
}

// Both forms of every scene, and gradients of the same bits.
TEST_P(RoiAwarePool3dCompact, TellsWhatTheDenseFormTells) {
  for (const std::string scene :
       {"scattered", "faces", "far", "clustered", "one_voxel", "outliers", "degenerate", "special"}) {
    for (const std::string channels : {"1", "9", "16"}) {
      for (const std::string method : {"max", "avg"}) {
        const std::string shape = "boxes=5,points=400,out=3x4x2,max_pts=6,channels=" + channels;
        const std::string more = ",scene=" + scene + ",pool=" + method;
        SCOPED_TRACE(shape + more);
        PlacedCall dense(CallOf(kDense, shape + more, GetParam())), compact(CallOf(kForward, shape + more, GetParam()));
        Call dense_gradient = CallOf(kDenseBackward, shape + more, GetParam());
        Call gradient = CallOf(kBackward, shape + more, GetParam());
        const int64_t depth = gradient["grad_out"].extents[1];
        // The place of a compact element in the dense tensor.
        const auto place = [&](int64_t i) {
          const auto number = [&](int64_t column) {
            return static_cast<int64_t>(compact.call()["voxels"].Get(i / depth * 4 + column));
          };
          return (((number(0) * 3 + number(1)) * 4 + number(2)) * 2 + number(3)) * depth + i % depth;
        };
        ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
          CarryOut(dense, handle);
          CarryOut(compact, handle);
          const Tensor& pooled = compact.call()["pooled_features"];
          for (int64_t i = 0; i < pooled.elements(); ++i) {
            ASSERT_EQ(pooled.Get(i), dense.call()["pooled_features"].Get(place(i))) << "element " << i;
            gradient["grad_out"].Set(i, dense_gradient["grad_out"].Get(place(i)));
          }
          PlacedCall first(dense_gradient), second(gradient);
          CarryOut(first, handle);
          CarryOut(second, handle);
          ASSERT_TRUE(first.Outputs() == second.Outputs());
        });
      }
    }
  }
}

// With the switches of mmcv the extension is the contract's function to the bit, and a box gives the same alone as
// among others.
TEST_P(RoiAwarePool3dCompact, SameBitsAsTheContract) {
  for (const std::string method : {"max", "avg"}) {
    const std::string shape = "points=900,channels=11,out=3x2x2,max_pts=20,scene=scattered,pool=" + method + ",boxes=";
    const Call call = CallOf(kDense, shape + "9", GetParam());
    ExpectSameBits(call, CallOf("detopsRoiAwarePool3dForward", shape + "9", GetParam()));
    PlacedCall among(call);
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      CarryOut(among, handle);
      const std::vector<double> all = among.call()["pooled_features"].Values();
      for (int64_t b = 0; b < 9; ++b) {
        Call one = CallOf(kDense, shape + "1", GetParam());
        for (const char* tensor : {"pts", "pts_feature"}) one[tensor].contents = call[tensor].contents;
        for (int64_t i = 0; i < 7; ++i) one["rois"].Set(i, call["rois"].Get(b * 7 + i));
        PlacedCall alone(one);
        CarryOut(alone, handle);
        const std::vector<double> own = alone.call()["pooled_features"].Values();
        ASSERT_TRUE(std::equal(own.begin(), own.end(), all.begin() + b * static_cast<int64_t>(own.size())));
      }
    });
  }
}

}  // namespace
}  // namespace detops_test
