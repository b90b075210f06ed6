// points_in_polygons on numbers worked out by hand: the reference can share a misreading with the library, these
// cannot.
#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using Numbers = std::vector<double>;

constexpr char kName[] = "detopsPointsInPolygons";

// Points and what is expected of each, from every corner on and in both directions.
void ExpectInside(const Numbers& quad, const Numbers& points, const Numbers& expected,
                  mluOpDataType_t type = MLUOP_DTYPE_FLOAT) {
  Call call = CallOf(kName, "points=" + std::to_string(expected.size()) + ",count=8", type);
  Assign(call, "points", points);
  Numbers all;
  for (int64_t form = 0; form < 8; ++form) {
    const int64_t step = form < 4 ? 1 : 3;
    for (int64_t i = 0; i < 8; ++i) {
      const double number = quad[static_cast<size_t>((form + i / 2 * step) % 4 * 2 + i % 2)];
      call["quads"].Set(form * 8 + i, number);
    }
  }
  for (const double value : expected) all.insert(all.end(), 8, value);
  ExpectNumbersEverywhere(call, {{"inside", all}});
}

TEST(PointsInPolygons, Facts) {
  for (const mluOpDataType_t type : kTypes) {
    ExpectInside({0, 0, 4, 0, 4, 2, 0, 2}, {1, 1, 5, 1, -1, 2, -1, 0, 0, 1, 4, 1, 2, 0, 2, 2, 0, 0},
                 {1, 0, 0, 0, 0, 0, 0, 0, 0}, type);
  }
}

TEST(PointsInPolygons, ReflexCorners) {
  // An arrow head: its notch (2, 1) is a corner.
  ExpectInside({0, 0, 2, 1, 4, 0, 2, 4}, {2, 2, 2, 1, 2, 0.5, 1, 0.5, 1, 0.75, 3, 0.75, 2, 4, 2, 3.5},
               {1, 0, 0, 0, 1, 1, 0, 1});
}

// Level with corners, where a ray to the right passes through them.
TEST(PointsInPolygons, LevelWithCorners) {
  const Numbers diamond = {2, 0, 4, 2, 2, 4, 0, 2};
  ExpectInside(diamond, {2, 2, -1, 2, 5, 2, -1, 0, -1, 4, 3, 1, 1, 3, 3.5, 2}, {1, 0, 0, 0, 0, 0, 0, 1});
  // A level side in the height of the point, on both sides of it.
  ExpectInside({0, 0, 2, 2, 4, 2, 6, 0}, {1, 2, 5, 2, 3, 2, 2, 0, -1, 0, 3, 1}, {0, 0, 0, 0, 0, 1});
}

TEST(PointsInPolygons, SidesThatCross) {
  // Two triangles that meet at (2, 1).
  ExpectInside({0, 0, 4, 2, 4, 0, 0, 2}, {0.5, 1, 3.5, 1, 2, 1, 2, 0.5, 2, 1.5, 0, 1}, {1, 1, 0, 0, 0, 0});
}

TEST(PointsInPolygons, WithoutArea) {
  ExpectInside({1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 0, 1}, {0, 0});
  ExpectInside({0, 0, 1, 1, 3, 3, 2, 2}, {1.5, 1.5, 1, 1, 2.5, 2.5, 4, 4}, {0, 0, 0, 0});
}

// One step of the type beside a slanted side, where products of differences need more digits than double has.
TEST(PointsInPolygons, NextToASide) {
  const double e = 0x1p-52;
  // (1/3, 1/3) lies on the side from 0 to (1, 1); its neighbours do not.
  const double third = 1.0 / 3;
  ExpectInside({0, 0, 1, 1, 0, 2, -1, 1}, {third, third, third, third + e / 2, third + e / 2, third, 1e-300, 2e-300},
               {0, 1, 0, 1}, MLUOP_DTYPE_DOUBLE);
  // 3 * 0.1 is above 0.3: the point lies above the line through (0, 0) and (10, 3).
  ExpectInside({0, 0, 10, 3, 10, 4, 0, 1}, {1, 0.3, 1, std::nextafter(0.3, 1.0), 5, 1.5}, {0, 1, 0},
               MLUOP_DTYPE_DOUBLE);
  // Where products leave the range of double.
  for (const double scale : {1e-310, 1e-200, 1e200, 1e307}) {
    ExpectInside({0, 0, 4 * scale, 0, 4 * scale, 2 * scale, 0, 2 * scale},
                 {scale, scale, 4 * scale, scale, 2 * scale, 0, 5 * scale, scale}, {1, 0, 0, 0}, MLUOP_DTYPE_DOUBLE);
  }
}

// One corner where products leave the range of double, and the others where a common power of two would cost digits:
// the point lies one step of the type beside a side of these.
TEST(PointsInPolygons, OneCornerFarAway) {
  const double above = std::nextafter(2.0, 3.0), below = std::nextafter(2.0, 1.0);
  for (const double far : {1e290, 1e308}) {
    ExpectInside({1, 1, 2, 3, far, 3, 6, 1}, {1.5, 2, 1.5, above, 1.5, below, 1e9, 2, 4, 1}, {0, 0, 1, 1, 0},
                 MLUOP_DTYPE_DOUBLE);
    ExpectInside({1, 1, 3, 2, 3, far, 1, 6}, {2, 1.5, above, 1.5, below, 1.5, 2, 1e9, 1, 4}, {0, 0, 1, 1, 0},
                 MLUOP_DTYPE_DOUBLE);
  }
  ExpectInside({0, 0, 1, 1, 1e308, 1e308, 0, 1e308}, {2, 2, 2, above, 2, below, 1, 1}, {0, 1, 0, 0},
               MLUOP_DTYPE_DOUBLE);
}

}  // namespace
}  // namespace detops_test
