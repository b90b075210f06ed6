// The gradient of box_iou_rotated: by hand, by differences of the exact value, and by what moving both boxes together
// must not change.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "properties/by_hand.h"
#include "support/rotated_slopes.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::PlacedCall;
using Row = std::vector<double>;

// Pairs of boxes with grad 1.
Call AlignedCallOf(mluOpDataType_t type, int mode, const std::vector<Row>& first, const std::vector<Row>& second) {
  Call call = CallOf("detopsBoxIouRotatedBackward",
                     "aligned=1,first=" + std::to_string(first.size()) + ",mode=" + std::to_string(mode), type);
  for (size_t i = 0; i < first.size(); ++i) {
    SetRow(call, "bbox1", static_cast<int64_t>(i), first[i]);
    SetRow(call, "bbox2", static_cast<int64_t>(i), second[i]);
  }
  Fill(call, "grad", 1);
  return call;
}
void ExpectGradients(mluOpDataType_t type, int mode, const Row& first, const Row& second, const Row& grad1,
                     const Row& grad2) {
  ExpectNumbersEverywhere(AlignedCallOf(type, mode, {first}, {second}), {{"grad1", grad1}, {"grad2", grad2}});
}

class BoxIouRotatedBackward : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, BoxIouRotatedBackward, testing::ValuesIn(kTypes), TypeName);

// ---- by hand ----

// Upright boxes of 4 x 2, one shifted by (1, 1): they share 3 x 1. The shifted one has its left side and bottom inside
// the other, 1 and 3 long; moving it right makes the area smaller by 1, up by 3; width and height add half a side's
// length. Its left side spans local y from -1 to 0 (moment -1/2), its bottom local x from -2 to 1 (moment -3/2).
TEST_P(BoxIouRotatedBackward, ShiftedBox) {
  ExpectGradients(GetParam(), 2, {1, 1, 4, 2, 0}, {0, 0, 4, 2, 0}, {-1, -3, 0.5, 1.5, 1}, {1, 3, 0.5, 1.5, 1});
  // IoU = 3 / 13: (dI * (A + B) - I * dA) / 13^2 with dA/dw = 2, dA/dh = 4. IoF = 3 / 8: (dI * 8 - 3 dA) / 64.
  Call iou = AlignedCallOf(GetParam(), 0, {{1, 1, 4, 2, 0}}, {{0, 0, 4, 2, 0}});
  const double whole = 169;
  ExpectWithinTheBar(iou, {{"grad1", {-16 / whole, -48 / whole, 2 / whole, 12 / whole, 16 / whole}},
                           {"grad2", {16 / whole, 48 / whole, 2 / whole, 12 / whole, 16 / whole}}});
  ExpectGradients(GetParam(), 1, {1, 1, 4, 2, 0}, {0, 0, 4, 2, 0}, {-0.125, -0.375, -0.03125, 0, 0.125},
                  {0.125, 0.375, 0.0625, 0.1875, 0.125});
}

// One inside of the other: only its own size counts, and where it is makes no difference.
TEST_P(BoxIouRotatedBackward, Nested) {
  ExpectGradients(GetParam(), 2, {0.25, 0.5, 2, 1, 0.5}, {0, 0, 8, 8, 0}, {0, 0, 1, 2, 0}, {0, 0, 0, 0, 0});
  ExpectGradients(GetParam(), 0, {0.25, 0.5, 2, 1, 0}, {0, 0, 8, 8, 0}, {0, 0, 1 / 64.0, 1 / 32.0, 0},
                  {0, 0, -1 / 256.0, -1 / 256.0, 0});
}

