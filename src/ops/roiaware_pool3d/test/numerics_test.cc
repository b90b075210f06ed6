// roiaware_pool3d: backward is the gradient of forward, NaN and Inf in features and gradients, sums of many terms, and
// overflow.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ops/roiaware_pool3d/test/expected.h"
#include "ops/roiaware_pool3d/test/problem.h"
#include "support/diff.h"

namespace detops_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double InnerProduct(const Tensor& a, const Tensor& b) {
  long double sum = 0;
  for (int64_t i = 0; i < a.elements(); ++i) sum += static_cast<long double>(a.Get(i)) * b.Get(i);
  return static_cast<double>(sum);
}

// ---- backward against forward, in double ----

// <A x, y> = <x, A' y>, where A is linear for given points; for the maximum it is linear for given winners. Features
// and gradients are positive, so that nothing cancels and the error is relative.
TEST(RoiAwarePool3dGradient, BackwardIsTheAdjointOfForward) {
  for (const char* scene : kScenes) {
    SCOPED_TRACE(testing::Message() << "scene " << scene);
    Problem problem(MLUOP_DTYPE_DOUBLE, {6, 500, 7, 3, 2, 4, 6});
    FillScene(problem, scene, 20);
    problem.features.FillUniform(0.5, 1, 21);
    for (const int method : kMethods) {
      ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
        Dense forward = problem.NewDense();
        ASSERT_EQ(problem.Run(handle, method, forward), MLUOP_STATUS_SUCCESS) << handle.LastError();
        Tensor grad_out(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_DOUBLE, forward.pooled.extents());
        grad_out.FillUniform(0.5, 1, 22);
        Tensor grad_in = problem.NewGradient();
        ASSERT_EQ(RunBackward(handle, method, problem.sizes, forward, grad_out, grad_in), MLUOP_STATUS_SUCCESS);
        const double left = InnerProduct(forward.pooled, grad_out), right = InnerProduct(problem.features, grad_in);
        ASSERT_GT(left, 0);
        ASSERT_NEAR(left, right, 1e-12 * left);
      });
    }
  }
}

// Central differences. The average is linear, so any step is exact up to rounding; the maximum is as long as the step
// does not change a winner.
TEST(RoiAwarePool3dGradient, BackwardIsTheSlopeOfForward) {
  Problem problem(MLUOP_DTYPE_DOUBLE, {3, 40, 2, 2, 2, 1, 5});
  FillScene(problem, "scattered", 23);
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  for (const int method : kMethods) {
    Dense forward = problem.NewDense(), moved = problem.NewDense();
    ASSERT_EQ(problem.Run(handle, method, forward), MLUOP_STATUS_SUCCESS) << handle.LastError();
    Tensor weights(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_DOUBLE, forward.pooled.extents());
    weights.FillUniform(-1, 1, 24);
    Tensor grad_in = problem.NewGradient();
    ASSERT_EQ(RunBackward(handle, method, problem.sizes, forward, weights, grad_in), MLUOP_STATUS_SUCCESS);
    const auto loss = [&] {
      EXPECT_EQ(problem.Run(handle, method, moved), MLUOP_STATUS_SUCCESS);
      return InnerProduct(moved.pooled, weights);
    };
    constexpr double kStep = 1e-6;
    for (int64_t i = 0; i < problem.features.elements(); ++i) {
      const double value = problem.features.Get(i);
      problem.features.Set(i, value + kStep);
      const double above = loss();
      problem.features.Set(i, value - kStep);
      const double below = loss();
      problem.features.Set(i, value);
      ASSERT_NEAR(grad_in.Get(i), (above - below) / (2 * kStep), 1e-8) << "method " << method << ", element " << i;
    }
  }
}

// ---- NaN and Inf ----

class RoiAwarePool3dSpecialValues : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // Fewer in double: its bar is so close to its precision that a plain sum of 40,000 terms may pass it.
  static int64_t ManyTerms() { return GetParam() == MLUOP_DTYPE_DOUBLE ? 3000 : 40000; }
};
INSTANTIATE_TEST_SUITE_P(Types, RoiAwarePool3dSpecialValues, testing::ValuesIn(kTypes), TypeName);

