// Cases whose results are worked out by hand, on every target, number of threads and type.
#include <cmath>
#include <limits>
#include <vector>

#include "ops/indice_pool/test/problem.h"

namespace detops_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Four inputs of two channels, four outputs. Output 0 has the inputs 0, 1 and again 0; output 1 has 1 and 2, all
// negative in channel 1; output 2 has none; output 3 has 3.
PoolPairs HandPairs() {
  PoolPairs pairs = NoPairs(2, 5);
  AddPair(pairs, 0, 2, 1);
  AddPair(pairs, 0, 0, 0);
  AddPair(pairs, 0, 3, 3);
  AddPair(pairs, 0, 0, 0);
  AddPair(pairs, 1, 1, 0);
  AddPair(pairs, 1, 1, 1);
  return pairs;
}

std::vector<double> HandFeatures() {
  return {1, -8,  //
          4, -2,  //
          4, -6,  //
          0, -3};
}

void ExpectResult(const std::vector<double>& features, Way way, const std::vector<double>& expected,
                  const std::vector<double>& features_out = {}, const std::vector<double>& output_grad = {}) {
  for (const mluOpDataType_t type : kTypes) {
    SCOPED_TRACE(ElementName(type));
    Problem problem(type, {4, 4, 2}, HandPairs());
    problem.features.Assign(features);
    if (!features_out.empty()) problem.features_out.Assign(features_out);
    if (!output_grad.empty()) problem.output_grad.Assign(output_grad);
    ForEachConfiguration(DETOPS_PROFILE_FULL,
                         [&](Handle& handle) { ExpectRight(handle, problem, way, {.values = expected}); });
  }
}

TEST(IndicePool, MaximumFromZero) {
  // max(0, 1, 4, 1), max(0, -8, -2, -8); max(0, 4, 4), max(0, -6, -2); nothing; max(0, 0), max(0, -3).
  ExpectResult(HandFeatures(), Way::kFromZero, {4, 0, 4, 0, 0, 0, 0, 0});
}

TEST(IndicePool, MaximumFromLowest) { ExpectResult(HandFeatures(), Way::kFromLowest, {4, -2, 4, -2, 0, 0, 0, -3}); }

TEST(IndicePool, AverageCountsRepeatedPairs) {
  // (1 + 1 + 4) / 3, (-8 - 8 - 2) / 3; (4 + 4) / 2, (-6 - 2) / 2; nothing; 0, -3.
  ExpectResult(HandFeatures(), Way::kAverage, {2, -6, 4, -4, 0, 0, 0, -3});
}

TEST(IndicePool, GradientOfMaximumGoesToAllThatTie) {
  // With the maximum from zero. Channel 0: input 1 is the maximum of output 0 (16) and, with input 2, of output 1 (64);
  // input 3 equals output 3 (4). Channel 1: all are clamped.
  ExpectResult(HandFeatures(), Way::kMaximumBackward, {0, 0, 16 + 64, 0, 64, 0, 4, 0}, {4, 0, 4, 0, 0, 0, 0, 0},
               {16, 32, 64, 128, 256, 512, 4, 8});
}

TEST(IndicePool, GradientOfTrueMaximum) {
  ExpectResult(HandFeatures(), Way::kMaximumBackward, {0, 0, 16 + 64, 32 + 128, 64, 0, 4, 8},
               {4, -2, 4, -2, 0, 0, 0, -3}, {16, 32, 64, 128, 256, 512, 4, 8});
}

TEST(IndicePool, GradientOfMaximumCountsRepeatedPairs) {
  // Input 0 is the maximum of output 0 twice.
  const std::vector<double> features = {9, 9, 4, -2, 4, -6, 0, -3};
  ExpectResult(features, Way::kMaximumBackward, {2 * 16, 2 * 32, 64, 0, 64, 0, 4, 0}, {9, 9, 4, 0, 0, 0, 0, 0},
               {16, 32, 64, 128, 256, 512, 4, 8});
}

TEST(IndicePool, GradientOfMaximumReachesZerosOfClampedRows) {
  // Output 3 is clamped to 0 in both channels, and input 3 is 0 in channel 0; -0 equals it too.
  const std::vector<double> features = {1, -8, 4, -2, 4, -6, -0.0, -3};
  ExpectResult(features, Way::kMaximumBackward, {0, 0, 16 + 64, 0, 64, 0, 4, 0}, {4, 0, 4, 0, 0, 0, 0, 0},
               {16, 32, 64, 128, 256, 512, 4, 8});
}

TEST(IndicePool, GradientOfAverageIsSharedOut) {
  // Output 0 has three pairs, output 1 two, output 3 one.
  // Input 0: twice 24/3, 48/3. Input 1: 24/3 + 64/2, 48/3 + 128/2. Input 2: 64/2, 128/2. Input 3: 4, 8.
  ExpectResult(HandFeatures(), Way::kAverageBackward, {16, 32, 40, 80, 32, 64, 4, 8}, {},
               {24, 48, 64, 128, 256, 512, 4, 8});
}

