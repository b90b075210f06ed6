#include "boxes/suppression/suppression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/simd_target.h"

namespace detops::boxes {
namespace {

template <class Box>
std::vector<uint32_t> Kept(const std::vector<Box>& boxes, double threshold, int64_t post_max = 0, int threads = 1) {
  const auto count = static_cast<int64_t>(boxes.size());
  Arena sizes;
  (void)Suppression<Box>::Take(sizes, count);
  std::vector<char> block(static_cast<size_t>(sizes.NeededBytes()));
  Arena arena(block.data());
  const auto suppression = Suppression<Box>::Take(arena, count);
  const SuppressionRules rules = {threshold, post_max};
  std::vector<uint32_t> kept(static_cast<size_t>(rules.Limit(count)));
  SuppressionCounts counts;
  EXPECT_TRUE(suppression.Run(
      Parallel(threads), rules, count, [&](int64_t i) { return boxes[static_cast<size_t>(i)]; }, kept.data(), &counts));
  kept.resize(static_cast<size_t>(counts.kept));
  return kept;
}

UprightBox Upright(double x1, double y1, double x2, double y2) { return MakeUprightBox(x1, y1, x2, y2, 0); }

using Positions = std::vector<uint32_t>;

TEST(Suppression, ABoxThatFellRemovesNothing) {
  // IoU 7/13, 7/13, 1/4.
  const std::vector<UprightBox> chain = {Upright(0, 0, 10, 10), Upright(3, 0, 13, 10), Upright(6, 0, 16, 10)};
  EXPECT_EQ(Kept(chain, 0.5), (Positions{0, 2}));
  EXPECT_EQ(Kept(chain, 0.5, 1), (Positions{0}));
  EXPECT_EQ(Kept(chain, 7.0 / 13), (Positions{0, 1, 2}));  // strict
}

TEST(Suppression, ThresholdsOutsideOfTheRangeOfIou) {
  const std::vector<UprightBox> boxes = {Upright(5, 5, 5, 6), Upright(0, 0, 1, 1), Upright(0, 0, 1, 1),
                                         Upright(7, 7, 8, 8), Upright(5, 5, 5, 6), Upright(0, 0, NAN, 1)};
  EXPECT_EQ(Kept(boxes, -0.5), (Positions{0, 1, 4, 5}));
  EXPECT_EQ(Kept(boxes, -INFINITY), (Positions{0, 1, 4, 5}));
  EXPECT_EQ(Kept(boxes, 0), (Positions{0, 1, 3, 4, 5}));
  for (const double threshold : {1.0, 2.0, double{INFINITY}, double{NAN}}) {
    EXPECT_EQ(Kept(boxes, threshold), (Positions{0, 1, 2, 3, 4, 5}));
  }
}

// ---- against the plain loop ----

double IouOf(const UprightBox& a, const UprightBox& b) { return UprightValueOf(PairValue::kIou, a, b); }
double IouOf(const RotatedBox& a, const RotatedBox& b) { return RotatedValueOf(PairValue::kIou, a, b); }
double IouOf(const Quad& a, const Quad& b) { return QuadIou(a, b); }

bool Disjoint(const Extents& a, const Extents& b) {
  return a.x_max < b.x_min || b.x_max < a.x_min || a.y_max < b.y_min || b.y_max < a.y_min;
}

template <class Box>
Positions PlainLoop(const std::vector<Box>& boxes, double threshold) {
  Positions kept;
  for (uint32_t i = 0; i < boxes.size(); ++i) {
    const auto removes = [&](uint32_t k) {
      return !Disjoint(ExtentsOf(boxes[i]), ExtentsOf(boxes[k])) && IouOf(boxes[i], boxes[k]) > threshold;
    };
    if (std::none_of(kept.begin(), kept.end(), removes)) kept.push_back(i);
  }
  return kept;
}

using Random = std::mt19937_64;

double Uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

// How boxes lie: a field so large that a box has `crowd` others near it, or other things that are hard.
struct Scene {
  std::string name;
  int64_t count;
  double crowd;
  double side = 10;        // about
  double spread = 2;       // sides lie in [side / spread, side * spread]
  double origin = 0;       // of the field
  double odd = 0;          // part of boxes that are huge, tiny, slim or degenerate
  bool is_double = false;  // numbers that are not floats, and some that are extreme
};

double Rounded(const Scene& scene, double x) {
  return scene.is_double ? x : static_cast<double>(static_cast<float>(x));
}

// cx, cy, w, h, angle.
std::vector<std::array<double, 5>> Rows(const Scene& scene) {
  Random random(static_cast<uint64_t>(scene.count) + scene.name.size());
  const double field = scene.side * std::sqrt(static_cast<double>(scene.count) / scene.crowd);
  std::vector<std::array<double, 5>> rows;
  for (int64_t i = 0; i < scene.count; ++i) {
    const double length = std::exp(Uniform(random, -std::log(scene.spread), std::log(scene.spread)));
    std::array<double, 5> row = {scene.origin + Uniform(random, 0, field), scene.origin + Uniform(random, 0, field),
                                 scene.side * length, scene.side * length * Uniform(random, 0.4, 1),
                                 Uniform(random, -7, 7)};
    if (!rows.empty() && random() % 3 == 0) {  // nearly another
      row = rows[random() % rows.size()];
      for (double& x : row) x *= 1 + Uniform(random, -1e-3, 1e-3);
      if (random() % 4 == 0) row = rows[random() % rows.size()];
    }
    if (Uniform(random, 0, 1) < scene.odd) {
      const double kinds[] = {1e6, 1e-6, 0, -1, 1e30, 1e-30, NAN, INFINITY, scene.is_double ? 1e200 : 3, 1e-200};
      const double factor = kinds[random() % 10];
      row[2 + random() % 2] *= factor;
      if (random() % 2 == 0) row[random() % 2] *= factor;
    }
    for (double& x : row) x = Rounded(scene, x);
    rows.push_back(row);
  }
  return rows;
}

template <class Box>
Box MakeBox(const std::array<double, 5>& row);
template <>
UprightBox MakeBox(const std::array<double, 5>& row) {
  return MakeUprightBox(row[0] - row[2] / 2, row[1] - row[3] / 2, row[0] + row[2] / 2, row[1] + row[3] / 2, 0);
}
template <>
RotatedBox MakeBox(const std::array<double, 5>& row) {
  return MakeRotatedBox(row[0], row[1], row[2], row[3], row[4]);
}
template <>
Quad MakeBox(const std::array<double, 5>& row) {
  const double c = std::cos(row[4]) / 2, s = std::sin(row[4]) / 2;
  const double x = row[0], y = row[1], w = row[2], h = row[3];
  const double corners[8] = {x + c * w - s * h, y + s * w + c * h, x - c * w - s * h,       y - s * w + c * h,
                             x - c * w + s * h, y - s * w - c * h, x + c * w + 0.5 * s * h, y + s * w - c * h};
  return MakeQuad(corners);
}

template <class Box>
void ExpectAsPlainLoop(const Scene& scene, const std::vector<double>& thresholds) {
  std::vector<Box> boxes;
  for (const auto& row : Rows(scene)) boxes.push_back(MakeBox<Box>(row));
  for (const double threshold : thresholds) {
    SCOPED_TRACE(scene.name + ", threshold " + std::to_string(threshold));
    const Positions expected = PlainLoop(boxes, threshold);
    for (const char* target : {"avx2", "sse4", "scalar"}) {
      if (!ForceTarget(target)) continue;

      ASSERT_EQ(Kept(boxes, threshold), expected) << target;
      ASSERT_EQ(Kept(boxes, threshold, 0, 3), expected) << target << ", 3 threads";
    }
    ForceTarget(nullptr);
    for (const size_t limit : {size_t{1}, expected.size() / 2, expected.size()}) {
      const Positions first(expected.begin(), expected.begin() + static_cast<int64_t>(std::max<size_t>(1, limit)));
      ASSERT_EQ(Kept(boxes, threshold, static_cast<int64_t>(first.size()), 2), first);
    }
    // Idempotent: what stays, stays.
    std::vector<Box> stay;
    for (const uint32_t i : expected) stay.push_back(boxes[i]);
    ASSERT_EQ(Kept(stay, threshold).size(), stay.size());
  }
}

template <class Box>
class EachKind : public ::testing::Test {};
using Kinds = ::testing::Types<UprightBox, RotatedBox, Quad>;
TYPED_TEST_SUITE(EachKind, Kinds);

TYPED_TEST(EachKind, IsAsThePlainLoop) {
  const std::vector<double> thresholds = {0, 1e-30, 0.01, 0.5, 0.7, 0.9999};
  for (const int64_t count : {1, 2, 17, 255, 256, 257, 1500}) {
    ExpectAsPlainLoop<TypeParam>({.name = "crowded", .count = count, .crowd = 8}, thresholds);
  }
  ExpectAsPlainLoop<TypeParam>({.name = "one heap", .count = 300, .crowd = 300}, thresholds);
  ExpectAsPlainLoop<TypeParam>({.name = "odd", .count = 900, .crowd = 5, .odd = 0.2}, thresholds);
  ExpectAsPlainLoop<TypeParam>({.name = "doubles", .count = 900, .crowd = 5, .odd = 0.2, .is_double = true},
                               thresholds);
  ExpectAsPlainLoop<TypeParam>({.name = "far away", .count = 900, .crowd = 5, .origin = 1e6}, thresholds);
  ExpectAsPlainLoop<TypeParam>({.name = "tiny", .count = 900, .crowd = 5, .side = 1e-9, .origin = 1}, thresholds);
  ExpectAsPlainLoop<TypeParam>({.name = "all sizes", .count = 900, .crowd = 5, .spread = 1e4}, thresholds);
}

TYPED_TEST(EachKind, CellsAreAsThePlainLoop) {
  ExpectAsPlainLoop<TypeParam>({.name = "cells", .count = kLeastForCells + 7, .crowd = 3}, {0.3});
  ExpectAsPlainLoop<TypeParam>({.name = "sizes in cells", .count = kLeastForCells, .crowd = 2, .spread = 20}, {0});
  ExpectAsPlainLoop<TypeParam>(
      {.name = "odd in cells", .count = kLeastForCells, .crowd = 2, .odd = 0.01, .is_double = true}, {0.1});
  ExpectAsPlainLoop<TypeParam>({.name = "one cell", .count = kLeastForCells, .crowd = 4000}, {0.3});
}

// The least threshold at which a pair stays is its IoU, to the last bit.
TYPED_TEST(EachKind, ComparesToTheLastBit) {
  int pairs = 0;
  for (const double spread : {1.5, 100.0}) {
    const auto rows = Rows({.name = "pairs", .count = 3000, .crowd = 3000, .spread = spread});
    for (size_t i = 0; i + 1 < rows.size(); i += 2) {
      const std::vector<TypeParam> pair = {MakeBox<TypeParam>(rows[i]), MakeBox<TypeParam>(rows[i + 1])};
      const double iou = IouOf(pair[0], pair[1]);
      if (iou == 0) continue;
      ++pairs;
      ASSERT_EQ(Kept(pair, iou), (Positions{0, 1})) << iou;
      ASSERT_EQ(Kept(pair, std::nextafter(iou, 0)), (Positions{0})) << iou;
    }
  }
  EXPECT_GT(pairs, 1000);
}

// A box with the lowest score removes no other.
TYPED_TEST(EachKind, TheLastRemovesNone) {
  std::vector<TypeParam> boxes;
  for (const auto& row : Rows({.name = "last", .count = 400, .crowd = 20})) boxes.push_back(MakeBox<TypeParam>(row));
  const Positions all = Kept(boxes, 0.2);
  boxes.pop_back();
  Positions fewer = Kept(boxes, 0.2);
  if (all.back() == boxes.size()) fewer.push_back(all.back());
  EXPECT_EQ(fewer, all);
}

TEST(CellPlan, LongListsOfSmallBoxesHaveCells) {
  std::vector<Extents> extents;
  Random random(3);
  for (int i = 0; i < kCellSample; ++i) {
    const double x = Uniform(random, 0, 1000), y = Uniform(random, 0, 500);
    extents.push_back({x, y, x + 5, y + 3});
  }
  std::vector<double> spare(extents.size());
  const auto cells = [&](int64_t boxes) { return PlanCells(boxes, extents.data(), kCellSample, spare.data()).cells(); };
  EXPECT_EQ(cells(kLeastForCells - 1), 1);
  EXPECT_GT(cells(kLeastForCells), kLeastForCells / 10);
  EXPECT_LE(cells(kLeastForCells), kLeastForCells / 8);
  for (Extents& box : extents) box.x_max = box.x_min + 700;
  EXPECT_EQ(cells(kLeastForCells), 1);
}

}  // namespace
}  // namespace detops::boxes
