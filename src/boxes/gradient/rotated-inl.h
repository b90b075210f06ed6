// How the area that two rotated boxes share changes with the numbers of one of them, for a vector of pairs.
//
//        +-----------------+  other         Where a side of a box moves outwards, the shared area grows by the length
//        |                 |                of the part of the side that lies in the other box. So a side's length
//        |      ..1..      |                within the other box, and the middle of that part, are all there is to
//        |   0''     ''1   |                know: shifting the box moves each side along its normal, a larger width
//        |  .           .  |                moves two sides outwards by a half, turning the box moves a side's parts
//     ......             ..|......          by how far they are from its middle.
//       .      self        |     .
//        +-----------------+
//
// The part within is found in the frame of the other box, where that is |x| <= H, |y| <= V: each of both leaves an
// interval of the side. A side that runs along one of the other's, as far as rounding can tell, is half within: the
// area grows when it moves one way, and does not when it moves the other.
//
// Only additions, multiplications, divisions, comparisons and selections: the same bits on every target and in every
// lane. Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_BOXES_GRADIENT_ROTATED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_BOXES_GRADIENT_ROTATED_INL_H_
#undef DETOPS_BOXES_GRADIENT_ROTATED_INL_H_
#else
#define DETOPS_BOXES_GRADIENT_ROTATED_INL_H_
#endif

#include "boxes/shape/rotated-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The derivatives of the shared area by the centre, the sides and the angle of a box.
template <class D>
struct OverlapSlopes {
  using V = hn::Vec<D>;
  V cx, cy, w, h, angle;
};

// An interval of a side, from its middle; `weight` is 1, 0.5 where the side runs along a border, or 0 outside.
template <class D>
struct SidePart {
  using V = hn::Vec<D>;
  V from, to, weight;
};

// Cuts off what is outside of |at + t * step| <= limit. `noise`: what rounding may have done to `at`.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void CutToSlab(D d, V at, V step, V limit, V half, V noise, SidePart<D>& part) {
  const V one = hn::Set(d, 1.0);
  const auto along = hn::Le(hn::Mul(hn::Abs(step), half), noise);
  const V divisor = hn::IfThenElse(along, one, step);
  const V low = hn::Div(hn::Sub(hn::Neg(limit), at), divisor);
  const V high = hn::Div(hn::Sub(limit, at), divisor);
  part.from = hn::Max(part.from, hn::IfThenElse(along, hn::Neg(half), hn::Min(low, high)));
  part.to = hn::Min(part.to, hn::IfThenElse(along, half, hn::Max(low, high)));
  const V beyond = hn::Sub(hn::Abs(at), limit);
  const V inside = hn::IfThenElse(hn::Le(hn::Abs(beyond), noise), hn::Set(d, 0.5),
                                  hn::IfThenElseZero(hn::Lt(beyond, hn::Zero(d)), one));
  part.weight = hn::IfThenElse(along, hn::Mul(part.weight, inside), part.weight);
}

// How much of a side lies in the other box, and that times the middle of the part.
template <class D>
struct SideLength {
  using V = hn::Vec<D>;
  V length, moment;
};

// The side goes through (x, y) in direction (step_x, step_y), `half` to either side.
template <class D, class V = hn::Vec<D>>
HWY_INLINE SideLength<D> LengthWithin(D d, V x, V y, V step_x, V step_y, V half, V limit_x, V limit_y, V noise) {
  SidePart<D> part = {hn::Neg(half), half, hn::Set(d, 1.0)};
  CutToSlab(d, x, step_x, limit_x, half, noise, part);
  CutToSlab(d, y, step_y, limit_y, half, noise, part);
  const V length = hn::Mul(part.weight, hn::Max(hn::Sub(part.to, part.from), hn::Zero(d)));
  const V middle = hn::Mul(hn::Set(d, 0.5), hn::Add(part.from, part.to));
  return {length, hn::Mul(length, middle)};
}

// Of pairs without a wide box; means nothing where the boxes share no area.
template <class D, class V = hn::Vec<D>>
HWY_INLINE OverlapSlopes<D> SlopesOfOverlap(D d, const RotatedLanes<D>& self, const RotatedLanes<D>& other) {
  const V half = hn::Set(d, 0.5);
  const V dx = hn::Sub(self.cx, other.cx);
  const V dy = hn::Sub(self.cy, other.cy);
  const V x = hn::Add(hn::Mul(dx, other.cosine), hn::Mul(dy, other.sine));
  const V y = hn::Sub(hn::Mul(dy, other.cosine), hn::Mul(dx, other.sine));
  const auto same = hn::Eq(self.angle, other.angle);
  const V turn_c = hn::Add(hn::Mul(self.cosine, other.cosine), hn::Mul(self.sine, other.sine));
  const V turn_s = hn::Sub(hn::Mul(self.sine, other.cosine), hn::Mul(self.cosine, other.sine));
  const V c = hn::IfThenElse(same, hn::Set(d, 1.0), turn_c);
  const V s = hn::IfThenElse(same, hn::Zero(d), turn_s);
  const V half_w = hn::Mul(half, self.w);
  const V half_h = hn::Mul(half, self.h);
  const V limit_x = hn::Mul(half, other.w);
  const V limit_y = hn::Mul(half, other.h);
  // As the bound of the overlap: 4 ulps of the larger w + h and the distance.
  const V reach =
      hn::Add(hn::Max(hn::Add(self.w, self.h), hn::Add(other.w, other.h)), hn::Add(hn::Abs(dx), hn::Abs(dy)));
  const V noise = hn::Mul(hn::Set(d, 0x1p-50), reach);

  const V px = hn::Mul(half_w, c), py = hn::Mul(half_w, s);
  const V qx = hn::Neg(hn::Mul(half_h, s)), qy = hn::Mul(half_h, c);
  const V back = hn::Neg(s);
  const auto upright = [&](V at_x, V at_y) {
    return LengthWithin(d, at_x, at_y, back, c, half_h, limit_x, limit_y, noise);
  };
  const auto flat = [&](V at_x, V at_y) { return LengthWithin(d, at_x, at_y, c, s, half_w, limit_x, limit_y, noise); };
  const SideLength<D> right = upright(hn::Add(x, px), hn::Add(y, py));
  const SideLength<D> left = upright(hn::Sub(x, px), hn::Sub(y, py));
  const SideLength<D> top = flat(hn::Add(x, qx), hn::Add(y, qy));
  const SideLength<D> bottom = flat(hn::Sub(x, qx), hn::Sub(y, qy));

  const V along = hn::Sub(right.length, left.length);
  const V across = hn::Sub(top.length, bottom.length);
  return {hn::Sub(hn::Mul(along, self.cosine), hn::Mul(across, self.sine)),
          hn::Add(hn::Mul(along, self.sine), hn::Mul(across, self.cosine)),
          hn::Mul(half, hn::Add(right.length, left.length)), hn::Mul(half, hn::Add(top.length, bottom.length)),
          hn::Add(hn::Sub(top.moment, bottom.moment), hn::Sub(left.moment, right.moment))};
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
