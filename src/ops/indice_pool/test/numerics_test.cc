// What is promised about numbers: long sums, one rounding, gradients that are adjoint to their forward pass, and the
// derivative itself.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/indice_pool/test/problem.h"

namespace detops_test {
namespace {

class IndicePoolNumerics : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, IndicePoolNumerics, testing::ValuesIn(kTypes), TypeName);

// 200,000 times 0.1 added up in float one by one would be off by some 1e-3 of the sum.
TEST_P(IndicePoolNumerics, LongSums) {
  constexpr int64_t kPairs = 200'000;
  PoolPairs pairs = NoPairs(1, kPairs);
  for (int64_t i = 0; i < kPairs; ++i) AddPair(pairs, 0, i % 3 == 0 ? 1 : 0, 0);
  Problem problem(GetParam(), {2, 1, 3}, pairs);
  problem.features.Fill(0.1);
  problem.features_out.Fill(0.1);
  problem.output_grad.Fill(0.1);
  for (const Way way : {Way::kAverage, Way::kMaximumBackward, Way::kAverageBackward}) {
    const PoolSums expected = problem.Expected(way);
    ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) { ExpectRight(handle, problem, way, expected); });
  }
}

// Sums up to the length at which they are cut, and one more; the reference knows no difference.
TEST_P(IndicePoolNumerics, SumsAroundTheCut) {
  for (const int64_t count : {511, 512, 513, 1024, 1025}) {
    PoolPairs pairs = NoPairs(2, count);
    for (int64_t i = 0; i < count; ++i) AddPair(pairs, i % 2, i % 7, 0);
    Problem problem(GetParam(), {7, 1, 11}, pairs);
    problem.features.FillUniform(0.5, 1, 3);
    problem.features_out.Fill(problem.features.Get(0));
    for (const Way way : {Way::kAverage, Way::kMaximumBackward, Way::kAverageBackward}) {
      const PoolSums expected = problem.Expected(way);
      ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) { ExpectRight(handle, problem, way, expected); });
    }
    // The other way round: one input, many outputs.
    PoolPairs turned = NoPairs(2, count);
    for (int64_t i = 0; i < count; ++i) AddPair(turned, i % 2, 0, i % 7);
    const Problem back(GetParam(), {1, 7, 11}, turned);
    for (const Way way : {Way::kMaximumBackward, Way::kAverageBackward}) {
      const PoolSums expected = back.Expected(way);
      ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) { ExpectRight(handle, back, way, expected); });
    }
  }
}

// 2048 + 1 + 1 is 2050 in float; rounded to half after every addition it would stay 2048.
TEST(IndicePoolRounding, HalfIsRoundedOnce) {
  PoolPairs pairs = NoPairs(1, 4);
  for (const int64_t input : {0, 1, 1, 1}) AddPair(pairs, 0, input, 0);
  for (const mluOpDataType_t type : {MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16}) {
    const double large = type == MLUOP_DTYPE_HALF ? 2048 : 256;
    Problem problem(type, {2, 1, 1}, pairs);
    problem.features.Assign({large, 1});
    const Handle handle(DETOPS_PROFILE_FULL, 1);
    Tensor result = problem.NewResult(Way::kAverage);
    ASSERT_EQ(problem.Run(handle, Way::kAverage, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
    EXPECT_EQ(result.Get(0), RoundToElement(type, (large + 3) / 4));
    EXPECT_NE(result.Get(0), large / 4);
  }
}

// Sums of halves beyond the largest half are right if their average is.
TEST(IndicePoolRounding, HalfDoesNotOverflowInBetween) {
  PoolPairs pairs = NoPairs(1, 100);
  for (int64_t i = 0; i < 100; ++i) AddPair(pairs, 0, 0, 0);
  Problem problem(MLUOP_DTYPE_HALF, {1, 1, 5}, pairs);
  problem.features.Fill(60000);
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  Tensor result = problem.NewResult(Way::kAverage);
  ASSERT_EQ(problem.Run(handle, Way::kAverage, result), MLUOP_STATUS_SUCCESS) << handle.LastError();
  EXPECT_EQ(result.Values(), std::vector<double>(5, RoundToElement(MLUOP_DTYPE_HALF, 60000)));
}

double Dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.elements(); ++i) sum += a.Get(i) * b.Get(i);
  return sum;
}

