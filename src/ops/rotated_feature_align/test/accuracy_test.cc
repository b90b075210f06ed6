// rotated_feature_align against the reference where its samples in the catalogue do not go: every width of a vector,
// lines and single pixels, boxes with enormous numbers, and many boxes on one pixel; gradients; NaN and Inf in
// features.
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "properties/by_hand.h"

namespace detops_test {
namespace {

using detops_harness::Call;

constexpr const char* kFunctions[] = {"mluOpRotatedFeatureAlignForward", "mluOpRotatedFeatureAlignBackward"};
constexpr const char* kBoxes[] = {"near", "anywhere", "borders", "odd"};

class RotatedFeatureAlignAccuracy : public testing::TestWithParam<std::tuple<mluOpDataType_t, int>> {
 protected:
  mluOpDataType_t type() const { return std::get<0>(GetParam()); }

  // Both ways, with the boxes that `change` makes of those of the shape.
  template <class Change>
  void ExpectAgreement(const std::string& shape, Change change) {
    SCOPED_TRACE(shape);
    for (const char* function : kFunctions) {
      Call call = CallOf(function, shape + ",points=" + std::to_string(std::get<1>(GetParam())), type());
      change(call);
      ExpectAgreementEverywhere(call);
    }
  }
  void ExpectAgreement(const std::string& shape) {
    ExpectAgreement(shape, [](Call&) {});
  }
};

INSTANTIATE_TEST_SUITE_P(TypesAndPoints, RotatedFeatureAlignAccuracy,
                         testing::Combine(testing::ValuesIn(kTypes), testing::Values(1, 5)), [](const auto& test) {
                           return std::string(ElementName(std::get<0>(test.param))) + "_" +
                                  std::to_string(std::get<1>(test.param)) + "points";
                         });

// Around the lane counts of all targets and types, and several vectors with and without a remainder.
TEST_P(RotatedFeatureAlignAccuracy, Channels) {
  for (const int channels : {4, 7, 9, 15, 16, 31, 65, 100, 129, 600}) {
    ExpectAgreement("batch=2,height=5,width=7,scale=0.25,boxes=anywhere,channels=" + std::to_string(channels));
  }
}

// Where the far border is also the near one, and where there are fewer pixels than threads.
TEST_P(RotatedFeatureAlignAccuracy, MapSizes) {
  for (const char* size : {"height=1,width=1", "height=1,width=2", "height=2,width=1", "height=2,width=2",
                           "height=3,width=5", "height=1,width=65", "height=65,width=1", "height=16,width=32"}) {
    for (const std::string boxes : kBoxes) {
      ExpectAgreement(std::string("batch=2,channels=5,scale=0.5,boxes=") + boxes + "," + size);
    }
  }
}

// The largest numbers of a type, which overflow when they are scaled or turned, and a turn of 1e22, which is an angle
// like any other: cos and sin must reduce it exactly.
TEST_P(RotatedFeatureAlignAccuracy, Boxes) {
  const double largest = NextTowardsZero(type(), 2 * HalfTheLimit(type())),
               angle = type() == MLUOP_DTYPE_HALF ? 65504 : 1e22;
  for (const std::string scale : {"0.125", "0.3", "1", "4"}) {
    const std::string shape = "batch=2,height=8,width=11,channels=17,boxes=anywhere,scale=" + scale;
    ExpectAgreement(shape, [&](Call& call) {
      for (int64_t i = 0; i < call["bboxes"].elements(); ++i) {
        if (i % 5 != 4 && i * 7 % 11 < 4) call["bboxes"].Set(i, (i % 2 == 0 ? 1 : -1) * (i % 3 == 0 ? largest : 3e4));
      }
    });
    ExpectAgreement(shape, [&](Call& call) {
      for (int64_t i = 4; i < call["bboxes"].elements(); i += 5) {
        call["bboxes"].Set(i, angle / static_cast<double>(i) * (i % 2 == 0 ? 1 : -1));
      }
    });
  }
}

// The large map: backward adds up to 327,680 terms at one pixel, which one running float sum would get wrong by more
// than the tolerance. The small one: the work cannot be cut by pixels, and many channels invite another cut. Not
// forward: it would add the same sample, with the same rounding error, to all pixels.
TEST_P(RotatedFeatureAlignAccuracy, AllBoxesAtOnePixel) {
  for (const std::string shape :
       {"batch=1,height=256,width=256,channels=3", "batch=2,height=24,width=24,channels=129"}) {
    Call call = CallOf(kFunctions[1], shape + ",scale=1,points=" + std::to_string(std::get<1>(GetParam())), type());
    FillUniform(call, "top_output", 0, 0.125, 31);  // small enough for the sum to stay below the largest half
    for (int64_t row = 0; row < call["bboxes"].elements() / 5; ++row) {
      SetRow(call, "bboxes", row, {20.25, 10.5, 0.5, 0.25, 0.5});
    }
    ExpectAgreementEverywhere(call);
  }
}

// A constant gradient on one pixel is the worst case for rounding, because every addition rounds the same way: a plain
// float sum is off by 8e-5 here, and the bar is 1e-5. Not double: the reference adds in double too, so it is no
// measure.
class RotatedFeatureAlignLongSums : public testing::TestWithParam<mluOpDataType_t> {};
INSTANTIATE_TEST_SUITE_P(Types, RotatedFeatureAlignLongSums,
                         testing::Values(MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16), TypeName);

TEST_P(RotatedFeatureAlignLongSums, StayWithinTheBar) {
  for (const int channels : {1, 5, 13, 40}) {
    Call call =
        CallOf(kFunctions[1], "batch=1,height=128,width=128,scale=1,points=5,channels=" + std::to_string(channels),
               GetParam());
    Fill(call, "top_output", GetParam() == MLUOP_DTYPE_HALF ? 0.1 : 0.7);  // sums stay below the largest half
    Fill(call, "bboxes", 0);
    ExpectWithinTheBar(call);
  }
}

// From 8 MiB on outputs are streamed.
TEST(RotatedFeatureAlignStreaming, SameBitsAsPlainStores) {
  for (const mluOpDataType_t type : kTypes) {
    for (const char* function : kFunctions) {
      ExpectSameBitsOffTheCacheLines(CallOf(
          function, "batch=1,height=64,width=64,scale=1,channels=" + std::to_string(2048 / ElementSize(type)), type));
    }
  }
}

// ---- backward is the gradient of forward ----

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