TEST(IndicePool, NanIsNotLargerThanAnything) {
  // Output 0 reads inputs 0 and 1, output 1 inputs 1 and 2, output 3 input 3.
  const std::vector<double> features = {kNan, kNan, -4, kNan, -6, 3, kNan, -kInf};
  ExpectResult(features, Way::kFromZero, {0, 0, 0, 3, 0, 0, 0, 0});
  // All inputs NaN: 0, as without inputs. -Inf is a number.
  ExpectResult(features, Way::kFromLowest, {-4, 0, -4, 3, 0, 0, 0, -kInf});
}

TEST(IndicePool, InfinityIsTheLargestNumber) {
  const std::vector<double> features = {kInf, -kInf, -4, -kInf, -kInf, kNan, -kInf, kInf};
  ExpectResult(features, Way::kFromZero, {kInf, 0, 0, 0, 0, 0, 0, kInf});
  ExpectResult(features, Way::kFromLowest, {kInf, -kInf, -4, -kInf, 0, 0, -kInf, kInf});
}

TEST(IndicePool, NanAndInfinityReachTheirAverages) {
  const std::vector<double> features = {kInf, kNan, -4, 2, -kInf, 4, 1, kInf};
  ExpectResult(features, Way::kAverage, {kInf, kNan, -kInf, 3, 0, 0, 1, kInf});
}

TEST(IndicePool, NanGetsNoGradientAndGivesItOnlyToItsOwn) {
  // Input 0 is NaN in channel 0, as output 0 is; the gradient of output 0 is NaN in channel 1, where input 1 ties
  // alone.
  const std::vector<double> features = {kNan, 1, 4, 2, 4, 2, 1, -kInf};
  ExpectResult(features, Way::kMaximumBackward, {0, 0, 64, kNan, 64, 128, 4, 8}, {kNan, 2, 4, 2, 7, 7, 1, -kInf},
               {16, kNan, 64, 128, kNan, kNan, 4, 8});
}

TEST(IndicePool, OfZerosTheFirstStays) {
  PoolPairs pairs = NoPairs(2, 2);
  AddPair(pairs, 0, 0, 0);
  AddPair(pairs, 0, 1, 1);
  AddPair(pairs, 1, 1, 0);
  AddPair(pairs, 1, 0, 1);
  for (const mluOpDataType_t type : kTypes) {
    Problem problem(type, {2, 2, 1}, pairs);
    problem.features.Assign({0.0, -0.0});
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](Handle& handle) {
      Tensor result = problem.NewResult(Way::kFromLowest);
      ASSERT_EQ(problem.Run(handle, Way::kFromLowest, result), MLUOP_STATUS_SUCCESS);
      ASSERT_FALSE(std::signbit(result.Get(0)));
      ASSERT_TRUE(std::signbit(result.Get(1)));
      ASSERT_EQ(problem.Run(handle, Way::kFromZero, result), MLUOP_STATUS_SUCCESS);
      ASSERT_FALSE(std::signbit(result.Get(0)));
      ASSERT_FALSE(std::signbit(result.Get(1)));
    });
  }
}

TEST(IndicePool, AverageLooksAtNeitherFeaturesNorOutput) {
  Problem problem(MLUOP_DTYPE_FLOAT, {4, 4, 2}, HandPairs());
  problem.output_grad.Assign({24, 48, 64, 128, 256, 512, 4, 8});
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  const Rulebook rulebook(handle, problem);
  const Descriptor odd(MLUOP_LAYOUT_NCHW, MLUOP_DTYPE_INT32, {7});
  for (const mluOpTensorDescriptor_t other : {mluOpTensorDescriptor_t{nullptr}, odd.get()}) {
    Tensor result = problem.NewResult(Way::kAverageBackward), again = problem.NewResult(Way::kAverageBackward);
    ASSERT_EQ(
        detopsIndicePoolBackward(handle.get(), DETOPS_POOL_AVERAGE, other, nullptr, other, result.data(),
                                 problem.output_grad.desc(), problem.output_grad.data(), problem.indice_pairs.desc(),
                                 problem.indice_pairs.data(), problem.counts(), result.desc(), result.data()),
        MLUOP_STATUS_SUCCESS)
        << handle.LastError();
    EXPECT_EQ(result.Values(), (std::vector<double>{16, 32, 40, 80, 32, 64, 4, 8}));
    ASSERT_EQ(detopsRulebookPoolBackward(handle.get(), rulebook.get(), DETOPS_POOL_AVERAGE, other, nullptr, other,
                                         again.data(), problem.output_grad.desc(), problem.output_grad.data(),
                                         again.desc(), again.data()),
              MLUOP_STATUS_SUCCESS)
        << handle.LastError();
    EXPECT_TRUE(again.SameBytes(result));
  }
}

TEST(IndicePool, AverageDoesNotReadStart) {
  const Problem problem(MLUOP_DTYPE_FLOAT, {4, 4, 2}, HandPairs());
  const Handle handle(DETOPS_PROFILE_FULL, 1);
  Tensor result = problem.NewResult(Way::kAverage);
  EXPECT_EQ(detopsIndicePoolForward(handle.get(), DETOPS_POOL_AVERAGE, static_cast<detopsMaximumStart_t>(77),
                                    problem.features.desc(), problem.features.data(), problem.indice_pairs.desc(),
                                    problem.indice_pairs.data(), problem.counts(), 4, result.desc(), result.data()),
            MLUOP_STATUS_SUCCESS)
      << handle.LastError();
}

}  // namespace
}  // namespace detops_test
