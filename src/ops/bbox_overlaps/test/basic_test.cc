// bbox_overlaps on numbers worked out with fractions: the reference can share a misreading with the library, these
// cannot.
#include <array>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;

constexpr char kFunction[] = "mluOpBboxOverlaps";

struct Fact {
  int number;  // of the specification
  std::array<double, 4> a, b;
  int offset;
  double iou, iof;
};

constexpr Fact kFacts[] = {
    {31, {0, 0, 10, 10}, {0, 0, 10, 20}, 0, 0.5, 1},
    {32, {0, 0, 9, 9}, {5, 0, 14, 9}, 1, 1.0 / 3, 0.5},
    {32, {0, 0, 9, 9}, {5, 0, 14, 9}, 0, 2.0 / 7, 4.0 / 9},
    {33, {3, 1, 3, 1}, {3, 1, 3, 1}, 1, 1, 1},
    {33, {3, 1, 3, 1}, {3, 1, 3, 1}, 0, 0, 0},
    {34, {0, 0, 9, 9}, {10, 0, 19, 9}, 1, 0, 0},
    {34, {0, 0, 9, 9}, {9, 0, 18, 9}, 1, 1.0 / 19, 0.1},
    {35, {-5, -5, 5, 5}, {0, 0, 10, 10}, 0, 1.0 / 7, 0.25},
    {37, {0, 0, 10, 10}, {3, 0, 13, 10}, 0, 7.0 / 13, 0.7},
    {37, {0, 0, 10, 10}, {6, 0, 16, 10}, 0, 0.25, 0.4},
    {39, {0, 0, 10, 10}, {1, 0, 11, 10}, 0, 9.0 / 11, 0.9},
    {39, {0, 0, 10, 12}, {1, 0, 11, 10}, 0, 9.0 / 13, 0.75},
    // Inverted boxes are not swapped; zero areas are NaN elsewhere, and squares of 300 overflow in half arithmetic.
    {14, {10, 10, 0, 0}, {0, 0, 10, 10}, 0, 0, 0},
    {14, {10, 10, 0, 0}, {10, 10, 0, 0}, 0, 0, 0},
    {14, {0, 0, 4, 0}, {0, 0, 4, 0}, 0, 0, 0},
    {14, {0, 0, 300, 300}, {0, 0, 300, 300}, 0, 1, 1},
    {14, {0, 0, 600, 300}, {300, 0, 600, 300}, 0, 0.5, 0.5},
};

class BboxOverlapsFacts : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, BboxOverlapsFacts, testing::ValuesIn(kTypes), TypeName);

TEST_P(BboxOverlapsFacts, AreMet) {
  for (const Fact& fact : kFacts) {
    for (const int mode : {0, 1}) {
      SCOPED_TRACE(testing::Message() << "fact " << fact.number << ", mode " << mode);
      Call call =
          CallOf(kFunction, "first=1,second=1,mode=" + std::to_string(mode) + ",offset=" + std::to_string(fact.offset),
                 GetParam());
      SetRow(call, "bbox1", 0, {fact.a.begin(), fact.a.end()});
      SetRow(call, "bbox2", 0, {fact.b.begin(), fact.b.end()});
      ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
        ASSERT_EQ(done["ious"].Get(0), RoundToElement(GetParam(), mode == 0 ? fact.iou : fact.iof));
      });
    }
  }
}

TEST(BboxOverlaps, OneFigureAfterAnother) {
  // Fact 36.
  const std::vector<std::vector<double>> boxes = {
      {49.1, 32.4, 51, 35.9},   {49.3, 32.9, 51, 35.3},   {49.2, 31.8, 51, 35.4},  {35.1, 11.5, 39.1, 15.7},
      {35.6, 11.8, 39.3, 14.2}, {35.3, 11.5, 39.9, 14.5}, {35.2, 11.7, 39.7, 15.7}};
  Call call = CallOf(kFunction, "first=7,second=7");
  for (size_t row = 0; row < boxes.size(); ++row) {
    SetRow(call, "bbox1", static_cast<int64_t>(row), boxes[row]);
    SetRow(call, "bbox2", static_cast<int64_t>(row), boxes[row]);
  }
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
    const auto iou = [&](int64_t i, int64_t j) { return done["ious"].Get(i * 7 + j); };
    EXPECT_NEAR(iou(0, 1), 0.61353, 1e-5);
    EXPECT_NEAR(iou(0, 2), 0.69858, 1e-5);
    EXPECT_NEAR(iou(3, 4), 0.48611, 1e-5);
    EXPECT_NEAR(iou(3, 5), 0.59375, 1e-5);
    EXPECT_NEAR(iou(3, 6), 0.81250, 1e-5);
    EXPECT_NEAR(iou(4, 5), 0.64348, 1e-5);
    EXPECT_EQ(iou(0, 3), 0);
    for (int64_t i = 0; i < 7; ++i) {
      EXPECT_EQ(iou(i, i), 1);
      for (int64_t j = 0; j < 7; ++j) EXPECT_EQ(iou(i, j), iou(j, i));
    }
  });
}

// Sides whose products no double holds.
TEST(BboxOverlaps, BoxesOfAnySize) {
  for (const double size : {1e-307, 1e-200, 1e150, 1e200, 8e307}) {
    SCOPED_TRACE(size);
    Call call = CallOf(kFunction, "first=1,second=4", MLUOP_DTYPE_DOUBLE);
    SetRow(call, "bbox1", 0, {-size, 0, size, size});
    const double rows[][4] = {{-1, 0, 1, 1}, {0, 0, 1, 1}, {-1, 0.5, 0, 1}, {1, 0, 2, 1}};
    for (int64_t row = 0; row < 3; ++row) {
      for (int64_t i = 0; i < 4; ++i) call["bbox2"].Set(row * 4 + i, rows[row][i] * size);
    }
    SetRow(call, "bbox2", 3, {size, 0, size * 1.5, size});
    detops_harness::PlacedCall placed(call);
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
      const double expected[] = {1, 0.5, 0.25, 0};
      for (int64_t i = 0; i < 4; ++i) ASSERT_NEAR(placed.call()["ious"].Get(i), expected[i], 1e-15) << i;
    });
  }
}

}  // namespace
}  // namespace detops_test
