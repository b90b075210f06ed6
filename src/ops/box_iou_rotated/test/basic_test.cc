// box_iou_rotated on numbers worked out apart from all code: the reference can share a misreading with the library,
// these cannot.
#include <string>
#include <vector>

#include "properties/by_hand.h"
#include "support/rotated_facts.h"

namespace detops_test {
namespace {

using detops_harness::Call;

constexpr char kFunction[] = "mluOpBoxIouRotated";

// Boxes of the same number.
Call AlignedCall(mluOpDataType_t type, int mode, const std::vector<std::array<float, 5>>& first,
                 const std::vector<std::array<float, 5>>& second) {
  Call call =
      CallOf(kFunction, "first=" + std::to_string(first.size()) + ",aligned=1,mode=" + std::to_string(mode), type);
  for (size_t row = 0; row < first.size(); ++row) {
    for (size_t i = 0; i < 5; ++i) {
      call["bbox1"].Set(static_cast<int64_t>(row * 5 + i), static_cast<double>(first[row][i]));
      call["bbox2"].Set(static_cast<int64_t>(row * 5 + i), static_cast<double>(second[row][i]));
    }
  }
  return call;
}

class BoxIouRotatedFacts : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, BoxIouRotatedFacts, testing::Values(MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE), TypeName);

TEST_P(BoxIouRotatedFacts, AreMet) {
  const double rounding = GetParam() == MLUOP_DTYPE_FLOAT ? 0x1p-24 : 0;
  for (const int mode : {0, 1}) {
    std::vector<RotatedFact> facts;
    std::vector<std::array<float, 5>> first, second;
    for (const RotatedFact& fact : kRotatedFacts) {
      if (mode == 1 && fact.iof < 0) continue;
      facts.push_back(fact);
      first.push_back(fact.a);
      second.push_back(fact.b);
    }
    for (const bool swapped : {false, true}) {
      if (swapped && mode == 1) continue;
      const Call call = AlignedCall(GetParam(), mode, swapped ? second : first, swapped ? first : second);
      ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
        for (size_t i = 0; i < facts.size(); ++i) {
          const double expected = mode == 0 ? facts[i].iou : facts[i].iof;
          const double value = done["ious"].Get(static_cast<int64_t>(i));
          if (expected == 0 || expected == 1) {
            ASSERT_EQ(value, expected) << "fact " << facts[i].number;
          } else {
            // Half of the ninth digit.
            const double digits = facts[i].tolerance == 0 ? 5e-9 : facts[i].tolerance;
            ASSERT_NEAR(value, expected, (digits + rounding) * expected) << "fact " << facts[i].number;
          }
        }
      });
    }
  }
}

// What other implementations get wrong, by their public reports; test/accuracy_test.cc has random boxes of these kinds.
struct Reported {
  const char* text;
  std::array<float, 5> a, b;
  double least, most;
};

constexpr Reported kReported[] = {
    // Equal boxes, and nearly equal ones: 0.333, 0.6 or 0 elsewhere.
    {"equal", {31.5f, 17.25f, 12.25f, 7.5f, 0.77f}, {31.5f, 17.25f, 12.25f, 7.5f, 0.77f}, 1, 1},
    {"equal, and 1:1e20", {3, 4, 1, 1e-20f, 0.77f}, {3, 4, 1, 1e-20f, 0.77f}, 1, 1},
    {"equal but for 1e-6", {31.5f, 17.25f, 12.25f, 7.5f, 0.77f}, {31.50001f, 17.25f, 12.25f, 7.5f, 0.77f}, 0.99999, 1},
    {"turned by 1e-6", {0, 0, 12, 7, 0.77f}, {0, 0, 12, 7, 0.770001f}, 0.99999, 1},
    // Values below 0 or above 1: -1.2e7, 1.35, 1.000125.
    {"one side next to nothing",
     {135.07f, 406.72f, 7.9445e-7f, 1971.1f, 1.7708f},
     {151.008f, 436.2173f, 302.0159f, 313.7347f, 3.1184f},
     0,
     1e-8},
    {"turned by 1e-4", {0, 0, 4, 2, 0}, {0, 0, 4, 2, 1e-4f}, 0.9998, 0.9999},
    // Absolute margins: 0.9999998 or 3 instead of 1/3.
    {"1 mm, half of it shared", {0, 0, 1e-3f, 1e-3f, 0}, {5e-4f, 0, 1e-3f, 1e-3f, 0}, 0.3333332, 0.3333334},
    {"1 cm, half of it shared", {0, 0, 1e-2f, 1e-2f, 0}, {5e-3f, 0, 1e-2f, 1e-2f, 0}, 0.3333332, 0.3333334},
    {"5 mm apart", {0, 0, 4, 2, 0}, {4.005f, 0, 4, 2, 0}, 0, 0},
    // No centring: 0.711.
    {"1000 km away", {1e6f, 1e6f, 4, 2, 0.3f}, {1000000.5f, 1e6f, 4, 2, 0.3f}, 0.688512, 0.688513},
    // Negative sides: 4e8.
    {"negative sides", {0, 0, -4, -2, 0.3f}, {0, 0, -4, -2, 0.3f}, 0, 0},
};

