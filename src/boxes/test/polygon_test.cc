#include "boxes/polygon/polygon.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "support/hull_reference.h"
#include "support/polygon_overlap.h"

namespace detops::boxes {
namespace {

using Random = std::mt19937_64;

TEST(PolygonTest, OrientationIsExact) {
  // A point next to a line: the exact sign in integers of 128 bits.
  Random random(4);
  std::uniform_int_distribution<int64_t> any(-(int64_t{1} << 52), int64_t{1} << 52);
  std::uniform_int_distribution<int64_t> few(-2, 2);
  for (int i = 0; i < 50000; ++i) {
    const int64_t dx = any(random) >> 8, dy = any(random) >> 8;
    const int64_t ax = any(random) >> 3, ay = any(random) >> 3;
    const int64_t bx = ax + dx + few(random), by = ay + dy + few(random);
    const int64_t cx = ax + 2 * dx + few(random), cy = ay + 2 * dy + few(random);
    const __int128 exact = static_cast<__int128>(bx - ax) * (cy - ay) - static_cast<__int128>(by - ay) * (cx - ax);
    const auto point = [](int64_t x, int64_t y) { return Point{static_cast<double>(x), static_cast<double>(y)}; };
    const double value = Orientation(point(ax, ay), point(bx, by), point(cx, cy));
    ASSERT_EQ(value > 0, exact > 0);
    ASSERT_EQ(value < 0, exact < 0);
    const double cross = Cross(point(ax, ay), point(bx, by), point(ax, ay), point(cx, cy));
    ASSERT_NEAR(cross, static_cast<double>(exact), 1e-12 * std::abs(cross));
  }
}

// The corners of a hull by its definition: no point lies right of a side.
TEST(PolygonTest, HullsOfPointsOnAGrid) {
  Random random(5);
  for (int i = 0; i < 50000; ++i) {
    const int count = 1 + i % kMaxHullPoints;
    const int reach = 1 + static_cast<int>(random() % 4);
    Point points[kMaxHullPoints];
    for (int j = 0; j < count; ++j) {
      points[j] = {static_cast<double>(random() % reach), static_cast<double>(random() % reach)};
    }
    int hull[kMaxHullPoints];
    const int corners = ConvexHull(points, count, hull);
    ASSERT_GE(corners, 1);
    for (int j = 0; j < corners; ++j) {
      for (int k = 0; k < hull[j]; ++k) ASSERT_FALSE(points[k] == points[hull[j]]) << "not the first of equal points";
    }
    for (int j = 0; j < corners && corners > 1; ++j) {
      const Point& begin = points[hull[j]];
      const Point& end = points[hull[(j + 1) % corners]];
      ASSERT_FALSE(begin == end);
      for (int k = 0; k < count; ++k) {
        ASSERT_GE(Orientation(begin, end, points[k]), 0);
        ASSERT_TRUE(corners > 2 || Orientation(begin, end, points[k]) == 0);
      }
      ASSERT_TRUE(corners == 2 || Orientation(begin, end, points[hull[(j + 2) % corners]]) > 0);
    }
    for (int k = 0; k < count && corners == 2; ++k) {  // the two ends of what lies on a line
      ASSERT_FALSE(points[k].x < points[hull[0]].x || points[k].x > points[hull[1]].x);
    }
    for (int k = 0; k < count && corners == 1; ++k) ASSERT_TRUE(points[k] == points[0]);
  }
}

// Numbers of all sizes in one hull: of most differences nothing of the smaller number is left.
TEST(PolygonTest, HullsOfNumbersOfAllSizes) {
  Random random(6);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto number = [&] {
    return random() % 4 == 0 ? 0.0 : std::ldexp(unit(random), static_cast<int>(random() % 400) - 200);
  };
  for (int i = 0; i < 20000; ++i) {
    const int count = 1 + i % kMaxHullPoints;
    Point points[kMaxHullPoints];
    testing::Polygon all;
    for (int j = 0; j < count; ++j) {
      points[j] = {number(), number()};
      all.push_back({points[j].x, points[j].y});
    }
    int hull[kMaxHullPoints];
    const int corners = ConvexHull(points, count, hull);
    ASSERT_EQ(std::vector<size_t>(hull, hull + corners), detops_test::HullCorners(all)) << i;
  }
}

TEST(PolygonTest, Areas) {
  const Point octagon[] = {{0, 1}, {1, 0}, {2, 0}, {3, 1}, {3, 2}, {2, 3}, {1, 3}, {0, 2}};
  EXPECT_EQ(ConvexArea(octagon, 8), 7);
  EXPECT_EQ(ConvexArea(octagon, 2), 0);
  EXPECT_EQ(ConvexArea(octagon, 1), 0);
  const Point square[] = {{0, 0}, {3, 0}, {3, 3}, {0, 3}};
  EXPECT_DOUBLE_EQ(ConvexOverlap(square, 4, octagon, 8), 7);
  EXPECT_DOUBLE_EQ(ConvexOverlap(octagon, 8, square, 4), 7);
}

}  // namespace
}  // namespace detops::boxes
