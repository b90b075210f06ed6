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

// ---- long sums ----

// Large bins, and many rois on one pixel, of one constant value: the worst case for rounding, because every addition
// rounds the same way. Plain float sums of these lengths are off by 2e-5 to 2e-4; the bar is 1e-5. Not with
// torchvision's convention, which promises the bits of plain sums.
class PsRoiPoolLongSums : public testing::TestWithParam<std::tuple<Way, mluOpDataType_t>> {
 protected:
  Call Make(bool forward, const std::string& shape) const {
    return std::get<0>(GetParam()).Make(forward, shape, std::get<1>(GetParam()));
  }
  // Gradients of half are small enough for their sum to stay below the largest half.
  Call MakeGradient(const std::string& shape, const std::vector<double>& roi) const {
    Call call = Make(false, shape);
    Fill(call, "top_grad", std::get<1>(GetParam()) == MLUOP_DTYPE_HALF ? 0.1 : 0.7);
    for (int64_t r = 0; r < call["rois"].extents[0]; ++r) SetRow(call, "rois", r, roi);
    return call;
  }
};

// Not double: the reference adds in double too, so it is no measure for sums of this length.
INSTANTIATE_TEST_SUITE_P(VariantsAndTypes, PsRoiPoolLongSums,
                         testing::Combine(testing::ValuesIn(kUsualWays),
                                          testing::Values(MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16)),
                         WayAndTypeName);

// A square, a row and a column, with one lane, a remainder and whole vectors.
TEST_P(PsRoiPoolLongSums, Forward) {
  for (const char* shape : {"height=160,width=160,pooled=1,dim=1", "height=1,width=20000,pooled=1,dim=3",
                            "height=20000,width=1,pooled=1,dim=5", "height=130,width=130,pooled=2,dim=3"}) {
    Call call = Make(true, std::string("batch=1,rois=2,") + shape);
    const Places at(call, true);
    const auto height = static_cast<double>(at.height), width = static_cast<double>(at.width);
    Fill(call, "input", 0.7);
    SetRow(call, "rois", 0, {0, 0, 0, width, height});
    SetRow(call, "rois", 1, {0, 1, 0, width - 2, height});
    ExpectWithinTheBar(call);
  }
}

// All rois at the same pixels, and a few more bins than one.
TEST_P(PsRoiPoolLongSums, Backward) {
  ExpectWithinTheBar(MakeGradient("batch=1,height=3,width=3,rois=20000,pooled=1,dim=1", {0, 0, 0, 2, 2}));
  ExpectWithinTheBar(MakeGradient("batch=1,height=2,width=3,rois=8000,pooled=2,dim=3", {0, 0, 0, 2, 2}));
}

// As many rois, which share rows, or columns, or both with others, but hardly a pixel: these sums are short.
TEST_P(PsRoiPoolLongSums, ManyRoisApart) {
  for (const int arrangement : {0, 1, 2, 3}) {
    SCOPED_TRACE(arrangement);
    Call call = Make(false, "batch=1,height=48,width=48,rois=2304,pooled=1,dim=3");
    for (int64_t r = 0; r < 2304; ++r) {
      const bool in_row = arrangement == 1 || (arrangement == 3 && r % 2 == 0);
      const bool in_column = arrangement == 2 || (arrangement == 3 && r % 2 == 1);
      const auto x = static_cast<double>(in_column ? 5 : r / 2 % 48), y = static_cast<double>(in_row ? 7 : r / 48);
      SetRow(call, "rois", r, {0, x, y, x, y});
    }
    ExpectAgreementEverywhere(call);
  }
}

// All bins in one channel: each pixel gets a term from every element of top_grad.
TEST_P(PsRoiPoolLongSums, BackwardIntoOneChannel) {
  Call call = MakeGradient("batch=1,height=2,width=2,rois=600,pooled=3,dim=5", {0, 0, 0, 1, 1});
  Fill(call, "mapping_channel", 7);
  ExpectWithinTheBar(call);
}

}  // namespace
}  // namespace detops_test
