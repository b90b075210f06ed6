// nms_boxes on numbers worked out by hand or with rationals: the reference can share a misreading with the library,
// these cannot.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "properties/by_hand.h"
#include "properties/expect.h"
#include "support/handle.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using Rows = std::vector<std::vector<double>>;
using Indices = std::vector<double>;

Call MakeCall(const std::string& format, const Rows& rows, const std::vector<double>& scores, double threshold,
              mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
  const std::string shape = "count=" + std::to_string(rows.size()) + ",format=" + format +
                            (scores.empty() ? ",ranked=1" : ",ranked=0") + ",labels=0";
  Call call = CallOf("detopsNmsBoxes", shape, type);
  call.numbers["iou_threshold"] = threshold;
  int64_t at = 0;
  for (const auto& row : rows) {
    for (const double number : row) call["boxes"].Set(at++, number);
  }
  for (size_t i = 0; i < scores.size(); ++i) call["scores"].Set(static_cast<int64_t>(i), scores[i]);
  return call;
}

Call WithLabels(Call call, const std::vector<double>& labels) {
  call["labels"] =
      detops_harness::Input("labels", MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT64, {static_cast<int64_t>(labels.size())});
  for (size_t i = 0; i < labels.size(); ++i) call["labels"].Set(static_cast<int64_t>(i), labels[i]);
  return call;
}

Call WithLimits(Call call, int64_t pre_max, int64_t post_max) {
  call.integers["pre_max"] = pre_max;
  call.integers["post_max"] = post_max;
  return call;
}

void ExpectKept(const Call& call, const Indices& expected) {
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
    ASSERT_EQ(done["count"].Get(0), static_cast<double>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(done["output"].Get(static_cast<int64_t>(i)), expected[i]) << "place " << i;
    }
  });
}

// IoU 0-1 0.61353, 0-2 0.69858, 3-4 0.48611, 3-5 0.59375, 3-6 0.81250, 4-5 0.64348.
const Rows kSeven = {{49.1, 32.4, 51, 35.9},   {49.3, 32.9, 51, 35.3},   {49.2, 31.8, 51, 35.4},
                     {35.1, 11.5, 39.1, 15.7}, {35.6, 11.8, 39.3, 14.2}, {35.3, 11.5, 39.9, 14.5},
                     {35.2, 11.7, 39.7, 15.7}};
const std::vector<double> kSevenScores = {.9, .9, .5, .5, .5, .4, .3};

TEST(NmsBoxes, SevenBoxes) {
  ExpectKept(MakeCall("xyxy", kSeven, kSevenScores, 0.6), {0, 3, 4});
  ExpectKept(MakeCall("xyxy", kSeven, kSevenScores, 0.62), {0, 1, 3, 4});
  ExpectKept(MakeCall("xyxy", kSeven, kSevenScores, 0.65), {0, 1, 3, 4, 5});
}

TEST(NmsBoxes, LimitsCutBeforeAndBehind) {
  const Call call = MakeCall("xyxy", kSeven, kSevenScores, 0.6);
  ExpectKept(WithLimits(call, 4, 0), {0, 3});
  ExpectKept(WithLimits(call, 0, 2), {0, 3});
  ExpectKept(WithLimits(call, 3, 2), {0});
  ExpectKept(WithLimits(call, -1, 100), {0, 3, 4});
}

// IoU 7/13, 7/13, 1/4: the middle one falls, and what has fallen removes nothing.
TEST(NmsBoxes, Chain) {
  const Rows chain = {{0, 0, 10, 10}, {3, 0, 13, 10}, {6, 0, 16, 10}};
  ExpectKept(MakeCall("xyxy", chain, {.9, .8, .7}, 0.5), {0, 2});
  ExpectKept(MakeCall("xyxy", chain, {.8, .9, .7}, 0.5), {1});
  ExpectKept(MakeCall("xyxy", chain, {}, 0.5), {0, 2});
}

TEST(NmsBoxes, TheThresholdIsStrict) {
  ExpectKept(MakeCall("xyxy", {{0, 0, 10, 10}, {0, 0, 10, 20}}, {2, 1}, 0.5), {0, 1});  // IoU 1/2
  ExpectKept(MakeCall("xyxy", {{0, 0, 10, 10}, {0, 0, 10, 20}}, {2, 1}, 0.49999), {0});
}

// Equal scores: the lower index wins, however many there are and whoever computes.
TEST(NmsBoxes, EqualScoresByIndex) {
  ExpectKept(MakeCall("xyxy", {{1, 1, 2, 3}, {1, 1, 2, 3}, {1, 1, 2, 3}}, {.5, .5, .5}, 0.5), {0});
  Rows rows;
  std::vector<double> scores;
  Indices expected;
  for (int i = 0; i < 300; ++i) {
    const double x = i % 100 * 20;
    rows.push_back({x, 0, x + 10, 10});
    scores.push_back(0.25);
    if (i < 100) expected.push_back(i);
  }
  ExpectKept(MakeCall("xyxy", rows, scores, 0.5), expected);
}

