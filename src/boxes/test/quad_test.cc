#include "boxes/polygon/quad.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "support/polygon_overlap.h"

namespace detops::boxes {
namespace {

using Numbers = std::array<double, 8>;
using Random = std::mt19937_64;

Quad Made(const Numbers& numbers) { return MakeQuad(numbers.data()); }

double Iou(const Numbers& a, const Numbers& b) {
  const double iou = QuadIou(Made(a), Made(b));
  EXPECT_EQ(iou, QuadIou(Made(b), Made(a)));
  return iou;
}

double Overlap(const Numbers& a, const Numbers& b) {
  const double overlap = QuadOverlap(Made(a), Made(b));
  EXPECT_EQ(overlap, QuadOverlap(Made(b), Made(a)));
  return overlap;
}

// Anticlockwise, as far as that can be said.
testing::Polygon PolygonOf(const Numbers& numbers) {
  testing::Polygon polygon;
  for (int i = 0; i < 4; ++i) polygon.push_back({numbers[2 * i], numbers[2 * i + 1]});
  const auto& p = polygon;
  const long double twice =
      (p[2].first - p[0].first) * (p[3].second - p[1].second) - (p[2].second - p[0].second) * (p[3].first - p[1].first);
  if (twice < 0) std::reverse(polygon.begin(), polygon.end());
  return polygon;
}

double ReferenceIou(const Numbers& a, const Numbers& b) {
  const long double overlap = testing::PolygonOverlap(PolygonOf(a), PolygonOf(b));
  const long double area_a = Made(a).area, area_b = Made(b).area;
  if (area_a == 0 || area_b == 0) return 0;
  const long double cut = std::min(std::max(overlap, 0.0L), std::min(area_a, area_b));
  return static_cast<double>(cut / (area_a + area_b - cut));
}

float Uniform(Random* random, double low, double high) {
  return static_cast<float>(std::uniform_real_distribution<double>(low, high)(*random));
}

TEST(QuadTest, OverlapsWorkedOutByHand) {
  EXPECT_DOUBLE_EQ(Overlap({0, 0, 4, 0, 6, 2, 2, 2}, {0, 0, 4, 0, 4, 2, 0, 2}), 6);
  EXPECT_DOUBLE_EQ(Iou({0, 0, 4, 0, 6, 2, 2, 2}, {0, 0, 4, 0, 4, 2, 0, 2}), 0.6);
  EXPECT_DOUBLE_EQ(Overlap({0, 0, 3, -1, 8, 0, 3, 1}, {2, -2, 4, -2, 4, 2, 2, 2}), 52.0 / 15);
  EXPECT_DOUBLE_EQ(Iou({0, 0, 3, -1, 8, 0, 3, 1}, {2, -2, 4, -2, 4, 2, 2, 2}), 13.0 / 47);
  EXPECT_DOUBLE_EQ(Overlap({2, 0, 4, 2, 2, 4, 0, 2}, {3, 0, 5, 2, 3, 4, 1, 2}), 4.5);
  EXPECT_DOUBLE_EQ(Iou({2, 0, 4, 2, 2, 4, 0, 2}, {3, 0, 5, 2, 3, 4, 1, 2}), 9.0 / 23);
  EXPECT_DOUBLE_EQ(Iou({2, 0, 4, 2, 2, 4, 0, 2}, {1, 1, 3, 1, 3, 3, 1, 3}), 0.5);
  EXPECT_DOUBLE_EQ(Iou({0, 0, 4, 0, 4, 4, 0, 4}, {0, 0, 4, 0, 3, 2, 1, 2}), 0.375);
  // Not convex: two triangles of area 2.
  EXPECT_DOUBLE_EQ(Made({0, 0, 4, 0, 1, 1, 0, 4}).area, 4);
  EXPECT_DOUBLE_EQ(Overlap({0, 0, 4, 0, 1, 1, 0, 4}, {0, 0, 2, 0, 2, 2, 0, 2}), 8.0 / 3);
  EXPECT_DOUBLE_EQ(Iou({0, 0, 4, 0, 1, 1, 0, 4}, {0, 0, 2, 0, 2, 2, 0, 2}), 0.5);
  EXPECT_DOUBLE_EQ(Iou({0, 0, 4, 0, 4, 4, 0, 4}, {1, 1, 5, 1, 5, 5, 1, 5}), 9.0 / 23);
}

TEST(QuadTest, FarFromTheOriginNothingIsLost) {
  for (const double shift : {2e4, 1e5, 1e6}) {
    Numbers a = {0, 0, 4, 0, 4, 4, 0, 4}, b = {1, 1, 5, 1, 5, 5, 1, 5};
    for (double& number : a) number += shift;
    for (double& number : b) number += shift;
    EXPECT_DOUBLE_EQ(Iou(a, b), 9.0 / 23);
    EXPECT_EQ(Iou(a, a), 1);
  }
}

TEST(QuadTest, SidesThatCrossCountWhatTheyGoRoundClockwiseAsNegative) {
  // Its sides cross at (2, 4/3): a triangle of area 8/3 below, one of -2/3 above.
  const Numbers tie = {0, 0, 4, 0, 1, 2, 3, 2};
  EXPECT_DOUBLE_EQ(Made(tie).area, 2);
  EXPECT_EQ(Iou(tie, tie), 1);
  EXPECT_DOUBLE_EQ(Overlap(tie, {0, 0, 4, 0, 4, 1, 0, 1}), 2);           // 5/2 of the part below, cut to the area
  EXPECT_DOUBLE_EQ(Overlap(tie, {0, 0, 2, 0, 2, 0.5, 0, 0.5}), 0.8125);  // (2 + 1.25) / 2 * 0.5
  EXPECT_EQ(Overlap(tie, {1.5, 1.75, 2.5, 1.75, 2.5, 2, 1.5, 2}), 0);    // negative, cut to 0
  // Two equal triangles: no area.
  EXPECT_EQ(Made({0, 0, 2, 2, 2, 0, 0, 2}).area, 0);
  EXPECT_EQ(Iou({0, 0, 2, 2, 2, 0, 0, 2}, {0, 0, 2, 0, 2, 2, 0, 2}), 0);
}

TEST(QuadTest, DegenerateQuadrilaterals) {
  const Numbers square = {0, 0, 2, 0, 2, 2, 0, 2};
  for (const Numbers& flat :
       {Numbers{1, 1, 1, 1, 1, 1, 1, 1}, Numbers{0, 0, 1, 1, 2, 2, 0.5, 0.5}, Numbers{0, 0, 0, 0, 2, 2, 2, 2},
        Numbers{0, 0, 2, 2, 0, 0, 2, 0}, Numbers{NAN, 0, 2, 0, 2, 2, 0, 2}, Numbers{0, 0, INFINITY, 0, 2, 2, 0, 2}}) {
    EXPECT_EQ(Made(flat).area, 0);
    EXPECT_EQ(Iou(flat, flat), 0);
    EXPECT_EQ(Iou(flat, square), 0);
    EXPECT_EQ(QuadIof(Made(flat), Made(square)), 0);
  }
  // Triangles: a corner twice, or one in the middle of a side.
  const Numbers triangle = {0, 0, 4, 0, 0, 4, 0, 4};
  EXPECT_DOUBLE_EQ(Made(triangle).area, 8);
  EXPECT_DOUBLE_EQ(Overlap(triangle, square), 4);
  EXPECT_EQ(Iou(triangle, {0, 0, 2, 0, 4, 0, 0, 4}), 1);
  EXPECT_EQ(Iou(triangle, {0, 0, 0, 0, 4, 0, 0, 4}), 1);
  EXPECT_EQ(Iou(triangle, {2, 2, 0, 4, 0, 0, 4, 0}), 1);
  EXPECT_DOUBLE_EQ(Overlap({0, 0, 4, 0, 2, 0, 0, 2}, square), 2);  // a spike along a side
  EXPECT_EQ(QuadIof(Made(square), Made({0, 0, 4, 0, 4, 4, 0, 4})), 1);
  EXPECT_EQ(QuadIof(Made({0, 0, 4, 0, 4, 4, 0, 4}), Made(square)), 0.25);
}

TEST(QuadTest, TheSameQuadrilateralFromAnyCornerInEitherDirection) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    Numbers a;
    for (double& number : a) number = Uniform(&random, -10, 10);
    if (Made(a).area == 0) continue;
    for (int start = 0; start < 8; ++start) {
      Numbers b;
      for (int j = 0; j < 4; ++j) {
        const int from = (start < 4 ? start + j : start - j) % 4;
        b[2 * j] = a[2 * from];
        b[2 * j + 1] = a[2 * from + 1];
      }
      ASSERT_EQ(Iou(a, b), 1);
    }
  }
}

