// psroipool: backward is the gradient of forward, NaN and Inf in features stay in their bins and channels, and rois
// that are far off or huge are only rois with few pixels.
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "ops/psroipool/test/by_hand.h"

namespace detops_test {
namespace {

// Not with torchvision's convention, whose forward leaves out the last row and column and whose backward does not.
TEST(PsRoiPoolGradient, BackwardIsTheAdjointOfForward) {
  for (const Way& way : kUsualWays) {
    for (const std::string corners : {"inside", "over", "whole", "ties", "thin", "reversed", "large", "mixed"}) {
      for (const std::string scale : {"0.25", "0.3", "1"}) {
        SCOPED_TRACE(testing::Message() << way.name << ", rois " << corners << ", scale " << scale);
        const auto pass = [&](bool forward) {
          const std::string shape = "batch=2,height=9,width=11,rois=13,pooled=3,dim=5,scale=" + scale;
          return Pass{way.Make(forward, shape + ",corners=" + corners, MLUOP_DTYPE_DOUBLE), SourceOf(forward),
                      TargetOf(forward)};
        };
        ExpectAdjoint(pass(true), pass(false));
      }
    }
  }
}

// ---- NaN and Inf in features ----

class PsRoiPoolSpecialValues : public testing::TestWithParam<std::tuple<Way, mluOpDataType_t>> {
 protected:
  const Way& way() const { return std::get<0>(GetParam()); }
  mluOpDataType_t type() const { return std::get<1>(GetParam()); }
  // A square from `begin` to, but not with, `end`.
  std::vector<double> Square(double begin, double end) const {
    return {0, begin, begin, way().End(end), way().End(end)};
  }
};

INSTANTIATE_TEST_SUITE_P(VariantsAndTypes, PsRoiPoolSpecialValues,
                         testing::Combine(testing::ValuesIn(kAllWays), testing::ValuesIn(kTypes)), WayAndTypeName);

// Few enough to leave most results finite. A value that leaks into another channel, bin or pixel, were it only as
// 0 * NaN, shows.
TEST_P(PsRoiPoolSpecialValues, AgreeWithReference) {
  const std::vector<double> mixtures[] = {{kNan}, {kInf, -kInf}, {kNan, kInf, -kInf}};
  for (const std::string depth : {"1", "5", "8", "17"}) {
    for (const auto& mixture : mixtures) {
      for (const bool forward : {true, false}) {
        Call call = way().Make(
            forward, "batch=2,height=8,width=9,rois=24,pooled=2,scale=0.5,corners=mixed,dim=" + depth, type());
        Sprinkle(call, SourceOf(forward), mixture, 37);
        ExpectAgreementEverywhere(call);
      }
    }
  }
}

// NaN everywhere but in one bin's pixels and channel, and in the gradients of all bins but those on the map: of rows
// and columns [1, 3) and [3, 5), and none.
TEST_P(PsRoiPoolSpecialValues, WhatIsNotReadDoesNotMatter) {
  const std::string shape = "batch=1,height=6,width=7,rois=2,pooled=2,dim=5";
  Call forward = way().Make(true, shape, type()), backward = way().Make(false, shape, type());
  const Places at(forward, true);
  std::vector<double> map(42 * 20, 0), pooled(40, 0);
  for (int64_t c = 0; c < 20; ++c) {
    for (const int64_t row : {1, 2}) {
      for (const int64_t column : {1, 2}) {
        const int64_t y = row + c % 4 / 2 * 2, x = column + c % 2 * 2;
        map[static_cast<size_t>(at.InMap(y * 7 + x, c))] = 2;
      }
    }
    pooled[static_cast<size_t>(at.InPooled(0, c))] = 2;
  }
  for (Call* call : {&forward, &backward}) {
    SetRow(*call, "rois", 0, Square(1, 5));
    SetRow(*call, "rois", 1, Square(40, 45));
  }
  for (size_t i = 0; i < map.size(); ++i) forward["input"].Set(static_cast<int64_t>(i), map[i] == 0 ? kNan : 2);
  for (size_t i = 0; i < pooled.size(); ++i)
    backward["top_grad"].Set(static_cast<int64_t>(i), pooled[i] == 0 ? kNan : 8);
  ExpectNumbersEverywhere(forward, {{"output", pooled}});
  ExpectNumbersEverywhere(backward, {{"bottom_grad", map}});
}

// The largest number of a type is its own mean, and that of four halves as well, although their sum is no half; in
// float and double the sum overflows, as it does in the formulas. Backward, pixel (0, 0) gets the largest number and a
// quarter of it, which is too large in every type; its neighbours hold a quarter.
TEST_P(PsRoiPoolSpecialValues, LargestNumbers) {
  const double largest = NextTowardsZero(type(), 2 * HalfTheLimit(type()));
  const std::string shape = "batch=1,height=3,width=3,rois=2,pooled=1,dim=3";
  for (const bool forward : {true, false}) {
    Call call = way().Make(forward, shape, type());
    Fill(call, SourceOf(forward), largest);
    SetRow(call, "rois", 0, Square(0, 1));
    SetRow(call, "rois", 1, Square(0, 2));
    detops_harness::PlacedCall placed(call);
    ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
      CarryOut(placed, handle);
      const Call& done = placed.call();
      const Places at(done, forward);
      for (int64_t c = 0; c < 3; ++c) {
        const auto pooled = [&](int64_t roi) { return done[PooledOf(forward)].Get(at.InPooled(roi, c)); };
        const auto pixel = [&](int64_t i) { return done[MapOf(forward)].Get(at.InMap(i, c)); };
        if (forward) {
          ASSERT_EQ(pooled(0), largest);
          ASSERT_TRUE(type() != MLUOP_DTYPE_HALF || pooled(1) == largest);
        } else {
          ASSERT_EQ(pixel(0), kInf);
          ASSERT_EQ(pixel(4), largest / 4);
          ASSERT_EQ(pixel(8), 0);
        }
      }
    });
  }
}

