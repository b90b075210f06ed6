// The area that two upright boxes share, for a vector of pairs.
//
//       a: +---------+           width  = min(x_max) - max(x_min)
//          |    +----|------+    height = min(y_max) - max(y_min)
//          |    |////|      |    overlap = width * height, 0 if one of them is not above 0
//          +---------+      |
//               +-----------+ :b
//
// Subtraction and multiplication round, but never turn around: width is not above either box's own width, so the
// overlap is not above either area, and every ratio lies in [0, 1]. Boxes that touch share exactly 0.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_BOXES_SHAPE_UPRIGHT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_BOXES_SHAPE_UPRIGHT_INL_H_
#undef DETOPS_BOXES_SHAPE_UPRIGHT_INL_H_
#else
#define DETOPS_BOXES_SHAPE_UPRIGHT_INL_H_
#endif

#include "boxes/shape/rotated-inl.h"
#include "boxes/shape/upright.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
struct UprightLanes {
  using V = hn::Vec<D>;
  V x_min, y_min, x_max, y_max, area;
};

// Boxes index, index + 1, ...
template <class D>
HWY_INLINE UprightLanes<D> LoadUpright(D d, const boxes::UprightPlanes& planes, int64_t index) {
  return {hn::LoadU(d, planes.x_min + index), hn::LoadU(d, planes.y_min + index), hn::LoadU(d, planes.x_max + index),
          hn::LoadU(d, planes.y_max + index), hn::LoadU(d, planes.area + index)};
}

// One box in every lane.
template <class D>
HWY_INLINE UprightLanes<D> SetUpright(D d, const boxes::UprightBox& box) {
  return {hn::Set(d, box.x_min), hn::Set(d, box.y_min), hn::Set(d, box.x_max), hn::Set(d, box.y_max),
          hn::Set(d, box.area)};
}

// False where two boxes do not overlap: their value is 0, whatever is asked.
template <class D>
HWY_INLINE hn::Mask<D> DoMeet(D /*d*/, const UprightLanes<D>& a, const UprightLanes<D>& b) {
  const auto in_x = hn::Lt(hn::Max(a.x_min, b.x_min), hn::Min(a.x_max, b.x_max));
  const auto in_y = hn::Lt(hn::Max(a.y_min, b.y_min), hn::Min(a.y_max, b.y_max));
  return hn::And(in_x, in_y);
}

// Lanes with a wide box, one after the other.
template <class D, class V = hn::Vec<D>>
HWY_NOINLINE V WithWideUpright(D d, boxes::PairValue value, const UprightLanes<D>& a, const UprightLanes<D>& b,
                               V ordinary) {
  constexpr size_t kLanes = hn::MaxLanes(D());
  alignas(64) double numbers[2][5][kLanes];
  alignas(64) double result[kLanes];
  const auto store = [&](const UprightLanes<D>& from, double(*to)[kLanes]) {
    hn::StoreU(from.x_min, d, to[0]);
    hn::StoreU(from.y_min, d, to[1]);
    hn::StoreU(from.x_max, d, to[2]);
    hn::StoreU(from.y_max, d, to[3]);
    hn::StoreU(from.area, d, to[4]);
  };
  store(a, numbers[0]);
  store(b, numbers[1]);
  hn::StoreU(ordinary, d, result);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (numbers[0][4][i] >= 0 && numbers[1][4][i] >= 0) continue;
    const auto box = [i](const double(*from)[kLanes]) {
      return boxes::UprightBox{from[0][i], from[1][i], from[2][i], from[3][i], from[4][i]};
    };
    result[i] = boxes::WideUprightValue(value, box(numbers[0]), box(numbers[1]));
  }
  return hn::LoadU(d, result);
}

// What is asked of a vector of pairs.
template <boxes::PairValue kValue, class D, class V = hn::Vec<D>>
HWY_INLINE V UprightValue(D d, const UprightLanes<D>& a, const UprightLanes<D>& b) {
  const V zero = hn::Zero(d);
  const V width = hn::Sub(hn::Min(a.x_max, b.x_max), hn::Max(a.x_min, b.x_min));
  const V height = hn::Sub(hn::Min(a.y_max, b.y_max), hn::Max(a.y_min, b.y_min));
  const V overlap = hn::Mul(hn::Max(width, zero), hn::Max(height, zero));
  const V value = ValueOfOverlap<kValue>(d, overlap, a.area, b.area);
  const auto wide = hn::Lt(hn::Min(a.area, b.area), zero);
  if (HWY_UNLIKELY(!hn::AllFalse(d, wide))) return WithWideUpright(d, kValue, a, b, value);
  return value;
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
