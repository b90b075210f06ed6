// dynamic_point_to_voxel by hand: numbers worked out on paper.
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using Row = std::vector<double>;

constexpr char kForward[] = "mluOpDynamicPointToVoxelForward", kBackward[] = "mluOpDynamicPointToVoxelBackward";

class DynamicPointToVoxel : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, DynamicPointToVoxel, testing::ValuesIn(kTypes), TypeName);

// T1: voxel (0, 0, 2) has the points 1, 4, 5, voxel (0, 1, 0) the points 0 and 2; point 3 has none.
Call Six(const std::string& reduce, mluOpDataType_t type) {
  Call call = CallOf(kForward, "points=6,columns=2,reduce=" + reduce, type);
  Assign(call, "feats", {1, 5, 2, 4, 3, 3, 4, 2, 2, 9, 7, 7});
  Assign(call, "coors", {0, 1, 0, 0, 0, 2, 0, 1, 0, -1, 3, 3, 0, 0, 2, 0, 0, 2});
  return call;
}

void ExpectSix(const Call& call, Row rows, double nothing) {
  rows.resize(12, nothing);
  Row coors = {0, 0, 2, 0, 1, 0};
  coors.resize(18, -1);
  ExpectNumbersEverywhere(call, {{"voxel_feats", rows},
                                 {"voxel_coors", coors},
                                 {"point2voxel_map", {1, 0, 1, -1, 0, 0}},
                                 {"voxel_points_count", {3, 2, 0, 0, 0, 0}},
                                 {"voxel_num", {2}}});
}

TEST_P(DynamicPointToVoxel, Maximum) { ExpectSix(Six("max", GetParam()), {7, 9, 3, 5}, -kInf); }
TEST_P(DynamicPointToVoxel, Sum) { ExpectSix(Six("sum", GetParam()), {11, 20, 4, 8}, 0); }
// 11 / 3 and 20 / 3 are no numbers of any type; with the last point at (1, 8) they are 5 / 3 and 7.
TEST_P(DynamicPointToVoxel, Mean) {
  Call call = Six("mean", GetParam());
  SetRow(call, "feats", 5, {5, 8});  // 2 + 2 + 5 = 9, 4 + 9 + 8 = 21
  ExpectSix(call, {3, 7, 2, 4}, 0);
}

// T2: each gradient goes to the point that had the maximum.
TEST_P(DynamicPointToVoxel, GradientOfMaximum) {
  Call call = CallOf(kBackward, "points=6,columns=2,spare=6", GetParam());
  Call forward = Six("max", GetParam());
  call["feats"].contents = forward["feats"].contents;
  const auto rows = call["voxel_feats"].extents[0];
  Row grad(static_cast<size_t>(2 * rows), 8), maxima(static_cast<size_t>(2 * rows), -kInf);
  Row counts(static_cast<size_t>(rows));
  for (size_t i = 0; i < 4; ++i) grad[i] = Row{1, 2, 3, 4}[i];
  for (size_t i = 0; i < 4; ++i) maxima[i] = Row{7, 9, 3, 5}[i];
  counts[0] = 3;
  counts[1] = 2;
  Assign(call, "grad_voxel_feats", grad);
  Assign(call, "voxel_feats", maxima);
  Assign(call, "point2voxel_map", {1, 0, 1, -1, 0, 0});
  Assign(call, "voxel_points_count", counts);
  Assign(call, "voxel_num", {2});
  ExpectNumbersEverywhere(call, {{"grad_feats", {0, 4, 0, 0, 3, 0, 0, 0, 0, 2, 1, 0}}});
}

// All points in one voxel, with one column.
Call OneVoxel(const Row& feats, double maximum, double grad, const std::string& reduce, mluOpDataType_t type) {
  Call call =
      CallOf(kBackward, "columns=1,coors=one,points=" + std::to_string(feats.size()) + ",reduce=" + reduce, type);
  Assign(call, "feats", feats);
  Assign(call, "point2voxel_map", Row(feats.size(), 0));
  Assign(call, "voxel_num", {1});
  SetRow(call, "voxel_points_count", 0, {static_cast<double>(feats.size())});
  SetRow(call, "voxel_feats", 0, {maximum});
  SetRow(call, "grad_voxel_feats", 0, {grad});
  return call;
}

// T3: of equal numbers the first.
TEST_P(DynamicPointToVoxel, TiesGoToTheFirst) {
  ExpectNumbersEverywhere(OneVoxel({5, 5}, 5, 1, "max", GetParam()), {{"grad_feats", {1, 0}}});
  ExpectNumbersEverywhere(OneVoxel({4, 5, 5, 4}, 5, 2, "max", GetParam()), {{"grad_feats", {0, 2, 0, 0}}});
}

