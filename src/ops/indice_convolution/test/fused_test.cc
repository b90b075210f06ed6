// detopsIndiceConvolutionForwardFused: bias, residual and activation before the one rounding, in all combinations.
#include <cstdint>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/calls.h"

namespace detops_test {
namespace {

struct Epilogue {
  bool bias = false, residual = false;
  std::string activation = "none";
  double slope = 0;

  std::string text() const {
    return std::string(",bias=") + (bias ? "1" : "0") + ",residual=" + (residual ? "1" : "0") +
           ",activation=" + activation + ",slope=" + std::to_string(slope);
  }
};

// Slopes of every sign; above 1 and below 0 the activation is no maximum of two lines.
std::vector<Epilogue> AllEpilogues() {
  std::vector<Epilogue> epilogues;
  for (const bool bias : {false, true}) {
    for (const bool residual : {false, true}) {
      epilogues.push_back({bias, residual, "none"});
      epilogues.push_back({bias, residual, "relu"});
      for (const double slope : {0.01, 0.0, 1.0, 3.0, -0.5}) epilogues.push_back({bias, residual, "leaky", slope});
    }
  }
  return epilogues;
}

// One pair per row, one channel in, filter 1: the sums are the features.
struct Rows {
  std::vector<double> features, bias, residual;