// An area whose terms nearly cancel comes from an exact sum, whose parts depend on the order in which they are added.
TEST(QuadTest, TheSameAreaFromAnyCorner) {
  Random random(6);
  int64_t thin = 0;
  for (int i = 0; i < 20000; ++i) {
    const double dx = Uniform(&random, 1, 2), dy = Uniform(&random, 1, 2);
    Numbers a;
    for (int j = 0; j < 4; ++j) {
      const double along = Uniform(&random, -1, 1),
                   off = std::ldexp(Uniform(&random, -1, 1), -static_cast<int>(i % 50));
      a[2 * j] = along * dx - off * dy;
      a[2 * j + 1] = along * dy + off * dx;
    }
    const double area = Made(a).area;
    thin += area < 1e-8;
    for (int turn = 0; turn < 4; ++turn) {
      std::rotate(a.begin(), a.begin() + 2, a.end());
      ASSERT_EQ(Made(a).area, area) << i;
    }
  }
  EXPECT_GT(thin, 1000);
}

TEST(QuadTest, NumbersWhoseSquaresLeaveTheRangeOfDouble) {
  const Numbers a = {0, 0, 4, 0, 4, 4, 0, 4}, b = {1, 1, 5, 1, 5, 5, 1, 5};
  for (const double scale : {1e-320, 1e-200, 1e-90, 1e90, 1e200, 1e307}) {
    Numbers scaled_a = a, scaled_b = b;
    for (double& number : scaled_a) number *= scale;
    for (double& number : scaled_b) number *= scale;
    EXPECT_EQ(Iou(scaled_a, scaled_a), 1) << scale;
    EXPECT_NEAR(Iou(scaled_a, scaled_b), 9.0 / 23, 1e-3) << scale;  // 1e-320 has three digits
    EXPECT_LT(Iou(scaled_a, a), 1e-9) << scale;
    EXPECT_GE(Iou(scaled_a, b), 0) << scale;
  }
}

