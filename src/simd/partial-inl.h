// Loads and stores of fewer elements than a vector has, that touch no byte beyond them.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_SIMD_PARTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_SIMD_PARTIAL_INL_H_
#undef DETOPS_SIMD_PARTIAL_INL_H_
#else
#define DETOPS_SIMD_PARTIAL_INL_H_
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "simd/element-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// memcpy of fewer than kBelow bytes, an even number, without a call.
template <size_t kBelow>
HWY_INLINE void CopyFew(const void* from, void* to, int64_t bytes) {
  const auto* source = static_cast<const char*>(from);
  auto* target = static_cast<char*>(to);
  const auto copy = [&](auto size) {
    if constexpr (size < kBelow) {
      if ((bytes & size) == 0) return;
      std::memcpy(target, source, size);
      source += size;
      target += size;
    }
  };
  copy(std::integral_constant<size_t, 128>());
  copy(std::integral_constant<size_t, 64>());
  copy(std::integral_constant<size_t, 32>());
  copy(std::integral_constant<size_t, 16>());
  copy(std::integral_constant<size_t, 8>());
  copy(std::integral_constant<size_t, 4>());
  copy(std::integral_constant<size_t, 2>());
}

// The first `count` > 0 lanes, or all if there are so many.
template <class D, typename T>
HWY_INLINE void StoreFirst(hn::Vec<D> v, D d, T* to, int64_t count) {
  if (HWY_LIKELY(count >= static_cast<int64_t>(hn::Lanes(d)))) return StoreElements(v, d, to);
  alignas(64) T buffer[hn::MaxLanes(D())];
  StoreElements(v, d, buffer);
  CopyFew<sizeof(buffer)>(buffer, to, count * static_cast<int64_t>(sizeof(T)));
}

// The others become zero.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadFirst(D d, const T* from, int64_t count) {
  if (HWY_LIKELY(count >= static_cast<int64_t>(hn::Lanes(d)))) return LoadElements(d, from);
  alignas(64) T buffer[hn::MaxLanes(D())] = {};
  CopyFew<sizeof(buffer)>(from, buffer, count * static_cast<int64_t>(sizeof(T)));
  return LoadElements(d, buffer);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
