// The area that two rotated boxes share, for a vector of pairs.
//
// In the frame of box A (centre 0, half sides H and V) walk once around box B and add up, over the part of each edge
// with |x| <= H, the integral of clamp(y, -V, V) dx. The sum is the area that A and B share:
//
//                1                          Along the edges 0-1 and 1-2 the integral counts what lies below
//              .' '.                        them inside of A, leftwards; along 2-3 and 3-0 what lies below
//    +V +---.'-------'.---------+           those, rightwards. The difference is the shaded area. Outside of
//       | .'/////////// '.      |           |x| <= H nothing counts, above V and below -V an edge counts as
//       2'////////////////'.    |           if it ran along the border.
//     .'|'.///////////////// '. |
//   .   |  './///////////////// 0 A         Every term is continuous in its inputs: a rounding error moves the
//    '. |    './/////////////.' |           result by a rounding error. Parallel, touching, equal and nearly
//      '|.     './/////////.'   |           equal edges are no special cases; there are no crossing points, no
//    -V +-'------3--------------+           sorting and no margins.
//      -H                      +H
//
// Lengths are counted from the centre of B, heights only as far as it lies in A. A constant added to y changes no area,
// as the walk ends where it began; and so a small box deep inside of a large one has its own area to the last digits,
// whatever the size of the other, and a slim A keeps its small V.
//
// The larger box is A; of equal areas the smaller row, number by number. So the result does not depend on the order of
// the two. B is turned by multiples of 90 degrees until its first axis points right and up, which fixes which edges
// rise and which fall, so that one clamp on each end of an edge is enough.
//
// Only additions, multiplications, divisions, comparisons and selections: the same bits on every target and in every
// lane. An overlap that is not above the bound of its own rounding errors is 0 (never -0).
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_BOXES_SHAPE_ROTATED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_BOXES_SHAPE_ROTATED_INL_H_
#undef DETOPS_BOXES_SHAPE_ROTATED_INL_H_
#else
#define DETOPS_BOXES_SHAPE_ROTATED_INL_H_
#endif

#include "boxes/shape/rotated.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
struct RotatedLanes {
  using V = hn::Vec<D>;
  V cx, cy, w, h, cosine, sine, angle, area;
};
template <class D>
struct BoundsLanes {
  using V = hn::Vec<D>;
  V x_min, y_min, x_max, y_max;
};

// Boxes index, index + 1, ...
template <class D>
HWY_INLINE RotatedLanes<D> LoadRotated(D d, const boxes::RotatedPlanes& planes, int64_t index) {
  return {hn::LoadU(d, planes.cx + index),    hn::LoadU(d, planes.cy + index),     hn::LoadU(d, planes.w + index),
          hn::LoadU(d, planes.h + index),     hn::LoadU(d, planes.cosine + index), hn::LoadU(d, planes.sine + index),
          hn::LoadU(d, planes.angle + index), hn::LoadU(d, planes.area + index)};
}
template <class D>
HWY_INLINE BoundsLanes<D> LoadBounds(D d, const boxes::RotatedPlanes& planes, int64_t index) {
  return {hn::LoadU(d, planes.x_min + index), hn::LoadU(d, planes.y_min + index), hn::LoadU(d, planes.x_max + index),
          hn::LoadU(d, planes.y_max + index)};
}

// One box in every lane.
template <class D>
HWY_INLINE RotatedLanes<D> SetRotated(D d, const boxes::RotatedBox& box) {
  return {hn::Set(d, box.cx),     hn::Set(d, box.cy),   hn::Set(d, box.w),     hn::Set(d, box.h),
          hn::Set(d, box.cosine), hn::Set(d, box.sine), hn::Set(d, box.angle), hn::Set(d, box.area)};
}
template <class D>
HWY_INLINE BoundsLanes<D> SetBounds(D d, const boxes::RotatedBox& box) {
  return {hn::Set(d, box.x_min), hn::Set(d, box.y_min), hn::Set(d, box.x_max), hn::Set(d, box.y_max)};
}

// False where two boxes are disjoint for certain: their value is 0, whatever is asked.
template <class D>
HWY_INLINE hn::Mask<D> MayMeet(D /*d*/, const BoundsLanes<D>& a, const BoundsLanes<D>& b) {
  const auto in_x = hn::And(hn::Lt(a.x_min, b.x_max), hn::Lt(b.x_min, a.x_max));
  const auto in_y = hn::And(hn::Lt(a.y_min, b.y_max), hn::Lt(b.y_min, a.y_max));
  return hn::And(in_x, in_y);
}

