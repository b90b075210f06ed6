// soft_nms on numbers of the specification and of mmcv's own tests.
#include <utility>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;

struct Rules {
  const char* method;
  double threshold, sigma, least;
  int offset;
};

// The boxes come out in this order with these scores, everywhere.
void ExpectPicks(const std::vector<std::vector<double>>& boxes, const std::vector<double>& scores, const Rules& rules,
                 const std::vector<double>& order, const std::vector<double>& new_scores, double error = 1e-7) {
  Call call = CallOf("detopsSoftNms", "count=" + std::to_string(boxes.size()) + ",method=" + rules.method +
                                          ",offset=" + std::to_string(rules.offset));
  call.numbers = {
      {"iou_threshold", rules.threshold}, {"sigma", rules.sigma}, {"min_score", rules.least}, {"offset", rules.offset}};
  for (size_t i = 0; i < boxes.size(); ++i) SetRow(call, "boxes", static_cast<int64_t>(i), boxes[i]);
  SetRow(call, "scores", 0, scores);
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
    ASSERT_EQ(done["count"].Get(0), static_cast<double>(order.size()));
    for (size_t i = 0; i < order.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      ASSERT_EQ(done["output"].Get(at), order[i]) << i;
      ASSERT_NEAR(done["new_scores"].Get(at), new_scores[i], error) << i;
    }
  });
}

// IoU with the first: 5/6, 0, 9/11; of the second and the last 9/13.
TEST(SoftNms, ThreeMethods) {
  const std::vector<std::vector<double>> boxes = {{0, 0, 10, 10}, {0, 0, 10, 12}, {20, 0, 30, 10}, {1, 0, 11, 10}};
  const std::vector<double> scores = {.9, .8, .7, .6};
  ExpectPicks(boxes, scores, {"naive", 0.3, 0.5, 1e-3, 0}, {0, 2}, {.9, .7});
  ExpectPicks(boxes, scores, {"linear", 0.3, 0.5, 1e-3, 0}, {0, 2, 1, 3}, {.9, .7, .8 / 6, .6 * 2 / 11 * 4 / 13});
  ExpectPicks(boxes, scores, {"gaussian", 0.3, 0.5, 1e-3, 0}, {0, 2, 1, 3}, {.9, .7, .1994818, .0603105});
}

// Boxes without area keep their scores; with the offset they have one.
TEST(SoftNms, BoxesWithoutArea) {
  const std::vector<std::vector<double>> boxes = {{4, 3, 5, 3}, {4, 3, 5, 4}, {3, 1, 3, 1},
                                                  {3, 1, 3, 1}, {3, 1, 3, 1}, {3, 1, 3, 1}};
  const std::vector<double> scores = {.9, .9, .5, .5, .4, 0};
  ExpectPicks(boxes, scores, {"linear", 0.6, 0.5, 1e-3, 0}, {0, 1, 2, 3, 4}, {.9, .9, .5, .5, .4});
  // 0 with 1: 2 / 4 is below the threshold.
  ExpectPicks(boxes, scores, {"linear", 0.6, 0.5, 1e-3, 1}, {0, 1, 2}, {.9, .9, .5});
  ExpectPicks(boxes, scores, {"gaussian", 0.6, 0.5, 1e-3, 1}, {0, 1, 2, 3, 4}, {.9, .5458776, .5, .0676676, .0073263});
}

TEST(SoftNms, TheFirstComesOutWhateverItsScore) {
  ExpectPicks({{0, 0, 1, 1}, {5, 5, 6, 6}, {9, 9, 10, 10}}, {.1, .2, .3}, {"linear", 0.5, 0.5, 0.5, 0}, {2}, {.3});
}

// A score is compared after it has lost: 0 times a negative one is not below 0.
TEST(SoftNms, NegativeScores) {
  const std::vector<std::vector<double>> boxes = {{0, 0, 1, 1}, {0, 0, 1, 1}, {5, 5, 6, 6}};
  ExpectPicks(boxes, {.5, -8, -8}, {"naive", 0.5, 0.5, 0, 0}, {0, 1}, {.5, 0});
  ExpectPicks(boxes, {.5, -8, -8}, {"linear", 0.5, 0.5, -8, 0}, {0, 1, 2}, {.5, 0, -8});
}