// Pairs of many kinds, floats, against strips in long double.
TEST(QuadTest, AgreesWithStrips) {
  Random random(2);
  for (int i = 0; i < 60000; ++i) {
    Numbers a, b;
    const double size = std::exp2(Uniform(&random, -6, 10));
    const double shift = i % 3 == 0 ? 0 : size * Uniform(&random, -1000, 1000);
    for (int j = 0; j < 8; ++j) {
      a[j] = static_cast<float>(shift + size * Uniform(&random, -1, 1));
      b[j] = static_cast<float>(shift + size * Uniform(&random, -1, 1));
    }
    switch (i % 5) {
      case 0:  // nearly equal
        for (int j = 0; j < 8; ++j) b[j] = static_cast<float>(a[j] * (1 + Uniform(&random, -1e-6, 1e-6)));
        break;
      case 1:  // on a grid: common sides, corners on sides
        for (double& number : a) number = std::floor(Uniform(&random, 0, 5));
        for (double& number : b) number = std::floor(Uniform(&random, 0, 5));
        break;
      case 2: {  // rectangles
        const double angle = Uniform(&random, -3, 3);
        for (Numbers* rectangle : {&a, &b}) {
          const double w = size * Uniform(&random, 0.01, 1), h = size * Uniform(&random, 0.01, 1);
          const double x = size * Uniform(&random, -0.5, 0.5), y = size * Uniform(&random, -0.5, 0.5);
          const double turn = angle + (rectangle == &b ? Uniform(&random, -1e-3, 1e-3) : 0);
          const double c = std::cos(turn), s = std::sin(turn);
          const double sx[] = {-w, w, w, -w}, sy[] = {-h, -h, h, h};
          for (int j = 0; j < 4; ++j) {
            (*rectangle)[2 * j] = static_cast<float>(shift + x + c * sx[j] - s * sy[j]);
            (*rectangle)[2 * j + 1] = static_cast<float>(shift + y + s * sx[j] + c * sy[j]);
          }
        }
        break;
      }
      default:
        break;
    }
    const double iou = Iou(a, b);
    const double error = std::abs(iou - ReferenceIou(a, b));
    const double smaller = std::min(Made(a).area, Made(b).area) / (size * size);
    ASSERT_LE(error, smaller > 1e-3 ? 1e-13 : 1e-9) << i << " " << iou << " " << ReferenceIou(a, b);
    ASSERT_GE(iou, 0);
    ASSERT_LE(iou, 1);
  }
}