// Equal boxes: all sides lie on each other and count half. Growing adds to the union, shrinking takes from the overlap,
// so the IoU's slopes are half of these, and cancel: dI = 1/2 dA, and (dI * 2 A - A dA) / A^2 = 0.
TEST_P(BoxIouRotatedBackward, EqualBoxes) {
  for (const double angle : {0.0, 0.75}) {
    const Row box = {1, 2, 4, 2, angle};
    ExpectGradients(GetParam(), 2, box, box, {0, 0, 1, 2, 0}, {0, 0, 1, 2, 0});
    ExpectGradients(GetParam(), 0, box, box, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0});
    ExpectGradients(GetParam(), 1, box, box, {0, 0, -0.125, -0.25, 0}, {0, 0, 0.125, 0.25, 0});
  }
}

// Two sides in one place: the left ones of a box of 4 x 2 and one of 2 x 2 inside of it, and both ends of that.
TEST_P(BoxIouRotatedBackward, SidesInOnePlace) {
  ExpectGradients(GetParam(), 2, {-1, 0, 2, 2, 0}, {0, 0, 4, 2, 0}, {1, 0, 1.5, 1, 0}, {-1, 0, 0.5, 1, 0});
}

// No shared area: apart, a common side, a common corner, without area; whatever grad is.
TEST_P(BoxIouRotatedBackward, NothingShared) {
  const Row none(5, 0), box = {0, 0, 2, 2, 0};
  for (const Row& other : {Row{9, 0, 2, 2, 0.5}, Row{2, 0, 2, 2, 0}, Row{2, 2, 2, 2, 0}, Row{0, 0, 0, 2, 0},
                           Row{0, 0, -2, 2, 0}, Row{0, 0, -2, -2, 0}}) {
    for (const int mode : {0, 1, 2}) {
      ExpectGradients(GetParam(), mode, box, other, none, none);
      Call call = AlignedCallOf(GetParam(), mode, {box}, {other});
      Fill(call, "grad", kNan);
      ExpectNumbersEverywhere(call, {{"grad1", none}, {"grad2", none}});
    }
  }
}

// Boxes with a NaN or an Inf have no area when nobody looks for them.
TEST_P(BoxIouRotatedBackward, BadBoxesUnchecked) {
  for (int64_t number = 0; number < 5; ++number) {
    Call call = AlignedCallOf(GetParam(), 0, {{0, 0, 2, 2, 0}}, {{0, 0, 2, 2, 0}});
    call["bbox1"].Set(number, number % 2 == 0 ? kNan : kInf);
    call.value_checks = false;
    ExpectNumbersEverywhere(call, {{"grad1", Row(5, 0)}, {"grad2", Row(5, 0)}});
  }
}

// A grad of 0 adds nothing; every pair of a matrix adds its own.
TEST_P(BoxIouRotatedBackward, SumsOverPairs) {
  Call call = CallOf("detopsBoxIouRotatedBackward", "first=1,second=3,mode=2", GetParam());
  SetRow(call, "bbox1", 0, {1, 1, 4, 2, 0});
  for (int64_t i = 0; i < 3; ++i) SetRow(call, "bbox2", i, {0, 0, 4, 2, 0});
  Assign(call, "grad", {2, 0, -1});
  ExpectNumbersEverywhere(
      call, {{"grad1", {-1, -3, 0.5, 1.5, 1}}, {"grad2", {2, 6, 1, 3, 2, 0, 0, 0, 0, 0, -1, -3, -0.5, -1.5, -1}}});
}

// Fact 56 of the specification.
TEST(BoxIouRotatedBackwardFacts, Fact56) {
  const Row expected = {1.093191, 1.370954, 0.546596, 1.485109, 1.537545};
  PlacedCall placed(AlignedCallOf(MLUOP_DTYPE_DOUBLE, 2, {{0, 0, 4, 2, 0}}, {{1, 0.5, 4, 2, 0.5}}));
  ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    CarryOut(placed, handle);
    for (int64_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(placed.call()["grad1"].Get(k), expected[static_cast<size_t>(k)], 5.1e-7);
    }
  });
}

