// Cases whose results are worked out by hand, on every target, number of threads and type.
#include <cmath>
#include <vector>

#include "ops/indice_pool/test/calls.h"

namespace detops_test {
namespace {

using Values = std::vector<double>;

// Four inputs of two channels, four outputs. Output 0 has the inputs 0, 1 and again 0; output 1 has 1 and 2, all
// negative in channel 1; output 2 has none; output 3 has 3.
Pairs HandPairs() {
  Pairs pairs = NoPairs(2, 5, 4, 4);
  pairs.Add(0, 2, 1);
  pairs.Add(0, 0, 0);
  pairs.Add(0, 3, 3);
  pairs.Add(0, 0, 0);
  pairs.Add(1, 1, 0);
  pairs.Add(1, 1, 1);
  return pairs;
}

Values HandFeatures() {
  return {1, -8,  //
          4, -2,  //
          4, -6,  //
          0, -3};
}

void ExpectResult(const Values& features, const char* method, const Values& expected) {
  for (const mluOpDataType_t type : kTypes) {
    Call call = CallOn(kForward, method, HandPairs(), 2, type);
    Assign(call, "features", features);
    ExpectNumbersEverywhere(call, {{"features_out", expected}});
  }
}

// Of an average without features and features_out.
void ExpectGradient(const Values& features, const char* method, const Values& expected, const Values& features_out,
                    const Values& output_grad) {
  for (const mluOpDataType_t type : kTypes) {
    Call call = CallOn(kBackward, method, HandPairs(), 2, type);
    if (!features.empty()) Assign(call, "features", features);
    if (!features_out.empty()) Assign(call, "features_out", features_out);
    Assign(call, "output_grad", output_grad);
    ExpectNumbersEverywhere(call, {{"input_grad", expected}});
  }
}

TEST(IndicePool, MaximumFromZero) {
  // max(0, 1, 4, 1), max(0, -8, -2, -8); max(0, 4, 4), max(0, -6, -2); nothing; max(0, 0), max(0, -3).
  ExpectResult(HandFeatures(), kFromZero, {4, 0, 4, 0, 0, 0, 0, 0});
}

TEST(IndicePool, MaximumFromLowest) { ExpectResult(HandFeatures(), kFromLowest, {4, -2, 4, -2, 0, 0, 0, -3}); }

TEST(IndicePool, AverageCountsRepeatedPairs) {
  // (1 + 1 + 4) / 3, (-8 - 8 - 2) / 3; (4 + 4) / 2, (-6 - 2) / 2; nothing; 0, -3.
  ExpectResult(HandFeatures(), kAverage, {2, -6, 4, -4, 0, 0, 0, -3});
}

TEST(IndicePool, GradientOfMaximumGoesToAllThatTie) {
  // With the maximum from zero. Channel 0: input 1 is the maximum of output 0 (16) and, with input 2, of output 1 (64);
  // input 3 equals output 3 (4). Channel 1: all are clamped.
  ExpectGradient(HandFeatures(), kFromLowest, {0, 0, 16 + 64, 0, 64, 0, 4, 0}, {4, 0, 4, 0, 0, 0, 0, 0},
                 {16, 32, 64, 128, 256, 512, 4, 8});
}

TEST(IndicePool, GradientOfTrueMaximum) {
  ExpectGradient(HandFeatures(), kFromLowest, {0, 0, 16 + 64, 32 + 128, 64, 0, 4, 8}, {4, -2, 4, -2, 0, 0, 0, -3},
                 {16, 32, 64, 128, 256, 512, 4, 8});
}

TEST(IndicePool, GradientOfMaximumCountsRepeatedPairs) {
  // Input 0 is the maximum of output 0 twice.
  const std::vector<double> features = {9, 9, 4, -2, 4, -6, 0, -3};
  ExpectGradient(features, kFromLowest, {2 * 16, 2 * 32, 64, 0, 64, 0, 4, 0}, {9, 9, 4, 0, 0, 0, 0, 0},
                 {16, 32, 64, 128, 256, 512, 4, 8});
}

TEST(IndicePool, GradientOfMaximumReachesZerosOfClampedRows) {
  // Output 3 is clamped to 0 in both channels, and input 3 is 0 in channel 0; -0 equals it too.
  const std::vector<double> features = {1, -8, 4, -2, 4, -6, -0.0, -3};
  ExpectGradient(features, kFromLowest, {0, 0, 16 + 64, 0, 64, 0, 4, 0}, {4, 0, 4, 0, 0, 0, 0, 0},
                 {16, 32, 64, 128, 256, 512, 4, 8});
}

TEST(IndicePool, GradientOfAverageIsSharedOut) {
  // Output 0 has three pairs, output 1 two, output 3 one.
  // Input 0: twice 24/3, 48/3. Input 1: 24/3 + 64/2, 48/3 + 128/2. Input 2: 64/2, 128/2. Input 3: 4, 8.
  ExpectGradient({}, kAverage, {16, 32, 40, 80, 32, 64, 4, 8}, {}, {24, 48, 64, 128, 256, 512, 4, 8});
}

TEST(IndicePool, NanIsNotLargerThanAnything) {
  // Output 0 reads inputs 0 and 1, output 1 inputs 1 and 2, output 3 input 3.
  const std::vector<double> features = {kNan, kNan, -4, kNan, -6, 3, kNan, -kInf};
  ExpectResult(features, kFromZero, {0, 0, 0, 3, 0, 0, 0, 0});
  // All inputs NaN: 0, as without inputs. -Inf is a number.
  ExpectResult(features, kFromLowest, {-4, 0, -4, 3, 0, 0, 0, -kInf});
}

TEST(IndicePool, InfinityIsTheLargestNumber) {
  const std::vector<double> features = {kInf, -kInf, -4, -kInf, -kInf, kNan, -kInf, kInf};
  ExpectResult(features, kFromZero, {kInf, 0, 0, 0, 0, 0, 0, kInf});
  ExpectResult(features, kFromLowest, {kInf, -kInf, -4, -kInf, 0, 0, -kInf, kInf});
}

TEST(IndicePool, NanAndInfinityReachTheirAverages) {
  const std::vector<double> features = {kInf, kNan, -4, 2, -kInf, 4, 1, kInf};
  ExpectResult(features, kAverage, {kInf, kNan, -kInf, 3, 0, 0, 1, kInf});
}

TEST(IndicePool, NanGetsNoGradientAndGivesItOnlyToItsOwn) {
  // Input 0 is NaN in channel 0, as output 0 is; the gradient of output 0 is NaN in channel 1, where input 1 ties
  // alone.
  const std::vector<double> features = {kNan, 1, 4, 2, 4, 2, 1, -kInf};
  ExpectGradient(features, kFromLowest, {0, 0, 64, kNan, 64, 128, 4, 8}, {kNan, 2, 4, 2, 7, 7, 1, -kInf},
                 {16, kNan, 64, 128, kNan, kNan, 4, 8});
}

TEST(IndicePool, OfZerosTheFirstStays) {
  Pairs pairs = NoPairs(2, 2, 2, 2);
  pairs.Add(0, 0, 0);
  pairs.Add(0, 1, 1);
  pairs.Add(1, 1, 0);
  pairs.Add(1, 0, 1);
  for (const mluOpDataType_t type : kTypes) {
    for (const char* method : {kFromLowest, kFromZero}) {
      Call call = CallOn(kForward, method, pairs, 1, type);
      Assign(call, "features", {0.0, -0.0});
      ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
        ASSERT_FALSE(std::signbit(done["features_out"].Get(0)));
        ASSERT_EQ(std::signbit(done["features_out"].Get(1)), method == kFromLowest);
      });
    }
  }
}

// Whatever their descriptors say.
TEST(IndicePool, AverageLooksAtNeitherFeaturesNorOutput) {
  Call call = CallOn(kBackward, kAverage, HandPairs(), 2, MLUOP_DTYPE_FLOAT);
  Assign(call, "output_grad", {24, 48, 64, 128, 256, 512, 4, 8});
  for (const char* name : {"features", "features_out"}) {
    call[name] = detops_harness::Input(name, MLUOP_LAYOUT_NCHW, MLUOP_DTYPE_INT32, {7});
  }
  ExpectNumbersEverywhere(call, {{"input_grad", {16, 32, 40, 80, 32, 64, 4, 8}}});
}

TEST(IndicePool, AverageDoesNotReadStart) {
  Call call = CallOn(kForward, kAverage, HandPairs(), 2, MLUOP_DTYPE_FLOAT);
  call.integers.at("start") = 77;
  ExpectAgreementEverywhere(call);
}

}  // namespace
}  // namespace detops_test
