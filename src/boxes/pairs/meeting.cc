#include "boxes/pairs/meeting.h"

#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "boxes/pairs/meeting.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
// After foreach_target.h.
#include "boxes/shape/upright-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::boxes {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace inl = ::detops::HWY_NAMESPACE;

// The planes go on for a vector behind the last box, with boxes that meet nothing.
uint64_t Meeting(const UprightPlanes& planes, const UprightBox& box, int64_t begin, int64_t count) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto one = inl::SetUpright(d, box);
  uint64_t bits = 0;
  for (int64_t i = 0; i < count; i += lanes) {
    uint8_t some[8] = {};
    hn::StoreMaskBits(d, inl::DoMeet(d, one, inl::LoadUpright(d, planes, begin + i)), some);
    bits |= static_cast<uint64_t>(some[0]) << i;
  }
  return count == 64 ? bits : bits & ((uint64_t{1} << count) - 1);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::boxes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::boxes {

HWY_EXPORT(Meeting);

MeetingKernel ChooseMeetingKernel() { return &DETOPS_DISPATCH(Meeting); }

}  // namespace detops::boxes
#endif  // HWY_ONCE