// Facts 10 to 14: boxes at right angles to each other, where other code finds no overlap (mmcv issue 2335) and so no
// gradient; nearly the same box; and slim ones that meet or miss each other by the sense of the angle.
TEST(BoxIouRotatedBackwardFacts, Facts10To14) {
  constexpr double kPi = 3.141592653589793, kDegree = kPi / 180;
  const auto slim = [&](double sign) {
    return std::pair{Row{1010.5, 860.00012207, 12.20655537, 48.82622528, sign * 55.00798035 * kDegree},
                     Row{1022, 870.49993896, 10.81665134, 43.26660919, sign * 56.30992889 * kDegree}};
  };
  const struct {
    std::pair<Row, Row> boxes;
    double iou;
  } facts[] = {{{{0, 0, 5, 10, kPi / 6}, {0, 0, 10, 5, kPi / 3}}, 0.405827424},
               {{{0, 0, 5, 10, kPi / 6}, {0, 0, 10, 5, 2 * kPi / 3}}, 0.999999945},
               {slim(-1), 0.368758648},
               {slim(1), 0},
               {{{160, 153, 230, 23, 37 * kDegree}, {190, 127, 80, 21, 46 * kDegree}}, 0}};
  for (const auto& [boxes, iou] : facts) {
    Call call = AlignedCallOf(MLUOP_DTYPE_FLOAT, 0, {boxes.first}, {boxes.second});
    const Row first = call["bbox1"].Values(), second = call["bbox2"].Values();  // as floats
    const auto area = static_cast<double>(SlopesOfSharedArea(first.data(), second.data()).area);
    EXPECT_NEAR(area / (first[2] * first[3] + second[2] * second[3] - area), iou, 1e-6);
    ExpectAgreementEverywhere(call, {}, [&, some = iou > 0](const Call& done) {
      const Row grad = done["grad1"].Values();
      EXPECT_EQ(std::any_of(grad.begin(), grad.end(), [](double slope) { return slope != 0; }), some);
    });
  }
}

// Where every product of sides leaves the range of double. Scaled by s, the overlap's slopes by lengths are s times,
// that by the angle s^2 times; the IoU's 1 / s times, and the same.
TEST(BoxIouRotatedBackwardFacts, WideBoxes) {
  for (const double scale : {0x1p-400, 0x1p400}) {
    const Row first = {scale, scale, 4 * scale, 2 * scale, 0}, second = {0, 0, 4 * scale, 2 * scale, 0};
    const double by_angle = scale * scale;
    ExpectGradients(MLUOP_DTYPE_DOUBLE, 2, first, second, {-scale, -3 * scale, 0.5 * scale, 1.5 * scale, by_angle},
                    {scale, 3 * scale, 0.5 * scale, 1.5 * scale, by_angle});
    ExpectGradients(MLUOP_DTYPE_DOUBLE, 1, first, second, {-0.125 / scale, -0.375 / scale, -0.03125 / scale, 0, 0.125},
                    {0.125 / scale, 0.375 / scale, 0.0625 / scale, 0.1875 / scale, 0.125});
  }
}

// ---- against differences ----

Row RandomBox(detops_harness::Random& random) {
  return {random.Uniform(-1, 1), random.Uniform(-1, 1), random.Uniform(1, 4), random.Uniform(1, 3),
          random.Uniform(-4, 4)};
}

double ValueOf(int mode, const Row& a, const Row& b) {
  const auto area = static_cast<double>(SlopesOfSharedArea(a.data(), b.data()).area);
  if (mode == 2) return area;
  return area / (mode == 0 ? a[2] * a[3] + b[2] * b[3] - area : a[2] * a[3]);
}

