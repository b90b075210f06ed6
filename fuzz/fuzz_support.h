// What the fuzz targets share: choices made by the fuzzer's bytes, and a way to stop with a reason.
#ifndef DETOPS_FUZZ_FUZZ_SUPPORT_H_
#define DETOPS_FUZZ_FUZZ_SUPPORT_H_

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "detops.h"
#include "fuzz/fuzzed_bytes.h"

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
