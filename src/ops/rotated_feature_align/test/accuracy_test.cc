// rotated_feature_align against the reference where its samples in the catalogue do not go: every width of a vector,
// lines and single pixels, boxes with enormous numbers, and many boxes on one pixel.
#include <cstdint>
#include <string>
#include <tuple>

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

}  // namespace
}  // namespace detops_test
