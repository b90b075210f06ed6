// nms_rotated on numbers worked out by hand or with 80 digits: the reference can share a misreading with the library,
// these cannot.
#include <cmath>
#include <limits>
#include <vector>

#include "properties/expect.h"
#include "support/handle.h"
#include "support/tensor.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using Rows = std::vector<std::vector<double>>;
using Indices = std::vector<double>;

Call MakeCall(const Rows& rows, const std::vector<double>& scores, double threshold) {
  Call call = CallOf("mluOpNmsRotated", "count=" + std::to_string(rows.size()) +
                                            ",columns=" + std::to_string(rows.at(0).size()) + ",threshold=0.5");
  call.numbers["iou_threshold"] = threshold;
  int64_t at = 0;
  for (const auto& row : rows) {
    for (const double number : row) call["boxes"].Set(at++, number);
  }
  for (size_t i = 0; i < scores.size(); ++i) call["scores"].Set(static_cast<int64_t>(i), scores[i]);
  return call;
}

void ExpectKept(const Call& call, const Indices& expected) {
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
    ASSERT_EQ(done["result_num"].Get(0), static_cast<double>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(done["output"].Get(static_cast<int64_t>(i)), expected[i]) << "place " << i;
    }
  });
}

// IoU 0-1 0.3130422, 0-2 0.2566436, 0-3 0.1860301, 1-2 0.7171955, 1-3 0.4343986, 2-3 0.4068442.
const Rows kBoxes = {{6, 3, 8, 7, .5}, {3, 6, 9, 11, .6}, {3, 7, 10, 12, .3}, {1, 4, 13, 7, .6}};
const std::vector<double> kScores = {.7, .8, .5, .9};

TEST(NmsRotated, BestFirst) {
  ExpectKept(MakeCall(kBoxes, kScores, 0.5), {3, 1, 0});
  ExpectKept(MakeCall(kBoxes, kScores, 0.72), {3, 1, 0, 2});
  ExpectKept(MakeCall(kBoxes, kScores, 0.4), {3, 0});
  ExpectKept(MakeCall(kBoxes, kScores, 0.1), {3});
}

TEST(NmsRotated, LabelsAreNotUsed) {
  Rows labelled = kBoxes;
  for (size_t i = 0; i < 4; ++i) labelled[i].push_back(i % 2 == 0 ? 1 : 0);
  ExpectKept(MakeCall(labelled, kScores, 0.5), {3, 1, 0});
}

TEST(NmsRotated, ThresholdsOutsideOfTheRangeOfIou) {
  const Rows boxes = {{0, 0, 2, 2, 0}, {9, 9, 0, 2, 1}, {50, 0, 2, 2, 0}, {0, 0, 2, 2, 0}};
  const std::vector<double> scores = {1, 2, 3, 4};
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double threshold : {1.0, 2.0, infinity, std::numeric_limits<double>::quiet_NaN()}) {
    ExpectKept(MakeCall(boxes, scores, threshold), {3, 2, 1, 0});
  }
  ExpectKept(MakeCall(boxes, scores, 0), {3, 2, 1});
  ExpectKept(MakeCall(boxes, scores, -0.5), {3, 1});
  ExpectKept(MakeCall(boxes, scores, -infinity), {3, 1});
}

// Equal scores: the lower index wins. mluOpPolyNms of the accelerator keeps both, others either one.
TEST(NmsRotated, EqualBoxesWithEqualScores) {
  ExpectKept(MakeCall({{1, 2, 4, 3, 0.3}, {1, 2, 4, 3, 0.3}, {1, 2, 4, 3, 0.3}}, {0.5, 0.5, 0.5}, 0.9), {0});
  ExpectKept(MakeCall({{1, 2, 4, 3, 0.3}, {9, 2, 4, 3, 0.3}, {1, 2, 4, 3, 0.3}}, {0.0, -0.0, 0.0}, 0.9), {0, 1});
}

// Boxes without area overlap nothing, not even themselves: also where both sides are negative, whose product is not.
TEST(NmsRotated, BoxesWithoutAreaStay) {
  ExpectKept(MakeCall({{0, 0, 2, 2, 0}, {0, 0, -2, -2, 0}, {0, 0, -2, -2, 0}, {0, 0, 0, 2, 0}, {0, 0, 0, 2, 0}},
                      {5, 4, 3, 2, 1}, 0),
             {0, 1, 2, 3, 4});
}

// An asymmetric IoU lets the result depend on which of two equal scores comes first.
TEST(NmsRotated, TheIouOfAPairDoesNotDependOnItsOrder) {
  const std::vector<double> a = {10, 10, 6, 4, 0.5}, b = {11, 9, 5, 3, static_cast<double>(-0.7F)};
  for (double threshold = 0.3251616; threshold < 0.3251619; threshold += 2e-8) {
    const bool falls = static_cast<double>(static_cast<float>(threshold)) < 0.325161713;
    const Indices expected = falls ? Indices{0} : Indices{0, 1};
    ExpectKept(MakeCall({a, b}, {1, 1}, threshold), expected);
    ExpectKept(MakeCall({b, a}, {1, 1}, threshold), expected);
  }
}

// result_num becomes 0 where the accelerator leaves it as it was.
TEST(NmsRotated, NoBoxesAreCounted) {
  const Handle handle(DETOPS_PROFILE_CONTRACT, 1);
  const Descriptor boxes(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {0, 5});
  const Descriptor scores(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, {0});
  const Descriptor output(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {0});
  int32_t number = 77;
  EXPECT_EQ(mluOpNmsRotated(handle.get(), 0.5F, boxes.get(), nullptr, scores.get(), nullptr, nullptr, 0, output.get(),
                            nullptr, &number),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(number, 0);
  EXPECT_EQ(mluOpNmsRotated(handle.get(), 0.5F, boxes.get(), nullptr, scores.get(), nullptr, nullptr, 0, output.get(),
                            nullptr, nullptr),
            MLUOP_STATUS_SUCCESS);
}

}  // namespace
}  // namespace detops_test
