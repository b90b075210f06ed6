// nms_match on numbers worked out by hand.
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;

void ExpectGroups(const std::vector<std::vector<double>>& boxes, const std::vector<double>& scores, double threshold,
                  const std::vector<double>& groups) {
  for (const char* index : {"int32", "int64"}) {
    Call call = CallOf("detopsNmsMatch", "count=" + std::to_string(boxes.size()) + ",index=" + index);
    call.numbers["iou_threshold"] = threshold;
    for (size_t i = 0; i < boxes.size(); ++i) SetRow(call, "boxes", static_cast<int64_t>(i), boxes[i]);
    SetRow(call, "scores", 0, scores);
    ExpectNumbersEverywhere(call, {{"group", groups}});
  }
}

// mmcv's own example: IoU 0-1 0.61353, 0-2 0.69858, 3-4 0.48611, 3-5 0.59375, 3-6 0.81250, 4-5 0.64348.
TEST(NmsMatch, Groups) {
  const std::vector<std::vector<double>> boxes = {
      {49.1, 32.4, 51, 35.9},   {49.3, 32.9, 51, 35.3},   {49.2, 31.8, 51, 35.4},  {35.1, 11.5, 39.1, 15.7},
      {35.6, 11.8, 39.3, 14.2}, {35.3, 11.5, 39.9, 14.5}, {35.2, 11.7, 39.7, 15.7}};
  ExpectGroups(boxes, {.9, .9, .5, .5, .5, .4, .3}, 0.6, {0, 0, 0, 3, 4, 4, 3});
}

TEST(NmsMatch, TheThresholdItselfCounts) {
  ExpectGroups({{0, 0, 10, 10}, {0, 0, 10, 20}}, {.5, .75}, 0.5, {1, 1});
  ExpectGroups({{0, 0, 10, 10}, {0, 0, 10, 20}}, {.5, .75}, 0.5000001, {0, 1});
}

// Of 7/13, 7/13 and 1/4: the last does not belong to the first, and the second is no head.
TEST(NmsMatch, Chain) { ExpectGroups({{0, 0, 10, 10}, {3, 0, 13, 10}, {6, 0, 16, 10}}, {.9, .8, .7}, 0.5, {0, 0, 2}); }

TEST(NmsMatch, EqualScores) { ExpectGroups({{0, 0, 1, 1}, {0, 0, 1, 1}, {0, 0, 1, 1}}, {.5, .5, .5}, 0.5, {0, 0, 0}); }

// Everything with an area meets the threshold; boxes without one are alone.
TEST(NmsMatch, ThresholdZeroAndBoxesWithoutArea) {
  for (const double threshold : {0.0, -1.0}) {
    ExpectGroups({{0, 0, 1, 1}, {5, 5, 6, 6}, {0, 0, 0, 1}, {3, 3, 2, 4}, {0, 0, 0, 1}, {8, 8, 9, 9}},
                 {.1, .5, .9, .2, .3, .4}, threshold, {1, 1, 2, 3, 4, 1});
  }
}

TEST(NmsMatch, WithoutValueChecksNanIsAlone) {
  Call call = CallOf("detopsNmsMatch", "count=3");
  call.value_checks = false;
  Assign(call, "boxes", {0, 0, 10, 10, 0, 0, 10, 10, 0, 0, 10, 10});
  Assign(call, "scores", {.5, kNan, .75});
  detops_harness::PlacedCall placed(call);
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    CarryOut(placed, handle);
    ASSERT_EQ(placed.call()["group"].Get(0), 2);
    ASSERT_EQ(placed.call()["group"].Get(1), 1);
    ASSERT_EQ(placed.call()["group"].Get(2), 2);
  });
}

}  // namespace
}  // namespace detops_test
