// The vector part of gradient.h, compiled once per instruction set.
#include "boxes/gradient/gradient.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "boxes/gradient/kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

// After highway.h.
#include "boxes/gradient/rotated-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::boxes {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace vectors = detops::HWY_NAMESPACE;

}  // namespace

void ComputeSlopes(SlopeBlock& block, int64_t count) {
  const hn::ScalableTag<double> d;
  using D = decltype(d);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  static_assert(SlopeBlock::kPairs % hn::MaxLanes(D()) == 0, "whole vectors");
  const auto load = [&](const double(*planes)[SlopeBlock::kPairs], int64_t i) {
    const auto plane = [&](int field) { return hn::LoadU(d, planes[field] + i); };
    return vectors::RotatedLanes<std::remove_cv_t<D>>{plane(0), plane(1), plane(2), plane(3),
                                                      plane(4), plane(5), plane(6), plane(7)};
  };
  for (int64_t i = 0; i < count; i += lanes) {
    const auto self = load(block.self, i), other = load(block.other, i);
    hn::StoreU(vectors::OverlapIntegral(d, self, other), d, block.overlap + i);
    const auto slopes = vectors::SlopesOfOverlap(d, self, other);
    hn::StoreU(slopes.cx, d, block.slopes[0] + i);
    hn::StoreU(slopes.cy, d, block.slopes[1] + i);
    hn::StoreU(slopes.w, d, block.slopes[2] + i);
    hn::StoreU(slopes.h, d, block.slopes[3] + i);
    hn::StoreU(slopes.angle, d, block.slopes[4] + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::boxes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::boxes {

HWY_EXPORT(ComputeSlopes);

SlopesKernel ChooseSlopesKernel() { return &DETOPS_DISPATCH(ComputeSlopes); }

}  // namespace detops::boxes
#endif  // HWY_ONCE
