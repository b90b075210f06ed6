// A caller that has asked for a signal at bad arithmetic, as those who look for NaN do.
#ifndef DETOPS_TESTS_SUPPORT_FLOAT_TRAPS_H_
#define DETOPS_TESTS_SUPPORT_FLOAT_TRAPS_H_

#include <fenv.h>

namespace detops_test {

// Traps are on while it lives, where the processor has any; most of ARM have none.
class FloatTraps {
 public:
  FloatTraps() : before_(fegetexcept()) {
    fesetenv(FE_DFL_ENV);
    feenableexcept(kTraps);
  }
  ~FloatTraps() {
    fesetenv(FE_DFL_ENV);
    feenableexcept(before_);
  }
  FloatTraps(const FloatTraps&) = delete;
  FloatTraps& operator=(const FloatTraps&) = delete;

  static constexpr int kTraps = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;
  static bool On() { return (fegetexcept() & kTraps) == kTraps; }

 private:
  const int before_;
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_FLOAT_TRAPS_H_
