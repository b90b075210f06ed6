// What is promised about numbers: long sums, one rounding, gradients that are adjoint to their forward pass, and the
// derivative itself.
#include <cstdint>
#include <string>

#include "ops/indice_pool/test/calls.h"

namespace detops_test {
namespace {

class IndicePoolNumerics : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // The average and both gradients. Every input is a maximum.
  static void ExpectSums(const Pairs& pairs, int channels, double low, double high) {
    for (const auto& [function, method] :
         {std::pair(kForward, kAverage), {kBackward, kFromZero}, {kBackward, kAverage}}) {
      Call call = CallOn(function, method, pairs, channels, GetParam());
      for (const std::string name : {"features", "features_out"}) {
        if (function == kBackward && method == kFromZero) Fill(call, name, 1);
      }
      FillUniform(call, function == kForward ? "features" : "output_grad", low, high, 3);
      ExpectAgreementEverywhere(call);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Types, IndicePoolNumerics, testing::ValuesIn(kTypes), TypeName);

// 200,000 times 0.1 added up in float one by one would be off by some 1e-3 of the sum.
TEST_P(IndicePoolNumerics, LongSums) {
  constexpr int64_t kPairs = 200'000;
  Pairs pairs = NoPairs(1, kPairs, 2, 1);
  for (int64_t i = 0; i < kPairs; ++i) pairs.Add(0, i % 3 == 0 ? 1 : 0, 0);
  ExpectSums(pairs, 3, 0.1, 0.1);
}

// Sums up to the length at which they are cut, and one more; the reference knows no difference. One output, and the
// other way round: one input, many outputs.
TEST_P(IndicePoolNumerics, SumsAroundTheCut) {
  for (const int64_t count : {511, 512, 513, 1024, 1025}) {
    Pairs pairs = NoPairs(2, count, 7, 1), turned = NoPairs(2, count, 1, 7);
    for (int64_t i = 0; i < count; ++i) {
      pairs.Add(i % 2, i % 7, 0);
      turned.Add(i % 2, 0, i % 7);
    }
    ExpectSums(pairs, 11, 0.5, 1);
    ExpectSums(turned, 11, -1, 1);
  }
}

// 2048 + 1 + 1 + 1 is 2051 in float, a quarter of it 512.75, which halves round to 513; rounded to half after every
// addition it would stay 2048. Likewise 259 / 4 = 64.75 is 65 as bfloat16, and not 64.
TEST(IndicePoolRounding, HalfIsRoundedOnce) {
  Pairs pairs = NoPairs(1, 4, 2, 1);
  for (const int64_t input : {0, 1, 1, 1}) pairs.Add(0, input, 0);
  for (const auto& [type, large, average] :
       {std::tuple(MLUOP_DTYPE_HALF, 2048.0, 513.0), {MLUOP_DTYPE_BFLOAT16, 256.0, 65.0}}) {
    Call call = CallOn(kForward, kAverage, pairs, 1, type);
    Assign(call, "features", {large, 1});
    ExpectNumbersEverywhere(call, {{"features_out", {average}}});
  }
}

// Sums of halves beyond the largest half are right if their average is.
TEST(IndicePoolRounding, HalfDoesNotOverflowInBetween) {
  Pairs pairs = NoPairs(1, 100, 1, 1);
  for (int64_t i = 0; i < 100; ++i) pairs.Add(0, 0, 0);
  Call call = CallOn(kForward, kAverage, pairs, 5, MLUOP_DTYPE_HALF);
  Fill(call, "features", 60000);
  ExpectNumbersEverywhere(call, {{"features_out", std::vector<double>(5, 60000)}});
}

Pass Forward(Call call) { return {std::move(call), "features", "features_out"}; }
Pass Backward(Call call) { return {std::move(call), "output_grad", "input_grad"}; }

// An average is linear; so is a maximum among inputs that are its own: no pair twice, no number twice.
TEST(IndicePoolAdjoint, BackwardIsTheTransposedForward) {
  const std::string shape = "inputs=300,outputs=280,channels=13,columns=300,pairs=";
  for (const std::string kind : {"ascending", "shuffled", "random", "crowded"}) {
    const std::string average = shape + kind + ",offsets=5,method=average";
    ExpectAdjoint(Forward(CallOf(kForward, average, MLUOP_DTYPE_DOUBLE)),
                  Backward(CallOf(kBackward, average, MLUOP_DTYPE_DOUBLE)));
  }
  const std::string maximum = shape + "shuffled,offsets=1,method=maximum,start=lowest";
  ExpectAdjoint(Forward(CallOf(kForward, maximum, MLUOP_DTYPE_DOUBLE)),
                Backward(CallOf(kBackward, maximum, MLUOP_DTYPE_DOUBLE)));
}

// Steps are smaller than the distances between inputs, so that no maximum changes hands, and no pair occurs twice: then
// a maximum would give its gradient twice.
TEST(IndicePoolAdjoint, BackwardIsTheDerivative) {
  Pairs pairs = NoPairs(3, 8, 12, 9);
  for (int64_t output = 0; output < 8; ++output) {
    pairs.Add(0, output, output);
    pairs.Add(1, output + 1, output);
    pairs.Add(2, output + 4, output);
  }
  for (const char* method : {kFromZero, kFromLowest, kAverage}) {
    SCOPED_TRACE(method);
    Pass forward = Forward(CallOn(kForward, method, pairs, 3, MLUOP_DTYPE_DOUBLE));
    for (int64_t i = 0; i < 36; ++i) {
      forward.call["features"].Set(i, static_cast<double>(i * 17 % 36 - 20) * 0.25 + 0.125);
    }
    ExpectSlope(forward, Backward(CallOn(kBackward, method, pairs, 3, MLUOP_DTYPE_DOUBLE)));
  }
}

// The same bits on every instruction set, and on a rulebook as on the pairs it was made of.
TEST(IndicePoolBits, OnEveryTargetAndOnARulebook) {
  for (const std::string direction : {"Forward", "Backward"}) {
    const detops_harness::Function& function = FunctionOf("detopsIndicePool" + direction);
    for (const detops_harness::Sample& sample : function.samples()) {
      for (const mluOpDataType_t type : kTypes) {
        SCOPED_TRACE(direction + " " + sample.shape);
        detops_harness::PlacedCall on_pairs(CallOf(function.name(), sample.shape, type));
        detops_harness::PlacedCall on_rulebook(CallOf("detopsRulebookPool" + direction, sample.shape, type));
        std::string expected;
        ForEachTarget(DETOPS_PROFILE_FULL, [&](Handle& handle) {
          for (detops_harness::PlacedCall* placed : {&on_pairs, &on_rulebook}) {
            CarryOut(*placed, handle);
            if (expected.empty()) expected = placed->Outputs();
            ASSERT_TRUE(placed->Outputs() == expected);
          }
        });
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
