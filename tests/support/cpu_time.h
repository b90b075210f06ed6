// Processor time of this thread, without that of other programs: for tests of how the time of a call grows.
#ifndef DETOPS_TESTS_SUPPORT_CPU_TIME_H_
#define DETOPS_TESTS_SUPPORT_CPU_TIME_H_

#include <time.h>

#include <algorithm>

namespace detops_test {

inline double CpuSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The least of three runs, after one that touches all memory.
template <class Call>
double LeastCpuSeconds(const Call& call) {
  call();
  double least = 1e9;
  for (int run = 0; run < 3; ++run) {
    const double begin = CpuSeconds();
    call();
    least = std::min(least, CpuSeconds() - begin);
  }
  return least;
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_CPU_TIME_H_
