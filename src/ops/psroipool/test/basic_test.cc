// psroipool by hand: cases small enough to work out from the formulas, as the reference used elsewhere could share a
// misreading with the library. All numbers are exact in every type.
#include <cstdint>
#include <string>
#include <vector>

#include "ops/psroipool/test/by_hand.h"

namespace detops_test {
namespace {

struct Case {
  int64_t batch = 1, height = 1, width = 1;
  int64_t pooled_height = 1, pooled_width = 1;
  double scale = 1;
  std::vector<std::vector<double>> rois = {};  // image, x1, y1, x2, y2
  // Of output channel 0: [batch][height][width][bin], given forward and the result backward.
  std::vector<double> map = {};
  std::vector<double> pooled = {};  // [roi][bin], the result forward and given backward
};

class PsRoiPoolByHand : public testing::TestWithParam<mluOpDataType_t> {
 protected:
  // In every layout of the convention, with one and with nine output channels.
  void Expect(bool forward, const Way& convention, const Case& test) {
    for (const Way& way : kAllWays) {
      if (std::string(way.convention) != convention.convention) continue;
      if (!way.extension() && test.pooled_height != test.pooled_width) continue;
      for (const int64_t depth : {1, 9}) {
        SCOPED_TRACE(testing::Message() << way.name << ", " << depth << " output channels");
        const auto text = [](auto number) { return std::to_string(number); };
        std::string shape = "batch=" + text(test.batch) + ",height=" + text(test.height) +
                            ",width=" + text(test.width) + ",rois=" + text(test.rois.size()) +
                            ",pooled=" + text(test.pooled_height) + ",dim=" + text(depth);
        if (way.extension()) shape += ",pooled_width=" + text(test.pooled_width);
        Call call = way.Make(forward, shape, GetParam());
        call.numbers.at("spatial_scale") = test.scale;
        for (size_t r = 0; r < test.rois.size(); ++r) SetRow(call, "rois", static_cast<int64_t>(r), test.rois[r]);
        ExpectNumbers(forward, call, test);
        if (forward || !way.extension()) continue;
        LeaveOutMapping(call);
        ExpectNumbers(forward, call, test);
      }
    }
  }
  void ExpectForward(const Way& convention, const Case& test) { Expect(true, convention, test); }
  void ExpectBackward(const Way& convention, const Case& test) { Expect(false, convention, test); }