TEST(QuadTest, WhatOnlyTouchesHasNoOverlap) {
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    // A line through two points with float numbers; quadrilaterals on both of its sides with a side or a corner on it.
    // Numbers are multiples of 2^-10, so that points on the line are exact.
    const auto number = [&](double reach) { return std::round(Uniform(&random, -reach, reach) * 1024) / 1024; };
    const double shift = i % 2 == 0 ? 0 : 1e5;
    const double x = shift + number(10), y = shift + number(10), dx = number(1), dy = number(1);
    const auto on_line = [&](int steps) { return Point{x + steps * dx, y + steps * dy}; };
    const auto beside = [&](double side, int steps) {
      const double away = side * (std::round(Uniform(&random, 0.1, 1) * 8) + 1);
      return Point{x + steps * dx - away * dy, y + steps * dy + away * dx};
    };
    const Point p[4] = {on_line(-2), on_line(3), beside(1, 4), beside(1, -1)};
    const Point q[4] = {on_line(-4), on_line(1), beside(-1, 2), beside(-1, -5)};
    const Point r[4] = {on_line(1), beside(-1, 2), beside(-2, 0), beside(-1, -3)};
    const auto quad = [](const Point* c) {
      return Numbers{c[0].x, c[0].y, c[1].x, c[1].y, c[2].x, c[2].y, c[3].x, c[3].y};
    };
    ASSERT_EQ(Overlap(quad(p), quad(q)), 0) << i;
    ASSERT_EQ(Overlap(quad(p), quad(r)), 0) << i;
  }
}

// Convex quadrilaterals of whole numbers whose sides nearly lie on one line: whether they share an inner point, decided
// by sides that separate them, in integers of 128 bits.
TEST(QuadTest, NoOverlapExactlyWhereASideSeparates) {
  struct Whole {
    int64_t x, y;
  };
  using Wholes = std::array<Whole, 4>;
  const auto turn = [](const Whole& a, const Whole& b, const Whole& c) {
    const auto wide = [](int64_t value) { return static_cast<__int128>(value); };
    return wide(b.x - a.x) * wide(c.y - a.y) - wide(b.y - a.y) * wide(c.x - a.x);
  };
  const auto convex = [&](const Wholes& q) {
    for (size_t i = 0; i < 4; ++i) {
      if (turn(q[i], q[(i + 1) % 4], q[(i + 2) % 4]) <= 0) return false;
    }
    return true;
  };
  const auto separates = [&](const Wholes& a, const Wholes& b) {
    for (size_t i = 0; i < 4; ++i) {
      if (std::all_of(b.begin(), b.end(), [&](const Whole& p) { return turn(a[i], a[(i + 1) % 4], p) <= 0; })) {
        return true;
      }
    }
    return false;
  };
  const auto numbers = [](const Wholes& q) {
    Numbers all;
    for (size_t i = 0; i < 4; ++i) {
      all[2 * i] = static_cast<double>(q[i].x);
      all[2 * i + 1] = static_cast<double>(q[i].y);
    }
    return all;
  };
  Random random(8);
  int64_t apart = 0, meet = 0;
  while (apart < 20000 || meet < 20000) {
    const int bits = 3 + static_cast<int>(random() % 18);
    const int64_t size = int64_t{1} << bits, shift = random() % 2 == 0 ? 0 : (int64_t{1} << 22) - size;
    const auto number = [&] { return shift + static_cast<int64_t>(random() % static_cast<uint64_t>(size)); };
    const auto within = [&](int64_t least, int64_t most) {
      return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
    };
    Wholes a, b;
    for (Whole& p : a) p = {number(), number()};
    if (!convex(a)) continue;
    // Two corners of b nearly on the line of a's first side, two on its other side or anywhere.
    const int64_t dx = a[1].x - a[0].x, dy = a[1].y - a[0].y;
    for (size_t i = 0; i < 4; ++i) {
      const int64_t away = i < 2 ? 0 : within(-4, 1), along = within(-8, 8);
      b[i] = {a[0].x + dx * along / 4 + dy * -away / 4 + within(-1, 1),
              a[0].y + dy * along / 4 - dx * -away / 4 + within(-1, 1)};
    }
    if (!convex(b)) std::swap(b[1], b[3]);
    if (!convex(b)) continue;
    const bool disjoint = separates(a, b) || separates(b, a);
    ++(disjoint ? apart : meet);
    const double overlap = Overlap(numbers(a), numbers(b));
    ASSERT_EQ(overlap == 0, disjoint) << overlap;
  }
}

// What they would share lies where both triangles of one are, once of each sign.
TEST(QuadTest, CrossingSidesThatCancelHaveNoOverlap) {
  const float a[] = {169.685775756836f, 203.909500122070f, 162.784332275391f, 135.710525512695f,
                     132.895965576172f, 191.004074096680f, 146.560150146484f, 147.867935180664f};
  const float b[] = {128.700637817383f, 188.174377441406f, 163.690994262695f, 240.534133911133f,
                     172.503005981445f, 192.984619140625f, 180.291259765625f, 249.176620483398f};
  const double first[] = {a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]};
  const double second[] = {b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]};
  EXPECT_EQ(QuadOverlap(MakeQuad(first), MakeQuad(second)), 0);
  EXPECT_EQ(QuadOverlap(MakeQuad(second), MakeQuad(first)), 0);
}

}  // namespace
}  // namespace detops::boxes