// The usual way to keep classes apart, shifting each by the largest coordinate, lets them meet where coordinates are
// negative, rounds far away from 0, and overflows half.
TEST(NmsBoxes, LabelsAreComparedAsIntegers) {
  const Rows negative = {{-10, -10, -1, -1}, {-10, -10, -1, -1}, {-10, -10, -1, -1}};
  const std::vector<double> scores = {3, 2, 1};
  ExpectKept(WithLabels(MakeCall("xyxy", negative, scores, 0.5), {0, 1, 0}), {0, 1});
  ExpectKept(WithLabels(MakeCall("xyxy", negative, scores, 0.5), {0, 1, 2}), {0, 1, 2});
  const Rows large = {{60000, 0, 60032, 32}, {60000, 0, 60032, 32}, {60000, 0, 60032, 32}};
  ExpectKept(WithLabels(MakeCall("xyxy", large, scores, 0.5, MLUOP_DTYPE_HALF), {7, 7, 999}), {0, 2});
  const Rows fine = {{100, 100, 101, 101}, {100.25, 100, 101.25, 101}};  // IoU 3/5
  ExpectKept(WithLabels(MakeCall("xyxy", fine, {2, 1}, 0.59), {4e6, 4e6}), {0});
  ExpectKept(WithLabels(MakeCall("xyxy", fine, {2, 1}, 0.61), {4e6, 4e6}), {0, 1});
  // Labels that differ beyond 32 bits, and negative ones.
  ExpectKept(WithLabels(MakeCall("xyxy", negative, scores, 0.5), {1, 1 + 0x1p32, -0x1p40}), {0, 1, 2});
}

// What a run with labels keeps is what a run for each label keeps.
TEST(NmsBoxes, LabelsAreAsARunForEach) {
  const Call all = CallOf("detopsNmsBoxes", "count=600,labels=4,threshold=0.3,format=cxcywha");
  std::vector<bool> stays(600);
  for (double label = -1; label < 3; ++label) {
    Rows rows;
    std::vector<double> scores;
    std::vector<size_t> index;
    for (int64_t i = 0; i < 600; ++i) {
      if (all["labels"].Get(i) != label) continue;
      rows.emplace_back();
      for (int64_t k = 0; k < 5; ++k) rows.back().push_back(all["boxes"].Get(5 * i + k));
      scores.push_back(all["scores"].Get(i));
      index.push_back(static_cast<size_t>(i));
    }
    detops_harness::PlacedCall one(MakeCall("cxcywha", rows, scores, 0.3));
    const Handle handle(DETOPS_PROFILE_FULL, 1);
    ASSERT_EQ(one.Run(handle.get()), MLUOP_STATUS_SUCCESS);
    for (int64_t k = 0; k < static_cast<int64_t>(one.call()["count"].Get(0)); ++k) {
      stays[index[static_cast<size_t>(one.call()["output"].Get(k))]] = true;
    }
  }
  detops_harness::PlacedCall together(all);
  const Handle handle(DETOPS_PROFILE_FULL, 3);
  ASSERT_EQ(together.Run(handle.get()), MLUOP_STATUS_SUCCESS);
  const auto count = static_cast<int64_t>(together.call()["count"].Get(0));
  EXPECT_EQ(count, std::count(stays.begin(), stays.end(), true));
  for (int64_t k = 0; k < count; ++k) {
    EXPECT_TRUE(stays[static_cast<size_t>(together.call()["output"].Get(k))]);
  }
}

TEST(NmsBoxes, Thresholds) {
  const Rows boxes = {{0, 0, 2, 2}, {5, 5, 5, 7}, {50, 0, 52, 2}, {0, 0, 2, 2}, {9, 9, 8, 8}, {9, 9, 8, 8}};
  ExpectKept(MakeCall("xyxy", boxes, {}, 1), {0, 1, 2, 3, 4, 5});
  ExpectKept(MakeCall("xyxy", boxes, {}, 7), {0, 1, 2, 3, 4, 5});
  ExpectKept(MakeCall("xyxy", boxes, {}, 0), {0, 1, 2, 4, 5});
  ExpectKept(MakeCall("xyxy", boxes, {}, -1), {0, 1, 4, 5});
  ExpectKept(WithLabels(MakeCall("xyxy", boxes, {}, -1), {1, 1, 2, 1, 1, 1}), {0, 1, 2, 4, 5});
}

// With offset 1 a pixel is a box: IoU of equal ones 1. IoU 1/3 against 2/7 with offset 0.
TEST(NmsBoxes, TheOffsetCountsForCorners) {
  Call pixels = MakeCall("xyxy", {{3, 1, 3, 1}, {3, 1, 3, 1}}, {}, 0.9);
  ExpectKept(pixels, {0, 1});
  pixels.numbers["offset"] = 1;
  ExpectKept(pixels, {0});
  Call pair = MakeCall("xyxy", {{0, 0, 9, 9}, {5, 0, 14, 9}}, {}, 0.3);
  ExpectKept(pair, {0, 1});
  pair.numbers["offset"] = 1;
  ExpectKept(pair, {0});
  Call others = MakeCall("cxcywh", {{3, 1, 0, 0}, {3, 1, 0, 0}}, {}, 0.5);
  others.numbers["offset"] = 1;
  ExpectKept(others, {0, 1});
  others.numbers["offset"] = -7;  // not looked at
  ExpectKept(others, {0, 1});
}