// sum(forward(x) * y) = sum(x * backward(y)). An average is linear; so is a maximum among inputs that are its own.
TEST(IndicePoolAdjoint, BackwardIsTheTransposedForward) {
  for (const char* kind : {"ascending", "shuffled", "random", "crowded"}) {
    Problem problem(MLUOP_DTYPE_DOUBLE, {300, 280, 13}, MakePairs(kind, 5, 300, 280, 300), 7);
    problem.features.FillUniform(-1, 1, 6);
    const Handle handle(DETOPS_PROFILE_FULL, 2);
    Tensor average = problem.NewResult(Way::kAverage), gradient = problem.NewResult(Way::kAverageBackward);
    ASSERT_EQ(problem.Run(handle, Way::kAverage, average), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(problem.Run(handle, Way::kAverageBackward, gradient), MLUOP_STATUS_SUCCESS);
    const double forward = Dot(average, problem.output_grad), backward = Dot(problem.features, gradient);
    EXPECT_NEAR(forward, backward, 1e-12 * static_cast<double>(average.elements()));
    EXPECT_GT(std::abs(forward), 1e-3) << "nothing was compared";
  }
  // No pair twice, no number twice: every maximum is one input's.
  Problem problem(MLUOP_DTYPE_DOUBLE, {300, 280, 13}, MakePairs("shuffled", 1, 300, 280, 300), 7);
  problem.features.FillUniform(-1, 1, 6);
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  Tensor gradient = problem.NewResult(Way::kMaximumBackward);
  ASSERT_EQ(problem.Run(handle, Way::kFromLowest, problem.features_out), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(problem.Run(handle, Way::kMaximumBackward, gradient), MLUOP_STATUS_SUCCESS);
  const double forward = Dot(problem.features_out, problem.output_grad), backward = Dot(problem.features, gradient);
  EXPECT_NEAR(forward, backward, 1e-12 * static_cast<double>(gradient.elements()));
  EXPECT_GT(std::abs(forward), 1e-3) << "nothing was compared";
}

// Central differences of sum(forward(x) * y) for every element of x. Steps are smaller than the distances between
// inputs, so that no maximum changes hands, and no pair occurs twice: then a maximum would give its gradient twice.
TEST(IndicePoolAdjoint, BackwardIsTheDerivative) {
  constexpr double kStep = 0x1p-20;
  PoolPairs pairs = NoPairs(3, 8);
  for (int64_t output = 0; output < 8; ++output) {
    AddPair(pairs, 0, output, output);
    AddPair(pairs, 1, output + 1, output);
    AddPair(pairs, 2, output + 4, output);
  }
  Problem problem(MLUOP_DTYPE_DOUBLE, {12, 9, 3}, pairs, 9);
  for (int64_t i = 0; i < problem.features.elements(); ++i) {
    problem.features.Set(i, static_cast<double>(i * 17 % 36 - 20) * 0.25 + 0.125);
  }
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  for (const Way forward : {Way::kFromZero, Way::kFromLowest, Way::kAverage}) {
    SCOPED_TRACE(NameOf(forward));
    const Way backward = forward == Way::kAverage ? Way::kAverageBackward : Way::kMaximumBackward;
    Tensor gradient = problem.NewResult(backward), result = problem.NewResult(forward);
    ASSERT_EQ(problem.Run(handle, forward, problem.features_out), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(problem.Run(handle, backward, gradient), MLUOP_STATUS_SUCCESS);
    for (int64_t i = 0; i < gradient.elements(); ++i) {
      const double x = problem.features.Get(i);
      double sums[2];
      for (const int side : {0, 1}) {
        problem.features.Set(i, side == 0 ? x - kStep : x + kStep);
        ASSERT_EQ(problem.Run(handle, forward, result), MLUOP_STATUS_SUCCESS);
        sums[side] = Dot(result, problem.output_grad);
      }
      problem.features.Set(i, x);
      EXPECT_NEAR((sums[1] - sums[0]) / (2 * kStep), gradient.Get(i), 1e-8) << "element " << i;
    }
  }
}

}  // namespace
}  // namespace detops_test