// Central differences of the exact value, whose own error is below 1e-8 unless a corner crosses a side within the step:
// such pairs are told by their one-sided differences and left out.
TEST(BoxIouRotatedBackwardDifferences, OfTheExactValue) {
  constexpr double kStep = 1e-5;
  constexpr int kPairs = 300;
  detops_harness::Random random(7);
  std::vector<Row> first, second;
  for (int i = 0; i < kPairs; ++i) {
    first.push_back(RandomBox(random));
    second.push_back(RandomBox(random));
  }
  for (const int mode : {0, 1, 2}) {
    PlacedCall placed(AlignedCallOf(MLUOP_DTYPE_DOUBLE, mode, first, second));
    CarryOut(placed, Handle(DETOPS_PROFILE_FULL, 1));
    int compared = 0;
    for (int i = 0; i < kPairs * 10; ++i) {
      const auto pair = static_cast<size_t>(i / 10), number = static_cast<size_t>(i % 5);
      const bool of_first = i % 10 < 5;
      const auto at = [&](double move) {
        Row a = first[pair], b = second[pair];
        (of_first ? a : b)[number] += move;
        return ValueOf(mode, a, b);
      };
      const double up = (at(kStep) - at(0)) / kStep, down = (at(0) - at(-kStep)) / kStep;
      if (std::fabs(up - down) > 1e-3) continue;
      const double slope = placed.call()[of_first ? "grad1" : "grad2"].Get(static_cast<int64_t>(pair * 5 + number));
      ASSERT_NEAR(slope, (at(kStep) - at(-kStep)) / (2 * kStep), 2e-6) << "pair " << pair << ", number " << number;
      ++compared;
    }
    EXPECT_GT(compared, kPairs * 9);
  }
}

// ---- what must cancel ----

// Moving both boxes together changes no IoU; nor does turning both around a point, nor making both larger.
TEST(BoxIouRotatedBackwardSymmetry, MovesOfBothBoxes) {
  PlacedCall placed(CallOf("detopsBoxIouRotatedBackward", "aligned=1,first=500", MLUOP_DTYPE_DOUBLE, 5));
  CarryOut(placed, Handle(DETOPS_PROFILE_FULL, 2));
  const Call& call = placed.call();
  for (int64_t pair = 0; pair < 500; ++pair) {
    double shift_x = 0, shift_y = 0, turn = 0, growth = 0;
    for (const auto& [boxes, grad] : {std::pair{"bbox1", "grad1"}, {"bbox2", "grad2"}}) {
      const auto number = [&](const char* tensor, int64_t k) { return call[tensor].Get(pair * 5 + k); };
      shift_x += number(grad, 0);
      shift_y += number(grad, 1);
      turn += number(boxes, 0) * number(grad, 1) - number(boxes, 1) * number(grad, 0) + number(grad, 4);
      for (int64_t k = 0; k < 4; ++k) growth += number(boxes, k) * number(grad, k);
    }
    for (const double sum : {shift_x, shift_y, turn, growth}) ASSERT_NEAR(sum, 0, 1e-12) << "pair " << pair;
  }
}

// (a, b) and (b, a) have the same gradients, bit for bit, in a matrix and in its transpose.
TEST(BoxIouRotatedBackwardSymmetry, RolesMayChange) {
  for (const std::string boxes : {"scattered", "ties", "odd"}) {
    for (const int mode : {0, 2}) {
      Call there = CallOf("detopsBoxIouRotatedBackward",
                          "first=13,second=7,mode=" + std::to_string(mode) + ",boxes=" + boxes, MLUOP_DTYPE_FLOAT, 3);
      Call back = CallOf("detopsBoxIouRotatedBackward", "first=7,second=13,mode=" + std::to_string(mode));
      back["bbox1"].contents = there["bbox2"].contents;
      back["bbox2"].contents = there["bbox1"].contents;
      for (int64_t i = 0; i < 13; ++i) {
        for (int64_t j = 0; j < 7; ++j) back["grad"].Set(j * 13 + i, there["grad"].Get(i * 7 + j));
      }
      PlacedCall first(there), second(back);
      ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
        CarryOut(first, handle);
        CarryOut(second, handle);
        EXPECT_EQ(first.call()["grad1"].Values(), second.call()["grad2"].Values());
        EXPECT_EQ(first.call()["grad2"].Values(), second.call()["grad1"].Values());
      });
    }
  }
}

}  // namespace
}  // namespace detops_test
