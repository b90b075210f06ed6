// 64-bit products that know when they overflow. Extents come from callers, so no product of them is trusted.
#ifndef DETOPS_CORE_CHECKED_MATH_H_
#define DETOPS_CORE_CHECKED_MATH_H_

#include <bit>
#include <cstdint>
#include <limits>

namespace detops {

inline constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

// True if a * b fits; only then is *product set. Both factors are >= 0.
inline bool CheckedMultiply(int64_t a, int64_t b, int64_t* product) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) return false;
  *product = result;
  return true;
}

// a * b, or the largest int64 when that does not fit. Both factors are >= 0.
inline int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return CheckedMultiply(a, b, &product) ? product : kMaxInt64;
}

// a + b, or the largest int64 when that is too large. a is >= 0.
inline int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? kMaxInt64 : sum;
}

// Bits that number `count` things; 0 for one and for none.
inline int BitsToNumber(int64_t count) {
  return count <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<uint64_t>(count - 1)));
}

inline int64_t DivideRoundUp(int64_t a, int64_t b) { return a / b + (a % b != 0); }

}  // namespace detops

#endif  // DETOPS_CORE_CHECKED_MATH_H_
