// What the fuzz targets share: choices made by the fuzzer's bytes, and a way to stop with a reason.
#ifndef DETOPS_FUZZ_FUZZ_SUPPORT_H_
#define DETOPS_FUZZ_FUZZ_SUPPORT_H_

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "detops.h"

namespace detops_fuzz {

// A fuzzer's input as a row of choices. Nothing of a compiler's own, so that every build can run the kept inputs.
// Reads from the front. Behind the end every byte is 0, so that a choice there is its first possibility.
class FuzzedBytes {
 public:
  FuzzedBytes(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  FuzzedBytes(const FuzzedBytes&) = delete;
  FuzzedBytes& operator=(const FuzzedBytes&) = delete;

  size_t left() const { return left_; }

  bool Bool() { return (Bits(1) & 1) != 0; }

  // Any number of the type.
  template <class Integer>
  Integer Any() {
    static_assert(std::is_integral_v<Integer>);
    const uint64_t bits = Bits(sizeof(Integer));
    Integer number;
    std::memcpy(&number, &bits, sizeof(number));  // the low bytes: those of a little-endian machine
    return number;
  }

  // A number of [low, high], of as few bytes as the range needs.
  template <class Integer>
  Integer Between(Integer low, Integer high) {
    const uint64_t range = Difference(low, high);
    size_t count = 0;
    while (count < 8 && (range >> (8 * count)) != 0) ++count;
    const uint64_t bits = Bits(count);
    const uint64_t offset = range == UINT64_MAX ? bits : bits % (range + 1);
    // offset <= high - low, so that the sum is a number of the type even where the difference is none.
    return static_cast<Integer>(static_cast<__int128>(low) + static_cast<__int128>(offset));
  }

  // Any float, NaN and the infinities among them.
  float AnyFloat() {
    const auto bits = Any<uint32_t>();
    float number;
    std::memcpy(&number, &bits, sizeof(number));
    return number;
  }

  // Up to `count` bytes.
  std::vector<uint8_t> Take(size_t count) {
    count = std::min(count, left_);
    std::vector<uint8_t> bytes(data_, data_ + count);
    data_ += count;
    left_ -= count;
    return bytes;
  }

  // Up to `most` bytes, their number is the first choice.
  std::string Text(size_t most) {
    const std::vector<uint8_t> bytes = Take(Between<size_t>(0, most));
    return {bytes.begin(), bytes.end()};
  }

 private:
  template <class Integer>
  static uint64_t Difference(Integer low, Integer high) {
    return static_cast<uint64_t>(static_cast<__int128>(high) - static_cast<__int128>(low));
  }

  // A number of `count` bytes, the lowest first.
  uint64_t Bits(size_t count) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count && left_ > 0; ++i, --left_) bits |= static_cast<uint64_t>(*data_++) << (8 * i);
    return bits;
  }

  const uint8_t* data_;
  size_t left_;
};

// libFuzzer keeps the input of a process that aborts.
[[noreturn]] inline void Broken(const char* format, ...) __attribute__((format(printf, 1, 2)));
inline void Broken(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::fputs("BROKEN: ", stderr);
  std::vfprintf(stderr, format, arguments);
  std::fputs("\n", stderr);
  va_end(arguments);
  std::abort();
}

// One byte of the input decides.
inline int Number(FuzzedBytes& bytes, int low, int high) { return bytes.Between<int>(low, high); }

inline bool OneIn(FuzzedBytes& bytes, int count) { return Number(bytes, 1, count) == count; }

template <class T, size_t kCount>
T OneOf(FuzzedBytes& bytes, const T (&choices)[kCount]) {
  return choices[Number(bytes, 0, static_cast<int>(kCount) - 1)];
}

// Most arguments are good, or nearly nothing would get past the first check.
inline bool Rarely(FuzzedBytes& bytes) { return OneIn(bytes, 12); }

template <class T>
T* OrNull(FuzzedBytes& bytes, T* pointer) {
  return Rarely(bytes) ? nullptr : pointer;
}

// Extents and strides: mostly small, sometimes where products leave 32 or 64 bits.
inline int64_t ExtremeNumber(FuzzedBytes& bytes) {
  constexpr int64_t kOne = 1;
  constexpr int64_t kExtremes[] = {0,          1,         (kOne << 31) - 1, kOne << 31,   kOne << 32, 429496729,
                                   429496730,  214748364, 214748365,        kOne << 40,   kOne << 60, kOne << 61,
                                   kOne << 62, INT64_MAX, INT64_MAX - 1,    (kOne << 29), 1000,       65536};
  return OneOf(bytes, kExtremes);
}

// Success with a handle empties the text; a failure leaves "function: sentence." there, for the handle as for the
// thread.
inline void ExpectStatus(mluOpStatus_t status, bool good, const char* function, mluOpHandle_t handle = nullptr) {
  const mluOpStatus_t expected = good ? MLUOP_STATUS_SUCCESS : MLUOP_STATUS_BAD_PARAM;
  const std::string text = detopsGetLastError(nullptr);
  if (status != expected) {
    Broken("%s gave %s, expected %s; text: \"%s\"", function, mluOpGetErrorString(status),
           mluOpGetErrorString(expected), text.c_str());
  }
  if (good && handle != nullptr && !text.empty()) Broken("%s succeeded with the text \"%s\"", function, text.c_str());
  if (!good && (text.rfind(std::string(function) + ": ", 0) != 0 || text.back() != '.')) {
    Broken("%s failed with the text \"%s\"", function, text.c_str());
  }
  if (handle != nullptr && text != detopsGetLastError(handle)) {
    Broken("%s: the handle's text is \"%s\", the thread's \"%s\"", function, detopsGetLastError(handle), text.c_str());
  }
}

}  // namespace detops_fuzz

#endif  // DETOPS_FUZZ_FUZZ_SUPPORT_H_