// ---- geometry far away ----

// Coordinates that a float holds, but no int does, and bins much larger than the map; every magnitude on both sides,
// with ends in any order. The contract's convention decides in floating numbers; the others round to whole numbers,
// which up to 2^30 are ints in torchvision too.
TEST(PsRoiPoolHugeRois, AgreeWithReference) {
  for (const mluOpDataType_t type : kTypes) {
    for (const Way& way : kAllWays) {
      const bool rfcn = way.convention == std::string("rfcn"), half = type == MLUOP_DTYPE_HALF;
      const std::vector<double> sizes = half   ? std::vector<double>{100, 3e4, 65504}
                                        : rfcn ? std::vector<double>{100, 3e4, 2147483647.0, 9e15, 1e30}
                                               : std::vector<double>{100, 3e4, 0x1p29};
      std::vector<std::vector<double>> rois;
      for (const double a : sizes) {
        for (const double b : sizes) {
          rois.insert(rois.end(), {{0, -a, -b, b, a},
                                   {0, -a, 1, b, 4},
                                   {0, 2, -b, 5, a},
                                   {0, a, -b, -b, a},
                                   {0, -a, -a, -b, -b},
                                   {0, a, a, b, b},
                                   {0, -a, 0, 5, 5},
                                   {0, 0, 0, a, 5}});
        }
      }
      for (const std::string scale : {"0.25", "1"}) {
        SCOPED_TRACE(std::string(way.name) + ", scale " + scale);
        for (const bool forward : {true, false}) {
          Call call = way.Make(
              forward,
              "batch=1,height=7,width=9,pooled=3,dim=2,scale=" + scale + ",rois=" + std::to_string(rois.size()), type);
          for (size_t r = 0; r < rois.size(); ++r) SetRow(call, "rois", static_cast<int64_t>(r), rois[r]);
          ExpectAgreementEverywhere(call);
        }
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
