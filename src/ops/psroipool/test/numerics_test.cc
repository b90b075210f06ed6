// psroipool: backward is the gradient of forward, NaN and Inf in features stay in their bins and channels, and rois
// that are far off or huge are only rois with few pixels.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "ops/psroipool/test/problem.h"

namespace detops_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ---- backward against forward, in double ----

double InnerProduct(const Tensor& a, const Tensor& b) {
  long double sum = 0;
  for (int64_t i = 0; i < a.elements(); ++i) sum += static_cast<long double>(a.Get(i)) * b.Get(i);
  return static_cast<double>(sum);
}

class PsRoiPoolGradient : public testing::TestWithParam<Variant> {};

INSTANTIATE_TEST_SUITE_P(Variants, PsRoiPoolGradient,
                         testing::Values(kContract, kExtensions[0], kExtensions[1], kExtensions[4], kExtensions[5]),
                         VariantName);

// <A x, y> = <x, A' y>. x and y are positive, so that nothing cancels and the error is relative. Not with torchvision's
// convention, whose forward leaves out the last row and column and whose backward does not.
TEST_P(PsRoiPoolGradient, BackwardIsTheAdjointOfForward) {
  for (const std::string kind : kRoiKinds) {
    for (const double scale : {0.25, 0.3, 1.0}) {
      SCOPED_TRACE(testing::Message() << "rois of kind " << kind << ", scale " << scale);
      Problem problem(GetParam(), MLUOP_DTYPE_DOUBLE, {2, 9, 11, 13, 3, 3, 5}, scale);
      FillRois(problem, kind, 3);
      problem.input.FillUniform(0, 1, 4);
      problem.top_grad.FillUniform(0, 1, 5);
      ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
        Tensor output = problem.NewOutput(), mapping = problem.NewMapping(), bottom = problem.NewBottomGrad();
        ASSERT_EQ(problem.Forward(handle, output, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
        ASSERT_TRUE(mapping.SameBytes(problem.mapping));  // backward reads what forward has written
        ASSERT_EQ(problem.Backward(handle, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
        const double left = InnerProduct(output, problem.top_grad), right = InnerProduct(problem.input, bottom);
        ASSERT_NEAR(left, right, 1e-12 * left);
        ASSERT_EQ(left > 0, kind != "outside");
      });
    }
  }
}

// ---- NaN and Inf in features ----

class PsRoiPoolSpecialValues : public testing::TestWithParam<std::tuple<Variant, mluOpDataType_t>> {
 protected:
  const Variant& variant() const { return std::get<0>(GetParam()); }
  mluOpDataType_t type() const { return std::get<1>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(VariantsAndTypes, PsRoiPoolSpecialValues,
                         testing::Combine(testing::ValuesIn(AllVariants()), testing::ValuesIn(kTypes)),
                         [](const auto& instance) {
                           return std::string(std::get<0>(instance.param).name) + "_" +
                                  ElementName(std::get<1>(instance.param));
                         });

// The same classes everywhere, and finite elements within the tolerance. A value that leaks into another channel, bin
// or pixel, were it only as 0 * NaN, shows.
TEST_P(PsRoiPoolSpecialValues, AgreeWithReference) {
  const std::vector<double> mixtures[] = {{kNan}, {kInf, -kInf}, {kNan, kInf, -kInf}};
  int64_t nans = 0, infinities = 0, finites = 0;
  for (const int64_t output_dim : {1, 5, 8, 17}) {
    for (const auto& mixture : mixtures) {
      Problem problem(variant(), type(), {2, 8, 9, 24, 2, 2, output_dim}, 0.5);
      FillMixedRois(problem, 8);
      // Few enough to leave most results finite.
      size_t next = 0;
      for (int64_t i = 3; i < problem.input.elements(); i += 37) problem.input.Set(i, mixture[next++ % mixture.size()]);
      for (int64_t i = 1; i < problem.top_grad.elements(); i += 31) {
        problem.top_grad.Set(i, mixture[next++ % mixture.size()]);
      }
      ExpectAgreementBothWays(problem);
      for (const std::vector<double>& values : {problem.ExpectedOutput(), problem.ExpectedBottomGrad()}) {
        for (const double value : values) {
          nans += std::isnan(value) ? 1 : 0;
          infinities += std::isinf(value) ? 1 : 0;
          finites += std::isfinite(value) ? 1 : 0;
        }
      }
    }
  }
  // All three occurred, so that the comparison meant something.
  EXPECT_GT(nans, 100);
  EXPECT_GT(infinities, 100);
  EXPECT_GT(finites, 1000);
}

// NaN everywhere but in one bin's pixels and channel, and in the gradients of all bins but those on the map.
TEST_P(PsRoiPoolSpecialValues, WhatIsNotReadDoesNotMatter) {
  Problem problem(variant(), type(), {1, 6, 7, 2, 2, 2, 5}, 1);
  problem.input.Fill(kNan);
  const bool rfcn = variant().convention == DETOPS_PSROIPOOL_RFCN;
  problem.SetRoi(0, {0, 1, 1, rfcn ? 4.0 : 5.0, rfcn ? 4.0 : 5.0});  // rows and columns [1, 3) and [3, 5)
  problem.SetRoi(1, {0, 40, 40, 44, 44});                            // empty
  for (int64_t y = 1; y < 5; ++y) {
    for (int64_t x = 1; x < 5; ++x) {
      const int64_t bin = (y - 1) / 2 * 2 + (x - 1) / 2;
      for (int64_t d = 0; d < 5; ++d) problem.input.Set(problem.MapIndex(0, y, x, d * 4 + bin), 2);
    }
  }
  for (int64_t bin = 0; bin < 4; ++bin) {
    for (int64_t d = 0; d < 5; ++d) {
      problem.top_grad.Set(problem.PooledIndex(0, bin / 2, bin % 2, d), 8);
      problem.top_grad.Set(problem.PooledIndex(1, bin / 2, bin % 2, d), kNan);
    }
  }
  ForEachConfiguration(problem.profile(), [&](const Handle& handle) {
    Tensor output = problem.NewOutput(), mapping = problem.NewMapping(), bottom = problem.NewBottomGrad();
    ASSERT_EQ(problem.Forward(handle, output, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
    const int64_t first_of_second = output.elements() / 2;
    for (int64_t i = 0; i < output.elements(); ++i) ASSERT_EQ(output.Get(i), i < first_of_second ? 2 : 0) << i;
    ASSERT_EQ(problem.Backward(handle, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
    for (int64_t i = 0; i < bottom.elements(); ++i) {
      ASSERT_EQ(bottom.Get(i), std::isnan(problem.input.Get(i)) ? 0 : 2) << "element " << i;
    }
  });
}

// The largest number of a type is its own mean, although the sum of two is not one of half; in float and double the sum
// overflows, as it does in the formulas.
TEST_P(PsRoiPoolSpecialValues, LargestNumbers) {
  const bool small = type() == MLUOP_DTYPE_HALF;
  const double largest = small                          ? 65504
                         : type() == MLUOP_DTYPE_DOUBLE ? std::numeric_limits<double>::max()
                         : type() == MLUOP_DTYPE_FLOAT  ? static_cast<double>(std::numeric_limits<float>::max())
                                                        : 0x1.fep127;
  const bool rfcn = variant().convention == DETOPS_PSROIPOOL_RFCN;
  Problem problem(variant(), type(), {1, 3, 3, 2, 1, 1, 3}, 1);
  problem.input.Fill(largest);
  problem.top_grad.Fill(largest);
  problem.SetRoi(0, {0, 0, 0, rfcn ? 0.0 : 1.0, rfcn ? 0.0 : 1.0});
  problem.SetRoi(1, {0, 0, 0, rfcn ? 1.0 : 2.0, rfcn ? 1.0 : 2.0});
  ForEachConfiguration(problem.profile(), [&](const Handle& handle) {
    Tensor output = problem.NewOutput(), mapping = problem.NewMapping(), bottom = problem.NewBottomGrad();
    ASSERT_EQ(problem.Forward(handle, output, &mapping), MLUOP_STATUS_SUCCESS) << handle.LastError();
    for (int64_t d = 0; d < 3; ++d) {
      ASSERT_EQ(output.Get(problem.PooledIndex(0, 0, 0, d)), largest);
      if (small) {
        ASSERT_EQ(output.Get(problem.PooledIndex(1, 0, 0, d)), largest);
      }
    }
    // Pixel (0, 0): largest + largest / 4 is too large in every type; its neighbours hold a quarter.
    ASSERT_EQ(problem.Backward(handle, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
    for (int64_t c = 0; c < 3; ++c) {
      ASSERT_EQ(bottom.Get(problem.MapIndex(0, 0, 0, c)), kInf);
      ASSERT_EQ(bottom.Get(problem.MapIndex(0, 1, 1, c)), largest / 4);
      ASSERT_EQ(bottom.Get(problem.MapIndex(0, 2, 2, c)), 0);
    }
  });
}

// ---- geometry far away ----

// Coordinates that a float holds, but no int does, and bins much larger than the map. Contract's convention: all in
// floating numbers. Every magnitude on both sides, with ends in any order.
TEST(PsRoiPoolHugeRois, AgreeWithReference) {
  for (const mluOpDataType_t type : kTypes) {
    const bool half = type == MLUOP_DTYPE_HALF;
    const double large[] = {100, 3e4, half ? 65504 : 2147483647.0, half ? 65504 : 9e15, half ? 65504 : 1e30};
    for (const Variant& variant : {kContract, kExtensions[0], kExtensions[1]}) {
      std::vector<Roi> rois;
      for (const double a : large) {
        for (const double b : large) {
          rois.push_back({0, -a, -b, b, a});
          rois.push_back({0, -a, 1, b, 4});
          rois.push_back({0, 2, -b, 5, a});
          rois.push_back({0, a, -b, -b, a});
          rois.push_back({0, -a, -a, -b, -b});
          rois.push_back({0, a, a, b, b});
        }
      }
      for (const double scale : {0.25, 1.0}) {
        SCOPED_TRACE(scale);
        Problem problem(variant, type, {1, 7, 9, static_cast<int64_t>(rois.size()), 3, 3, 2}, scale);
        for (size_t r = 0; r < rois.size(); ++r) problem.SetRoi(static_cast<int64_t>(r), rois[r]);
        ExpectAgreementBothWays(problem);
      }
    }
  }
}

// The other conventions round to whole numbers; up to 2^30 their extents are ints in torchvision too.
TEST(PsRoiPoolHugeRois, OtherConventionsAgreeWithReference) {
  for (const mluOpDataType_t type : kTypes) {
    for (size_t variant = 2; variant < 6; ++variant) {
      std::vector<Roi> rois;
      for (const double a : {100.0, 3e4, type == MLUOP_DTYPE_HALF ? 65504 : 0x1p30}) {
        rois.push_back({0, -a, -a, a, a});
        rois.push_back({0, -a, 1, a, 4});
        rois.push_back({0, 2, -a, 5, a});
        rois.push_back({0, a, 0, -a, 5});
        rois.push_back({0, -a, 0, 5, 5});
        rois.push_back({0, 0, 0, a, 5});
      }
      Problem problem(kExtensions[variant], type, {1, 7, 9, static_cast<int64_t>(rois.size()), 3, 2, 2}, 1);
      for (size_t r = 0; r < rois.size(); ++r) problem.SetRoi(static_cast<int64_t>(r), rois[r]);
      ExpectAgreementBothWays(problem);
    }
  }
}

}  // namespace
}  // namespace detops_test