 private:
  static void ExpectNumbers(bool forward, Call& call, const Case& test) {
    const Places at(call, forward);
    std::vector<double> map(static_cast<size_t>(at.pixels * at.channels));
    std::vector<double> pooled(static_cast<size_t>(at.rois * at.channels)), channels(pooled.size());
    for (int64_t c = 0; c < at.channels; ++c) {
      const auto value = [&](const std::vector<double>& numbers, int64_t row) {
        return numbers.at(static_cast<size_t>(row * at.bins + c % at.bins)) * ChannelFactor(c / at.bins);
      };
      for (int64_t pixel = 0; pixel < at.pixels; ++pixel) {
        map[static_cast<size_t>(at.InMap(pixel, c))] = value(test.map, pixel);
      }
      for (int64_t roi = 0; roi < at.rois; ++roi) {
        const auto index = static_cast<size_t>(at.InPooled(roi, c));
        pooled[index] = value(test.pooled, roi);
        channels[index] = static_cast<double>(c);
      }
    }
    Assign(call, SourceOf(forward), forward ? map : pooled);
    if (forward) {
      ExpectNumbersEverywhere(call, {{"output", pooled}, {"mapping_channel", channels}});
    } else {
      ExpectNumbersEverywhere(call, {{"bottom_grad", map}});
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Types, PsRoiPoolByHand, testing::ValuesIn(kTypes), TypeName);

// One row 1 2 4 8, one bin; the roi's y is 0.
Case OneRow(double x1, double x2, double expected) {
  return {.width = 4, .rois = {{0, x1, 0, x2, 0}}, .map = {1, 2, 4, 8}, .pooled = {expected}};
}

// ---- forward, the contract's convention ----

// Pixel i of a 4 x 4 map holds i + 16 c in channel c. The roi is the map, its bins are the quarters: channel 0 has the
// mean of 0 1 4 5 = 2.5, channel 1 of 2 3 6 7 = 4.5 and 16, channel 2 of 8 9 12 13 = 10.5 and 32, channel 3 of 10 11
// 14 15 = 12.5 and 48.
TEST_P(PsRoiPoolByHand, QuartersOfTheMap) {
  Case test = {.height = 4, .width = 4, .pooled_height = 2, .pooled_width = 2};
  test.rois = {{0, 0, 0, 3, 3}};
  test.pooled = {2.5, 20.5, 42.5, 60.5};
  for (int i = 0; i < 64; ++i) test.map.push_back(i / 4 + 16 * (i % 4));
  ExpectForward(kRfcn, test);
  test.rois = {{0, 0, 0, 4, 4}};  // the other conventions leave the end out
  ExpectForward(kConsistent, test);
  // Without the last row and column: channel 1 has 2 6 = 4, channel 2 8 9 = 8.5, channel 3 10.
  test.pooled = {2.5, 20, 40.5, 58};
  ExpectForward(kTorchvision, test);
}

// x1 0.5 is 1 and x2 1.5 is 2: pixels 1 2. To even they would be 0 and 2. -0.5 is -1, below it 0.
TEST_P(PsRoiPoolByHand, HalvesAreRoundedAwayFromZero) {
  ExpectForward(kRfcn, OneRow(0.5, 1.5, 3));
  ExpectForward(kRfcn, OneRow(2.5, 2.5, 8));
  ExpectForward(kRfcn, OneRow(0.25, 1.25, 1.5));
  // -1.5 is -2, -0.5 is -1: the end -1 + 1 = 0 is no pixel. -0.25 is 0: the end is 1.
  ExpectForward(kRfcn, OneRow(-1.5, -0.5, 0));
  ExpectForward(kRfcn, OneRow(-1.5, -0.25, 1));
}

// Scale 1/2. Start round(3) / 2 = 1.5, end (5 + 1) / 2 = 3: floor 1, ceil 3, pixels 1 2. Start round(2.5) / 2 = 1.5
// the same; scaled first it would be round(1.25) = 1.
TEST_P(PsRoiPoolByHand, RoundedBeforeScaled) {
  Case test = OneRow(3, 5, 3);
  test.scale = 0.5;
  ExpectForward(kRfcn, test);
  test.rois = {{0, 2.5, 0, 4.75, 0}};
  ExpectForward(kRfcn, test);
  // Start round(1.5) / 2 = 1, end (2 + 1) / 2 = 1.5: pixel 1. With the end's one added after scaling it would be 2.
  test.rois = {{0, 1.5, 0, 2, 0}};
  test.pooled = {2};
  ExpectForward(kRfcn, test);
}

// x2 < x1: the extent is 0.1, from 2 to 2.1, or from 3 to 3.1; of two bins both hold that pixel.
TEST_P(PsRoiPoolByHand, SmallestExtent) {
  ExpectForward(kRfcn, OneRow(2, 1, 4));
  ExpectForward(kRfcn, OneRow(3, 0, 8));
  Case test = {.height = 2, .width = 3, .pooled_height = 2, .pooled_width = 2, .rois = {{0, 1, 1, 0, -7}}};
  for (int i = 0; i < 24; ++i) test.map.push_back(i);
  test.pooled = {16, 17, 18, 19};  // pixel (1, 1) is number 4, its channels 16 to 19
  ExpectForward(kRfcn, test);
  // Scale 1/16: 48 / 16 = 3 and (48 + 1) / 16 = 3.0625 are less than 0.1 apart, and still pixel 3. From 47 / 16
  // = 2.9375 on 0.1 reaches to 3.0375, into pixel 3; from 46 / 16 = 2.875 on to 2.975, which is still pixel 2.
  Case scaled = OneRow(48, 48, 8);
  scaled.scale = 0.0625;
  ExpectForward(kRfcn, scaled);
  scaled.rois = {{0, 47, 0, 46, 0}};
  scaled.pooled = {6};
  ExpectForward(kRfcn, scaled);
  scaled.rois = {{0, 46, 0, 45, 0}};
  scaled.pooled = {4};
  ExpectForward(kRfcn, scaled);
}

// Three pixels and two bins of 1.5: [0, 2) and [1, 3), the middle one is in both. Channels hold 1 2 4 and 8 16 32.
TEST_P(PsRoiPoolByHand, NeighbouringBinsShareAPixel) {
  const Case test = {
      .width = 3, .pooled_width = 2, .rois = {{0, 0, 0, 2, 0}}, .map = {1, 8, 2, 16, 4, 32}, .pooled = {1.5, 24}};
  ExpectForward(kRfcn, test);
}

// Clipped at both ends; no pixel at all gives 0.
TEST_P(PsRoiPoolByHand, BesideTheMap) {
  ExpectForward(kRfcn, OneRow(-2, 0, 1));
  ExpectForward(kRfcn, OneRow(-2, 5, 3.75));
  ExpectForward(kRfcn, OneRow(3, 9, 8));
  ExpectForward(kRfcn, OneRow(4, 9, 0));
  ExpectForward(kRfcn, OneRow(-9, -1, 0));
  Case above = OneRow(0, 3, 0);
  above.rois = {{0, 0, -3, 3, -1}};
  ExpectForward(kRfcn, above);
  above.rois = {{0, 0, 1, 3, 2}};
  ExpectForward(kRfcn, above);
}

// A row of four and a column of four: swapped, a roi would lie beside the map.
TEST_P(PsRoiPoolByHand, XComesBeforeY) {
  ExpectForward(kRfcn, OneRow(3, 3, 8));
  ExpectForward(kRfcn, {.height = 4, .rois = {{0, 0, 2, 0, 3}}, .map = {1, 2, 4, 8}, .pooled = {6}});
}

// Rois are in no order of images, and one image has none.
TEST_P(PsRoiPoolByHand, ImagesAreSeparate) {
  ExpectForward(kRfcn, {.batch = 3,
                        .width = 2,
                        .rois = {{2, 0, 0, 1, 0}, {0, 1, 0, 1, 0}, {2, 0, 0, 0, 0}, {0, 0, 0, 1, 0}},
                        .map = {1, 2, 4, 8, 16, 32},
                        .pooled = {24, 2, 16, 1.5}});
}

// Two rows of bins, three columns: channel ph * 3 + pw. The map has 2 x 3 pixels, pixel i holds 6 i + c.
TEST_P(PsRoiPoolByHand, BinsNeedNotBeSquare) {
  Case test = {.height = 2, .width = 3, .pooled_height = 2, .pooled_width = 3, .rois = {{0, 0, 0, 2, 1}}};
  for (int i = 0; i < 36; ++i) test.map.push_back(i);
  test.pooled = {0, 7, 14, 21, 28, 35};
  ExpectForward(kRfcn, test);
}

// 0.1f is a little more than 1/10. In float 10 * 0.1f and 30 * 0.1f round to 1 and 3: pixels 1 2. The contract's scale
// is a float, so in double the end is 3.00000004 and pixel 3 is in too: (2 + 4 + 9) / 3.
TEST_P(PsRoiPoolByHand, DecidedInTheTypeOfTheTensors) {
  Case test = OneRow(10, 29, GetParam() == MLUOP_DTYPE_DOUBLE ? 5 : 3);
  test.map = {1, 2, 4, 9};
  test.scale = static_cast<double>(0.1f);
  ExpectForward(kRfcn, test);
}

// ---- forward, the other conventions ----

// Scaled, then rounded: x1 = 5 / 2 is 3, x2 = 6.5 / 2 = 3.25 is 3: at least one pixel, the last; torchvision does not
// read it. x1 = 2.5 / 2 = 1.25 is 1, x2 = 5 / 2 is 3: pixels 1 2.
TEST_P(PsRoiPoolByHand, ScaledBeforeRounded) {
  Case test = OneRow(2.5, 5, 3);
  test.scale = 0.5;
  test.height = 2;
  test.map = {1, 2, 4, 8, 64, 64, 64, 64};  // a second row, as torchvision does not read the last
  ExpectForward(kTorchvision, test);
  ExpectForward(kConsistent, test);
  test.rois = {{0, 5, 0, 6.5, 0}};
  test.pooled = {8};
  ExpectForward(kConsistent, test);
  test.pooled = {0};
  ExpectForward(kTorchvision, test);
}

// -0.5 is -1 and 0.5 is 1: pixel 0. 0.5 is 1 and 2.5 is 3: pixels 1 2, where ties to even would give 0 1.
TEST_P(PsRoiPoolByHand, TiesOfTheOtherConventions) {
  ExpectForward(kConsistent, OneRow(-0.5, 0.5, 1));
  ExpectForward(kConsistent, OneRow(1.5, 2.5, 4));
  ExpectForward(kConsistent, OneRow(0.5, 2.5, 3));
  ExpectForward(kConsistent, OneRow(-2.5, -0.5, 0));
}

// Bins start at whole pixels: 5 pixels from 1 on, two bins of 2.5: floor(0) + 1 = 1 to ceil(2.5) + 1 = 4, and
// floor(2.5) + 1 = 3 to 6. Channel 0: pixels 1 2 3 = (2 + 4 + 6) / 3; channel 1: 3 4 5 = (60 + 80 + 100) / 3.
TEST_P(PsRoiPoolByHand, BinsOfTheOtherConventions) {
  Case test = {.height = 2, .width = 7, .pooled_width = 2, .rois = {{0, 1, 0, 6, 1}}, .pooled = {4, 80}};
  for (int i = 0; i < 14; ++i) {
    test.map.push_back(2 * (i % 7));
    test.map.push_back(20 * (i % 7));
  }
  ExpectForward(kTorchvision, test);
  ExpectForward(kConsistent, test);
}

// A map of one row or one column has nothing but a last one.
TEST_P(PsRoiPoolByHand, TorchvisionReadsNothingOfASingleRow) {
  ExpectForward(kTorchvision, OneRow(0, 3, 0));
  ExpectForward(kTorchvision, {.height = 3, .rois = {{0, 0, 0, 1, 3}}, .map = {1, 2, 4}, .pooled = {0}});
  ExpectForward(kConsistent, OneRow(0, 2, 1.5));
}

// Height 10, scale 1/16, y from 0 to 160, three bins of 10/3: rows [0, 4), [3, 7), and [6, 9) forward, [6, 10)
// backward. A column of 10 rows whose channels hold 4 y, 8 y and 3 y: 4 * 1.5, 8 * 4.5, and 3 * 7, or 3 * 7.5.
TEST_P(PsRoiPoolByHand, LastRowOfTorchvision) {
  Case test = {.height = 10, .width = 2, .pooled_height = 3, .scale = 0.0625, .rois = {{0, 0, 0, 16, 160}}};
  for (int y = 0; y < 10; ++y) test.map.insert(test.map.end(), {4.0 * y, 8.0 * y, 3.0 * y, 99, 99, 99});
  test.pooled = {6, 36, 21};
  ExpectForward(kTorchvision, test);
  test.pooled = {6, 36, 22.5};
  ExpectForward(kConsistent, test);
  // Backward 16, 32 and 64 for four pixels each.
  test.pooled = {16, 32, 64};
  test.map.clear();
  for (int y = 0; y < 10; ++y) {
    test.map.insert(test.map.end(), {y < 4 ? 4.0 : 0, y >= 3 && y < 7 ? 8.0 : 0, y >= 6 ? 16.0 : 0, 0, 0, 0});
  }
  ExpectBackward(kTorchvision, test);
  ExpectBackward(kConsistent, test);
}

// ---- backward ----

// 4, 8, 16 and 32 for the four pixels of a quarter, in the quarter's own channel.
TEST_P(PsRoiPoolByHand, GradientOfQuarters) {
  Case test = {.height = 4, .width = 4, .pooled_height = 2, .pooled_width = 2, .rois = {{0, 0, 0, 3, 3}}};
  test.pooled = {4, 8, 16, 32};
  for (int pixel = 0; pixel < 16; ++pixel) {
    const int quarter = pixel / 8 * 2 + pixel % 4 / 2;
    for (int c = 0; c < 4; ++c) test.map.push_back(c == quarter ? 1 << c : 0);
  }
  ExpectBackward(kRfcn, test);
  test.rois = {{0, 0, 0, 4, 4}};
  ExpectBackward(kConsistent, test);
  ExpectBackward(kTorchvision, test);
}

// One row of four. Pixels 0 1 get 8 / 2; 1 2 3, clipped from 1 to 5, get 6 / 3; pixel 3 gets 1; beside the map nothing.
TEST_P(PsRoiPoolByHand, GradientsAddUp) {
  ExpectBackward(kRfcn, {.width = 4,
                         .rois = {{0, 0, 0, 1, 0}, {0, 1, 0, 5, 0}, {0, 3, 0, 2, 0}, {0, 4, 0, 9, 0}},
                         .map = {4, 4 + 2, 2, 2 + 1},
                         .pooled = {8, 6, 1, 64}});
}

// The middle pixel of three is in both bins, but in another channel of each.
TEST_P(PsRoiPoolByHand, GradientOfASharedPixel) {
  ExpectBackward(
      kRfcn, {.width = 3, .pooled_width = 2, .rois = {{0, 0, 0, 2, 0}}, .map = {1, 0, 1, 8, 0, 8}, .pooled = {2, 16}});
}

TEST_P(PsRoiPoolByHand, GradientsOfImagesAreSeparate) {
  ExpectBackward(kRfcn, {.batch = 3,
                         .width = 2,
                         .rois = {{2, 0, 0, 1, 0}, {0, 1, 0, 1, 0}, {2, 0, 0, 0, 0}},
                         .map = {0, 2, 0, 0, 2 + 16, 2},
                         .pooled = {4, 2, 16}});
}

// ---- the two forms ----

TEST(PsRoiPool, BothFormsGiveTheSameBits) {
  const std::string shape = "batch=2,height=6,width=7,rois=5,pooled=3,dim=4,scale=0.5,corners=mixed";
  ExpectSameBits(CallOf("mluOpPsRoiPoolForward", shape),
                 CallOf("mluOpPsRoiPoolForwardWithWorkspace", shape + ",workspace=16"));
}

}  // namespace
}  // namespace detops_test
