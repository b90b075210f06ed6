// roiaware_pool3d forward by hand: cases small enough to work out from the formulas, as the reference used elsewhere
// could share a misreading with the library. All numbers are exact in every type.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using Rows = std::vector<std::vector<double>>;

struct Case {
  int64_t out_x = 1, out_y = 1, out_z = 1;
  int64_t max_pts = 5;
  Rows boxes, points;
  std::vector<double> features = {};  // one channel; empty: all 1
  std::string switches = "";          // of the extension; empty: the contract's function
};

struct Outcome {
  Rows lists;                       // of every voxel
  std::vector<double> pooled = {};  // empty: not looked at
  std::vector<double> argmax = {};
};

void ExpectOutcome(mluOpDataType_t type, const std::string& method, const Case& test, const Outcome& outcome) {
  for (const int64_t channels : {1, 9}) {
    SCOPED_TRACE(testing::Message() << ElementName(type) << ", " << method << ", " << channels << " channels");
    const auto text = [](auto number) { return std::to_string(number); };
    Call call = CallOf(test.switches.empty() ? "mluOpRoiAwarePool3dForward" : "detopsRoiAwarePool3dForward",
                       "boxes=" + text(test.boxes.size()) + ",points=" + text(test.points.size()) +
                           ",channels=" + text(channels) + ",max_pts=" + text(test.max_pts) + ",pool=" + method +
                           ",out=" + text(test.out_x) + "x" + text(test.out_y) + "x" + text(test.out_z) + test.switches,
                       type);
    for (size_t b = 0; b < test.boxes.size(); ++b) SetRow(call, "rois", static_cast<int64_t>(b), test.boxes[b]);
    for (size_t p = 0; p < test.points.size(); ++p) SetRow(call, "pts", static_cast<int64_t>(p), test.points[p]);
    const std::vector<double> ones(test.points.size(), 1);
    Assign(call, "pts_feature", InChannels(test.features.empty() ? ones : test.features, channels));
    Numbers outputs;
    for (const std::vector<double>& list : outcome.lists) {
      std::vector<double>& lists = outputs["pts_idx_of_voxels"];
      lists.push_back(static_cast<double>(list.size()));
      lists.insert(lists.end(), list.begin(), list.end());
      lists.insert(lists.end(), static_cast<size_t>(test.max_pts) - 1 - list.size(), 0);
    }
    if (!outcome.pooled.empty()) outputs["pooled_features"] = InChannels(outcome.pooled, channels);
    for (const double winner : outcome.argmax) {
      outputs["argmax"].insert(outputs["argmax"].end(), static_cast<size_t>(channels), winner);
    }
    ExpectNumbersEverywhere(call, outputs);
  }
}

class RoiAwarePool3dByHand : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  void ExpectLists(const Case& test, const Rows& lists) {
    for (const char* method : {"max", "avg"}) ExpectOutcome(GetParam(), method, test, {lists});
  }
  void ExpectMax(const Case& test, const Outcome& outcome) { ExpectOutcome(GetParam(), "max", test, outcome); }
  void ExpectAverage(const Case& test, const Outcome& outcome) { ExpectOutcome(GetParam(), "avg", test, outcome); }
  double Beyond(double value) { return NextAwayFromZero(GetParam(), value); }
  double Within(double value) { return NextTowardsZero(GetParam(), value); }
};

INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dByHand, testing::ValuesIn(kTypes), TypeName);

// ---- inside or outside ----

// The box stands on z = 0 and reaches up to 2: bottom and top belong to it. Were 0 its centre, -1 would be inside and
// 1.5 outside.
TEST_P(RoiAwarePool3dByHand, BottomAndTopAreInside) {
  ExpectLists({.boxes = {{0, 0, 0, 2, 2, 2, 0}},
               .points = {{0, 0, 0}, {0, 0, 2}, {0, 0, 1.5}, {0, 0, -1}, {0, 0, -0.125}, {0, 0, Beyond(2)}}},
              {{0, 1, 2}});
}

// z counts from the bottom 3 of the box: zc = 4, |z - 4| <= 1.
TEST_P(RoiAwarePool3dByHand, BottomElsewhere) {
  ExpectLists({.boxes = {{0, 0, 3, 2, 2, 2, 0}},
               .points = {{0, 0, 3}, {0, 0, 5}, {0, 0, Within(3)}, {0, 0, Beyond(5)}, {0, 0, 2}}},
              {{0, 1}});
}

