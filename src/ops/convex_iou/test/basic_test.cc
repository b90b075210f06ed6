// convex_iou on numbers worked out by hand: the reference can share a misreading with the library, these cannot.
#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using Row = std::vector<double>;

constexpr char kIou[] = "detopsConvexIou", kGiou[] = "detopsConvexGiou";
// Its hull is an octagon with one point on each of two sides of the square (1..3)^2: area 7/2.
const Row kSet = {1, 1, 2, 2, 1, 2, 2, 1, 1, 3, 3, 1, 2, 3, 3, 2, 1.5, 1.5};

Row Shifted(Row numbers, double by) {
  for (double& number : numbers) number += by;
  return numbers;
}

Row Square(double low, double high) { return {low, low, high, low, high, high, low, high}; }

void ExpectPair(const Row& set, const Row& quad, double iou, double giou) {
  Call ious = CallOf(kIou, "rows=1,count=1", MLUOP_DTYPE_DOUBLE), gious = CallOf(kGiou, "rows=1", MLUOP_DTYPE_DOUBLE);
  for (Call* call : {&ious, &gious}) {
    Assign(*call, "points", set);
    Assign(*call, "quads", quad);
  }
  ExpectAgreementEverywhere(ious, {}, [&](const Call& done) { EXPECT_NEAR(done["ious"].Get(0), iou, 1e-15); });
  ExpectAgreementEverywhere(gious, {}, [&](const Call& done) { EXPECT_NEAR(done["gious"].Get(0), giou, 1e-15); });
}

// GIoU and gradient of one row of doubles.
std::pair<double, Row> GiouOf(const Row& set, const Row& quad) {
  static const Handle handle(DETOPS_PROFILE_FULL, 1);
  Call call = CallOf(kGiou, "rows=1", MLUOP_DTYPE_DOUBLE);
  Assign(call, "points", set);
  Assign(call, "quads", quad);
  detops_harness::PlacedCall placed(call, {detops_harness::MemoryKind::kHeap});
  CarryOut(placed, handle);
  return {placed.call()["gious"].Get(0), placed.call()["grad"].Values()};
}

TEST(ConvexIou, Facts) {
  ExpectPair(kSet, Square(1, 3), 7.0 / 8, 7.0 / 8);
  ExpectPair(kSet, Square(1, 2), 2.0 / 7, 2.0 / 7);
  ExpectPair(kSet, Square(0, 4), 7.0 / 32, 7.0 / 32);
  const Row shifted = Shifted(kSet, 0.5);
  ExpectPair(shifted, Square(1, 3), 3.0 / 7, 59.0 / 154);
  ExpectPair(shifted, Square(1, 2), 1.0 / 17, -31.0 / 340);
  ExpectPair(shifted, Square(0, 4), 7.0 / 32, 7.0 / 32);
}

// What made peers write beyond their arrays: many points on the sides of the hull, or the same point again and again.
TEST(ConvexIou, PointsOnALineAndEqualPoints) {
  const Row on_sides = {0, 0, 1, 0, 2, 0, 2, 1, 2, 2, 1, 2, 0, 2, 0, 1, 1, 1};
  ExpectPair(on_sides, Square(0, 2), 1, 1);
  ExpectPair(on_sides, Square(1, 3), 1.0 / 7, 1.0 / 7 - 1.0 / 8);  // C: (0..3)^2 without two corners of 1/2
  const Row corners = {0, 0, 2, 0, 2, 2, 0, 2, 0, 0, 2, 0, 2, 2, 0, 2, 0, 0};
  ExpectPair(corners, {0, 2, 2, 2, 2, 0, 0, 0}, 1, 1);
  const Row line = {0, 0, 1, 1, 2, 2, 3, 3, 0.5, 0.5, 4, 4, 1, 1, 3, 3, 2, 2};
  // A diagonal of the square: no area of its own, and C = U = 16.
  ExpectPair(line, Square(0, 4), 0, 0);
  ExpectPair(line, Square(1, 1), 0, 0);  // everything on a line: C is 0
  const Row point(18, 3.0);
  ExpectPair(point, Square(0, 4), 0, 0);             // -1 + 16 / 16
  ExpectPair(point, Square(3, 4), 0, 0);             // a corner of it
  ExpectPair(point, Square(0, 2), 0, -1 + 4.0 / 6);  // C: the square and the triangles to (3, 3)
  ExpectPair(point, Square(5, 5), 0, 0);
}

