// rotated_feature_align: backward is the gradient of forward, and NaN and Inf in features go where the weights say.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;

constexpr char kForward[] = "mluOpRotatedFeatureAlignForward", kBackward[] = "mluOpRotatedFeatureAlignBackward";

class RotatedFeatureAlignGradient : public testing::TestWithParam<int> {
 protected:
  static Pass MakePass(bool forward, const std::string& shape) {
    const Call call =
        CallOf(forward ? kForward : kBackward, shape + ",points=" + std::to_string(GetParam()), MLUOP_DTYPE_DOUBLE);
    return {call, call.tensors[0].name, call.tensors[2].name};
  }
};

INSTANTIATE_TEST_SUITE_P(Points, RotatedFeatureAlignGradient, testing::Values(1, 5));

TEST_P(RotatedFeatureAlignGradient, BackwardIsTheAdjointOfForward) {
  for (const std::string boxes : {"near", "anywhere", "borders", "odd"}) {
    const std::string shape = "batch=2,height=7,width=9,channels=5,scale=0.25,boxes=" + boxes;
    ExpectAdjoint(MakePass(true, shape), MakePass(false, shape));
  }
}

TEST_P(RotatedFeatureAlignGradient, BackwardIsTheSlopeOfForward) {
  const std::string shape = "batch=2,height=3,width=4,channels=2,scale=0.5,boxes=anywhere";
  ExpectSlope(MakePass(true, shape), MakePass(false, shape));
}

// ---- NaN and Inf in features ----

class RotatedFeatureAlignSpecialValues : public testing::TestWithParam<mluOpDataType_t> {};

INSTANTIATE_TEST_SUITE_P(Types, RotatedFeatureAlignSpecialValues, testing::ValuesIn(kTypes), TypeName);

// 2x2 maps with five channels; the middle channels of some pixels are special, the outer ones stay finite, so a value
// that leaks into another lane shows. Forward output of pixel (1, 1) minus its own feature, worked out by hand:
// +-0 weights turn Inf into NaN; all weights above 0 keep it.
TEST_P(RotatedFeatureAlignSpecialValues, InfinityByHand) {
  const struct {
    const char* name;
    std::vector<double> map;  // the middle channel
    double y, x;
    double sample;
  } cases[] = {
      {"1/4 Inf + 3/4 * 1", {kInf, 1, 1, 1}, 0.5, 0.5, kInf},
      {"all four Inf, which differences of neighbours would make NaN", {kInf, kInf, kInf, kInf}, 0.25, 0.75, kInf},
      {"-Inf", {1, -kInf, 1, 1}, 0.5, 0.5, -kInf},
      {"Inf - Inf", {kInf, -kInf, 1, 1}, 0.5, 0.5, kNan},
      {"1 * Inf + 0 * 1", {kInf, 1, 1, 1}, 0, 0, kInf},
      {"1 * 1 + 0 * Inf", {1, kInf, 1, 1}, 0, 0, kNan},
      {"1 * 1 + 0 * NaN", {1, 1, kNan, 1}, 0, 0, kNan},
      {"far border: both neighbours are the same pixel, 1 * Inf + 0 * Inf", {1, kInf, 1, 1}, 0, 1, kNan},
      {"far border beside an Inf that is no neighbour", {kInf, 1, 1, 1}, 0, 1, 1},
      {"outside: not even 0 * NaN", {kNan, kInf, kNan, 1}, -2, 0, 0},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    Call call = CallOf(kForward, "batch=1,height=2,width=2,channels=5,scale=1,points=1", GetParam());
    for (int64_t pixel = 0; pixel < 4; ++pixel) {
      SetRow(call, "bboxes", pixel, {test.y, test.x, 0, 0, 0});
      SetRow(call, "input", pixel, {1, 1, test.map[static_cast<size_t>(pixel)], 1, 1});
    }
    ExpectAgreementEverywhere(call, {}, [&](const Call& done) {
      const double outer = test.y < -1 ? 1 : 2, expected = test.map[3] + test.sample, got = done["output"].Get(17);
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(got) : got == expected) << got;
      for (const int64_t i : {15, 16, 18, 19}) ASSERT_EQ(done["output"].Get(i), outer) << "element " << i;
    });
  }
}

// Every kind of box and whole positions, where weights are 0; with only NaN, only Inf, and both, as the design document
// asks. Few enough to leave most results finite.
TEST_P(RotatedFeatureAlignSpecialValues, AgreeWithReference) {
  const std::vector<double> mixtures[] = {{kNan}, {kInf, -kInf}, {kNan, kInf, -kInf}};
  for (const std::string shape : {"channels=1,boxes=near,points=5", "channels=5,boxes=anywhere,points=1",
                                  "channels=8,boxes=borders,points=5", "channels=17,boxes=odd,points=5"}) {
    for (const auto& mixture : mixtures) {
      for (const char* function : {kForward, kBackward}) {
        Call call = CallOf(function, "batch=2,height=6,width=7,scale=0.25," + shape, GetParam());
        for (int64_t pixel = 0; pixel < 84; pixel += 3) {
          SetRow(call, "bboxes", pixel,
                 {4.0 * static_cast<double>(pixel % 6), 4.0 * static_cast<double>(pixel % 7), 8, 8, 0});
        }
        Sprinkle(call, call.tensors[0].name, mixture, 41);
        ExpectAgreementEverywhere(call);
      }
    }
  }
}

// Sums beyond the type's largest number become infinite, one below it does not. With one point at the pixel itself the
// output is twice the input: 32752 + 32752 = 65504 is the largest half, 32768 + 32768 is too large.
TEST_P(RotatedFeatureAlignSpecialValues, OverflowGivesInfinity) {
  const double limit = HalfTheLimit(GetParam()), below = NextTowardsZero(GetParam(), limit);
  for (const char* function : {kForward, kBackward}) {
    Call call = CallOf(function, "batch=1,height=1,width=4,channels=1,scale=1,points=1", GetParam());
    Assign(call, call.tensors[0].name, {limit, below, -limit, -below});
    for (int64_t pixel = 0; pixel < 4; ++pixel) SetRow(call, "bboxes", pixel, {0, static_cast<double>(pixel), 0, 0, 0});
    ExpectNumbersEverywhere(call, {{call.tensors[2].name, {kInf, 2 * below, -kInf, -2 * below}}});
  }
}

}  // namespace
}  // namespace detops_test
