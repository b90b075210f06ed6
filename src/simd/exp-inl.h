// exp of a vector of doubles that are not above 0: the same bits on every target, within 2 units in the last place.
//
// Only additions and multiplications, none of them fused. What is below exp(-708) becomes 0.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_SIMD_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_SIMD_EXP_INL_H_
#undef DETOPS_SIMD_EXP_INL_H_
#else
#define DETOPS_SIMD_EXP_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// x = k ln 2 + r with |r| <= ln 2 / 2, so exp(x) = 2^k exp(r). NaN gives any number.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpNotAboveZero(D d, V x) {
  const V least = hn::Set(d, -708.0);
  const V bounded = hn::Max(x, least);
  // Adding 1.5 * 2^52 rounds to a whole number, which stands in the lowest bits then.
  const V shift = hn::Set(d, 0x1.8p52);
  const V shifted = hn::Add(hn::Mul(bounded, hn::Set(d, 0x1.71547652b82fep0)), shift);
  const V k = hn::Sub(shifted, shift);
  // ln 2 in two parts; the first has so few digits that its product with k is exact.
  const V rough = hn::Sub(bounded, hn::Mul(k, hn::Set(d, 0x1.62e42feep-1)));
  const V r = hn::Sub(rough, hn::Mul(k, hn::Set(d, 0x1.a39ef35793c76p-33)));
  // 1 + r + r^2 (1/2 + r (1/6 + ...)), up to r^13 / 13!
  constexpr double kFactors[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                                 1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                                 1.0 / 120,        1.0 / 24,        1.0 / 6,        1.0 / 2};
  V sum = hn::Set(d, kFactors[0]);
  for (size_t i = 1; i < sizeof(kFactors) / sizeof(kFactors[0]); ++i) {
    sum = hn::Add(hn::Mul(sum, r), hn::Set(d, kFactors[i]));
  }
  const V exp_r = hn::Add(hn::Set(d, 1.0), hn::Add(r, hn::Mul(hn::Mul(r, r), sum)));
  const hn::RebindToSigned<D> di;
  const auto exponent = hn::ShiftLeft<52>(hn::BitCast(di, shifted));
  const V result = hn::BitCast(d, hn::Add(hn::BitCast(di, exp_r), exponent));
  return hn::IfThenZeroElse(hn::Lt(x, least), result);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