TEST_P(RoiAwarePool3dSpecialValues, AgreeWithReference) {
  const std::vector<double> mixtures[] = {{kNan}, {kInf, -kInf}, {-kInf}, {kNan, kInf, -kInf}};
  int64_t nans = 0, infinities = 0, finites = 0, losers = 0;
  for (const int64_t channels : {1, 5, 8, 17}) {
    for (const auto& mixture : mixtures) {
      for (const int64_t step :
           {3, 41}) {  // many, so that some voxels have no winner; few, so that most results are finite
        Problem problem(GetParam(), {5, 200, channels, 3, 2, 2, 5});
        FillScene(problem, "scattered", 25);
        size_t next = 0;
        for (int64_t i = 2; i < problem.features.elements(); i += step) {
          problem.features.Set(i, mixture[next++ % mixture.size()]);
        }
        for (const int method : kMethods) ExpectAgreement(problem, method);
        const Handle handle(ProfileFor(GetParam()), 1);
        Dense dense = problem.NewDense();
        ASSERT_EQ(problem.Run(handle, kMax, dense), MLUOP_STATUS_SUCCESS);
        for (int64_t i = 0; i < dense.argmax.elements(); ++i) {
          const bool empty = dense.pts_idx.Get(i / channels * problem.sizes.max_pts) == 0;
          losers += !empty && dense.argmax.Get(i) == -1 ? 1 : 0;
        }
        ASSERT_EQ(problem.Run(handle, kAverage, dense), MLUOP_STATUS_SUCCESS);
        for (const double value : dense.pooled.Values()) {
          nans += std::isnan(value) ? 1 : 0;
          infinities += std::isinf(value) ? 1 : 0;
          finites += std::isfinite(value) ? 1 : 0;
        }
        // In gradients too.
        Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), dense.pooled.extents());
        grad_out.FillUniform(-1, 1, 26);
        for (int64_t i = 1; i < grad_out.elements(); i += step) {
          grad_out.Set(i, mixture[next++ % mixture.size()]);
        }
        ExpectGradientAgreement(problem, kAverage, dense, grad_out);
        ASSERT_EQ(problem.Run(handle, kMax, dense), MLUOP_STATUS_SUCCESS);
        ExpectGradientAgreement(problem, kMax, dense, grad_out);
      }
    }
  }
  // All occurred, so that the comparison meant something.
  EXPECT_GT(nans, 100);
  EXPECT_GT(infinities, 100);
  EXPECT_GT(finites, 1000);
  EXPECT_GT(losers, 20);
}

// Gradients that go nowhere do not matter: 0 * NaN would be NaN.
TEST_P(RoiAwarePool3dSpecialValues, GradientsOfEmptyVoxelsAreNotRead) {
  const Sizes sizes = {1, 3, 5, 4, 1, 1, 3};
  const Problem problem(GetParam(), sizes);
  Dense forward = problem.NewDense();
  forward.argmax.Fill(-1);
  forward.pts_idx.Fill(0);
  Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), forward.pooled.extents());
  grad_out.Fill(kNan);
  ForEachConfiguration(ProfileFor(GetParam()), [&](const Handle& handle) {
    for (const int method : kMethods) {
      Tensor grad_in = problem.NewGradient();
      ASSERT_EQ(RunBackward(handle, method, sizes, forward, grad_out, grad_in), MLUOP_STATUS_SUCCESS);
      ASSERT_EQ(grad_in.Values(), std::vector<double>(15, 0.0));
    }
  });
}

// ---- sums of many terms ----

// Constant values are the worst case, because every addition rounds the same way: a plain float sum of 40,000 times
// 0.7 is off by far more than the bar.
TEST_P(RoiAwarePool3dSpecialValues, LongAveragesStayWithinTheBar) {
  for (const int64_t channels : {1, 5, 13, 40}) {
    Problem problem(GetParam(), {1, ManyTerms(), channels, 1, 1, 1, ManyTerms() + 1});
    problem.SetBox(0, {0, 0, 0, 2, 2, 2, 0});
    problem.features.Fill(0.7);
    const double value = problem.features.Get(0);
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      Dense dense = problem.NewDense();
      ASSERT_EQ(problem.Run(handle, kAverage, dense), MLUOP_STATUS_SUCCESS) << handle.LastError();
      const std::vector<double> expected(static_cast<size_t>(channels), value);
      ASSERT_LE(Diff1(dense.pooled.Values(), expected), ToleranceFor(GetParam()).diff1);
      ASSERT_LE(Diff2(dense.pooled.Values(), expected), ToleranceFor(GetParam()).diff2);
    });
  }
}

