// Large bins, and many rois on one pixel, of one constant value: the worst case for rounding, because every addition
// rounds the same way. Plain float sums of these lengths are off by 2e-5 to 2e-4; the bar is 1e-5. Not with
// torchvision's convention, which promises the bits of plain sums.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "ops/psroipool/test/problem.h"
#include "support/diff.h"

namespace detops_test {
namespace {

class PsRoiPoolLongSums : public testing::TestWithParam<std::tuple<Variant, mluOpDataType_t>> {
 protected:
  Problem MakeProblem(const Shape& shape) const {
    return Problem(std::get<0>(GetParam()), std::get<1>(GetParam()), shape, 1);
  }

  // The value's own rounding errors add up in the reference too, so diff4 says nothing here.
  static void ExpectWithinTheBar(const Tensor& result, const std::vector<double>& expected) {
    const Tolerance tolerance = ToleranceFor(result.type());
    ASSERT_LE(Diff1(result.Values(), expected), tolerance.diff1);
    ASSERT_LE(Diff2(result.Values(), expected), tolerance.diff2);
    ASSERT_TRUE(result.SurroundingsIntact());
  }
};

// Not double: the reference adds in double too, so it is no measure for sums of this length.
INSTANTIATE_TEST_SUITE_P(VariantsAndTypes, PsRoiPoolLongSums,
                         testing::Combine(testing::Values(kContract, kExtensions[0], kExtensions[1], kExtensions[4],
                                                          kExtensions[5]),
                                          testing::Values(MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16)),
                         [](const auto& instance) {
                           return std::string(std::get<0>(instance.param).name) + "_" +
                                  ElementName(std::get<1>(instance.param));
                         });

// A square, a row and a column, with one lane, a remainder and whole vectors.
TEST_P(PsRoiPoolLongSums, Forward) {
  for (const Shape& shape : {Shape{1, 160, 160, 2, 1, 1, 1}, Shape{1, 1, 20000, 2, 1, 1, 3},
                             Shape{1, 20000, 1, 2, 1, 1, 5}, Shape{1, 130, 130, 2, 2, 2, 3}}) {
    Problem problem = MakeProblem(shape);
    problem.input.Fill(0.7);
    problem.SetRoi(0, {0, 0, 0, static_cast<double>(shape.width), static_cast<double>(shape.height)});
    problem.SetRoi(1, {0, 1, 0, static_cast<double>(shape.width - 2), static_cast<double>(shape.height)});
    const std::vector<double> expected = problem.ExpectedOutput();
    ForEachConfiguration(problem.profile(), [&](const Handle& handle) {
      Tensor output = problem.NewOutput(), mapping = problem.NewMapping();
      ASSERT_EQ(problem.Forward(handle, output, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ExpectWithinTheBar(output, expected);
    });
  }
}

// All rois at the same pixels, and a few more bins than one.
TEST_P(PsRoiPoolLongSums, Backward) {
  for (const Shape& shape : {Shape{1, 3, 3, 20000, 1, 1, 1}, Shape{1, 2, 3, 8000, 2, 2, 3}}) {
    Problem problem = MakeProblem(shape);
    problem.top_grad.Fill(problem.type() == MLUOP_DTYPE_HALF ? 0.1 : 0.7);  // sums stay below the largest half
    for (int64_t r = 0; r < shape.rois; ++r) problem.SetRoi(r, {0, 0, 0, 2, 2});
    const std::vector<double> expected = problem.ExpectedBottomGrad();
    ForEachConfiguration(problem.profile(), [&](const Handle& handle) {
      Tensor bottom = problem.NewBottomGrad();
      ASSERT_EQ(problem.Backward(handle, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ExpectWithinTheBar(bottom, expected);
    });
  }
}

// As many rois, which share rows, or columns, or both with others, but hardly a pixel: these sums are short.
TEST_P(PsRoiPoolLongSums, ManyRoisApart) {
  constexpr int64_t kSide = 48, kRois = kSide * kSide;
  for (const int arrangement : {0, 1, 2, 3}) {
    SCOPED_TRACE(arrangement);
    Problem problem = MakeProblem({1, kSide, kSide, kRois, 1, 1, 3});
    for (int64_t r = 0; r < kRois; ++r) {
      const bool in_row = arrangement == 1 || (arrangement == 3 && r % 2 == 0);
      const bool in_column = arrangement == 2 || (arrangement == 3 && r % 2 == 1);
      const auto x = static_cast<double>(in_column ? 5 : r / 2 % kSide),
                 y = static_cast<double>(in_row ? 7 : r / kSide % kSide);
      problem.SetRoi(r, {0, x, y, x, y});
    }
    ExpectBackwardAgreement(problem);
  }
}

// All bins in one channel: each pixel gets a term from every element of top_grad.
TEST_P(PsRoiPoolLongSums, BackwardIntoOneChannel) {
  const Shape shape = {1, 2, 2, 600, 3, 3, 5};
  Problem problem = MakeProblem(shape);
  problem.top_grad.Fill(problem.type() == MLUOP_DTYPE_HALF ? 0.1 : 0.7);
  problem.mapping.Fill(7);
  for (int64_t r = 0; r < shape.rois; ++r) problem.SetRoi(r, {0, 0, 0, 1, 1});
  const std::vector<double> expected = problem.ExpectedBottomGrad();
  ForEachConfiguration(problem.profile(), [&](const Handle& handle) {
    Tensor bottom = problem.NewBottomGrad();
    ASSERT_EQ(problem.Backward(handle, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
    ExpectWithinTheBar(bottom, expected);
  });
}

}  // namespace
}  // namespace detops_test
