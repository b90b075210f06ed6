// rotated_feature_align by hand: cases small enough to work out from the formulas, as the reference used elsewhere
// could share a misreading with the library. All numbers are exact in every type unless a tolerance is given.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;

struct Box {
  double y = 0, x = 0, w = 0, h = 0, angle = 0;
};

struct Case {
  int64_t batch = 1, height = 1, width = 1;
  std::vector<double> source;  // one channel
  std::vector<Box> boxes;      // one per pixel, or one for all
  float spatial_scale = 1;
  int points = 1;
  std::vector<double> expected;
  double tolerance = 0;
};

void ExpectResult(bool forward, mluOpDataType_t type, const Case& test) {
  for (const int64_t channels : {1, 9}) {
    SCOPED_TRACE(testing::Message() << channels << " channels");
    const auto text = [](auto number) { return std::to_string(number); };
    Call call = CallOf(forward ? "mluOpRotatedFeatureAlignForward" : "mluOpRotatedFeatureAlignBackward",
                       "batch=" + text(test.batch) + ",height=" + text(test.height) + ",width=" + text(test.width) +
                           ",channels=" + text(channels) + ",scale=" + text(test.spatial_scale) +
                           ",points=" + text(test.points),
                       type);
    for (size_t pixel = 0; pixel < test.source.size(); ++pixel) {
      const Box& box = test.boxes.size() == 1 ? test.boxes[0] : test.boxes.at(pixel);
      SetRow(call, "bboxes", static_cast<int64_t>(pixel), {box.y, box.x, box.w, box.h, box.angle});
    }
    Assign(call, forward ? "input" : "top_output", InChannels(test.source, channels));
    ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
      for (int64_t i = 0; i < done.tensors[2].elements(); ++i) {
        const double factor = ChannelFactor(i % channels),
                     expected = test.expected.at(static_cast<size_t>(i / channels));
        ASSERT_NEAR(done.tensors[2].Get(i), expected * factor, test.tolerance * factor) << "element " << i;
      }
    });
  }
}

class RotatedFeatureAlignByHand : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  void ExpectForward(const Case& test) { ExpectResult(true, GetParam(), test); }
  void ExpectBackward(const Case& test) { ExpectResult(false, GetParam(), test); }
  double Beyond(double value) { return NextAwayFromZero(GetParam(), value); }
};

INSTANTIATE_TEST_SUITE_P(Types, RotatedFeatureAlignByHand, testing::ValuesIn(kTypes), TypeName);

constexpr Box kOutside = {-9, -9};

// ---- forward: one point ----

// A 1x1 map: low = 0 >= size - 1, so the only pixel has the full weight wherever the point lies in [-1, 1].
TEST_P(RotatedFeatureAlignByHand, SinglePixelMap) {
  for (const double inside : {-1.0, -0.5, 0.0, 0.25, 1.0}) {
    ExpectForward({.source = {3}, .boxes = {{inside, 0}}, .expected = {6}});
    ExpectForward({.source = {3}, .boxes = {{0, inside}}, .expected = {6}});
  }
  for (const double outside : {-1.5, 1.5, Beyond(-1), Beyond(1), 1000.0}) {
    ExpectForward({.source = {3}, .boxes = {{outside, 0}}, .expected = {3}});
    ExpectForward({.source = {3}, .boxes = {{0, outside}}, .expected = {3}});
  }
}

// Pixel (y, x) samples pixel (2 - y, 2 - x): 1+7, 2+5, 4+3, 8+32, 16+16, 32+8, 3+4, 5+2, 7+1.
TEST_P(RotatedFeatureAlignByHand, IntegerPosition) {
  ExpectForward({.height = 3,
                 .width = 3,
                 .source = {1, 2, 4, 8, 16, 32, 3, 5, 7},
                 .boxes = {{2, 2}, {2, 1}, {2, 0}, {1, 2}, {1, 1}, {1, 0}, {0, 2}, {0, 1}, {0, 0}},
                 .expected = {8, 7, 7, 40, 32, 40, 7, 7, 8}});
}

