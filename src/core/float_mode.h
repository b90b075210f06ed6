// The processor's rounding and denormal modes, which belong to a thread.
#ifndef DETOPS_CORE_FLOAT_MODE_H_
#define DETOPS_CORE_FLOAT_MODE_H_

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace detops {

// Threads that work for a caller adopt the caller's modes, or a result would depend on who computed it.
struct FloatMode {
#if defined(__x86_64__)
  unsigned value = 0;
  static FloatMode OfThisThread() { return {_mm_getcsr()}; }
  void Adopt() const { _mm_setcsr(value); }
#elif defined(__aarch64__)
  uint64_t value = 0;
  static FloatMode OfThisThread() {
    FloatMode mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode.value));
    return mode;
  }
  void Adopt() const { asm volatile("msr fpcr, %0" : : "r"(value)); }
#else
  static FloatMode OfThisThread() { return {}; }
  void Adopt() const {}
#endif
};

}  // namespace detops

#endif  // DETOPS_CORE_FLOAT_MODE_H_
