// Runners that a caller may set instead of the library's threads, well-behaved and not.
#ifndef DETOPS_TESTS_SUPPORT_RUNNER_H_
#define DETOPS_TESTS_SUPPORT_RUNNER_H_

#include <thread>
#include <vector>

#include "detops.h"

namespace detops_test {

inline int RunBackwards(void* /*opaque*/, detopsTask_t task, void* context, int count) {
  for (int index = count; index-- > 0;) task(context, index);
  return 0;
}

inline int RunNothing(void* /*opaque*/, detopsTask_t /*task*/, void* /*context*/, int /*count*/) { return 1; }

// Runs tasks backwards; reports and misbehaves as told.
struct Runner {
  int calls = 0;
  int tasks = 0;
  int failing_call = -1;  // this call runs its tasks and returns 1
  bool run_before_failing = true;
  int skipping_call = -1;  // this call leaves out one task and returns 0
  bool skip_first = false;
  bool own_threads = false;  // one thread per task

  static int Run(void* opaque, detopsTask_t task, void* context, int count) {
    Runner& self = *static_cast<Runner*>(opaque);
    const int call = self.calls++;
    self.tasks += count;
    if (call == self.failing_call && !self.run_before_failing) return 1;
    const int skipped = call != self.skipping_call ? -1 : self.skip_first ? 0 : count - 1;
    std::vector<std::thread> threads;
    for (int i = count - 1; i >= 0; --i) {
      if (i == skipped) continue;
      if (self.own_threads) {
        threads.emplace_back(task, context, i);
      } else {
        task(context, i);
      }
    }
    for (std::thread& thread : threads) thread.join();
    return call == self.failing_call ? 1 : 0;
  }
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_RUNNER_H_
