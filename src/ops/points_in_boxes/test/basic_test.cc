// points_in_boxes by hand, borders in particular: the reference can share a misreading with the library.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;

constexpr double kQuarter = 1.5707963267948966;

using Row = std::vector<double>;

// One batch. Repeated with boxes that contain nothing behind the others, so that both ways to search are taken.
void ExpectIndices(mluOpDataType_t type, const std::vector<Row>& boxes, const std::vector<Row>& points,
                   const std::vector<double>& indices) {
  for (const size_t more : {0, 20}) {
    SCOPED_TRACE(more);
    Call call =
        CallOf("mluOpPointsInBoxes",
               "points=" + std::to_string(points.size()) + ",boxes=" + std::to_string(boxes.size() + more), type);
    for (size_t i = 0; i < points.size(); ++i) SetRow(call, "points", static_cast<int64_t>(i), points[i]);
    for (size_t i = 0; i < boxes.size() + more; ++i) {
      SetRow(call, "boxes", static_cast<int64_t>(i), i < boxes.size() ? boxes[i] : Row{0, 0, 0, 0, 1, 1, 0});
    }
    ExpectNumbersEverywhere(call, {{"points_indices", indices}});
  }
}

class PointsInBoxesByHand : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, PointsInBoxesByHand, testing::ValuesIn(kTypes), TypeName);

TEST_P(PointsInBoxesByHand, FirstBoxWins) {
  const Row small = {0, 0, 0, 1, 1, 1, 0}, large = {0, 0, 0, 4, 4, 4, 0}, away = {8, 8, 0, 1, 1, 1, 0};
  const std::vector<Row> points = {{0, 0, 0}, {1, 1, 1}, {8, 8, 0}, {-8, 8, 0}};
  ExpectIndices(GetParam(), {away, small, large}, points, {1, 2, 0, -1});
  ExpectIndices(GetParam(), {large, small, away, large}, points, {0, 0, 2, -1});
}

// A box of 4 x 2 x 2 lies along y when it is turned by a quarter. z belongs to the centre, and its ends are inside.
TEST_P(PointsInBoxesByHand, TurnedByAQuarter) {
  ExpectIndices(GetParam(), {{0, 0, 0, 4, 2, 2, kQuarter}},
                {{0, 1.875, 0}, {1.875, 0, 0}, {0.875, 0, 1}, {0.875, 0, -1}, {0, 0, 1.5}, {0, 0, -1.25}},
                {0, -1, 0, 0, -1, -1});
}

// A heading above 0 turns the box's x axis towards +y: by atan(1/2) it goes through (2, 1).
TEST_P(PointsInBoxesByHand, HeadingTurnsFromXToY) {
  ExpectIndices(GetParam(), {{0, 0, 0, 8, 0.5, 2, std::atan2(1, 2)}}, {{2, 1, 0}, {2, -1, 0}, {-2, -1, 0}}, {0, -1, 0});
}

TEST_P(PointsInBoxesByHand, WithoutVolume) {
  const std::vector<Row> points = {{0, 0, 0}, {0, 0, 0.25}};
  for (const Row& nothing :
       {Row{0, 0, 0, 0, 2, 2, 0}, Row{0, 0, 0, 2, -2, 2, 0}, Row{0, 0, 0, -2, -2, 2, 0}, Row{0, 0, 0, 2, 2, -2, 0}}) {
    ExpectIndices(GetParam(), {nothing}, points, {-1, -1});
  }
  // Without height: the points at its height.
  ExpectIndices(GetParam(), {{0, 0, 0, 2, 2, 0, 0}}, points, {0, -1});
}

TEST_P(PointsInBoxesByHand, NotANumberLiesNowhere) {
  std::vector<Row> points;
  for (const double bad : {kNan, kInf, -kInf}) {
    points.insert(points.end(), {{bad, 0, 0}, {0, bad, 0}, {0, 0, bad}});
  }
  points.push_back({0, 0, 0});
  ExpectIndices(GetParam(), {{0, 0, 0, 2, 2, 2, 0.5}}, points, {-1, -1, -1, -1, -1, -1, -1, -1, -1, 0});
}

