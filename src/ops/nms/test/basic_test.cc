// nms on numbers of the specification and worked out by hand.
#include <random>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using Rows = std::vector<std::vector<double>>;

Call CallWith(const Rows& boxes, const std::vector<double>& scores, const std::string& how) {
  Call call = CallOf("mluOpNms", "count=" + std::to_string(boxes.size()) + "," + how);
  const bool planar = call.integer("input_layout") == 1;
  for (size_t i = 0; i < boxes.size(); ++i) {
    for (size_t k = 0; k < boxes[i].size(); ++k) {
      call["boxes"].Set(static_cast<int64_t>(planar ? k * boxes.size() + i : i * boxes[i].size() + k), boxes[i][k]);
    }
  }
  if (!scores.empty()) Assign(call, "confidence", scores);
  return call;
}

// These indices, everywhere, and so says the reference; with boxes by number too.
void ExpectIndices(const Rows& boxes, const std::vector<double>& scores, const std::string& how,
                   const std::vector<double>& indices) {
  for (const char* layout : {",layout=0", ",layout=1"}) {
    ExpectNumbersEverywhere(CallWith(boxes, scores, how + layout),
                            {{"output", indices}, {"output_size", {static_cast<double>(indices.size())}}});
  }
}

// IoU 0-1 0.61353, 0-2 0.69858, 3-4 0.48611, 3-5 0.59375, 3-6 0.81250, 4-5 0.64348,
// 1-2 0.62963, 5-6 0.63244.
const Rows kBoxes = {{49.1, 32.4, 51, 35.9},   {49.3, 32.9, 51, 35.3},   {49.2, 31.8, 51, 35.4},
                     {35.1, 11.5, 39.1, 15.7}, {35.6, 11.8, 39.3, 14.2}, {35.3, 11.5, 39.9, 14.5},
                     {35.2, 11.7, 39.7, 15.7}};
const std::vector<double> kScores = {.9, .9, .5, .5, .5, .4, .3};

TEST(Nms, BestOfEach) {
  ExpectIndices(kBoxes, kScores, "threshold=0.6", {0, 3, 4});
  ExpectIndices(kBoxes, kScores, "threshold=0.6,most=2", {0, 3});
  // Not above 0.5: three of them.
  ExpectIndices(kBoxes, kScores, "threshold=0.6,confidence=0.5", {0});
  // What suppresses a box is taken by its score, not by where it stands.
  ExpectIndices(kBoxes, {.3, .4, .5, .5, .5, .9, .9}, "threshold=0.6", {5, 2, 3});
}

// IoU 7/13, 7/13 and 1/4: the last has an overlap only with a box that has fallen.
TEST(Nms, Chain) {
  ExpectIndices({{0, 0, 10, 10}, {3, 0, 13, 10}, {6, 0, 16, 10}}, {.9, .8, .7}, "threshold=0.5", {0, 2});
}

TEST(Nms, EqualBoxesAndScores) {
  ExpectIndices({{0, 0, 4, 4}, {0, 0, 4, 4}, {0, 0, 4, 4}}, {.5, .5, .5}, "threshold=0.5", {0});
}

// IoU 1/2 is not above 1/2.
TEST(Nms, TheThresholdItselfDoesNotCount) {
  const Rows boxes = {{0, 0, 10, 10}, {0, 0, 10, 20}};
  ExpectIndices(boxes, {.9, .8}, "threshold=0.5", {0, 1});
  ExpectIndices(boxes, {.9, .8}, "threshold=0.499999", {0});
}

// Offset 1: IoU 1/3, offset 0: 2/7.
TEST(Nms, Offset) {
  const Rows boxes = {{0, 0, 9, 9}, {5, 0, 14, 9}};
  ExpectIndices(boxes, {.9, .8}, "threshold=0.3,offset=1", {0});
  ExpectIndices(boxes, {.9, .8}, "threshold=0.3,offset=0", {0, 1});
}

