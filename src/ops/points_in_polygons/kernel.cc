// The vector part, compiled once per instruction set: a point against a vector of quadrilaterals.
#include "core/simd_target.h"
#include "ops/points_in_polygons/problem.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/points_in_polygons/kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detops::points_in_polygons {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Above what three roundings of each of the two products can do to their difference.
constexpr double kCrossError = 0x1p-51;
// A difference that is smaller may have lost digits below the range of double.
constexpr double kTiny = 0x1p-900;

template <class D>
HWY_INLINE uint64_t BitsOf(D d, hn::Mask<D> mask) {
  uint8_t bits[8] = {};
  hn::StoreMaskBits(d, mask, bits);
  return bits[0];
}

// Which of the quadrilaterals index, index + 1, ... hold the point. A ray from the point to the right crosses the
// sides of one that does an odd number of times.
template <class D>
HWY_INLINE Sides SidesOf(D d, const QuadPlanes& quads, hn::Vec<D> x, hn::Vec<D> y, int64_t index) {
  const auto plane = [&](const double* numbers) { return hn::LoadU(d, numbers + index); };
  const auto in_x = hn::And(hn::Lt(plane(quads.min_x), x), hn::Lt(x, plane(quads.max_x)));
  const auto in_y = hn::And(hn::Lt(plane(quads.min_y), y), hn::Lt(y, plane(quads.max_y)));
  const auto near = hn::And(in_x, in_y);
  if (HWY_LIKELY(hn::AllFalse(d, near))) return {0, 0};
  auto odd = hn::Lt(x, x);  // nowhere
  auto unsure = odd;
  auto on_side = odd;
  auto x0 = plane(quads.x[3]);
  auto y0 = plane(quads.y[3]);
  for (int i = 0; i < 4; ++i) {
    const auto x1 = plane(quads.x[i]);
    const auto y1 = plane(quads.y[i]);
    const auto rises = hn::Gt(y1, y);
    const auto spans = hn::Xor(hn::Gt(y0, y), rises);
    const auto left = hn::Mul(hn::Sub(x1, x0), hn::Sub(y, y0));
    const auto right = hn::Mul(hn::Sub(y1, y0), hn::Sub(x, x0));
    const auto cross = hn::Sub(left, right);
    const auto error =
        hn::Add(hn::Mul(hn::Set(d, kCrossError), hn::Add(hn::Abs(left), hn::Abs(right))), hn::Set(d, kTiny));
    // A comparison that is also false for NaN, which products of huge numbers may give.
    unsure = hn::Or(unsure, hn::AndNot(hn::Gt(hn::Abs(cross), error), spans));
    // Left of a side that rises, or right of one that falls: the ray crosses it.
    const auto is_left = hn::Gt(cross, hn::Zero(d));
    odd = hn::Xor(odd, hn::AndNot(hn::Xor(is_left, rises), spans));
    // On the corner, or between the ends of a level side.
    const auto level = hn::Eq(y1, y);
    const auto between = hn::And(hn::Eq(y0, y), hn::Xor(hn::Lt(x0, x), hn::Lt(x1, x)));
    on_side = hn::Or(on_side, hn::And(level, hn::Or(hn::Eq(x1, x), between)));
    x0 = x1;
    y0 = y1;
  }
  const auto open = hn::AndNot(on_side, near);
  return {BitsOf(d, hn::And(odd, open)), BitsOf(d, hn::And(unsure, open))};
}

}  // namespace

Sides FindSides(const QuadPlanes& quads, double x, double y, int64_t begin, int64_t count) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto all_x = hn::Set(d, x);
  const auto all_y = hn::Set(d, y);
  Sides sides = {0, 0};
  for (int64_t i = 0; i < count; i += lanes) {
    const Sides some = SidesOf(d, quads, all_x, all_y, begin + i);
    sides.inside |= some.inside << i;
    sides.unsure |= some.unsure << i;
  }
  const uint64_t counted = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  return {sides.inside & counted, sides.unsure & counted};
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::points_in_polygons
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::points_in_polygons {

HWY_EXPORT(FindSides);

Kernel ChooseKernel() { return &DETOPS_DISPATCH(FindSides); }

}  // namespace detops::points_in_polygons
#endif  // HWY_ONCE