TEST(ConvexIou, GradientByHand) {
  // A triangle (0, 0), (4, 0), (0, 4) in a square (-1..5)^2: GIoU = A / 36, so the gradient is that of A / 36.
  Row set = {0, 0, 4, 0, 0, 4, 1, 1, 0, 0, 2, 2, 1, 0, 0, 1, 1, 2};
  auto [giou, gradient] = GiouOf(set, Square(-1, 5));
  EXPECT_NEAR(giou, 8.0 / 36, 1e-15);
  const Row expected = {-2, -2, 2, 0, 0, 2};
  for (size_t i = 0; i < 18; ++i) EXPECT_NEAR(gradient[i] * 36, i < 6 ? expected[i] : 0, 1e-13) << i;
  // Two squares side by side, one unit apart: GIoU = -1 + (8 / 10). Only the far corners move C: by 2 * dx / 2 each.
  set = {0, 0, 2, 0, 2, 2, 0, 2, 1, 1, 1, 1, 0, 0, 2, 2, 1, 1};
  std::tie(giou, gradient) = GiouOf(set, {3, 0, 5, 0, 5, 2, 3, 2});
  EXPECT_NEAR(giou, -0.2, 1e-15);
  // dA / C for all four; - U / C^2 dC for (0, 0) and (0, 2). (2, 0) and (2, 2) lie on sides of the common hull.
  const double a = 1.0 / 10, c = -8.0 / 100;
  const Row by_a = {-1, -1, 1, -1, 1, 1, -1, 1}, by_c = {-1, -2.5, 0, 0, 0, 0, -1, 2.5};
  for (size_t i = 0; i < 18; ++i) {
    EXPECT_NEAR(gradient[i], i < 8 ? by_a[i] * a + by_c[i] * c : 0, 1e-14) << i;
  }
}

// Central differences of the library's own GIoU, which the facts have judged.
TEST(ConvexIou, GradientIsTheSlope) {
  detops_harness::Random random(7);
  constexpr double kStep = 1e-6;
  int64_t compared = 0, kinks = 0;
  for (int round = 0; round < 40; ++round) {
    Row set, quad;
    for (int i = 0; i < 18; ++i) set.push_back(random.Uniform(-1, 1));
    const double reflex = round % 3 == 0 ? 0.05 : 1;  // of its last corner: not convex if near the centre
    for (const double number : {0.9, -0.8, 0.7, 0.9, -1.1, 0.6, -0.8 * reflex, -0.9 * reflex}) {
      quad.push_back(number * random.Uniform(0.3, 1) + (round % 4 == 0 ? 0.5 : 0));
    }
    const Row gradient = GiouOf(set, quad).second;
    for (size_t i = 0; i < 18; ++i) {
      Row less = set, more = set;
      less[i] -= kStep;
      more[i] += kStep;
      const double here = GiouOf(set, quad).first, up = GiouOf(more, quad).first, down = GiouOf(less, quad).first;
      // A point that comes onto the hull, or leaves it, within the step.
      kinks += std::abs((up - here) - (here - down)) > 1e-9;
      if (std::abs((up - here) - (here - down)) > 1e-9) continue;
      ++compared;
      ASSERT_NEAR(gradient[i], (up - down) / (2 * kStep), 1e-8) << round << " " << i;
    }
  }
  EXPECT_GT(compared, 700);
  EXPECT_LT(kinks, 10);
}

// A side of the hull along a side of the quadrilateral: the shared area grows if the side moves one way only, and half
// of that is taken.
TEST(ConvexIou, SidesThatCoincideCountHalf) {
  const Row set = {0, 0, 2, 0, 2, 2, 0, 2, 1, 1, 1, 1, 0, 0, 2, 2, 1, 1};
  const Row gradient = GiouOf(set, {0, 0, 4, 0, 4, 2, 0, 2}).second;
  // I = A = 4, U = C = 8. Corner (2, 0) by y: side (0,0)-(2,0) lies along the other's, so dI = -1 / 2, while dA = -1
  // and dC = 0, as it is no corner of the common hull. dI (1/8 + 4/64 - 1/8) + dA (1/8 - 4/64) = -1/32 - 1/16.
  EXPECT_NEAR(gradient[3], -3.0 / 32, 1e-15);
  // By x: its other side is inside of the quadrilateral: dI = dA = 1.
  EXPECT_NEAR(gradient[2], 1.0 / 16 + 1.0 / 16, 1e-15);
}

TEST(ConvexIou, NumbersWhoseSquaresLeaveTheRangeOfDouble) {
  const auto [giou, gradient] = GiouOf(Shifted(kSet, 0.5), Square(1, 3));
  for (const int exponent : {-900, -400, 400, 900}) {
    Row set = Shifted(kSet, 0.5), quad = Square(1, 3);
    for (Row* row : {&set, &quad}) {
      for (double& number : *row) number = std::scalbn(number, exponent);
    }
    const auto [scaled_giou, scaled_gradient] = GiouOf(set, quad);
    EXPECT_EQ(scaled_giou, giou);
    for (size_t i = 0; i < 18; ++i) EXPECT_EQ(scaled_gradient[i], std::scalbn(gradient[i], -exponent));
  }
}

// The bars of the operators on boxes: 2^-23 in float, 1e-14 in double.
TEST(ConvexIou, Accuracy) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const auto& [type, bar] : {std::pair{MLUOP_DTYPE_FLOAT, 0x1p-23}, {MLUOP_DTYPE_DOUBLE, 1e-14}}) {
    for (const char* kinds : {"sets=scattered,quads=turned", "sets=scattered,quads=star", "sets=grid,quads=grid"}) {
      detops_harness::PlacedCall placed(CallOf(kIou, std::string("rows=150,count=150,") + kinds, type, 3));
      CarryOut(placed, handle);
      const std::vector<double> expected = placed.call().function->Reference(placed.call()).tensors.at("ious");
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(placed.call()["ious"].Get(static_cast<int64_t>(i)), expected[i], bar) << kinds << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
