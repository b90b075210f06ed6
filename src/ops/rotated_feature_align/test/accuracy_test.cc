// rotated_feature_align against the double-precision reference: forward and backward, 4 types, 1 and 5 points, on every
// target with 1, 2, 3 and 7 threads (ExpectAgreement). Not the full product of all parameters: each test varies one
// of document shapes, channels, map sizes and boxes, and takes turns through the kinds of boxes meanwhile.
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>

#include "ops/rotated_feature_align/test/problem.h"

namespace detops_test {
namespace {

// "float_5points"
std::string TypeAndPointsName(const testing::TestParamInfo<std::tuple<mluOpDataType_t, int>>& info) {
  return std::string(ElementName(std::get<0>(info.param))) + "_" + std::to_string(std::get<1>(info.param)) + "points";
}

void ExpectAgreementBothWays(mluOpDataType_t type, const Shape& shape, float scale, int points, BoxKind kind,
                             uint64_t seed) {
  SCOPED_TRACE(testing::Message() << shape.batch << "x" << shape.height << "x" << shape.width << "x" << shape.channels
                                  << ", scale " << scale << ", boxes of kind " << static_cast<int>(kind));
  Problem problem(type, shape, scale, points);
  FillBoxes(problem, kind, seed);
  for (const Direction direction : kDirections) ExpectAgreement(direction, problem);
}

// ---- section 3.7 of the design document ----

struct DocumentCase {
  const char* name;
  Shape shape;
  float spatial_scale;
  int points;
};
constexpr DocumentCase kDocumentCases[] = {{"case1", {2, 4, 4, 30}, 0.25f, 5},
                                           {"case2", {2, 50, 50, 600}, 0.125f, 5},
                                           {"case3", {2, 4, 40, 30}, 0.25f, 1},
                                           {"case4", {2, 100, 50, 200}, 0.125f, 1}};

// "case1_float"
std::string DocumentCaseName(const testing::TestParamInfo<std::tuple<DocumentCase, mluOpDataType_t>>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + ElementName(std::get<1>(info.param));
}

class RotatedFeatureAlignDocument : public testing::TestWithParam<std::tuple<DocumentCase, mluOpDataType_t>> {};

INSTANTIATE_TEST_SUITE_P(Shapes, RotatedFeatureAlignDocument,
                         testing::Combine(testing::ValuesIn(kDocumentCases), testing::ValuesIn(kTypes)),
                         DocumentCaseName);

TEST_P(RotatedFeatureAlignDocument, AgreesWithReference) {
  const auto& [test, type] = GetParam();
  ExpectAgreementBothWays(type, test.shape, test.spatial_scale, test.points, BoxKind::kNearPixel, 7);
}

// ---- one parameter at a time ----

class RotatedFeatureAlignAccuracy : public testing::TestWithParam<std::tuple<mluOpDataType_t, int>> {
 protected:
  mluOpDataType_t type() const { return std::get<0>(GetParam()); }
  int points() const { return std::get<1>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(TypesAndPoints, RotatedFeatureAlignAccuracy,
                         testing::Combine(testing::ValuesIn(kTypes), testing::Values(1, 5)), TypeAndPointsName);

// Around the lane counts of all targets and types, and several vectors with and without a remainder.
TEST_P(RotatedFeatureAlignAccuracy, Channels) {
  uint64_t seed = 0;
  for (const int64_t channels : {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 129, 600}) {
    const BoxKind kind = ++seed % 2 == 0 ? BoxKind::kNearPixel : BoxKind::kOverMap;
    ExpectAgreementBothWays(type(), {2, 5, 7, channels}, 0.25f, points(), kind, seed);
  }
}

// Lines, single pixels, odd and even sizes: where the far border is also the near one, and where there are fewer
// pixels than threads.
TEST_P(RotatedFeatureAlignAccuracy, MapSizes) {
  const struct {
    int64_t height, width;
  } sizes[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 9}, {9, 1}, {3, 5}, {5, 3}, {1, 65}, {65, 1}, {13, 17}, {16, 32}};
  uint64_t seed = 0;
  for (const auto& size : sizes) {
    for (const int64_t batch : {1, 2, 3}) {
      const BoxKind kind = kBoxKinds[++seed % std::size(kBoxKinds)];
      ExpectAgreementBothWays(type(), {batch, size.height, size.width, 5}, 0.5f, points(), kind, seed);
      ExpectAgreementBothWays(type(), {batch, size.height, size.width, 12}, 1.0f, points(), BoxKind::kOnBorders, seed);
    }
  }
}

// Scale 4 lets the largest numbers of a type overflow, 0.3 makes the products inexact.
TEST_P(RotatedFeatureAlignAccuracy, Boxes) {
  for (const BoxKind kind : kBoxKinds) {
    for (const float scale : {0.125f, 0.3f, 1.0f, 4.0f}) {
      for (const uint64_t seed : {11u, 12u, 13u}) {
        ExpectAgreementBothWays(type(), {2, 8, 11, 17}, scale, points(), kind, seed);
      }
    }
  }
}

// A turn of 1e22 is an angle like any other: cos and sin must reduce it exactly.
TEST_P(RotatedFeatureAlignAccuracy, EnormousAngles) {
  Problem problem(type(), {1, 9, 9, 17}, 1.0f, points());
  FillBoxes(problem, BoxKind::kNearPixel, 21);
  const double largest = type() == MLUOP_DTYPE_HALF ? 65504 : 1e22;
  for (int64_t pixel = 0; pixel < problem.pixels(); ++pixel) {
    problem.boxes.Set(pixel * 5 + 4, largest / static_cast<double>(pixel + 1) * (pixel % 2 == 0 ? 1 : -1));
  }
  for (const Direction direction : kDirections) ExpectAgreement(direction, problem);
}

// All boxes at one pixel. The large map: backward adds up to 327,680 terms there, which one running float sum would get
// wrong by more than the tolerance. The small one: the work cannot be cut by pixels, and many channels invite another
// cut. Forward would add the same sample, with the same rounding error, to all pixels: biased, but no defect.
TEST_P(RotatedFeatureAlignAccuracy, AllBoxesAtOnePixel) {
  for (const Shape& shape : {Shape{1, 256, 256, 3}, Shape{2, 24, 24, 129}}) {
    Problem problem(type(), shape, 1.0f, points());
    // Small enough for the sum to stay below the largest half.
    problem.source.FillUniform(0, 0.125, 31);
    for (int64_t pixel = 0; pixel < problem.pixels(); ++pixel) problem.SetBox(pixel, {20.25, 10.5, 0.5, 0.25, 0.5});
    ExpectAgreement(Direction::kBackward, problem);
  }
}

}  // namespace
}  // namespace detops_test