// y = 1/4, x = 3/4: w1 = 3/4*1/4 = 3/16, w2 = 3/4*3/4 = 9/16, w3 = 1/4*1/4 = 1/16, w4 = 1/4*3/4 = 3/16;
// 16*3/16 + 32*9/16 + 64*1/16 + 128*3/16 = 3 + 18 + 4 + 24 = 49.
// y = x = 1/2: (16 + 32 + 64 + 128) / 4 = 60. y = 1/2, x = 0: (16 + 64) / 2 = 40. y = 0, x = 1/2: (16 + 32) / 2 = 24.
TEST_P(RotatedFeatureAlignByHand, BetweenPixels) {
  ExpectForward({.height = 2,
                 .width = 2,
                 .source = {16, 32, 64, 128},
                 .boxes = {{0.25, 0.75}, {0.5, 0.5}, {0.5, 0}, {0, 0.5}},
                 .expected = {16 + 49, 32 + 60, 64 + 40, 128 + 24}});
}

// [-1, 0) counts as 0 without losing weight; below -1 nothing is added. Rows 1 2 3 / 4 5 6 / 7 8 9.
TEST_P(RotatedFeatureAlignByHand, NearBorder) {
  ExpectForward({.height = 3,
                 .width = 3,
                 .source = {1, 2, 3, 4, 5, 6, 7, 8, 9},
                 .boxes = {{-0.5, 1},
                           {1, -0.25},
                           {-1, -1},
                           {-1, 2},
                           {2, -1},
                           {-0.5, 0.5},
                           {Beyond(-1), 1},
                           {1, Beyond(-1)},
                           {Beyond(-1), Beyond(-1)}},
                 .expected = {1 + 2, 2 + 4, 3 + 1, 4 + 3, 5 + 7, 6 + 1.5, 7, 8, 9}});
}

// (size - 1, size] counts as size - 1; above size nothing is added. Rows 1 2 3 4 / 5 6 7 8.
// (1/2, 3.5): column 3 of both rows, (4 + 8) / 2 = 6. (0, 2.5): (3 + 4) / 2 = 3.5.
TEST_P(RotatedFeatureAlignByHand, FarBorder) {
  ExpectForward({.height = 2,
                 .width = 4,
                 .source = {1, 2, 3, 4, 5, 6, 7, 8},
                 .boxes = {{2, 4}, {1.5, 0}, {0, 3.75}, {1, 3}, {0.5, 3.5}, {0, 2.5}, {Beyond(2), 0}, {0, Beyond(4)}},
                 .expected = {1 + 8, 2 + 5, 3 + 4, 4 + 8, 5 + 6, 6 + 3.5, 7, 8}});
}

// The first number of a box is y: swapped, the point (3, 0) lies below a map of one row and would add nothing.
TEST_P(RotatedFeatureAlignByHand, YComesBeforeX) {
  ExpectForward({.width = 4, .source = {1, 2, 4, 8}, .boxes = {{0, 3}}, .expected = {9, 10, 12, 16}});
  ExpectForward({.height = 4, .source = {1, 2, 4, 8}, .boxes = {{3, 0}}, .expected = {9, 10, 12, 16}});
}

// The example of the MLU-OPS header, corrected. x = 2 = W is still inside and counts as 1, y = 0: every pixel adds
// input(0, 1) = 2. So [[1, 2], [2, 4]] becomes [[3, 4], [4, 6]], and not the released header's [[5, 6], [6, 8]]. w, h
// and angle are unused.
TEST_P(RotatedFeatureAlignByHand, ExampleOfTheContract) {
  ExpectForward(
      {.height = 2, .width = 2, .source = {1, 2, 2, 4}, .boxes = {{0, 2, 2, 1, 1}}, .expected = {3, 4, 4, 6}});
}

// Image 1 samples image 1: [1 2] with box (0, 1) adds 2, [8 16] adds 16.
TEST_P(RotatedFeatureAlignByHand, ImagesAreSeparate) {
  ExpectForward(
      {.batch = 2, .width = 2, .source = {1, 2, 8, 16}, .boxes = {{0, 1}}, .expected = {3, 4, 8 + 16, 16 + 16}});
}