// Boxes that touch, or lie on either side of the origin, share nothing; classes never mix by a shift of coordinates.
TEST(Nms, ThresholdZero) {
  ExpectIndices({{-10, -10, 0, 0}, {0, 0, 10, 10}, {0, -10, 10, 0}}, {.9, .8, .7}, "threshold=0", {0, 1, 2});
}
TEST(Nms, ThresholdBelowZeroLeavesOneBoxWithAnArea) {
  ExpectIndices({{0, 0, 1, 1}, {5, 5, 5, 6}, {8, 8, 9, 9}, {7, 7, 7, 7}}, {.5, .9, .8, .1}, "threshold=-1", {1, 2, 3});
}
TEST(Nms, ThresholdOne) { ExpectIndices({{0, 0, 1, 1}, {0, 0, 1, 1}}, {.5, .5}, "threshold=1", {0, 1}); }

// Corners in any order, for the IoU; what comes out is what was given.
TEST(Nms, CornersInAnyOrder) {
  const Rows boxes = {{10, 10, 0, 0}, {0, 10, 10, 0}, {20, 0, 30, 10}};
  ExpectIndices(boxes, {.9, .8, .7}, "threshold=0.5", {0, 2});
  ExpectNumbersEverywhere(CallWith(boxes, {.75, .5, .25}, "threshold=0.5,mode=rows"),
                          {{"output", {.75, 10, 10, 0, 0, .25, 20, 0, 30, 10}}, {"output_size", {2}}});
}

// A centre and sides. Without sides there is no box, also where an offset would give it some.
TEST(Nms, CentreAndSides) {
  const Rows boxes = {{5, 5, 10, 10}, {8, 5, 10, 10}, {5, 5, 0, 10}, {5, 5, -0.5, 10}};
  ExpectIndices(boxes, {.9, .8, .7, .6}, "threshold=0.5,box=centre", {0, 2, 3});
  ExpectIndices(boxes, {.9, .8, .7, .6}, "threshold=0.5,box=centre,offset=1", {0, 2, 3});
  ExpectNumbersEverywhere(CallWith(boxes, {.75, .5, .25, .125}, "threshold=0.5,box=centre,mode=rows,most=1"),
                          {{"output", {.75, 5, 5, 10, 10}}, {"output_size", {1}}});
}

// Scores that are not above 0 never come out, whatever the threshold.
TEST(Nms, ScoresOfZero) {
  ExpectIndices({{0, 0, 1, 1}, {2, 2, 3, 3}, {4, 4, 5, 5}}, {0, -1, .5}, "threshold=0.5,confidence=0", {2});
}

// Planes keep their distance, and what lies between is not written unless it is padded. That nothing else is written,
// the harness sees.
TEST(Nms, PlanesAndPadding) {
  const Rows boxes = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  const std::vector<double> scores = {.25, .5};
  ExpectNumbersEverywhere(CallWith(boxes, scores, "mode=planes,most=4"),
                          {{"output", {.5, .25, 5, 1, 6, 2, 7, 3, 8, 4}}, {"output_size", {2}}});
  ExpectNumbersEverywhere(CallWith(boxes, scores, "mode=planes,most=3,pad=1"),
                          {{"output", {.5, .25, 0, 5, 1, 0, 6, 2, 0, 7, 3, 0, 8, 4, 0}}, {"output_size", {2}}});
  ExpectNumbersEverywhere(CallWith(boxes, scores, "mode=indices,most=3,pad=1"),
                          {{"output", {1, 0, 0}}, {"output_size", {2}}});
}

// Two images with two classes each: triplets in the order of images and classes, then of scores.
TEST(Nms, ImagesAndClasses) {
  Call call = CallOf("mluOpNms", "images=2,classes=2,count=3,mode=batch_class,most=2,threshold=0.5");
  Assign(call, "boxes", {0, 0, 9, 9, 0, 0, 9, 8, 20, 20, 30, 30, 0, 0, 9, 9, 40, 40, 49, 49, 60, 60, 69, 69});
  Assign(call, "confidence", {.1, .9, .5, .8, .2, .9, .3, .2, .1, 0, 0, .5});
  ExpectNumbersEverywhere(
      call, {{"output", {0, 0, 1, 0, 0, 2, 0, 1, 2, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 2}}, {"output_size", {7}}});
  call = CallWith({{0, 0, 9, 9}, {20, 0, 29, 9}}, {.5, .75}, "mode=batch_class");
  ExpectNumbersEverywhere(call, {{"output", {0, 0, 1, 0, 0, 0}}, {"output_size", {2}}});
}

