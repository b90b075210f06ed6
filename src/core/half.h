// The storage types half and bfloat16, one number at a time. Whole vectors: simd/element-inl.h.
#ifndef DETOPS_CORE_HALF_H_
#define DETOPS_CORE_HALF_H_

#include <bit>
#include <cstdint>
#include <cstring>

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

// Element `index` of an array that may have any alignment.
template <typename T>
T LoadElement(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

}  // namespace detops

#endif  // DETOPS_CORE_HALF_H_