// A fact of mmcv's own test: with spatial_scale 1/8 the first output is 1.1095. y = 13.08/8 = 1.635, x = 12.688/8
// = 1.586, weights 0.365*0.414, 0.365*0.586, 0.635*0.414, 0.635*0.586: 0.151110*1.2248 + 0.213890*1.3115 -
// 0.262890*1.1797 - 0.372110*0.9093 = -0.182894; 1.2924 - 0.1829 = 1.1095. With x first it would be 1.2316.
TEST(RotatedFeatureAlign, FirstOutputOfMmcv) {
  Case test = {.height = 4,
               .width = 4,
               .source = {1.2924, 0, 0, 0, 0, 1.2248, 1.3115, 0, 0, -1.1797, -0.9093, 0, 0, 0, 0, 0},
               .boxes = std::vector<Box>(16, {-99, -99}),
               .spatial_scale = 0.125f,
               .expected = {},
               .tolerance = 5e-5};
  test.boxes[0] = {13.080, 12.688, 11.214, 93.944, -0.91905};
  test.expected = test.source;
  test.expected[0] = 1.1095;
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE}) {
    ExpectResult(true, type, test);
  }
}

// ---- forward: five points ----

// A box without extent samples its centre five times: 3 + 5 * 3.
TEST_P(RotatedFeatureAlignByHand, FivePointsOfAnEmptyBox) {
  ExpectForward({.source = {3}, .boxes = {{0, 0, 0, 0, 1}}, .points = 5, .expected = {18}});
}

// w comes before h and lies along x at angle 0: centre x = 2, corners x = 4 and x = 0, each twice, y = 0:
// 4 + 2*16 + 2*1 = 38. With h first the corners would lie above and below the map.
TEST_P(RotatedFeatureAlignByHand, WComesBeforeH) {
  ExpectForward({.width = 5,
                 .source = {1, 2, 4, 8, 16},
                 .boxes = {{0, 2, 4, 0, 0}},
                 .points = 5,
                 .expected = {39, 40, 42, 46, 54}});
}

// One axis of each corner outside: points outside add nothing, the others still do. Centre (0, 0), w = 6, h = 0 on one
// row of 3: corners x = 3 = W (inside, counts as 2) twice, x = -3 (outside) twice: 1 + 2*4 = 9.
TEST_P(RotatedFeatureAlignByHand, SomeCornersOutside) {
  ExpectForward({.width = 3, .source = {1, 2, 4}, .boxes = {{0, 0, 6, 0, 0}}, .points = 5, .expected = {10, 11, 13}});
}

// A map of 64 that holds 1, 2, 4, 8 at the corners 1 to 4 and 16 at the centre: the right five give 31, a wrong one
// 64 or more.
struct Pixel {
  int64_t y, x;
};
Case MarkedMap(int64_t size, const Pixel (&corners)[4], const Box& box) {
  Case test = {.height = size,
               .width = size,
               .source = std::vector<double>(static_cast<size_t>(size * size), 64),
               .boxes = {box},
               .points = 5,
               .expected = {}};
  const auto at = [&](Pixel pixel) -> double& { return test.source[static_cast<size_t>(pixel.y * size + pixel.x)]; };
  for (int i = 0; i < 4; ++i) at(corners[i]) = 1 << i;
  at({size / 2, size / 2}) = 16;
  for (const double value : test.source) test.expected.push_back(value + 31);
  return test;
}

// Angle 0, w = 2, h = 4, centre (2, 2): P1 = (x+1, y+2), P2 = (x-1, y+2), P3 = (x-1, y-2), P4 = (x+1, y-2).
TEST_P(RotatedFeatureAlignByHand, CornersUpright) {
  ExpectForward(MarkedMap(5, {{4, 3}, {4, 1}, {0, 1}, {0, 3}}, {2, 2, 2, 4, 0}));
}