// Twice the integral along one edge, from its low end to its high one. The ends lie within |x| <= H already; of y at
// the ends only the part within [low, high] is given. x at y = low and at y = high, anywhere on the edge's line, is
// brought to the edge here: on the part before `x_bottom` clamp(y, low, high) is low, on the part behind `x_top` high.
template <bool kRising, class D, class V = hn::Vec<D>>
HWY_INLINE V EdgeIntegral(D /*d*/, V x_low, V x_high, V y_low, V y_high, V x_bottom, V x_top, V twice_low,
                          V twice_high) {
  const V left = kRising ? x_low : x_high;
  const V right = kRising ? x_high : x_low;
  const V bottom = hn::Min(hn::Max(x_bottom, left), right);
  const V top = hn::Min(hn::Max(x_top, left), right);
  const V between = hn::Mul(hn::Sub(top, bottom), hn::Add(y_low, y_high));
  const V beyond = hn::Add(hn::Mul(twice_high, hn::Sub(x_high, top)), hn::Mul(twice_low, hn::Sub(bottom, x_low)));
  return hn::Add(between, beyond);
}

// Whether b is to be A, the box whose frame is used.
template <class D>
HWY_INLINE hn::Mask<D> SecondIsFrame(D d, const RotatedLanes<D>& a, const RotatedLanes<D>& b) {
  auto second = hn::Gt(b.area, a.area);
  const auto tie = hn::Eq(a.area, b.area);
  if (HWY_UNLIKELY(!hn::AllFalse(d, tie))) {
    auto less = hn::Lt(b.angle, a.angle);
    const auto before = [&less](auto x, auto y) { less = hn::Or(hn::Lt(y, x), hn::And(hn::Eq(x, y), less)); };
    before(a.h, b.h);
    before(a.w, b.w);
    before(a.cy, b.cy);
    before(a.cx, b.cx);
    second = hn::Or(second, hn::And(tie, less));
  }
  return second;
}

