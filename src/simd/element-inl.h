// Loads and stores of all floating storage types as vectors of the type they are computed in: half and bfloat16 as
// float, float and double as themselves. Rounding is to nearest even, overflow gives infinity, NaN stays NaN, on every
// target alike.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_SIMD_ELEMENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_SIMD_ELEMENT_INL_H_
#undef DETOPS_SIMD_ELEMENT_INL_H_
#else
#define DETOPS_SIMD_ELEMENT_INL_H_
#endif

#include <type_traits>

#include "core/half.h"
#include "hwy/highway.h"

// Whether Highway's own half conversions are instructions of the processor. Its emulations for the other targets
// neither round to nearest nor keep subnormals, so those get the integer arithmetic below.
#undef DETOPS_NATIVE_HALF
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_ARCH_ARM_A64
#define DETOPS_NATIVE_HALF 1
#else
#define DETOPS_NATIVE_HALF 0
#endif

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// 16 bits each, as 32-bit integers.
template <class DF, class DU = hn::RebindToUnsigned<DF>>
HWY_INLINE hn::Vec<DU> LoadBits16(DF /*df*/, const void* from) {
  const DU du;
  const hn::Rebind<uint16_t, DU> du16;
  return hn::PromoteTo(du, hn::LoadU(du16, static_cast<const uint16_t*>(from)));
}

// How a vector is written: anywhere, or past the caches to an address aligned to the vector. Streaming pays for outputs
// larger than the caches, and only if whole cache lines are streamed one after the other.
enum class StoreMode { kPlain, kStream };

template <StoreMode kMode, class D, typename T>
HWY_INLINE void StoreVector(hn::Vec<D> v, D d, T* to) {
  // Highway streams 16 bytes at least, so the 8 bytes of four halves must be stored plainly.
  if constexpr (kMode == StoreMode::kStream && hn::MaxLanes(D()) * sizeof(T) >= 16) {
    hn::Stream(v, d, to);
  } else {
    hn::StoreU(v, d, to);
  }
}

template <StoreMode kMode, class DF, class DU = hn::RebindToUnsigned<DF>>
HWY_INLINE void StoreBits16(hn::Vec<DU> bits, DF /*df*/, void* to) {
  const hn::RebindToSigned<DF> di;
  const hn::Rebind<uint16_t, DU> du16;
  StoreVector<kMode>(hn::DemoteTo(du16, hn::BitCast(di, bits)), du16, static_cast<uint16_t*>(to));
}

template <class D>
HWY_INLINE hn::Vec<D> LoadElements(D d, const float* from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadElements(D d, const double* from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadElements(D d, const BFloat16* from) {
  return hn::BitCast(d, hn::ShiftLeft<16>(LoadBits16(d, from)));
}
template <class D>
HWY_INLINE hn::Vec<D> LoadElements(D d, const Half* from) {
#if DETOPS_NATIVE_HALF
  const hn::Rebind<hwy::float16_t, D> d16;
  return hn::PromoteTo(d, hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(from)));
#else
  const hn::RebindToUnsigned<D> du;
  const auto bits = LoadBits16(d, from);
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000)));
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7fff));
  const auto shifted = hn::ShiftLeft<13>(magnitude);
  const auto rebias = hn::Set(du, 112u << 23);
  const auto normal = hn::Add(shifted, rebias);
  const auto special = hn::Add(normal, rebias);  // the exponent of Inf and NaN
  // As in core/half.h: digits after the point of 2^-14.
  const auto tiny =
      hn::BitCast(du, hn::Sub(hn::BitCast(d, hn::Or(shifted, hn::Set(du, 0x38800000u))), hn::Set(d, 0x1p-14f)));
  auto result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x0400)), tiny, normal);
  result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x7c00)), result, special);
  return hn::BitCast(d, hn::Or(result, sign));
#endif
}

// Doubles as floats of the same number of lanes, to be stored as T; see ShortenToFloat.
template <typename T, class DD, class DF = hn::Rebind<float, DD>>
HWY_INLINE hn::Vec<DF> FloatsFor(DD dd, hn::Vec<DD> v) {
  const DF df;
#if HWY_TARGET == HWY_SCALAR
  (void)dd;
  // Highway's own keeps infinity from a float.
  const double number = hn::GetLane(v);
  return hn::Set(df, std::is_same_v<T, float> ? static_cast<float>(number) : ShortenToFloat(number));
#else
  if constexpr (std::is_same_v<T, float>) {
    return hn::DemoteTo(df, v);
  } else {
    const hn::RebindToUnsigned<DD> du;
    const auto cut = hn::Set(du, (uint64_t{1} << 29) - 1);
    const auto bits = hn::BitCast(du, v);
    const auto exact = hn::Eq(hn::And(bits, cut), hn::Zero(du));
    const auto sticky = hn::IfThenZeroElse(exact, hn::Set(du, uint64_t{1} << 29));
    return hn::DemoteTo(df, hn::BitCast(dd, hn::Or(hn::AndNot(cut, bits), sticky)));
  }
#endif
}

template <StoreMode kMode = StoreMode::kPlain, class D>
HWY_INLINE void StoreElements(hn::Vec<D> v, D d, float* to) {
  StoreVector<kMode>(v, d, to);
}
template <StoreMode kMode = StoreMode::kPlain, class D>
HWY_INLINE void StoreElements(hn::Vec<D> v, D d, double* to) {
  StoreVector<kMode>(v, d, to);
}
template <StoreMode kMode = StoreMode::kPlain, class D>
HWY_INLINE void StoreElements(hn::Vec<D> v, D d, BFloat16* to) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto upper = hn::ShiftRight<16>(bits);
  const auto odd = hn::And(upper, hn::Set(du, 1));
  const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(hn::Set(du, 0x7fff), odd)));
  const auto quiet = hn::Or(upper, hn::Set(du, 0x0040));
  // By the bits: Highway's Ne(v, v) is false for NaN on AVX2.
  const auto is_nan = hn::Gt(hn::And(bits, hn::Set(du, 0x7fffffffu)), hn::Set(du, 0x7f800000u));
  StoreBits16<kMode>(hn::IfThenElse(is_nan, quiet, rounded), d, to);
}
template <StoreMode kMode = StoreMode::kPlain, class D>
HWY_INLINE void StoreElements(hn::Vec<D> v, [[maybe_unused]] D d, Half* to) {
#if DETOPS_NATIVE_HALF
  const hn::Rebind<hwy::float16_t, D> d16;
  StoreVector<kMode>(hn::DemoteTo(d16, v), d16, reinterpret_cast<hwy::float16_t*>(to));
#else
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000));
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffffffu));
  // 65536 is beyond the largest half and becomes Inf by itself; larger numbers must not reach the NaN patterns.
  const auto capped = hn::Min(magnitude, hn::Set(du, 0x47800000u));
  const auto odd = hn::And(hn::ShiftRight<13>(capped), hn::Set(du, 1));
  const auto rounding = hn::Add(odd, hn::Set(du, 0x0fff));
  const auto normal = hn::ShiftRight<13>(hn::Add(hn::Sub(capped, hn::Set(du, 112u << 23)), rounding));
  // Below 2^-14 the last digit of a half is 2^-24, which is that of floats in [0.5, 1): adding 0.5 rounds there.
  const auto tiny =
      hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f))), hn::Set(du, 0x3f000000u));
  const auto quiet = hn::Or(hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 0x03ff)), hn::Set(du, 0x7e00));
  auto result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x38800000u)), tiny, normal);
  result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x7f800000u)), quiet, result);
  StoreBits16<kMode>(hn::Or(result, sign), d, to);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
