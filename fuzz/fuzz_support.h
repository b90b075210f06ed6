// What the fuzz targets share: the reader of the fuzzer's bytes, and a way to stop with a reason.
#ifndef DETOPS_FUZZ_FUZZ_SUPPORT_H_
#define DETOPS_FUZZ_FUZZ_SUPPORT_H_

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace detops_fuzz {

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
inline int Number(FuzzedDataProvider& bytes, int low, int high) { return bytes.ConsumeIntegralInRange<int>(low, high); }

inline bool OneIn(FuzzedDataProvider& bytes, int count) { return Number(bytes, 1, count) == count; }

template <class T, size_t kCount>
T OneOf(FuzzedDataProvider& bytes, const T (&choices)[kCount]) {
  return choices[Number(bytes, 0, static_cast<int>(kCount) - 1)];
}

// Extents and strides: mostly small, sometimes where products leave 32 or 64 bits.
inline int64_t ExtremeNumber(FuzzedDataProvider& bytes) {
  constexpr int64_t kOne = 1;
  constexpr int64_t kExtremes[] = {0,          1,         (kOne << 31) - 1, kOne << 31,   kOne << 32, 429496729,
                                   429496730,  214748364, 214748365,        kOne << 40,   kOne << 60, kOne << 61,
                                   kOne << 62, INT64_MAX, INT64_MAX - 1,    (kOne << 29), 1000,       65536};
  return OneOf(bytes, kExtremes);
}

}  // namespace detops_fuzz

#endif  // DETOPS_FUZZ_FUZZ_SUPPORT_H_