// Angle pi/2 (cos 0, sin 1): wx = 0, wy = w/2, hx = -h/2, hy = 0, so P1 = (x-2, y+1), P2 = (x-2, y-1), P3 = (x+2, y-1),
// P4 = (x+2, y+1). pi/2 is not a float: coordinates are off by 1e-7, values next to them by 64 at most.
TEST(RotatedFeatureAlign, CornersAfterAQuarterTurn) {
  Case test = MarkedMap(5, {{3, 0}, {1, 0}, {1, 4}, {3, 4}}, {2, 2, 2, 4, std::acos(0.0)});
  test.tolerance = 1e-4;
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE}) {
    ExpectResult(true, type, test);
  }
}

// 45 degrees, w = 4 sqrt(2), h = 2 sqrt(2): wx = wy = 2, hx = -1, hy = 1. Centre (3, 3): P1 = (x+1, y+3), P2 = (x-3,
// y-1), P3 = (x-1, y-3), P4 = (x+3, y+1). Turning the other way would mirror them. With scale 1/2 all but the angle is
// doubled.
TEST(RotatedFeatureAlign, CornersAfterAnEighthTurn) {
  const double root = std::sqrt(2.0), angle = std::atan(1.0);
  Case test = MarkedMap(7, {{6, 4}, {2, 0}, {0, 2}, {4, 6}}, {3, 3, 4 * root, 2 * root, angle});
  test.tolerance = 2e-4;
  for (const mluOpDataType_t type : {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE}) {
    ExpectResult(true, type, test);
    Case scaled = test;
    scaled.spatial_scale = 0.5f;
    scaled.boxes = {{6, 6, 8 * root, 4 * root, angle}};
    ExpectResult(true, type, scaled);
  }
}

// ---- backward ----

TEST_P(RotatedFeatureAlignByHand, GradientOfASinglePixelMap) {
  ExpectBackward({.source = {3}, .boxes = {{0, 0}}, .expected = {6}});
  ExpectBackward({.source = {3}, .boxes = {{1, -1}}, .expected = {6}});
  ExpectBackward({.source = {3}, .boxes = {{Beyond(1), 0}}, .expected = {3}});
  ExpectBackward({.source = {3}, .boxes = {{0, Beyond(-1)}}, .expected = {3}});
  ExpectBackward({.source = {3}, .boxes = {{0, 0, 0, 0, 1}}, .points = 5, .expected = {18}});
}

// The weights 3/16, 9/16, 1/16, 3/16 of BetweenPixels times 16, and 16 for the pixel itself.
TEST_P(RotatedFeatureAlignByHand, GradientGoesToFourNeighbours) {
  ExpectBackward({.height = 2,
                  .width = 2,
                  .source = {16, 0, 0, 0},
                  .boxes = {{0.25, 0.75}, {0, 0}, {0, 0}, {0, 0}},
                  .expected = {16 + 3, 9, 1, 3}});
}

// One row. Pixel 0 samples x = 2.5, which counts as 2; pixel 1 x = -0.5, which counts as 0; pixel 2 x = 0.5, half of
// pixel 0 and half of pixel 1: 8 + 4 + 1, 4 + 1, 2 + 8.
TEST_P(RotatedFeatureAlignByHand, GradientAtBorders) {
  ExpectBackward({.width = 3, .source = {8, 4, 2}, .boxes = {{0, 2.5}, {0, -0.5}, {0, 0.5}}, .expected = {13, 5, 10}});
  ExpectBackward({.width = 3, .source = {8, 4, 2}, .boxes = {kOutside}, .expected = {8, 4, 2}});
}

// All five boxes as in WComesBeforeH; 1 + 2 + 4 + 8 + 16 = 31 goes once to pixel 2 and twice to pixels 0 and 4.
TEST_P(RotatedFeatureAlignByHand, GradientOfFivePoints) {
  ExpectBackward({.width = 5,
                  .source = {1, 2, 4, 8, 16},
                  .boxes = {{0, 2, 4, 0, 0}},
                  .points = 5,
                  .expected = {1 + 62, 2, 4 + 31, 8, 16 + 62}});
}

TEST_P(RotatedFeatureAlignByHand, GradientsOfImagesAreSeparate) {
  ExpectBackward(
      {.batch = 2, .width = 2, .source = {1, 2, 8, 16}, .boxes = {{0, 1}}, .expected = {1, 2 + 3, 8, 16 + 24}});
}

}  // namespace
}  // namespace detops_test