// A descriptor alone is as nothing: boxes stand in order, and are of one class.
TEST(NmsBoxes, ScoresOrLabelsAreNull) {
  Call call = WithLabels(MakeCall("xyxy", {{0, 0, 2, 2}, {0, 0, 2, 2}, {9, 9, 10, 10}}, {.1, .2, .3}, 0.5), {0, 1, 1});
  ExpectKept(call, {2, 1, 0});
  call["scores"].has_data = false;
  ExpectKept(call, {0, 1, 2});
  call["labels"].has_data = false;
  ExpectKept(call, {0, 2});
}

// IoU 7/10, which as a double is not above 0.7, but above 0.7 rounded to float.
TEST(NmsBoxes, TheThresholdCanBeDouble) {
  const Call call = MakeCall("xyxy", {{0, 0, 10, 10}, {0, 0, 10, 7}}, {2, 1}, 0.7);
  detops_harness::PlacedCall placed(call);
  for (const auto& [exact, kept] : {std::pair{0.0, 1}, {0.7, 2}, {0.6999, 1}, {std::nextafter(0.7, 0), 1}}) {
    Handle handle(DETOPS_PROFILE_FULL);
    ASSERT_EQ(detopsSetExactThreshold(handle.get(), exact), MLUOP_STATUS_SUCCESS);
    CarryOut(placed, handle);
    EXPECT_EQ(placed.call()["count"].Get(0), kept) << exact;
  }
}

// (x, y, dx, dy, heading): IoU 0-1 1/7, 2-3 0.7783582, 3-4 0.7417861, 2-4 0.7963756.
TEST(NmsBoxes, SeenFromAbove) {
  const auto row = [](double x, double y, double dx, double dy, double heading) {
    return std::vector<double>{x, y, 100 * x, dx, dy, -7, heading};
  };
  const Rows rows = {row(1, 1, 2, 2, 0), row(2, 2, 2, 2, 0), row(3, 3, 3, 2, .3), row(3, 3, 3, 2, 0),
                     row(3, 3.2, 3, 2, .3)};
  const std::vector<double> scores = {.6, .9, .1, .2, .15};
  ExpectKept(MakeCall("bev", rows, scores, 0.3), {1, 0, 3});
  ExpectKept(MakeCall("bev", rows, scores, 0.75), {1, 0, 3, 4});
  ExpectKept(MakeCall("bev_upright", rows, scores, 0.75), {1, 0, 3});  // 2, 3: equal, 3, 4: 0.9 / 1.1
}

// IoU 3/5: where a corner counts as inside by the projections that rectangles have, it is 1.
TEST(NmsBoxes, Quadrilaterals) {
  const Rows rows = {{0, 0, 4, 0, 6, 2, 2, 2}, {0, 0, 0, 2, 4, 2, 4, 0}};
  ExpectKept(MakeCall("quad", rows, {}, 0.61), {0, 1});
  ExpectKept(MakeCall("quad", rows, {}, 0.59), {0});
}

// NumPy's generator with seed 42, rand(555, 7) and then rand(555), as float32: the Mersenne twister, 53 bits a number.
class NumpyRandom {
 public:
  explicit NumpyRandom(uint32_t seed) {
    state_[0] = seed;
    for (uint32_t i = 1; i < 624; ++i) state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
  double Next() {
    const uint32_t high = Word() >> 5, low = Word() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }

 private:
  uint32_t Word() {
    if (at_ == 624) Refill();
    uint32_t word = state_[at_++];
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c5680U;
    word ^= word << 15 & 0xefc60000U;
    return word ^ word >> 18;
  }
  void Refill() {
    for (size_t i = 0; i < 624; ++i) {
      const uint32_t mixed = (state_[i] & 0x80000000U) | (state_[(i + 1) % 624] & 0x7fffffffU);
      state_[i] = state_[(i + 397) % 624] ^ mixed >> 1 ^ (mixed % 2 == 0 ? 0 : 0x9908b0dfU);
    }
    at_ = 0;
  }

  uint32_t state_[624];
  size_t at_ = 624;
};

// mmcv's own test wants 176 of these, which is what a margin of 1e-2 gives; exact geometry keeps 179, upright 148.
TEST(NmsBoxes, RandomBoxesFromAbove) {
  NumpyRandom random(42);
  Rows rows(555, std::vector<double>(7));
  std::vector<double> scores(555);
  for (auto& row : rows) {
    for (double& number : row) number = random.Next();
  }
  for (double& score : scores) score = random.Next();
  for (const auto& [format, kept] : {std::pair{"bev", 179}, std::pair{"bev_upright", 148}}) {
    detops_harness::PlacedCall placed(MakeCall(format, rows, scores, 0.3));
    const Handle handle(DETOPS_PROFILE_CONTRACT, 1);
    ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(placed.call()["count"].Get(0), kept) << format;
  }
}

}  // namespace
}  // namespace detops_test
