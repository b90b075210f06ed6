// The gradient of the IoU of volumes: by hand, by differences of the function itself, and what must cancel.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::PlacedCall;
using Row = std::vector<double>;

Call PairOf(mluOpDataType_t type, int z, const Row& first, const Row& second) {
  Call call = CallOf("detopsBoxesIou3dBackward", "aligned=1,first=1,z=" + std::to_string(z), type);
  SetRow(call, "boxes_a", 0, first);
  SetRow(call, "boxes_b", 0, second);
  Fill(call, "grad", 1);
  return call;
}
void ExpectGradients(mluOpDataType_t type, int z, const Row& first, const Row& second, const Row& grad_a,
                     const Row& grad_b) {
  ExpectNumbersEverywhere(PairOf(type, z, first, second), {{"grad_a", grad_a}, {"grad_b", grad_b}});
}

class BoxesIou3dBackward : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, BoxesIou3dBackward, testing::ValuesIn(kTypes), TypeName);

// A cube of 2 inside of one of 4, and standing on its bottom: the IoU is V / W = 8 / 64. dx: 4 / 64. Seen from the
// centre, more height moves both ends: half of it is inside at the bottom, that is 1 / 2 * 1 / 2 + 1 / 2; and moving it
// up is free, moving it down costs: 1 / 2. With z at the bottom, more height moves the top alone.
TEST_P(BoxesIou3dBackward, OnTheBottomOfALargerBox) {
  const double s = 4 / 64.0;
  // dV = 4 dh and W stays: dIoU = (4 dh * 64 - 8 * (4 - 4 dh)) / 64^2 with 4 = d(dx dy dz)/d(dz).
  const auto by_height = [](double dh) { return (4 * dh * 64 - 8 * (4 - 4 * dh)) / 4096; };
  const double by_z = (4 * 0.5 * (64 + 8)) / 4096;
  // The larger one: its bottom's height counts half where the smaller one stands.
  const auto of_larger = [](double dh) { return (4 * dh * 64 - 8 * (16 - 4 * dh)) / 4096; };
  const double side = -8 * 16 / 4096.0;
  ExpectGradients(GetParam(), 0, {0, 0, -1, 2, 2, 2, 0}, {0, 0, 0, 4, 4, 4, 0}, {0, 0, by_z, s, s, by_height(0.75), 0},
                  {0, 0, -by_z, side, side, of_larger(0.25), 0});
  ExpectGradients(GetParam(), 1, {0, 0, -2, 2, 2, 2, 0}, {0, 0, -2, 4, 4, 4, 0}, {0, 0, by_z, s, s, by_height(1), 0},
                  {0, 0, -by_z, side, side, of_larger(0), 0});
}

// Equal boxes: every side and both ends lie on each other.
TEST_P(BoxesIou3dBackward, EqualBoxes) {
  const Row box = {1, 2, 3, 4, 2, 2, 0.75};
  ExpectGradients(GetParam(), 0, box, box, Row(7, 0), Row(7, 0));
}

// Above each other, touching, without height, or with a NaN that nobody looks for.
TEST_P(BoxesIou3dBackward, NothingShared) {
  const Row box = {0, 0, 0, 2, 2, 2, 0}, none(7, 0);
  for (const Row& other : {Row{0, 0, 5, 2, 2, 2, 0}, Row{0, 0, 2, 2, 2, 2, 0}, Row{2, 0, 0, 2, 2, 2, 0},
                           Row{0, 0, 0, 2, 2, 0, 0}, Row{0, 0, 0, 2, 2, -2, 0}, Row{0, 0, 0, 0, 2, 2, 0}}) {
    ExpectGradients(GetParam(), 0, box, other, none, none);
  }
  for (int64_t number = 0; number < 7; ++number) {
    Call call = PairOf(GetParam(), 0, box, box);
    call["boxes_b"].Set(number, kNan);
    call.value_checks = false;
    ExpectNumbersEverywhere(call, {{"grad_a", none}, {"grad_b", none}});
  }
}