// All voxels have the same winner, or list the same point: 40,000 * 0.7, and 0.1 for half, which ends at 65504.
TEST_P(RoiAwarePool3dSpecialValues, LongGradientsStayWithinTheBar) {
  const int64_t voxels = ManyTerms();
  for (const int64_t channels : {1, 5, 13}) {
    const Sizes sizes = {1, 3, channels, voxels, 1, 1, 2};
    const Problem problem(GetParam(), sizes);
    Dense forward = problem.NewDense();
    forward.argmax.Fill(1);
    forward.pts_idx.Fill(1);  // one point, number 1
    Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), forward.pooled.extents());
    grad_out.Fill(GetParam() == MLUOP_DTYPE_HALF ? 0.1 : 0.7);
    std::vector<double> expected(static_cast<size_t>(3 * channels), 0.0);
    for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
      expected[static_cast<size_t>(channels) + c] = static_cast<double>(voxels) * grad_out.Get(0);
    }
    for (const int method : kMethods) {
      ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
        Tensor grad_in = problem.NewGradient();
        ASSERT_EQ(RunBackward(handle, method, sizes, forward, grad_out, grad_in), MLUOP_STATUS_SUCCESS);
        ASSERT_LE(Diff1(grad_in.Values(), expected), ToleranceFor(GetParam()).diff1);
        ASSERT_LE(Diff2(grad_in.Values(), expected), ToleranceFor(GetParam()).diff2);
      });
    }
  }
}

// One, half a step of the type above it, and a little: just above the middle of two neighbours, so the right answer is
// the upper one. A sum that is rounded to float first, or added up in float, loses the little, and the tie goes to one.
TEST_P(RoiAwarePool3dSpecialValues, GradientsAreRoundedOnce) {
  if (GetParam() == MLUOP_DTYPE_DOUBLE) GTEST_SKIP() << "nothing is rounded";
  const bool is_float = GetParam() == MLUOP_DTYPE_FLOAT, is_half = GetParam() == MLUOP_DTYPE_HALF;
  const double step = is_float ? 0x1p-23 : is_half ? 0x1p-10 : 0x1p-7;
  const double little = is_half ? 0x1p-24 : 0x1p-50;
  const Sizes sizes = {3, 1, 9, 1, 1, 1, 2};
  const Problem problem(GetParam(), sizes);
  Dense forward = problem.NewDense();
  forward.argmax.Fill(0);
  forward.pts_idx.Assign({1, 0, 1, 0, 1, 0});
  Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), forward.pooled.extents());
  const double terms[] = {1, step / 2, little};
  for (int64_t i = 0; i < 27; ++i) grad_out.Set(i, terms[i / 9]);
  ForEachConfiguration(ProfileFor(GetParam()), [&](const Handle& handle) {
    for (const int method : kMethods) {
      Tensor grad_in = problem.NewGradient();
      ASSERT_EQ(RunBackward(handle, method, sizes, forward, grad_out, grad_in), MLUOP_STATUS_SUCCESS);
      ASSERT_EQ(grad_in.Values(), std::vector<double>(9, 1 + step));
    }
  });
}

// ---- overflow ----

// A sum of gradients beyond the type's largest number is infinite; one below it is not.
TEST_P(RoiAwarePool3dSpecialValues, OverflowGivesInfinity) {
  const double half_limit = GetParam() == MLUOP_DTYPE_HALF     ? 0x1p15
                            : GetParam() == MLUOP_DTYPE_DOUBLE ? 0x1p1023
                                                               : 0x1p127;
  const double below = NextTowardsZero(GetParam(), half_limit);
  const Sizes sizes = {2, 1, 4, 1, 1, 1, 2};
  const Problem problem(GetParam(), sizes);
  Dense forward = problem.NewDense();
  forward.argmax.Fill(0);
  forward.pts_idx.Assign({1, 0, 1, 0});
  Tensor grad_out(MLUOP_LAYOUT_ARRAY, GetParam(), forward.pooled.extents());
  grad_out.Assign({half_limit, below, -half_limit, -below, half_limit, below, -half_limit, -below});
  ForEachConfiguration(ProfileFor(GetParam()), [&](const Handle& handle) {
    for (const int method : kMethods) {
      Tensor grad_in = problem.NewGradient();
      ASSERT_EQ(RunBackward(handle, method, sizes, forward, grad_out, grad_in), MLUOP_STATUS_SUCCESS);
      ASSERT_EQ(grad_in.Values(), (std::vector<double>{kInf, 2 * below, -kInf, -2 * below}));
    }
  });
}

}  // namespace
}  // namespace detops_test