// x and y must lie strictly between -1 and 1, and -2 and 2.
TEST_P(RoiAwarePool3dByHand, SidesAreOutside) {
  ExpectLists({.max_pts = 9,
               .boxes = {{0, 0, 0, 2, 4, 2, 0}},
               .points = {{1, 0, 1},
                          {-1, 0, 1},
                          {0, 2, 1},
                          {0, -2, 1},
                          {Within(1), 0, 1},
                          {Within(-1), 0, 1},
                          {0, Within(2), 1},
                          {0, Within(-2), 1},
                          {1, 2, 1}}},
              {{4, 5, 6, 7}});
}

// A point is compared with the centre of the box, not with the origin: x in (5, 7), y in (-4, -2).
TEST_P(RoiAwarePool3dByHand, CentreElsewhere) {
  ExpectLists({.boxes = {{6, -3, 0, 2, 2, 2, 0}},
               .points = {{6, -3, 1}, {5.5, -3.5, 1}, {5, -3, 1}, {6, -2, 1}, {-3, 6, 1}, {0, 0, 1}}},
              {{0, 1}});
}

// A quarter turn puts dx = 4 along y: (0, 1.5) becomes lx = 1.5, ly = 0. cos is not quite 0 in any type, so all
// points keep away from the sides.
TEST_P(RoiAwarePool3dByHand, QuarterTurn) {
  const std::vector<double> box = {0, 0, 0, 4, 2, 2, std::acos(0.0)};
  ExpectLists({.boxes = {box}, .points = {{0, 1.5, 1}, {0, -1.5, 1}, {1.5, 0, 1}, {-1.5, 0, 1}}}, {{0, 1}});
  // Anticlockwise: +y becomes +lx, so bins along dx ascend with y; +x becomes -ly, so bins along dy descend with x.
  ExpectLists({.out_x = 2, .boxes = {box}, .points = {{0, 1.5, 1}, {0, -1.5, 1}}}, {{1}, {0}});
  ExpectLists({.out_y = 2, .boxes = {box}, .points = {{0.5, 0, 1}, {-0.5, 0, 1}}}, {{0}, {1}});
}

// A long thin box along the diagonal x = y holds (2, 2) and not (2, -2), which a clockwise turn would hold instead.
TEST_P(RoiAwarePool3dByHand, EighthTurn) {
  ExpectLists({.boxes = {{0, 0, 0, 8, 1, 2, std::atan(1.0)}},
               .points = {{2, 2, 1}, {-2, -2, 1}, {2, -2, 1}, {-2, 2, 1}, {3, 3, 1}}},
              {{0, 1}});  // (3, 3) is 4.24 away from the centre
}

// A size of 0 or below holds nothing along x and y. Along z, size 0 holds the points at the very height, in bin 0.
TEST_P(RoiAwarePool3dByHand, SizesWithoutExtent) {
  ExpectLists({.boxes = {{0, 0, 0, 0, 2, 2, 0},
                         {0, 0, 0, 2, 0, 2, 0},
                         {0, 0, 0, -2, 2, 2, 0},
                         {0, 0, 0, 2, -2, 2, 0},
                         {0, 0, 1, 2, 2, -2, 0},
                         {0, 0, 1, 2, 2, 0, 0}},
               .points = {{0, 0, 1}, {0, 0, 0}, {0, 0, 1.5}, {0.5, 0.5, 1}}},
              {{}, {}, {}, {}, {}, {0, 3}});
  ExpectLists({.out_z = 3, .boxes = {{0, 0, 1, 2, 2, 0, 0}}, .points = {{0, 0, 1}, {0, 0, Beyond(1)}}}, {{0}, {}, {}});
}

// NaN and Inf in a point put it into no box, however large.
TEST_P(RoiAwarePool3dByHand, PointsThatAreNotNumbers) {
  Rows points = {{0, 0, 1}};
  for (const double bad : {kNan, kInf, -kInf}) {
    points.push_back({bad, 0, 1});
    points.push_back({0, bad, 1});
    points.push_back({0, 0, bad});
    points.push_back({bad, bad, bad});
  }
  for (const double angle : {0.0, 0.5}) {
    ExpectLists({.max_pts = 20, .boxes = {{0, 0, 0, 6e4, 6e4, 6e4, angle}}, .points = points}, {{0}});
  }
}

// ---- which voxel ----

// The middle of each voxel of 2 x 3 x 4, in descending order, so that point 23 - v is in voxel v = (x * 3 + y) * 4 + z.
TEST_P(RoiAwarePool3dByHand, OrderOfVoxels) {
  Case test = {.out_x = 2, .out_y = 3, .out_z = 4, .boxes = {{0, 0, 0, 2, 3, 4, 0}}, .points = {}};
  Rows lists;
  for (int v = 23; v >= 0; --v) {
    test.points.push_back({v / 12 - 0.5, v / 4 % 3 - 1.0, v % 4 + 0.5});
    lists.push_back({static_cast<double>(v)});
  }
  ExpectLists(test, lists);
}