// Heights whose products leave the range of double: the IoU's slopes by heights are those by the height's size.
TEST(BoxesIou3dBackwardWide, HeightsBeyondProducts) {
  const double tall = 0x1p700;
  const double whole = 169;
  ExpectWithinTheBar(PairOf(MLUOP_DTYPE_DOUBLE, 1, {1, 1, 0, 4, 2, tall, 0}, {0, 0, 0, 4, 2, tall, 0}),
                     {{"grad_a", {-16 / whole, -48 / whole, 0, 2 / whole, 12 / whole, 0, 16 / whole}},
                      {"grad_b", {16 / whole, 48 / whole, 0, 2 / whole, 12 / whole, 0, 16 / whole}}});
}

// ---- against the function itself ----

// Central differences of detopsBoxesIou3d. Pairs of which a corner crosses a side within the step are told by their
// one-sided differences and left out.
TEST(BoxesIou3dBackwardDifferences, OfTheFunction) {
  constexpr double kStep = 1e-5;
  constexpr int64_t kPairs = 200;
  const std::string shape = "aligned=1,first=" + std::to_string(kPairs);
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  for (const int z : {0, 1}) {
    Call backward = CallOf("detopsBoxesIou3dBackward", shape + ",z=" + std::to_string(z), MLUOP_DTYPE_DOUBLE, 9);
    Fill(backward, "grad", 1);
    PlacedCall slopes(backward);
    CarryOut(slopes, handle);
    Call forward = CallOf("detopsBoxesIou3d", shape + ",z=" + std::to_string(z), MLUOP_DTYPE_DOUBLE);
    int compared = 0;
    for (const auto& [boxes, grad] : {std::pair{"boxes_a", "grad_a"}, {"boxes_b", "grad_b"}}) {
      for (int64_t number = 0; number < 7; ++number) {
        const auto at = [&](double move) {
          for (const char* tensor : {"boxes_a", "boxes_b"}) forward[tensor].contents = backward[tensor].contents;
          for (int64_t i = number; i < kPairs * 7; i += 7) forward[boxes].Set(i, backward[boxes].Get(i) + move);
          PlacedCall placed(forward);
          CarryOut(placed, handle);
          return placed.call()["ious"].Values();
        };
        const std::vector<double> low = at(-kStep), middle = at(0), high = at(kStep);
        for (size_t i = 0; i < kPairs; ++i) {
          if (std::fabs(high[i] - 2 * middle[i] + low[i]) > 1e-3 * kStep) continue;
          const double slope = slopes.call()[grad].Get(static_cast<int64_t>(i) * 7 + number);
          ASSERT_NEAR(slope, (high[i] - low[i]) / (2 * kStep), 2e-6) << grad << " " << i << ", number " << number;
          ++compared;
        }
      }
    }
    EXPECT_GT(compared, kPairs * 14 * 9 / 10);
  }
}

// Moving both boxes changes nothing, along z neither; nor does making both larger.
TEST(BoxesIou3dBackwardSymmetry, MovesOfBothBoxes) {
  PlacedCall placed(CallOf("detopsBoxesIou3dBackward", "aligned=1,first=500", MLUOP_DTYPE_DOUBLE, 5));
  CarryOut(placed, Handle(DETOPS_PROFILE_FULL, 2));
  const Call& call = placed.call();
  for (int64_t pair = 0; pair < 500; ++pair) {
    double shift_x = 0, shift_y = 0, shift_z = 0, growth = 0, stretch = 0;
    for (const auto& [boxes, grad] : {std::pair{"boxes_a", "grad_a"}, {"boxes_b", "grad_b"}}) {
      const auto number = [&](const char* tensor, int64_t k) { return call[tensor].Get(pair * 7 + k); };
      shift_x += number(grad, 0);
      shift_y += number(grad, 1);
      shift_z += number(grad, 2);
      for (const int64_t k : {0, 1, 3, 4}) growth += number(boxes, k) * number(grad, k);
      for (const int64_t k : {2, 5}) stretch += number(boxes, k) * number(grad, k);
    }
    for (const double sum : {shift_x, shift_y, shift_z, growth, stretch}) {
      ASSERT_NEAR(sum, 0, 1e-12) << "pair " << pair;
    }
  }
}

}  // namespace
}  // namespace detops_test