// T4: a NaN is no maximum, and without one there is no gradient. mmcv and the CPU reference of MLU-OPS write it behind
// the tensor then.
TEST_P(DynamicPointToVoxel, NotANumber) {
  Call call = CallOf(kForward, "points=4,columns=1", GetParam());
  Assign(call, "feats", {kNan, kNan, kNan, 1});
  Assign(call, "coors", {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1});
  ExpectNumbersEverywhere(call, {{"voxel_feats", {-kInf, 1, -kInf, -kInf}}, {"voxel_num", {2}}});
  ExpectNumbersEverywhere(OneVoxel({kNan, kNan}, -kInf, 3, "max", GetParam()), {{"grad_feats", {0, 0}}});
  // -inf never wins: that a point has it is no reason.
  ExpectNumbersEverywhere(OneVoxel({kNan, -kInf, -kInf}, -kInf, 3, "max", GetParam()), {{"grad_feats", {0, 0, 0}}});
  ExpectNumbersEverywhere(OneVoxel({kNan, kNan}, kNan, 3, "max", GetParam()), {{"grad_feats", {0, 0}}});
  ExpectNumbersEverywhere(OneVoxel({kNan, 1}, 1, 3, "max", GetParam()), {{"grad_feats", {0, 3}}});
}

// The reference of MLU-OPS begins its maxima at the float next to 0 from below.
TEST_P(DynamicPointToVoxel, LowMaxima) {
  Call call = CallOf(kForward, "points=2,columns=1", GetParam());
  const double lowest = -HalfTheLimit(GetParam());
  Assign(call, "feats", {lowest, 1.5 * lowest});
  Assign(call, "coors", {7, 7, 7, 7, 7, 7});
  ExpectNumbersEverywhere(call, {{"voxel_feats", {lowest, -kInf}}, {"voxel_coors", {7, 7, 7, -1, -1, -1}}});
}

// T5
TEST_P(DynamicPointToVoxel, GradientOfMeanAndSum) {
  ExpectNumbersEverywhere(OneVoxel({4, 5, 6}, 6, 3, "mean", GetParam()), {{"grad_feats", {1, 1, 1}}});
  ExpectNumbersEverywhere(OneVoxel({4, 5, 6}, 6, 3, "sum", GetParam()), {{"grad_feats", {3, 3, 3}}});
}

// T6
TEST_P(DynamicPointToVoxel, NoVoxels) {
  Call call = CallOf(kForward, "points=3,columns=1,reduce=mean", GetParam());
  Assign(call, "coors", {-1, 0, 0, 0, -1, 0, 0, 0, -5});
  ExpectNumbersEverywhere(call, {{"voxel_feats", {0, 0, 0}},
                                 {"voxel_coors", {-1, -1, -1, -1, -1, -1, -1, -1, -1}},
                                 {"point2voxel_map", {-1, -1, -1}},
                                 {"voxel_points_count", {0, 0, 0}},
                                 {"voxel_num", {0}}});
}

// mmdetection3d lost the first voxel when every point had one (issue 768 there).
TEST_P(DynamicPointToVoxel, EveryPointHasAVoxel) {
  Call call = CallOf(kForward, "points=2,columns=1", GetParam());
  Assign(call, "feats", {3, 2});
  Assign(call, "coors", {1, 0, 0, 0, 0, 0});
  ExpectNumbersEverywhere(
      call,
      {{"voxel_feats", {2, 3}}, {"voxel_coors", {0, 0, 0, 1, 0, 0}}, {"point2voxel_map", {1, 0}}, {"voxel_num", {2}}});
}

// Coordinates of 31 bits on each axis need words of 128 bits.
TEST_P(DynamicPointToVoxel, FarCoordinates) {
  const double far = 2147483647;
  Call call = CallOf(kForward, "points=4,columns=1,reduce=sum", GetParam());
  Assign(call, "feats", {1, 2, 4, 8});
  Assign(call, "coors", {far, far, far, 0, far, 0, far, far, far, 0, 0, far});
  ExpectNumbersEverywhere(call, {{"voxel_feats", {8, 2, 5, 0}},
                                 {"voxel_coors", {0, 0, far, 0, far, 0, far, far, far, -1, -1, -1}},
                                 {"point2voxel_map", {2, 1, 2, 0}},
                                 {"voxel_points_count", {1, 1, 2, 0}},
                                 {"voxel_num", {3}}});
}

// With value checks off a number that is no voxel's gets nothing, and counts of 0 divide nothing.
TEST_P(DynamicPointToVoxel, UncheckedNumbers) {
  for (const std::string reduce : {"max", "mean", "sum"}) {
    Call call = OneVoxel({5, 5, 5}, 5, 2, reduce, GetParam());
    call.value_checks = false;
    Assign(call, "point2voxel_map", {-7, 2147483647, 0});
    SetRow(call, "voxel_points_count", 0, {0});
    detops_harness::PlacedCall placed(call);
    ForEachConfiguration(placed.call().profile, [&](Handle& handle) {
      placed.Reset(0xFF);
      ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
      EXPECT_EQ(placed.call()["grad_feats"].Get(0), 0);
      EXPECT_EQ(placed.call()["grad_feats"].Get(1), 0);
      EXPECT_TRUE(placed.SurroundingsIntact());
    });
  }
}

}  // namespace
}  // namespace detops_test
