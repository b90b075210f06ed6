// The storage types half and bfloat16, one number at a time. Whole vectors: simd/element-inl.h.
#ifndef DETOPS_CORE_HALF_H_
#define DETOPS_CORE_HALF_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace detops {

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

// Exact.
inline float ToFloat(Half half) {
  const uint32_t sign = static_cast<uint32_t>(half.bits & 0x8000) << 16;
  const uint32_t magnitude = half.bits & 0x7fff;
  if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude >= 0x0400) return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
  // Subnormal: put the digits after the point of 2^-14 and take 2^-14 away again; exact, also where the processor
  // treats subnormal floats as zero.
  const float digits = std::bit_cast<float>(0x38800000u | magnitude << 13) - 0x1p-14f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(digits));
}
inline float ToFloat(BFloat16 value) { return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16); }
inline float ToFloat(float value) { return value; }

// A double shortened to the digits of a float so that rounding it once more, to half or bfloat16, gives what rounding
// the double itself would: the last digit tells whether something was cut off ("rounding to odd"). Floats
// below 2^-126 are rounded as usual.
inline float ShortenToFloat(double value) {
  constexpr uint64_t kCut = (uint64_t{1} << 29) - 1;
  const auto bits = std::bit_cast<uint64_t>(value);
  return static_cast<float>(std::bit_cast<double>((bits & ~kCut) | ((bits & kCut) != 0 ? kCut + 1 : 0)));
}

// To nearest even; too large becomes infinity, NaN stays NaN. By integers, so that subnormals are kept in every mode.
inline Half ToHalf(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  uint32_t result = 0;
  if (magnitude > 0x7f800000) {
    result = 0x7e00 | (magnitude >> 13 & 0x3ff);
  } else if (magnitude >= 0x47800000) {
    result = 0x7c00;
  } else if (magnitude >= 0x38800000) {
    result = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  } else if (magnitude >= 0x33000000) {  // 2^-25; below nothing is left
    const uint32_t shift = 126 - (magnitude >> 23);
    const uint32_t digits = (magnitude & 0x7fffff) | 0x800000;
    const uint32_t half = (1u << (shift - 1)) - 1;
    result = (digits + half + (digits >> shift & 1)) >> shift;
  }
  return {static_cast<uint16_t>(sign | result)};
}
inline BFloat16 ToBFloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return {static_cast<uint16_t>(bits >> 16 | 0x40)};
  return {static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

// A double as an element, rounded once.
template <typename T>
T FromDouble(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    return ToHalf(ShortenToFloat(value));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return ToBFloat16(ShortenToFloat(value));
  } else {
    return static_cast<T>(value);
  }
}

// Element `index` of an array that may have any alignment.
template <typename T>
T LoadElement(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}
template <typename T>
void StoreElement(void* data, int64_t index, T value) {
  std::memcpy(static_cast<char*>(data) + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

}  // namespace detops

#endif  // DETOPS_CORE_HALF_H_
