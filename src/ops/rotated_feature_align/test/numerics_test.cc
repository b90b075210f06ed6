// rotated_feature_align: backward is the gradient of forward, and NaN and Inf in features go where the weights say.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ops/rotated_feature_align/test/problem.h"

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

class RotatedFeatureAlignGradient : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Points, RotatedFeatureAlignGradient, testing::Values(1, 5));

// <A x, y> = <x, A' y>. x and y are positive, so that nothing cancels and the error is relative.
TEST_P(RotatedFeatureAlignGradient, BackwardIsTheAdjointOfForward) {
  for (const BoxKind kind : kBoxKinds) {
    SCOPED_TRACE(testing::Message() << "boxes of kind " << static_cast<int>(kind));
    Problem x(MLUOP_DTYPE_DOUBLE, {2, 7, 9, 5}, 0.25f, GetParam()),
        y(MLUOP_DTYPE_DOUBLE, {2, 7, 9, 5}, 0.25f, GetParam());
    FillBoxes(x, kind, 3);
    FillBoxes(y, kind, 3);
    x.source.FillUniform(0, 1, 4);
    y.source.FillUniform(0, 1, 5);
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      Tensor forward = x.NewTarget(), backward = y.NewTarget();
      ASSERT_EQ(x.Run(handle, Direction::kForward, forward), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(y.Run(handle, Direction::kBackward, backward), MLUOP_STATUS_SUCCESS) << handle.LastError();
      const double left = InnerProduct(forward, y.source), right = InnerProduct(x.source, backward);
      ASSERT_NEAR(left, right, 1e-12 * left);
    });
  }
}

// Of the loss 1/2 sum(output^2) the gradient of the output is the output. Central differences of a quadratic are exact
// up to rounding, whatever the step.
TEST_P(RotatedFeatureAlignGradient, BackwardIsTheSlopeOfForward) {
  Problem problem(MLUOP_DTYPE_DOUBLE, {2, 3, 4, 2}, 0.5f, GetParam());
  FillBoxes(problem, BoxKind::kOverMap, 6);
  ForEachTarget(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
    const auto loss = [&] {
      Tensor output = problem.NewTarget();
      EXPECT_EQ(problem.Run(handle, Direction::kForward, output), MLUOP_STATUS_SUCCESS) << handle.LastError();
      return InnerProduct(output, output) / 2;
    };
    Problem gradient(MLUOP_DTYPE_DOUBLE, problem.shape(), problem.scale(), GetParam());
    FillBoxes(gradient, BoxKind::kOverMap, 6);
    ASSERT_EQ(problem.Run(handle, Direction::kForward, gradient.source), MLUOP_STATUS_SUCCESS) << handle.LastError();
    Tensor bottom = gradient.NewTarget();
    ASSERT_EQ(gradient.Run(handle, Direction::kBackward, bottom), MLUOP_STATUS_SUCCESS) << handle.LastError();
    constexpr double kStep = 0.25;
    for (int64_t i = 0; i < problem.source.elements(); ++i) {
      const double value = problem.source.Get(i);
      problem.source.Set(i, value + kStep);
      const double above = loss();
      problem.source.Set(i, value - kStep);
      const double below = loss();
      problem.source.Set(i, value);
      ASSERT_NEAR(bottom.Get(i), (above - below) / (2 * kStep), 1e-11) << "element " << i;
    }
  });
}

// ---- NaN and Inf in features ----

class RotatedFeatureAlignSpecialValues : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // Compares with the reference: the same classes everywhere, and finite elements within the tolerance.
  void ExpectSame(const Problem& problem) {
    for (const Direction direction : kDirections) ExpectAgreement(direction, problem);
  }
};

INSTANTIATE_TEST_SUITE_P(Types, RotatedFeatureAlignSpecialValues, testing::ValuesIn(kTypes), TypeName);

