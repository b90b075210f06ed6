#include "boxes/suppression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

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

}  // namespace
}  // namespace detops::boxes
