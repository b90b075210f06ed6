// The processor's rounding and denormal modes, and its traps, which belong to a thread.
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
  FloatMode WithoutTraps() const { return {value | _MM_MASK_MASK}; }
#elif defined(__aarch64__)
  uint64_t value = 0;
  static FloatMode OfThisThread() {
    FloatMode mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode.value));
    return mode;
  }
  void Adopt() const { asm volatile("msr fpcr, %0" : : "r"(value)); }
  FloatMode WithoutTraps() const {
    constexpr uint64_t kTraps = 0x9F00;  // invalid, division by zero, overflow, underflow, inexact; denormal input
    FloatMode mode;
    mode.value = value & ~kTraps;
    return mode;
  }
#else
  int value = 0;
  static FloatMode OfThisThread() { return {}; }
  void Adopt() const {}
  FloatMode WithoutTraps() const { return {}; }
#endif
};

// Keeps floating-point traps off while it lives. A caller may have asked for a signal at an invalid operation, an
// overflow or a division by zero (feenableexcept). In a call such operations mean nothing: vectors have lanes that
// nobody uses, comparisons meet NaN that the caller's data may hold, and no call may end a process. Modes stay as they
// are. Out of line, so that no arithmetic of the function moves in front of it.
class FloatTrapsOff {
 public:
  FloatTrapsOff();
  ~FloatTrapsOff() {
    if (were_on_) before_.Adopt();
  }
  FloatTrapsOff(const FloatTrapsOff&) = delete;
  FloatTrapsOff& operator=(const FloatTrapsOff&) = delete;

 private:
  const FloatMode before_ = FloatMode::OfThisThread();
  const bool were_on_;
};

}  // namespace detops

#endif  // DETOPS_CORE_FLOAT_MODE_H_