// IoU 1/2 is the threshold itself: it counts.
TEST(SoftNms, TheThresholdItselfCounts) {
  const std::vector<std::vector<double>> boxes = {{0, 0, 10, 20}, {0, 0, 10, 10}};
  ExpectPicks(boxes, {1, .75}, {"linear", 0.5, 0.5, 1e-3, 0}, {0, 1}, {1, .375}, 0);
  ExpectPicks(boxes, {1, .75}, {"naive", 0.5, 0.5, 1e-3, 0}, {0}, {1}, 0);
}

// Of equal scores the lowest index comes first, also when scores have become equal on the way.
TEST(SoftNms, EqualScores) {
  const std::vector<std::vector<double>> boxes = {{40, 0, 50, 10}, {0, 0, 10, 20}, {20, 0, 30, 10}, {0, 0, 10, 10}};
  ExpectPicks(boxes, {.5, 1, .5, 1}, {"linear", 0.5, 0.5, 1e-3, 0}, {1, 0, 2, 3}, {1, .5, .5, .5}, 0);
}

// Boxes far away from each other, in more blocks than one, with one score: as they were given.
TEST(SoftNms, ManyEqualScores) {
  constexpr int kCount = 300;
  std::vector<std::vector<double>> boxes;
  std::vector<double> order;
  for (int i = 0; i < kCount; ++i) {
    const double x = i * 37 % kCount * 10, y = i * 101 % kCount * 10;
    boxes.push_back({x, y, x + 5, y + 5});
    order.push_back(i);
  }
  ExpectPicks(boxes, std::vector<double>(kCount, .5), {"linear", 0.5, 0.5, 1e-3, 0}, order,
              std::vector<double>(kCount, .5), 0);
}

// Nobody may tell an Inf from a number without looking: no box overlaps with it, and NaN is never emitted.
TEST(SoftNms, WithoutValueChecks) {
  Call call = CallOf("detopsSoftNms", "count=4,method=linear,threshold=0.5");
  call.value_checks = false;
  Assign(call, "boxes", {0, 0, 10, 10, 0, 0, 10, kInf, 0, 0, 10, 10, 0, 0, 10, 10});
  Assign(call, "scores", {.5, .75, kNan, .25});
  detops_harness::PlacedCall placed(call);
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    CarryOut(placed, handle);
    ASSERT_EQ(placed.call()["count"].Get(0), 2);
    ASSERT_EQ(placed.call()["output"].Get(0), 1);
    ASSERT_EQ(placed.call()["output"].Get(1), 0);
  });
}

// Such scores are numbers then: of +Inf some is left unless it is multiplied by 0, and -Inf comes out only as the
// first.
TEST(SoftNms, InfiniteScoresWithoutValueChecks) {
  const auto picks = [](const std::vector<double>& scores) {
    Call call = CallOf("detopsSoftNms", "count=3,method=linear,threshold=0.5");
    call.value_checks = false;
    Assign(call, "boxes", {0, 0, 10, 10, 0, 0, 10, 5, 0, 0, 10, 10});
    Assign(call, "scores", scores);
    detops_harness::PlacedCall placed(call);
    std::vector<std::pair<double, double>> made;
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      CarryOut(placed, handle);
      made.clear();
      const detops_harness::Call& done = placed.call();
      for (int64_t i = 0; i < static_cast<int64_t>(done["count"].Get(0)); ++i) {
        made.emplace_back(done["output"].Get(i), done["new_scores"].Get(i));
      }
    });
    return made;
  };
  using Pairs = std::vector<std::pair<double, double>>;
  EXPECT_EQ(picks({kInf, kInf, kInf}), (Pairs{{0, kInf}, {1, kInf}}));
  EXPECT_EQ(picks({-kInf, .5, -kInf}), (Pairs{{1, .5}}));
  EXPECT_EQ(picks({-kInf, -kInf, kNan}), (Pairs{{0, -kInf}}));
}

}  // namespace
}  // namespace detops_test
