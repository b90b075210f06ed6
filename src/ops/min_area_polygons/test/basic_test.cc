// min_area_polygons on numbers worked out by hand: the reference can share a misreading with the library, these cannot.
#include <algorithm>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using Row = std::vector<double>;

constexpr char kName[] = "detopsMinAreaPolygons";

// `roundings`: how many there may be in a number of the result.
void ExpectCorners(const Row& points, const Row& corners, double roundings = 0) {
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE}) {
    Call call = CallOf(kName, "rows=1", type);
    Assign(call, "points", points);
    ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
      for (size_t i = 0; i < 8; ++i) {
        const double digits = type == MLUOP_DTYPE_FLOAT ? 0x1p-21 : 0x1p-50;
        EXPECT_NEAR(done["quads"].Get(static_cast<int64_t>(i)), corners[i], roundings * digits) << i;
      }
    });
  }
}

TEST(MinAreaPolygons, Facts) {
  ExpectCorners({1, 1, 2, 2, 1, 2, 2, 1, 1, 3, 3, 1, 2, 3, 3, 2, 1.5, 1.5}, {3, 1, 1, 1, 1, 3, 3, 3});
  // A square on its corner: turned by pi/4, so that its x_max, y_min is the corner to the right.
  ExpectCorners({2, 0, 4, 2, 2, 4, 0, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 2}, {4, 2, 2, 0, 0, 2, 2, 4});
}

TEST(MinAreaPolygons, LinesAndPoints) {
  // Turned by pi/4, no height.
  ExpectCorners({0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 0.5, 0.5, 1, 1, 3, 3, 2, 2}, {4, 4, 0, 0, 0, 0, 4, 4});
  // Along the other diagonal the angle is pi/4 too, and the rectangle has no width.
  ExpectCorners({0, 4, 1, 3, 2, 2, 3, 1, 4, 0, 0, 4, 4, 0, 2, 2, 1, 3}, {4, 0, 4, 0, 0, 4, 0, 4});
  ExpectCorners({1, 5, 2, 5, 3, 5, 4, 5, 7, 5, 6, 5, 5, 5, 1, 5, 2, 5}, {7, 5, 1, 5, 1, 5, 7, 5});
  ExpectCorners({5, 1, 5, 2, 5, 3, 5, 4, 5, 7, 5, 6, 5, 5, 5, 1, 5, 2}, {5, 1, 5, 1, 5, 7, 5, 7});
  ExpectCorners(Row(18, 3.5), Row(8, 3.5));
}

TEST(MinAreaPolygons, OfEqualAreasTheLeastAngle) {
  // Each side of an acute triangle gives twice its area. (0, 0), (4, 0), (1, 4): the angles are 0, atan(3 / 4) and
  // atan 4; 0 wins.
  ExpectCorners({0, 0, 4, 0, 1, 4, 0, 0, 4, 0, 1, 4, 1, 1, 2, 1, 1, 2}, {4, 0, 0, 0, 0, 4, 4, 4});
  // The same turned by a quarter and mirrored: (0, 0), (0, 4), (4, 1).
  ExpectCorners({0, 0, 0, 4, 4, 1, 0, 0, 0, 4, 4, 1, 1, 1, 1, 2, 2, 1}, {4, 0, 0, 0, 0, 4, 4, 4});
  // A right triangle: its legs, at atan(3 / 4), give what its hypotenuse, at atan 7, gives.
  ExpectCorners({0, 0, 4, 3, -3, 4, 0, 0, 4, 3, -3, 4, 0, 1, 0, 2, 0, 3}, {4, 3, 0, 0, -3, 4, 1, 7}, 1);
}

// All points lie in the rectangle, it is one, each of its sides has a point, and the bits do not depend on the order.
TEST(MinAreaPolygons, RectanglesAroundAllPoints) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const char* kind : {"scattered", "grid", "triangle", "line", "far"}) {
    Call call = CallOf(kName, std::string("rows=300,sets=") + kind, MLUOP_DTYPE_DOUBLE, 5);
    detops_harness::PlacedCall placed(call);
    CarryOut(placed, handle);
    Call mixed = call;
    detops_harness::Random random(9);
    for (int64_t row = 0; row < 300; ++row) {
      const Row quad = [&] {
        Row numbers;
        for (int64_t i = 0; i < 8; ++i) numbers.push_back(placed.call()["quads"].Get(row * 8 + i));
        return numbers;
      }();
      const double ux = quad[0] - quad[2], uy = quad[1] - quad[3], vx = quad[4] - quad[2], vy = quad[5] - quad[3];
      const double width = std::hypot(ux, uy), height = std::hypot(vx, vy), extent = width + height;
      const double digits = 1e-13 * (extent + std::abs(quad[0]) + std::abs(quad[1]));
      ASSERT_NEAR(ux * vx + uy * vy, 0, digits * extent);
      ASSERT_GE(ux * vy - uy * vx, -digits * extent);
      if (width > 0) {
        ASSERT_TRUE(ux > 0 && uy >= -digits) << "the angle is not in [0, pi/2)";
      }
      ASSERT_NEAR(quad[6] - quad[4], ux, digits);
      ASSERT_NEAR(quad[7] - quad[5], uy, digits);
      double gaps[4] = {extent, extent, extent, extent};
      for (int64_t i = 0; i < 9; ++i) {
        const double x = call["points"].Get(row * 18 + 2 * i) - quad[2];
        const double y = call["points"].Get(row * 18 + 2 * i + 1) - quad[3];
        const double along = width > 0 ? (x * ux + y * uy) / width : 0;
        const double across = height > 0 ? (x * vx + y * vy) / height : 0;
        const double own[] = {along, width - along, across, height - across};
        for (int k = 0; k < 4; ++k) {
          ASSERT_GE(own[k], -digits) << kind << " " << row;
          gaps[k] = std::min(gaps[k], own[k]);
        }
        const int64_t from = (i * 2 + row) % 9;  // another order of the points
        mixed["points"].Set(row * 18 + 2 * i, call["points"].Get(row * 18 + 2 * from));
        mixed["points"].Set(row * 18 + 2 * i + 1, call["points"].Get(row * 18 + 2 * from + 1));
      }
      for (const double gap : gaps) ASSERT_LE(gap, digits);
    }
    detops_harness::PlacedCall other(mixed);
    CarryOut(other, handle);
    ASSERT_TRUE(placed.Outputs() == other.Outputs()) << kind;
  }
}

TEST(MinAreaPolygons, NumbersWhoseSquaresLeaveTheRangeOfDouble) {
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  Call call = CallOf(kName, "rows=40", MLUOP_DTYPE_DOUBLE);
  detops_harness::PlacedCall placed(call);
  CarryOut(placed, handle);
  for (const int exponent : {-900, -500, 500, 900}) {
    Call scaled = call;
    for (int64_t i = 0; i < call["points"].elements(); ++i) {
      scaled["points"].Set(i, std::scalbn(call["points"].Get(i), exponent));
    }
    detops_harness::PlacedCall other(scaled);
    CarryOut(other, handle);
    for (int64_t i = 0; i < placed.call()["quads"].elements(); ++i) {
      ASSERT_EQ(other.call()["quads"].Get(i), std::scalbn(placed.call()["quads"].Get(i), exponent));
    }
  }
}

}  // namespace
}  // namespace detops_test