// The shared area of pairs without a wide box.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V OverlapIntegral(D d, const RotatedLanes<D>& a, const RotatedLanes<D>& b) {
  const V zero = hn::Zero(d);
  const V half = hn::Set(d, 0.5);
  const V one = hn::Set(d, 1.0);
  const auto second = SecondIsFrame(d, a, b);
  const auto of_frame = [&second](V x, V y) { return hn::IfThenElse(second, y, x); };
  const V frame_w = of_frame(a.w, b.w);
  const V frame_h = of_frame(a.h, b.h);
  const V other_w = of_frame(b.w, a.w);
  const V other_h = of_frame(b.h, a.h);
  const V frame_cos = of_frame(a.cosine, b.cosine);
  const V frame_sin = of_frame(a.sine, b.sine);
  const V sign = hn::And(hn::VecFromMask(d, second), hn::Set(d, -0.0));
  const V dx = hn::Xor(hn::Sub(b.cx, a.cx), sign);
  const V dy = hn::Xor(hn::Sub(b.cy, a.cy), sign);

  // Centre and direction of B in the frame of A. Equal angles are exactly parallel.
  const V x = hn::Add(hn::Mul(dx, frame_cos), hn::Mul(dy, frame_sin));
  const V y = hn::Sub(hn::Mul(dy, frame_cos), hn::Mul(dx, frame_sin));
  const auto same = hn::Eq(a.angle, b.angle);
  const V cos0 = hn::IfThenElse(same, one, hn::Add(hn::Mul(a.cosine, b.cosine), hn::Mul(a.sine, b.sine)));
  const V turn = hn::Xor(hn::Sub(hn::Mul(a.cosine, b.sine), hn::Mul(a.sine, b.cosine)), sign);
  const V sin0 = hn::IfThenZeroElse(same, turn);

  // Into the first quadrant: by half a turn, then by a quarter, which exchanges the sides.
  const V cos1 = hn::Abs(cos0);
  const V sin1 = hn::Xor(sin0, hn::And(cos0, hn::Set(d, -0.0)));
  const auto quarter = hn::Lt(sin1, zero);
  const V c = hn::IfThenElse(quarter, hn::Neg(sin1), cos1);
  const V s = hn::IfThenElse(quarter, cos1, sin1);
  const V half_w = hn::Mul(half, hn::IfThenElse(quarter, other_h, other_w));
  const V half_h = hn::Mul(half, hn::IfThenElse(quarter, other_w, other_h));

  // Corners of B: centre + p + q, - p + q, - p - q, + p - q with p = half_w (c, s) and q = half_h (-s, c).
  const V px = hn::Mul(half_w, c);
  const V py = hn::Mul(half_w, s);
  const V qx = hn::Mul(half_h, s);
  const V qy = hn::Mul(half_h, c);
  const V x0 = hn::Sub(px, qx);
  const V x3 = hn::Add(px, qx);
  const V x1 = hn::Neg(x3);
  const V x2 = hn::Neg(x0);
  // Heights are counted from that of the centre of B, or from the border of A that is next to it.
  const V frame_y = hn::Mul(half, frame_h);
  const V level = hn::Max(hn::Min(y, frame_y), hn::Neg(frame_y));
  const V centre = hn::Sub(y, level);
  const V y0 = hn::Add(centre, hn::Add(py, qy));
  const V y3 = hn::Add(centre, hn::Sub(py, qy));
  const V y1 = hn::Sub(centre, hn::Sub(py, qy));
  const V y2 = hn::Sub(centre, hn::Add(py, qy));

  // Slope of the edges along p (rising), and minus that of the edges along q (falling); each is one over the other. An
  // edge that is all but vertical has a part within |x| <= H without width, or ends that hold its y.
  const V least = hn::Set(d, 0x1p-200);
  const V rising = hn::Div(s, hn::Max(c, least));
  const V falling = hn::Div(c, hn::Max(s, least));

  // The borders of A.
  const V frame_x = hn::Mul(half, frame_w);
  const V left = hn::Neg(hn::Add(frame_x, x));
  const V right = hn::Sub(frame_x, x);
  const V low = hn::Neg(hn::Add(frame_y, level));
  const V high = hn::Sub(frame_y, level);
  const V twice_low = hn::Add(low, low);
  const V twice_high = hn::Add(high, high);
  // Ends of edges brought between left and right; their y moves along the edge, and never beyond its other end.
  const auto inside = [&](V corner) { return hn::Max(hn::Min(corner, right), left); };
  const auto clamped = [&](V number) { return hn::Max(hn::Min(number, high), low); };
  const V in0 = inside(x0);
  const V in1 = inside(x1);
  const V in2 = inside(x2);
  const V in3 = inside(x3);
  const V move0 = hn::Sub(in0, x0);
  const V move1 = hn::Sub(in1, x1);
  const V move2 = hn::Sub(in2, x2);
  const V move3 = hn::Sub(in3, x3);
  // Along p from corner 1 up to 0 and from 2 up to 3, along q from 2 up to 1 and from 3 up to 0.
  const V edge10 = EdgeIntegral<true>(d, in1, in0, clamped(hn::Min(hn::Add(y1, hn::Mul(move1, rising)), y0)),
                                      clamped(hn::Max(hn::Add(y0, hn::Mul(move0, rising)), y1)),
                                      hn::Add(x0, hn::Mul(hn::Sub(low, y0), falling)),
                                      hn::Add(x0, hn::Mul(hn::Sub(high, y0), falling)), twice_low, twice_high);
  const V edge23 = EdgeIntegral<true>(d, in2, in3, clamped(hn::Min(hn::Add(y2, hn::Mul(move2, rising)), y3)),
                                      clamped(hn::Max(hn::Add(y3, hn::Mul(move3, rising)), y2)),
                                      hn::Add(x2, hn::Mul(hn::Sub(low, y2), falling)),
                                      hn::Add(x2, hn::Mul(hn::Sub(high, y2), falling)), twice_low, twice_high);
  const V edge21 = EdgeIntegral<false>(d, in2, in1, clamped(hn::Min(hn::Sub(y2, hn::Mul(move2, falling)), y1)),
                                       clamped(hn::Max(hn::Sub(y1, hn::Mul(move1, falling)), y2)),
                                       hn::Sub(x2, hn::Mul(hn::Sub(low, y2), rising)),
                                       hn::Sub(x2, hn::Mul(hn::Sub(high, y2), rising)), twice_low, twice_high);
  const V edge30 = EdgeIntegral<false>(d, in3, in0, clamped(hn::Min(hn::Sub(y3, hn::Mul(move3, falling)), y0)),
                                       clamped(hn::Max(hn::Sub(y0, hn::Mul(move0, falling)), y3)),
                                       hn::Sub(x0, hn::Mul(hn::Sub(low, y0), rising)),
                                       hn::Sub(x0, hn::Mul(hn::Sub(high, y0), rising)), twice_low, twice_high);
  const V all = hn::Abs(hn::Add(hn::Sub(edge23, edge10), hn::Sub(edge30, edge21)));
  const V area = hn::Min(hn::Mul(half, all), hn::Min(a.area, b.area));

  // The bound of the rounding errors: 4 ulps of (larger w + h, plus the distance) * smaller w + h.
  const V sides_a = hn::Add(a.w, a.h);
  const V sides_b = hn::Add(b.w, b.h);
  const V distance = hn::Add(hn::Abs(dx), hn::Abs(dy));
  const V reach = hn::Add(hn::Max(sides_a, sides_b), distance);
  const V bound = hn::Mul(hn::Set(d, 0x1p-50), hn::Mul(reach, hn::Min(sides_a, sides_b)));
  const V result = hn::IfThenElseZero(hn::Gt(area, bound), area);
  // Equal boxes share all of their area, even if it is below that bound: one side may be 2^50 times the other.
  auto equal = hn::And(same, hn::Eq(distance, zero));
  if (HWY_LIKELY(hn::AllFalse(d, equal))) return result;
  equal = hn::And(equal, hn::And(hn::Eq(a.w, b.w), hn::Eq(a.h, b.h)));
  return hn::IfThenElse(equal, a.area, result);
}

