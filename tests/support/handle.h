// A handle that is destroyed with its scope, also when an assertion leaves the test early.
#ifndef DETOPS_TESTS_SUPPORT_HANDLE_H_
#define DETOPS_TESTS_SUPPORT_HANDLE_H_

#include "detops.h"
#include "support/status.h"

namespace detops_test {

class Handle {
 public:
  // 0 threads: the library's own choice.
  explicit Handle(detopsProfile_t profile = DETOPS_PROFILE_CONTRACT, int threads = 0) {
    Must(mluOpCreate(&handle_), "mluOpCreate");
    SetProfile(profile);
    SetThreads(threads);
  }
  ~Handle() { mluOpDestroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  mluOpHandle_t get() const { return handle_; }
  const char* LastError() const { return detopsGetLastError(handle_); }

  int Threads() const {
    int threads = 0;
    Must(detopsGetNumThreads(handle_, &threads), "detopsGetNumThreads");
    return threads;
  }
  void SetThreads(int threads) { Must(detopsSetNumThreads(handle_, threads), "detopsSetNumThreads"); }
  void SetProfile(detopsProfile_t profile) { Must(detopsSetProfile(handle_, profile), "detopsSetProfile"); }
  void SetValueChecks(bool on) { Must(detopsSetValueChecks(handle_, on ? 1 : 0), "detopsSetValueChecks"); }
  void SetRunner(detopsRunner_t runner, void* opaque) {
    Must(detopsSetParallelRunner(handle_, runner, opaque), "detopsSetParallelRunner");
  }

 private:
  mluOpHandle_t handle_ = nullptr;
};

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_HANDLE_H_