// IoU with the first: 5/6, 0, 9/11; sigma is half of mmcv's.
TEST(Nms, SoftMethods) {
  const Rows boxes = {{0, 0, 10, 10}, {0, 0, 10, 12}, {20, 0, 30, 10}, {1, 0, 11, 10}};
  const std::vector<double> scores = {.9, .8, .7, .6};
  const auto expect = [&](const std::string& how, const std::vector<double>& order, const std::vector<double>& left) {
    ExpectIndices(boxes, scores, how, order);
    Call call = CallWith(boxes, scores, how + ",mode=planes,most=" + std::to_string(order.size()));
    ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
      for (size_t i = 0; i < left.size(); ++i) {
        ASSERT_NEAR(done["output"].Get(static_cast<int64_t>(i)), left[i], 1e-7) << i;
      }
    });
  };
  expect("method=linear,threshold=0.3", {0, 2, 1, 3}, {.9, .7, .8 / 6, .6 * 2 / 11 * 4 / 13});
  expect("method=gaussian,sigma=0.25", {0, 2, 1, 3}, {.9, .7, .1994818, .0603105});
  expect("method=gaussian,sigma=0.25,confidence=0.125", {0, 2, 1}, {.9, .7, .1994818});
  expect("method=gaussian,sigma=0,threshold=0.3", {0, 2}, {.9, .7});
  // At the threshold itself a score stays as it is.
  ExpectNumbersEverywhere(CallWith({{0, 0, 10, 20}, {0, 0, 10, 10}}, {1, .75}, "method=linear,threshold=0.5,mode=rows"),
                          {{"output", {1, 0, 0, 10, 20, .75, 0, 0, 10, 10}}, {"output_size", {2}}});
}

// ---- boxes of seven numbers ----

// Of x, y, dx, dy, heading. IoU 0-1 1/7, 2-3 0.7783582, 3-4 0.7417861, 2-4 0.7963756.
Rows FromAbove(const Rows& boxes) {
  Rows all;
  for (const auto& b : boxes) all.push_back({b[0], b[1], 7, b[2], b[3], 1, b[4]});
  return all;
}
const Rows kFromAbove =
    FromAbove({{1, 1, 2, 2, 0}, {2, 2, 2, 2, 0}, {3, 3, 3, 2, .3}, {3, 3, 3, 2, 0}, {3, 3.2, 3, 2, .3}});

TEST(Nms, SevenNumbers) {
  ExpectIndices(kFromAbove, {.6, .9, .1, .2, .15}, "numbers=7,scored=1,threshold=0.3", {1, 0, 3});
  // In the order in which they are given, and only the threshold counts.
  ExpectIndices(kFromAbove, {}, "numbers=7,threshold=0.3", {0, 1, 2});
  ExpectIndices(kFromAbove, {}, "numbers=7,threshold=0.1,most=0,offset=1,mode=planes,method=linear,pad=1,confidence=1",
                {0, 2});
  ExpectIndices(kFromAbove, {}, "numbers=7,threshold=0.79", {0, 1, 2, 3});
}

// Boxes 5 mm apart overlap with the margin of the peers' code, here they do not; height does not count.
TEST(Nms, SevenNumbersWithoutAMargin) {
  Rows boxes = FromAbove({{0, 0, 1, 1, 0}, {1.005, 0, 1, 1, 0}, {0, 0, 1, 1, 0}});
  boxes[2][2] = 1000;
  ExpectIndices(boxes, {}, "numbers=7,threshold=0", {0, 1});
}