// A value from the overlap and the areas. In [0, 1] but for kOverlap, because the overlap is not above either area.
template <boxes::PairValue kValue, class D, class V = hn::Vec<D>>
HWY_INLINE V ValueOfOverlap(D d, V overlap, V area_a, V area_b) {
  if constexpr (kValue == boxes::PairValue::kOverlap) return overlap;
  const auto some = hn::Gt(overlap, hn::Zero(d));
  V whole = area_b;
  if constexpr (kValue == boxes::PairValue::kIou) whole = hn::Sub(hn::Add(area_a, area_b), overlap);
  if constexpr (kValue == boxes::PairValue::kIofFirst) whole = area_a;
  return hn::IfThenElseZero(some, hn::Div(overlap, hn::IfThenElse(some, whole, hn::Set(d, 1.0))));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V IouOf(D d, V overlap, V area_a, V area_b) {
  return ValueOfOverlap<boxes::PairValue::kIou>(d, overlap, area_a, area_b);
}

// Lanes with a wide box, one after the other.
template <class D, class V = hn::Vec<D>>
HWY_NOINLINE V WithWideRotated(D d, boxes::PairValue value, const RotatedLanes<D>& a, const RotatedLanes<D>& b,
                               V ordinary) {
  constexpr size_t kLanes = hn::MaxLanes(D());
  alignas(64) double numbers[2][6][kLanes];
  alignas(64) double result[kLanes];
  const auto store = [&](const RotatedLanes<D>& from, double(*to)[kLanes]) {
    hn::StoreU(from.cx, d, to[0]);
    hn::StoreU(from.cy, d, to[1]);
    hn::StoreU(from.w, d, to[2]);
    hn::StoreU(from.h, d, to[3]);
    hn::StoreU(from.angle, d, to[4]);
    hn::StoreU(from.area, d, to[5]);
  };
  store(a, numbers[0]);
  store(b, numbers[1]);
  hn::StoreU(ordinary, d, result);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (numbers[0][5][i] >= 0 && numbers[1][5][i] >= 0) continue;
    const auto box = [i](const double(*from)[kLanes]) {
      return boxes::MakeRotatedBox(from[0][i], from[1][i], from[2][i], from[3][i], from[4][i]);
    };
    result[i] = boxes::WideRotatedValue(value, box(numbers[0]), box(numbers[1]));
  }
  return hn::LoadU(d, result);
}

// What is asked of a vector of pairs.
template <boxes::PairValue kValue, class D, class V = hn::Vec<D>>
HWY_INLINE V RotatedValue(D d, const RotatedLanes<D>& a, const RotatedLanes<D>& b) {
  const V value = ValueOfOverlap<kValue>(d, OverlapIntegral(d, a, b), a.area, b.area);
  const auto wide = hn::Lt(hn::Min(a.area, b.area), hn::Zero(d));
  if (HWY_UNLIKELY(!hn::AllFalse(d, wide))) return WithWideRotated(d, kValue, a, b, value);
  return value;
}
template <class D>
HWY_INLINE hn::Vec<D> RotatedOverlap(D d, const RotatedLanes<D>& a, const RotatedLanes<D>& b) {
  return RotatedValue<boxes::PairValue::kOverlap>(d, a, b);
}
template <class D>
HWY_INLINE hn::Vec<D> RotatedIou(D d, const RotatedLanes<D>& a, const RotatedLanes<D>& b) {
  return RotatedValue<boxes::PairValue::kIou>(d, a, b);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