TEST(BoxIouRotated, WhatOthersGetWrong) {
  std::vector<std::array<float, 5>> first, second;
  for (const Reported& report : kReported) {
    first.push_back(report.a);
    second.push_back(report.b);
  }
  ExpectAgreementEverywhere(AlignedCall(MLUOP_DTYPE_FLOAT, 0, first, second), {}, [&](const Call& done) {
    for (size_t i = 0; i < first.size(); ++i) {
      const double iou = done["ious"].Get(static_cast<int64_t>(i));
      ASSERT_GE(iou, kReported[i].least) << kReported[i].text;
      ASSERT_LE(iou, kReported[i].most) << kReported[i].text;
    }
  });
}

// With value checks off a box with a NaN or an Inf has no area.
TEST(BoxIouRotated, BoxesThatAreNoNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  std::vector<std::array<float, 5>> first, second;
  for (size_t i = 0; i < 5; ++i) {
    for (const float wrong : {nan, inf, -inf}) {
      first.push_back({0, 0, 2, 2, 0});
      second.push_back({0, 0, 2, 2, 0});
      second.back()[i] = wrong;
    }
  }
  Call call = AlignedCall(MLUOP_DTYPE_FLOAT, 0, first, second);
  call.value_checks = false;
  ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
    for (const double iou : done["ious"].Values()) ASSERT_EQ(iou, 0);
  });
}

// Sides whose products no double holds, nor their squares' reciprocals.
TEST(BoxIouRotated, BoxesOfAnySize) {
  for (const double size : {1e-307, 1e-200, 1e-154, 1e150, 1e200, 8e307}) {
    SCOPED_TRACE(size);
    Call call = CallOf(kFunction, "first=1,second=4", MLUOP_DTYPE_DOUBLE);
    const double rows[][5] = {
        {0, 0, 1, 0.5, 0}, {0, 0, 1, 0.5, 0}, {0.25, 0, 1, 0.5, 0}, {0, 0, 0.5, 0.5, 0}, {0.75, 1, 1, 0.5, 0.3}};
    for (int64_t i = 0; i < 5; ++i) {
      const double scale = i == 4 ? 1 : size;
      call["bbox1"].Set(i, rows[0][i] * scale);
      for (int64_t row = 0; row < 4; ++row) call["bbox2"].Set(row * 5 + i, rows[row + 1][i] * scale);
    }
    detops_harness::PlacedCall placed(call);
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
      const double expected[] = {1, 0.6, 0.5, 0};
      for (int64_t i = 0; i < 4; ++i) ASSERT_NEAR(placed.call()["ious"].Get(i), expected[i], 1e-14) << i;
    });
  }
}

// All of the first lies in the second, whose sides are up to 2e10 times as long. Only the areas round.
TEST_P(BoxIouRotatedFacts, SmallBoxesDeepInsideAreInside) {
  std::vector<std::array<float, 5>> first, second;
  for (const float side : {1.0f, 1e-3f, 1e-6f, 1e-9f}) {
    for (const float angle : {0.0f, 0.3f, -2.0f}) {
      first.push_back({1.25f, -3.5f, side, 2 * side, angle});
      second.push_back({-1, 0.5f, 20, 17, 0.7f});
    }
  }
  ExpectAgreementEverywhere(AlignedCall(GetParam(), 1, first, second), {}, [&](const Call& done) {
    for (int64_t i = 0; i < std::ssize(first); ++i) ASSERT_NEAR(done["ious"].Get(i), 1, 0x1p-50) << i;
  });
}

}  // namespace
}  // namespace detops_test
