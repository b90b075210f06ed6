// The torchvision convention bit by bit: against a transcription of torchvision's loops for one type, which add up in
// that type, one pixel after the other. Other tests compare with sums in double and a tolerance; users who replace
// torchvision compare with what they had.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "ops/psroipool/test/by_hand.h"

namespace detops_test {
namespace {

// Bins of one axis as integers, first all scaled and rounded coordinates, then floor and ceil of whole multiples.
struct Axis {
  int64_t start, end;
};

template <class T>
Axis BinOf(int roi_start, int roi_end, int64_t pooled, int64_t bin, int64_t high) {
  const T bin_size = static_cast<T>(std::max(roi_end - roi_start, 1)) / static_cast<T>(pooled);
  const auto place = [&](T offset) {
    return std::min(std::max(static_cast<int64_t>(static_cast<int>(offset) + roi_start), int64_t{0}), high);
  };
  return {place(std::floor(static_cast<T>(bin) * bin_size)), place(std::ceil(static_cast<T>(bin + 1) * bin_size))};
}

// The output of forward, which leaves out the last row and column, or the gradient of the map.
template <class T>
std::vector<double> Loops(const Call& call, bool forward) {
  const Places at(call, forward);
  const int64_t rows = call.integer("pooled_height"), columns = call.integer("pooled_width"), less = forward ? 1 : 0;
  const auto scale = static_cast<T>(call.number("spatial_scale"));
  std::vector<T> results(static_cast<size_t>(forward ? call["output"].elements() : call["bottom_grad"].elements()), 0);
  for (int64_t r = 0; r < at.rois; ++r) {
    // Backward has them as floats, also for double.
    const auto corner = [&](int64_t i) {
      const T scaled = static_cast<T>(call["rois"].Get(r * 5 + i)) * scale;
      return static_cast<int>(forward ? std::round(scaled) : static_cast<T>(::roundf(static_cast<float>(scaled))));
    };
    const int x1 = corner(1), y1 = corner(2), x2 = corner(3), y2 = corner(4);
    const auto image = static_cast<int64_t>(call["rois"].Get(r * 5)) * at.height * at.width;
    for (int64_t c = 0; c < at.channels; ++c) {
      const Axis h = BinOf<T>(y1, y2, rows, c / columns % rows, at.height - less);
      const Axis w = BinOf<T>(x1, x2, columns, c % columns, at.width - less);
      if (h.end <= h.start || w.end <= w.start) continue;
      const auto area = static_cast<T>((h.end - h.start) * (w.end - w.start));
      const int64_t pooled = at.InPooled(r, c);
      T sum = 0;
      for (int64_t y = h.start; y < h.end; ++y) {
        for (int64_t x = w.start; x < w.end; ++x) {
          const int64_t pixel = at.InMap(image + y * at.width + x, c);
          if (forward) {
            sum += static_cast<T>(call["input"].Get(pixel));
          } else {
            results[static_cast<size_t>(pixel)] += static_cast<T>(call["top_grad"].Get(pooled)) / area;
          }
        }
      }
      if (forward) results[static_cast<size_t>(pooled)] = sum / area;
    }
  }
  return {results.begin(), results.end()};
}

// Bits, except that every NaN is as good as another.
bool SameBits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

class PsRoiPoolTorchvision : public testing::TestWithParam<std::tuple<Way, mluOpDataType_t>> {
 protected:
  // Both ways, after `change`; backward also without mapping_channel.
  void ExpectTorchBits(const std::string& shape, const std::function<void(Call&, const char* source)>& change = {}) {
    for (const int turn : {0, 1, 2}) {
      const bool forward = turn == 0;
      const auto& [way, type] = GetParam();
      SCOPED_TRACE(shape + (forward ? ", forward" : ", backward"));
      Call call = way.Make(forward, shape, type);
      if (change) change(call, SourceOf(forward));
      if (turn == 2) LeaveOutMapping(call);
      detops_harness::PlacedCall placed(call);
      const std::vector<double> expected =
          type == MLUOP_DTYPE_DOUBLE ? Loops<double>(call, forward) : Loops<float>(call, forward);
      ForEachConfiguration(DETOPS_PROFILE_FULL, [&](const Handle& handle) {
        CarryOut(placed, handle);
        const std::vector<double> actual = placed.call()[TargetOf(forward)].Values();
        int64_t wrong = 0;
        for (size_t i = 0; i < expected.size(); ++i) wrong += SameBits(actual[i], expected[i]) ? 0 : 1;
        ASSERT_EQ(wrong, 0) << "of " << expected.size() << " elements";
      });
    }
  }
};

INSTANTIATE_TEST_SUITE_P(LayoutsAndTypes, PsRoiPoolTorchvision,
                         testing::Combine(testing::Values(kTorchvision, kTorchvisionFirst),
                                          testing::Values(MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE)),
                         WayAndTypeName);

TEST_P(PsRoiPoolTorchvision, SameBits) {
  for (const std::string depth : {"1", "3", "8", "17", "33"}) {
    for (const std::string scale : {"0.0625", "0.3", "1"}) {
      ExpectTorchBits("batch=2,height=13,width=17,rois=24,pooled=3,pooled_width=4,corners=mixed,dim=" + depth +
                      ",scale=" + scale);
    }
  }
}

// Every length of a row of a bin, and bins of thousands of pixels: the sum is one chain of additions all the same.
TEST_P(PsRoiPoolTorchvision, SameBitsForLargeBins) {
  for (const char* shape : {"batch=1,height=3,width=1500,rois=12,pooled=1,dim=5",
                            "batch=1,height=70,width=90,rois=12,pooled=1,pooled_width=2,dim=3"}) {
    ExpectTorchBits(shape, [](Call& call, const char* source) {
      FillUniform(call, source, 0, 1, 5);
      SetRow(call, "rois", 0, {0, 0, 0, 1e4, 1e4});
    });
  }
  ExpectTorchBits("batch=1,height=3,width=70,rois=66,pooled=1,dim=2", [](Call& call, const char*) {
    for (int64_t r = 0; r < 66; ++r) SetRow(call, "rois", r, {0, 1, 0, 1 + static_cast<double>(r), 2});
  });
}

// A gradient of thousands of terms is one chain in the order of the rois too.
TEST_P(PsRoiPoolTorchvision, SameBitsForManyRois) {
  ExpectTorchBits("batch=2,height=9,width=11,rois=3000,pooled=2,dim=2,scale=0.5,corners=whole",
                  [](Call& call, const char* source) { FillUniform(call, source, 0, 1, 6); });
}

// Both sums start at +0: -0 alone gives +0.
TEST_P(PsRoiPoolTorchvision, SignOfZero) {
  ExpectTorchBits("batch=1,height=6,width=7,rois=16,pooled=2,dim=9,corners=mixed",
                  [](Call& call, const char* source) { Fill(call, source, -0.0); });
}

TEST_P(PsRoiPoolTorchvision, NanAndInfinity) {
  ExpectTorchBits("batch=2,height=9,width=8,rois=24,pooled=2,pooled_width=3,dim=5,scale=0.5,corners=mixed",
                  [](Call& call, const char* source) { Sprinkle(call, source, {kNan, kInf, -kInf}, 29); });
}

// Double: products beside a tie, which narrowing to float moves onto it.
TEST_P(PsRoiPoolTorchvision, BesideTies) {
  ExpectTorchBits("batch=1,height=12,width=12,rois=64,pooled=2,dim=2", [](Call& call, const char*) {
    for (int64_t r = 0; r < 64; ++r) {
      const double hair = (r % 2 == 0 ? 1 : -1) * (r % 4 < 2 ? 1e-12 : 2e-7);
      const auto x = static_cast<double>(r % 5), y = static_cast<double>(r / 16);
      SetRow(call, "rois", r, {0, x + 0.5 + hair, y + 0.5 - hair, x + 4.5 - hair, y + 6.5 + hair});
    }
  });
}

}  // namespace
}  // namespace detops_test