// 2x2 maps with five channels; the middle channels of some pixels are special, the outer ones stay finite, so a value
// that leaks into another lane shows. Forward output of pixel (1, 1) minus its own feature, worked out by hand:
// +-0 weights turn Inf into NaN; all weights above 0 keep it.
TEST_P(RotatedFeatureAlignSpecialValues, InfinityByHand) {
  const struct {
    const char* name;
    std::vector<double> map;  // the middle channel
    Box box;
    double sample;
  } cases[] = {
      {"1/4 Inf + 3/4 * 1", {kInf, 1, 1, 1}, {0.5, 0.5}, kInf},
      {"all four Inf, which differences of neighbours would make NaN", {kInf, kInf, kInf, kInf}, {0.25, 0.75}, kInf},
      {"-Inf", {1, -kInf, 1, 1}, {0.5, 0.5}, -kInf},
      {"Inf - Inf", {kInf, -kInf, 1, 1}, {0.5, 0.5}, kNan},
      {"1 * Inf + 0 * 1", {kInf, 1, 1, 1}, {0, 0}, kInf},
      {"1 * 1 + 0 * Inf", {1, kInf, 1, 1}, {0, 0}, kNan},
      {"1 * 1 + 0 * NaN", {1, 1, kNan, 1}, {0, 0}, kNan},
      {"far border: both neighbours are the same pixel, 1 * Inf + 0 * Inf", {1, kInf, 1, 1}, {0, 1}, kNan},
      {"far border beside an Inf that is no neighbour", {kInf, 1, 1, 1}, {0, 1}, 1},
      {"outside: not even 0 * NaN", {kNan, kInf, kNan, 1}, {-2, 0}, 0},
  };
  constexpr int64_t kChannels = 5;
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    Problem problem(GetParam(), {1, 2, 2, kChannels}, 1.0f, 1);
    problem.source.Fill(1);
    for (int64_t pixel = 0; pixel < 4; ++pixel) {
      problem.SetBox(pixel, test.box);
      problem.source.Set(pixel * kChannels + 2, test.map[static_cast<size_t>(pixel)]);
    }
    const int64_t last = 3 * kChannels;
    const double own = test.map[3], outer = test.box.y < -1 ? 1 : 2;
    ForEachConfiguration(ProfileFor(GetParam()), [&](const Handle& handle) {
      Tensor output = problem.NewTarget();
      ASSERT_EQ(problem.Run(handle, Direction::kForward, output), MLUOP_STATUS_SUCCESS) << handle.LastError();
      const double got = output.Get(last + 2), expected = own + test.sample;
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(got)) << got;
      } else {
        ASSERT_EQ(got, expected);
      }
      for (const int64_t c : {0, 1, 3, 4}) ASSERT_EQ(output.Get(last + c), outer) << "channel " << c;
    });
  }
}

// Every kind of box and whole positions, where weights are 0; with only NaN, only Inf, and both, as the design document
// asks.
TEST_P(RotatedFeatureAlignSpecialValues, AgreeWithReference) {
  const std::vector<double> mixtures[] = {{kNan}, {kInf, -kInf}, {kNan, kInf, -kInf}};
  int64_t nans = 0, infinities = 0, finites = 0;
  for (const int points : {1, 5}) {
    for (const int64_t channels : {1, 5, 8, 17}) {
      for (const auto& mixture : mixtures) {
        for (const BoxKind kind : kBoxKinds) {
          SCOPED_TRACE(testing::Message()
                       << points << " points, " << channels << " channels, boxes of kind " << static_cast<int>(kind));
          Problem problem(GetParam(), {2, 6, 7, channels}, 0.25f, points);
          FillBoxes(problem, kind, 8);
          // Every third box at a whole position.
          for (int64_t pixel = 0; pixel < problem.pixels(); pixel += 3) {
            problem.SetBox(pixel,
                           {4.0 * static_cast<double>(pixel % 6), 4.0 * static_cast<double>(pixel % 7), 8, 8, 0});
          }
          // Few enough to leave most results finite.
          size_t next = 0;
          for (int64_t i = 3; i < problem.source.elements(); i += 41) {
            problem.source.Set(i, mixture[next++ % mixture.size()]);
          }
          ExpectSame(problem);
          for (const double value : problem.Expected(Direction::kBackward)) {
            nans += std::isnan(value) ? 1 : 0;
            infinities += std::isinf(value) ? 1 : 0;
            finites += std::isfinite(value) ? 1 : 0;
          }
        }
      }
    }
  }
  // All three occurred, so that the comparison meant something.
  EXPECT_GT(nans, 100);
  EXPECT_GT(infinities, 100);
  EXPECT_GT(finites, 1000);
}

// Sums beyond the type's largest number become infinite, one below it does not. With one point at the pixel itself the
// output is twice the input: 32752 + 32752 = 65504 is the largest half, 32768 + 32768 is too large.
TEST_P(RotatedFeatureAlignSpecialValues, OverflowGivesInfinity) {
  const double half_limit = GetParam() == MLUOP_DTYPE_HALF     ? 0x1p15
                            : GetParam() == MLUOP_DTYPE_DOUBLE ? 0x1p1023
                                                               : 0x1p127;
  const double below = NextTowardsZero(GetParam(), half_limit);
  Problem problem(GetParam(), {1, 1, 4, 1}, 1.0f, 1);
  problem.source.Assign({half_limit, below, -half_limit, -below});
  for (int64_t pixel = 0; pixel < 4; ++pixel) problem.SetBox(pixel, {0, static_cast<double>(pixel)});
  for (const Direction direction : kDirections) {
    ForEachConfiguration(ProfileFor(GetParam()), [&](const Handle& handle) {
      Tensor target = problem.NewTarget();
      ASSERT_EQ(problem.Run(handle, direction, target), MLUOP_STATUS_SUCCESS) << handle.LastError();
      ASSERT_EQ(target.Get(0), kInf);
      ASSERT_EQ(target.Get(1), 2 * below);
      ASSERT_EQ(target.Get(2), -kInf);
      ASSERT_EQ(target.Get(3), -2 * below);
    });
  }
}

}  // namespace
}  // namespace detops_test