// Bins are half open: on a border the upper one. Four bins of 1 from -2 to 2; the top z = 4 would be bin 4, which is
// cut to 3. The largest number below 2 may round to 4 when 2 is added; it is bin 3 all the same.
TEST_P(RoiAwarePool3dByHand, OnBordersOfBins) {
  const std::vector<double> box = {0, 0, 0, 4, 4, 4, 0};
  ExpectLists({.out_x = 4, .boxes = {box}, .points = {{-1, 0, 1}, {0, 0, 1}, {1, 0, 1}, {Within(-2), 0, 1}}},
              {{3}, {0}, {1}, {2}});
  ExpectLists({.out_y = 4, .boxes = {box}, .points = {{0, -1, 1}, {0, 0, 1}, {0, 1, 1}, {0, Within(2), 1}}},
              {{}, {0}, {1}, {2, 3}});
  ExpectLists({.out_z = 4,
               .boxes = {box},
               .points = {{0, 0, 0}, {0, 0, 1}, {0, 0, Within(1)}, {0, 0, 3}, {0, 0, 4}, {0, 0, 2}}},
              {{0, 2}, {1}, {5}, {3, 4}});
}

// A point may lie in several boxes, and boxes are separate.
TEST_P(RoiAwarePool3dByHand, OverlappingBoxes) {
  ExpectLists({.out_x = 2,
               .boxes = {{0, 0, 0, 4, 4, 4, 0}, {1, 0, 0, 4, 4, 4, 0}, {9, 9, 9, 1, 1, 1, 0}},
               .points = {{0.5, 0, 1}, {-1.5, 0, 1}, {2.5, 0, 1}}},
              {{1}, {0}, {0}, {2}, {}, {}});
}

// ---- how many points ----

// Max_pts 3 leaves room for two: the first two count, also in the pooling, although 9 is larger. (1 + 2) / 2 = 1.5.
TEST_P(RoiAwarePool3dByHand, PointsBeyondTheRoomAreLeftOut) {
  const Case test = {.max_pts = 3,
                     .boxes = {{0, 0, 0, 2, 2, 2, 0}},
                     .points = {{9, 9, 9}, {0, 0, 1}, {0.5, 0, 1}, {0, 0.5, 1}, {0, 0, 2}},
                     .features = {16, 1, 2, 9, 9}};
  ExpectMax(test, {{{1, 2}}, {2}, {2}});
  ExpectAverage(test, {{{1, 2}}, {1.5}, {0}});
}

TEST_P(RoiAwarePool3dByHand, RoomForOneAndForNone) {
  Case test = {.max_pts = 2,
               .boxes = {{0, 0, 0, 2, 2, 2, 0}},
               .points = {{9, 9, 9}, {0, 0, 1}, {0, 0, 1}},
               .features = {1, 2, 4}};
  ExpectMax(test, {{{1}}, {2}, {1}});
  ExpectAverage(test, {{{1}}, {2}, {0}});
  test.max_pts = 1;
  ExpectMax(test, {{{}}, {0}, {-1}});
  ExpectAverage(test, {{{}}, {0}, {0}});
}

// ---- pooling ----

// Two voxels and an empty one. First: 3, 5, 5, 1, the first 5 wins; (3 + 5 + 5 + 1) / 4 = 3.5. Second: -2 alone.
TEST_P(RoiAwarePool3dByHand, MaximumAndAverage) {
  const Case test = {.out_x = 3,
                     .boxes = {{0, 0, 0, 6, 2, 2, 0}},
                     .points = {{-2, 0, 1}, {2, 0, 1}, {-2, 0, 0}, {-2, 0, 2}, {-1.5, 0.5, 1}},
                     .features = {3, -2, 5, 5, 1}};
  const Rows lists = {{0, 2, 3, 4}, {}, {1}};
  ExpectMax(test, {lists, {5, 0, -2}, {2, -1, 1}});
  ExpectAverage(test, {lists, {3.5, 0, -2}, {0, 0, 0}});
}