// Boxes with a NaN or an Inf contain nothing when nobody looks for them.
TEST_P(PointsInBoxesByHand, BadBoxesUnchecked) {
  for (const int64_t boxes : {6, 30}) {
    Call call = CallOf("mluOpPointsInBoxes", "points=2,boxes=" + std::to_string(boxes), GetParam());
    call.value_checks = false;
    Assign(call, "points", {0, 0, 0, 0, 0, 0});
    for (int64_t box = 0; box < boxes; ++box) SetRow(call, "boxes", box, {0, 0, 0, 2, 2, 2, 0});
    for (int64_t box = 0; box + 1 < boxes; ++box) {
      const double bad[] = {kNan, kInf, -kInf};
      call["boxes"].Set(box * 7 + box % 7, bad[box / 7 % 3]);
    }
    ExpectNumbersEverywhere(call,
                            {{"points_indices", {static_cast<double>(boxes - 1), static_cast<double>(boxes - 1)}}});
  }
}

// Fact 54 of the specification. z is the centre, not the bottom as in mmcv; the margin is 1e-5, neither 0 as in mmcv
// nor 1e-2 as in the CPU code of OpenPCDet (section 8, item 14): the fourth to the last point tell them apart.
TEST(PointsInBoxesFacts, Fact54) {
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE}) {
    ExpectIndices(type, {{0, 0, 0, 4, 2, 2, kQuarter}},
                  {{0, 1.9, 0}, {1.9, 0, 0}, {0.99, 0, 1}, {1.000005, 0, 0}, {1.005, 0, 0}, {0, 0, -1}, {0, 0, 1.5}},
                  {0, -1, 0, 0, -1, 0, -1});
  }
}

// Sides are open at half a size and the margin; bottom and top are closed.
TEST(PointsInBoxesFacts, BordersInFloat) {
  // The floats around 1.00001, which no float is: 1.00000989... is inside, the next one outside.
  const float inside = 1.00001f > 1.00001 ? std::nextafter(1.00001f, 0.0f) : 1.00001f;
  const double outside = std::nextafter(inside, 2.0f);
  const double above = std::nextafter(1.0f, 2.0f);
  ExpectIndices(MLUOP_DTYPE_FLOAT, {{0, 0, 0, 2, 2, 2, 0}},
                {{inside, 0, 0}, {outside, 0, 0}, {0, -inside, 1}, {0, -outside, 1}, {0, 0, above}, {0, 0, -above}},
                {0, -1, 0, -1, -1, -1});
}

// Half of the least float above 0 is no float: it is compared in double.
TEST(PointsInBoxesFacts, HalvesAreComparedInDouble) {
  const double least = std::numeric_limits<float>::denorm_min();
  ExpectIndices(MLUOP_DTYPE_FLOAT, {{0, 0, 0, 2, 2, least, 0}}, {{0, 0, 0}, {0, 0, least}}, {0, -1});
  ExpectIndices(MLUOP_DTYPE_FLOAT, {{0, 0, 0, 2, 2, 2 * least, 0}}, {{0, 0, least}, {0, 0, 2 * least}}, {0, -1});
}

// Doubles decide by a sine and a cosine in double: turned by a quarter in double, 6.1e-17 from the true one, a point
// 1e5 metres along the box lies 6e-12 beside its axis, and with the sine in float it would be 4e-3.
TEST(PointsInBoxesFacts, DoublesDecideInDouble) {
  ExpectIndices(MLUOP_DTYPE_DOUBLE, {{0, 0, 0, 4e5, 1e-3, 2, kQuarter}}, {{0, 1e5, 0}, {6e-4, 1e5, 0}}, {0, -1});
}

// The largest number of boxes of the contract, and one more in the full profile: the last one alone has the point.
TEST(PointsInBoxesFacts, ManyBoxes) {
  for (const int64_t boxes : {14042, 14043}) {
    Call call = CallOf("mluOpPointsInBoxes", "points=2,boxes=" + std::to_string(boxes));
    call.profile = boxes == 14042 ? DETOPS_PROFILE_CONTRACT : DETOPS_PROFILE_FULL;
    for (int64_t box = 0; box < boxes; ++box) {
      SetRow(call, "boxes", box, {box + 1 == boxes ? 50.0 : static_cast<double>(box % 40), 0, 0, 1, 1, 1, 0});
    }
    Assign(call, "points", {50, 0, 0, 7, 0.25, 0});
    ExpectNumbersEverywhere(call, {{"points_indices", {static_cast<double>(boxes - 1), 7}}});
  }
}

}  // namespace
}  // namespace detops_test
