// Maps that are worked on band by band of rows: what bins span from band to band, where the rows of a band go round in
// their memory, how rows and bins are cut among threads, and what happens where memory for it is short.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "ops/psroipool/test/problem.h"

namespace detops_test {
namespace {

class PsRoiPoolBands : public testing::TestWithParam<mluOpDataType_t> {};

INSTANTIATE_TEST_SUITE_P(Types, PsRoiPoolBands, testing::ValuesIn(kTypes), TypeName);

// Rois of up to `most` rows, anywhere, and some beside the map: above, below, in its last row.
void FillLowRois(Problem& problem, double most, uint64_t seed) {
  RoiMaker maker(problem.shape(), problem.scale(), seed);
  const auto height = static_cast<double>(problem.shape().height), width = static_cast<double>(problem.shape().width);
  for (int64_t r = 0; r < problem.shape().rois; ++r) {
    Roi roi = maker.Make(RoiKind::kInside);
    roi.y1 = maker.Uniform(0, height);
    roi.y2 = roi.y1 + maker.Uniform(0, most);
    roi.x1 = maker.Uniform(-3, width);
    if (r % 16 == 3) roi.y1 -= height + most + 5;
    if (r % 16 == 7) roi.y2 += height + most + 5, roi.y1 += height + most + 5;
    if (r % 16 == 11) roi.y1 = roi.y2 = height - 1;
    if (r % 16 == 15) roi.y1 = roi.y2 = 0;
    problem.SetRoi(r, roi);
  }
}

// Bins of 1 to 2, of up to 5 and of up to 20 rows: bands of several lengths, and, for several threads, several parts of
// an image. 11, 21 and 40 channels leave every remainder, and the last are more than one plane has.
TEST_P(PsRoiPoolBands, LowBins) {
  for (const double most : {2.0, 12.0, 60.0}) {
    for (const int64_t output_dim : {11, 21, 40}) {
      Problem problem(kContract, GetParam(), {1, 150, 19, 90, 3, 3, output_dim}, 1);
      FillLowRois(problem, most, 21);
      ExpectAgreementBothWays(problem);
    }
  }
}

// Rois as tall as the map: all rows are needed at the same time. Several images, one without rois.
TEST_P(PsRoiPoolBands, TallBins) {
  Problem problem(kContract, GetParam(), {3, 70, 33, 41, 2, 2, 19}, 0.5);
  FillMixedRois(problem, 22);
  for (int64_t r = 0; r < 41; ++r) problem.rois.Set(r * 5, static_cast<double>(r % 2 * 2));
  ExpectAgreementBothWays(problem);
}

// One row of bins and one column; rows of one pixel; one row of pixels more than bands have.
TEST_P(PsRoiPoolBands, OddShapes) {
  for (const Shape& shape : {Shape{1, 8 * 40 + 1, 11, 60, 1, 5, 24}, Shape{1, 8 * 40 - 1, 11, 60, 5, 1, 24},
                             Shape{1, 4000, 1, 60, 2, 2, 9}, Shape{2, 17, 300, 60, 2, 2, 9}}) {
    Problem problem(kExtensions[0], GetParam(), shape, 1);
    FillMixedRois(problem, 23);
    ExpectAgreementBothWays(problem);
    FillLowRois(problem, 9, 24);
    ExpectAgreementBothWays(problem);
  }
}

// The conventions of torchvision have other limits at the last row.
TEST_P(PsRoiPoolBands, Conventions) {
  for (const Variant& variant : kExtensions) {
    if (variant.layout != MLUOP_LAYOUT_NHWC) continue;
    Problem problem(variant, GetParam(), {1, 90, 31, 70, 3, 2, 17}, 1);
    FillLowRois(problem, 20, 25);
    ExpectAgreementBothWays(problem);
  }
}

// So many threads that they do not all have room for bands: they take fewer bins at a time, lower bands, or whole
// planes, with the same bits.
TEST_P(PsRoiPoolBands, ManyThreads) {
  Problem problem(kContract, GetParam(), {1, 60, 40, 300, 3, 3, 33}, 1);
  FillMixedRois(problem, 26);
  Tensor output = problem.NewOutput(), mapping = problem.NewMapping(), bottom = problem.NewBottomGrad();
  const Handle alone(problem.profile(), 1);
  ASSERT_EQ(problem.Forward(alone, output, &mapping), MLUOP_STATUS_SUCCESS) << alone.LastError();
  ASSERT_EQ(problem.Backward(alone, bottom), MLUOP_STATUS_SUCCESS) << alone.LastError();
  for (const int threads : {16, 40, 64, 100, 200, 5000, std::numeric_limits<int>::max()}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    const Handle handle(problem.profile(), threads);
    Tensor same_output = problem.NewOutput(), same_bottom = problem.NewBottomGrad();
    ASSERT_EQ(problem.Forward(handle, same_output, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ASSERT_EQ(problem.Backward(handle, same_bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
    EXPECT_TRUE(same_output.SameBytes(output));
    EXPECT_TRUE(same_bottom.SameBytes(bottom));
  }
}

// Enough work for seven threads: parts of an image, whose last bins reach into the next part.
TEST(PsRoiPoolBandsCrowd, PartsOfAnImage) {
  for (const double most : {5.0, 12.0, 30.0}) {
    Problem problem(kContract, MLUOP_DTYPE_FLOAT, {1, 150, 19, 1500, 3, 3, 21}, 1);
    FillLowRois(problem, most, 29);
    ExpectAgreementBothWays(problem);
  }
}

// The same with bins of six rows that begin in every row, so also in the last one of each part.
TEST(PsRoiPoolBandsCrowd, EveryRow) {
  Problem problem(kContract, MLUOP_DTYPE_FLOAT, {1, 150, 19, 1400, 3, 3, 21}, 1);
  for (int64_t r = 0; r < 1400; ++r) {
    const auto y = static_cast<double>(r % 140), x = static_cast<double>(r / 140);
    problem.SetRoi(r, {0, x, y, x + 8, y + 17});
  }
  ExpectAgreementBothWays(problem);
}

// A map of one column: bands of many rows, and more of them than a call may have tasks.
TEST(PsRoiPoolBandsCrowd, OneColumn) {
  Problem problem(kContract, MLUOP_DTYPE_FLOAT, {1, 40000, 1, 50, 1, 1, 8}, 1);
  FillLowRois(problem, 3, 30);
  ExpectAgreementBothWays(problem);
  const Handle handle(problem.profile(), 5000), alone(problem.profile(), 1);
  Tensor bottom = problem.NewBottomGrad(), same = problem.NewBottomGrad();
  ASSERT_EQ(problem.Backward(handle, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
  ASSERT_EQ(problem.Backward(alone, same), MLUOP_STATUS_SUCCESS) << alone.LastError();
  EXPECT_TRUE(bottom.SameBytes(same));
}

// More rois than are taken at once, and more on a pixel than float sums bear.
TEST(PsRoiPoolBandsCrowd, ManyRois) {
  Problem problem(kContract, MLUOP_DTYPE_FLOAT, {1, 64, 24, 9000, 2, 2, 21}, 1);
  FillLowRois(problem, 40, 27);
  ExpectAgreementBothWays(problem);
  FillRois(problem, RoiKind::kWholeMap, 28);
  ExpectAgreementBothWays(problem);
}

}  // namespace
}  // namespace detops_test