// NaN and -Inf never win. Voxels: {NaN, -Inf} has no winner, {NaN, -3} has -3, {Inf, 1} has Inf, {-Inf, 2, NaN} has 2.
TEST_P(RoiAwarePool3dByHand, MaximumOfSpecialValues) {
  const Case test = {
      .out_x = 4,
      .boxes = {{0, 0, 0, 8, 2, 2, 0}},
      .points = {{-3, 0, 1}, {-3, 0, 1}, {-1, 0, 1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, 1}, {3, 0, 1}, {3, 0, 1}, {3, 0, 1}},
      .features = {kNan, -kInf, kNan, -3, kInf, 1, -kInf, 2, kNan}};
  ExpectMax(test, {{{0, 1}, {2, 3}, {4, 5}, {6, 7, 8}}, {0, -3, kInf, 2}, {-1, 3, 4, 7}});
}

// Averages: NaN stays, Inf stays, Inf - Inf is NaN, and the neighbour is untouched: (1 + 2) / 2.
TEST_P(RoiAwarePool3dByHand, AverageOfSpecialValues) {
  const Case test = {
      .out_x = 4,
      .boxes = {{0, 0, 0, 8, 2, 2, 0}},
      .points = {{-3, 0, 1}, {-3, 0, 1}, {-1, 0, 1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, 1}, {3, 0, 1}, {3, 0, 1}},
      .features = {kNan, 1, -kInf, 1, kInf, -kInf, 1, 2}};
  ExpectAverage(test, {{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, {kNan, -kInf, kNan, 1.5}, {0, 0, 0, 0}});
}

// ---- the switches of the extension ----

// Centre 1, dz = 2: z from 0 to 2; z - 1 + 1 over 1 is 0, 0 and 2, cut to 1. With the bottom at 1 it is from 1 to 3:
// z - 1 over 1 is 1 and 1.5.
TEST_P(RoiAwarePool3dByHand, ZOrigin) {
  Case test = {
      .out_z = 2, .boxes = {{0, 0, 1, 2, 2, 2, 0}}, .points = {{0, 0, 0}, {0, 0, 0.5}, {0, 0, 2}, {0, 0, 2.5}}};
  test.switches = ",z=center";
  ExpectLists(test, {{0, 1}, {2}});
  test.switches = ",z=bottom";
  ExpectLists(test, {{}, {2, 3}});
}

// Sides at -1 and 1, moved outwards by 1/2: 1 and 1.25 and -1.25 are inside then, in the outer voxels; 1.5 is not. A
// box of width 0 then reaches from -1/2 to 1/2, and all it holds is in bin 0.
TEST_P(RoiAwarePool3dByHand, Margin) {
  ExpectLists({.out_x = 2,
               .max_pts = 6,
               .boxes = {{0, 0, 0, 2, 2, 2, 0}, {0, 0, 0, 0, 2, 2, 0}},
               .points = {{1, 0, 1}, {1.25, 0, 1}, {-1.25, 0, 1}, {1.5, 0, 1}, {-0.25, 0, 1}, {0.25, 0, 1}},
               .switches = ",margin=0.5"},
              {{2, 4}, {0, 1, 5}, {4, 5}, {}});
}

// OpenPCDet's margin of 1e-5 as a float: 1 is inside, and so is 1 + 8e-6 in float, not 1 + 1.2e-5.
TEST(RoiAwarePool3dMargin, OfOpenPcdet) {
  Case test = {.boxes = {{0, 0, 0, 2, 2, 2, 0}}, .points = {{0, -1, 0}, {0, -1 - 8e-6, 0}, {0, -1 - 1.2e-5, 0}}};
  test.switches = ",z=center,margin=1e-5";
  ExpectOutcome(MLUOP_DTYPE_FLOAT, "max", test, {{{0, 1}}});
  test.switches = ",z=center";
  ExpectOutcome(MLUOP_DTYPE_FLOAT, "max", test, {{{}}});
}

// The margin is rounded to float first: a box of width 0 reaches just up to the float next to 1e-5, which is below 1e-5
// and therefore outside; its neighbour towards 0 is inside. In double the margin keeps its digits.
TEST(RoiAwarePool3dMargin, IsAFloatForFloats) {
  const double margin = RoundToElement(MLUOP_DTYPE_FLOAT, 1e-5);
  ASSERT_LT(margin, 1e-5);
  const Case test = {.boxes = {{0, 0, 0, 0, 2, 2, 0}},
                     .points = {{margin, 0, 1}, {NextTowardsZero(MLUOP_DTYPE_FLOAT, margin), 0, 1}, {1e-5, 0, 1}},
                     .switches = ",margin=1e-5"};
  ExpectOutcome(MLUOP_DTYPE_FLOAT, "max", test, {{{1}}});
  ExpectOutcome(MLUOP_DTYPE_DOUBLE, "max", test, {{{0, 1}}});
}

}  // namespace
}  // namespace detops_test