// No IoU is above 1.
TEST(Nms, SevenNumbersThresholdOne) {
  const Rows boxes =
      FromAbove({{.3, .7, 1.1, .9, .3}, {.3, .7, 1.1, .9, .3}, {.1, .2, .7, .3, 1.1}, {.1, .2, .7, .3, 1.1}});
  ExpectIndices(boxes, {}, "numbers=7,threshold=1", {0, 1, 2, 3});
}

TEST(Nms, SevenNumbersWithoutAnArea) {
  ExpectIndices(FromAbove({{0, 0, 0, 1, 0}, {0, 0, 1, -1, 0}, {0, 0, 1, 1, 0}, {0, 0, 0, 1, 0}}), {},
                "numbers=7,threshold=0", {0, 1, 2, 3});
}

// numpy.random.seed(42), then rand(555, 7) and rand(555) as float32: exact geometry keeps 179. mmcv's own test wants
// the 176 of its margin.
TEST(Nms, TheRandomBoxesOfMmcv) {
  std::mt19937 bits(42);
  const auto next = [&] {
    const auto high = static_cast<double>(bits() >> 5), low = static_cast<double>(bits() >> 6);
    return (high * 67108864 + low) / 9007199254740992;
  };
  Call call = CallOf("mluOpNms", "count=555,numbers=7,scored=1,threshold=0.3");
  for (int64_t i = 0; i < 555 * 7; ++i) call["boxes"].Set(i, next());
  for (int64_t i = 0; i < 555; ++i) call["confidence"].Set(i, next());
  detops_harness::PlacedCall placed(call);
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    CarryOut(placed, handle);
    ASSERT_EQ(placed.call()["output_size"].Get(0), 179);
  });
}

// ---- other ----

// Half scores with float boxes, as programs for the accelerator have them.
TEST(Nms, HalfScoresInTheContractProfile) {
  Call call = CallWith(kBoxes, kScores, "threshold=0.6,scores=half");
  call.profile = DETOPS_PROFILE_CONTRACT;
  ExpectNumbersEverywhere(call, {{"output", {0, 3, 4}}, {"output_size", {3}}});
}

// Without value checks a box with an Inf has no area, and a score that is NaN does not stay.
TEST(Nms, WithoutValueChecks) {
  for (const char* method : {"hard", "linear", "gaussian"}) {
    Call call = CallWith({{0, 0, 10, 10}, {0, 0, 10, 10}, {0, 0, kInf, 10}, {0, 0, 10, 10}}, {.5, kNan, .75, .25},
                         std::string("confidence=0.2,threshold=0.5,method=") + method);
    call.value_checks = false;
    detops_harness::PlacedCall placed(call);
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      CarryOut(placed, handle);
      ASSERT_EQ(placed.call()["output"].Get(0), 2);
      ASSERT_EQ(placed.call()["output"].Get(1), 0);
    });
  }
}

// The form of older releases, without the descriptor.
TEST(Nms, WorkspaceSizeOfOlderReleases) {
  const Handle handle(DETOPS_PROFILE_CONTRACT, 1);
  mluOpTensorDescriptor_t boxes = nullptr, confidence = nullptr;
  const int extents[] = {11, 4};
  ASSERT_EQ(mluOpCreateTensorDescriptor(&boxes), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(mluOpCreateTensorDescriptor(&confidence), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(mluOpSetTensorDescriptor(boxes, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, extents), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(mluOpSetTensorDescriptor(confidence, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 1, extents),
            MLUOP_STATUS_SUCCESS);
  size_t size = 77;
  EXPECT_EQ(mluOpGetNmsWorkspaceSize(handle.get(), boxes, confidence, &size), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(mluOpGetNmsWorkspaceSize(nullptr, boxes, confidence, &size), MLUOP_STATUS_BAD_PARAM);
  mluOpDestroyTensorDescriptor(boxes);
  mluOpDestroyTensorDescriptor(confidence);
}

}  // namespace
}  // namespace detops_test
