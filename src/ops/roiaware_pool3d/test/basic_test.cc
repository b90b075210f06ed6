// roiaware_pool3d forward by hand: cases small enough to work out from the formulas, as the reference used elsewhere
// could share a misreading with the library. All numbers are exact in every type.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/roiaware_pool3d/test/expected.h"
#include "ops/roiaware_pool3d/test/problem.h"

namespace detops_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  int64_t out_x = 1, out_y = 1, out_z = 1;
  int64_t max_pts = 5;
  std::vector<Box> boxes;
  std::vector<Point> points;
  std::vector<double> features = {};  // one channel; empty: all 1
};

struct Outcome {
  std::vector<std::vector<int32_t>> lists;  // of every voxel
  std::vector<double> pooled = {};          // empty: not looked at
  std::vector<int32_t> argmax = {};
};

// Also with nine channels, the others 2, 4 and 1 times the first, which is exact: vectors and their remainders run too.
void ExpectOutcome(mluOpDataType_t type, int method, const Case& test, const Outcome& outcome) {
  for (const int64_t channels : {1, 9}) {
    SCOPED_TRACE(testing::Message() << ElementName(type) << ", " << channels << " channels");
    Problem problem(type, {static_cast<int64_t>(test.boxes.size()), static_cast<int64_t>(test.points.size()), channels,
                           test.out_x, test.out_y, test.out_z, test.max_pts});
    const auto factor = [](int64_t channel) { return static_cast<double>(1 << channel % 3); };
    for (size_t b = 0; b < test.boxes.size(); ++b) problem.SetBox(static_cast<int64_t>(b), test.boxes[b]);
    for (size_t p = 0; p < test.points.size(); ++p) {
      problem.SetPoint(static_cast<int64_t>(p), test.points[p]);
      for (int64_t c = 0; c < channels; ++c) {
        problem.features.Set(static_cast<int64_t>(p) * channels + c,
                             (test.features.empty() ? 1 : test.features.at(p)) * factor(c));
      }
    }
    std::vector<int32_t> lists;
    for (const std::vector<int32_t>& list : outcome.lists) {
      lists.push_back(static_cast<int32_t>(list.size()));
      lists.insert(lists.end(), list.begin(), list.end());
      lists.insert(lists.end(), static_cast<size_t>(test.max_pts) - 1 - list.size(), 0);
    }
    ForEachConfiguration(ProfileFor(type), [&](const Handle& handle) {
      Dense dense = problem.NewDense();
      ASSERT_EQ(problem.Run(handle, method, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(FirstDifference(Integers(dense.pts_idx), lists), "");
      for (int64_t i = 0; i < dense.pooled.elements() && !outcome.pooled.empty(); ++i) {
        const auto voxel = static_cast<size_t>(i / channels);
        const double expected = outcome.pooled.at(voxel) * factor(i % channels), actual = dense.pooled.Get(i);
        ASSERT_TRUE(std::isnan(expected) ? std::isnan(actual) : actual == expected)
            << "element " << i << " is " << actual << ", expected " << expected;
        ASSERT_EQ(dense.argmax.Get(i), outcome.argmax.at(voxel)) << "element " << i;
      }
    });
  }
}

class RoiAwarePool3dByHand : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  void ExpectLists(const Case& test, const std::vector<std::vector<int32_t>>& lists) {
    for (const int method : kMethods) ExpectOutcome(GetParam(), method, test, {lists});
  }
  void ExpectMax(const Case& test, const Outcome& outcome) { ExpectOutcome(GetParam(), kMax, test, outcome); }
  void ExpectAverage(const Case& test, const Outcome& outcome) { ExpectOutcome(GetParam(), kAverage, test, outcome); }
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
  const Box box = {0, 0, 0, 4, 2, 2, std::acos(0.0)};
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
  std::vector<Point> points = {{0, 0, 1}};
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
  std::vector<std::vector<int32_t>> lists;
  for (int v = 23; v >= 0; --v) {
    test.points.push_back({v / 12 - 0.5, v / 4 % 3 - 1.0, v % 4 + 0.5});
    lists.push_back({v});
  }
  ExpectLists(test, lists);
}

// Bins are half open: on a border the upper one. Four bins of 1 from -2 to 2; the top z = 4 would be bin 4, which is
// cut to 3. The largest number below 2 may round to 4 when 2 is added; it is bin 3 all the same.
TEST_P(RoiAwarePool3dByHand, OnBordersOfBins) {
  const Box box = {0, 0, 0, 4, 4, 4, 0};
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
  const std::vector<std::vector<int32_t>> lists = {{0, 2, 3, 4}, {}, {1}};
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

}  // namespace
}  // namespace detops_test