  Call Make(const Epilogue& epilogue, mluOpDataType_t type) const {
    const auto count = static_cast<int64_t>(features.size());
    Pairs pairs = NoPairs(1, count, count, count);
    AddPairs(pairs, 0, Counting(count), Counting(count));
    Call call = CallOn(kFused, pairs, "ci=1,co=1" + epilogue.text(), type);
    Assign(call, "features", features);
    Assign(call, "filters", {1});
    if (epilogue.bias) Assign(call, "bias", bias);
    if (epilogue.residual) Assign(call, "residual", residual);
    return call;
  }
};

class IndiceConvolutionFused : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  static void Expect(const Rows& rows, const Epilogue& epilogue, const std::vector<double>& expected) {
    SCOPED_TRACE(epilogue.text());
    ExpectExactly(rows.Make(epilogue, GetParam()), Way::kForward, expected);
  }
};

INSTANTIATE_TEST_SUITE_P(Types, IndiceConvolutionFused, testing::ValuesIn(kTypes), TypeName);

// Lists without one source row for all: it would give all sums the same error, which the residual then spreads over
// many different numbers. Biased, but no defect.
TEST_P(IndiceConvolutionFused, EveryCombination) {
  constexpr const char* kPairs[] = {"ascending", "crossed", "shuffled", "holes", "random", "submanifold"};
  uint64_t turn = 0;
  for (const Epilogue& epilogue : AllEpilogues()) {
    for (const int co : {1, 5, 8, 16, 33}) {
      ++turn;
      const std::string shape = "sites=60,outputs=71,ci=12,filter=3x1x2,co=" + std::to_string(co) +
                                ",pairs=" + kPairs[turn % 6] + ",layout=" + kLayouts[turn % 7] +
                                ",inverse=" + (turn % 3 == 0 ? "1" : "0") + epilogue.text();
      SCOPED_TRACE(shape);
      ExpectAgreementEverywhere(CallOf(kFused, shape, GetParam(), turn));
    }
  }
}

TEST_P(IndiceConvolutionFused, WithNothingIsForward) {
  for (const std::string kind : kKinds) {
    const std::string shape = "sites=300,outputs=310,ci=17,co=20,filter=3x1x1,pairs=" + kind;
    ExpectSameBits(CallOf(kFused, shape + Epilogue().text(), GetParam()),
                   CallOf(NameOf(Way::kForward), shape, GetParam()));
  }
}

// ---- by hand ----

// The sums are 4 -4 -1; with bias 1 and residual 10 0 -2 they become 15 -3 -2.
TEST_P(IndiceConvolutionFused, ByHand) {
  const Rows rows = {{4, -4, -1}, {1}, {10, 0, -2}};
  Expect(rows, {false, false, "none"}, {4, -4, -1});
  Expect(rows, {true, false, "none"}, {5, -3, 0});
  Expect(rows, {false, true, "none"}, {14, -4, -3});
  Expect(rows, {true, true, "none"}, {15, -3, -2});
  Expect(rows, {true, true, "relu"}, {15, 0, 0});
  Expect(rows, {true, true, "leaky", 0.5}, {15, -1.5, -1});
  Expect(rows, {true, true, "leaky", -2}, {15, 6, 4});
}

// Of halves from 2048 on every second number is one, of bfloat16 numbers from 256 on: 2048 + 1 + 1 is 2050 if nothing
// is rounded before the end. -1.5 times 2049 is 3073.5, nearest 3074; of the rounded 2048 it would be 3072.
TEST_P(IndiceConvolutionFused, RoundedOnce) {
  if (ElementSize(GetParam()) != 2) GTEST_SKIP() << "larger types hold all of these";
  const bool half = GetParam() == MLUOP_DTYPE_HALF;
  const double large = half ? 2048 : 256;
  Expect({{large}, {1}, {1}}, {true, true, "none"}, {large + 2});
  Expect({{large}, {1}, {1}}, {true, true, "relu"}, {large + 2});
  Expect({{large}, {1}, {}}, {true, false, "none"}, {large});  // a tie, to even
  Expect({{-large}, {-1}, {}}, {true, false, "leaky", 1.5}, {half ? -3074.0 : -386.0});
}

// NaN passes every activation; -Inf is below 0 like any number, and 0 * -Inf is NaN.
TEST_P(IndiceConvolutionFused, SpecialValues) {
  Rows rows = {{kNan, kInf, -kInf, 1, -1}, {0}, {0, 0, 0, kNan, -kInf}};
  Expect(rows, {false, false, "none"}, {kNan, kInf, -kInf, 1, -1});
  Expect(rows, {false, false, "relu"}, {kNan, kInf, 0, 1, 0});
  Expect(rows, {true, false, "leaky", 0.25}, {kNan, kInf, -kInf, 1, -0.25});
  Expect(rows, {true, false, "leaky", -0.25}, {kNan, kInf, kInf, 1, 0.25});
  Expect(rows, {true, false, "leaky", 0}, {kNan, kInf, kNan, 1, -0.0});
  Expect(rows, {true, true, "relu"}, {kNan, kInf, 0, kNan, 0});
  rows.bias = {kNan};
  Expect(rows, {true, false, "relu"}, {kNan, kNan, kNan, kNan, kNan});
}

// Every column of every row beside a NaN stays what it is, also in the last, incomplete vector.
TEST_P(IndiceConvolutionFused, NanStaysInItsRowAndColumn) {
  for (const int64_t co : {3, 8, 17, 33}) {
    for (const char* activation : {"none", "relu", "leaky"}) {
      Call call = CallOf(kFused,
                         "sites=13,outputs=13,ci=1,filter=1x1x1,pairs=submanifold,co=" + std::to_string(co) +
                             Epilogue{true, true, activation, 0.5}.text(),
                         GetParam());
      call["features"].Set(5, kNan);
      call["bias"].Set(co - 2, kNan);
      call["residual"].Set(2 * co + 1, kInf);
      ExpectAgreementEverywhere(call);
    }
  }
}

// The slope is read for LEAKY_RELU only.
TEST_P(IndiceConvolutionFused, SlopeIsNotReadByOthers) {
  for (const double slope : {kNan, kInf}) {
    for (const bool relu : {false, true}) {
      Call call = Rows{{2, -2}, {}, {}}.Make({false, false, relu ? "relu" : "none"}, GetParam());
      call.numbers.at("negative_slope") = slope;
      ExpectExactly(call, Way::kForward, {2, relu ? 0.0 : -2.0});
    }
  }
}

// No rows in, no offsets, no channels in, no pairs: bias, residual and activation do their work on zeros.
TEST_P(IndiceConvolutionFused, OfNothingIsTheEpilogueOfZero) {
  for (const std::string shape : {"sites=0,ci=4,filter=3x1x1", "sites=5,ci=4,filter=3x0x1", "sites=5,ci=0,filter=3x1x1",
                                  "sites=5,ci=4,filter=3x1x1"}) {
    for (const Epilogue& epilogue : AllEpilogues()) {
      SCOPED_TRACE(shape + epilogue.text());
      ExpectAgreementEverywhere(CallOf(kFused, shape + ",outputs=7,co=9,pairs=none" + epilogue.text(), GetParam()));
    }
  }
}

}  // namespace
}  // namespace detops_test
