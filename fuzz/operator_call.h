// Handles, runners and targets for fuzzed calls of operators.
#ifndef DETOPS_FUZZ_OPERATOR_CALL_H_
#define DETOPS_FUZZ_OPERATOR_CALL_H_

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "detops.h"
#include "support/runner.h"
#include "support/status.h"

namespace detops_fuzz {

// Forgets the first task. With an even count it claims to have run it.
inline int RunAndFail(void* /*opaque*/, detopsTask_t task, void* context, int count) {
  for (int index = 1; index < count; ++index) task(context, index);
  return count % 2;
}

inline mluOpHandle_t NewHandle(int threads, detopsRunner_t runner) {
  using detops_test::Must;
  mluOpHandle_t handle = nullptr;
  Must(mluOpCreate(&handle), "mluOpCreate");
  Must(detopsSetNumThreads(handle, threads), "detopsSetNumThreads");
  Must(detopsSetParallelRunner(handle, runner, nullptr), "detopsSetParallelRunner");
  return handle;
}

// They live as long as the process: starting threads for every input would be most of the time.
struct Handles {
  mluOpHandle_t alone = NewHandle(1, nullptr);
  mluOpHandle_t three = NewHandle(3, nullptr);
  mluOpHandle_t backwards = NewHandle(3, &detops_test::RunBackwards);
  mluOpHandle_t failing = NewHandle(3, &RunAndFail);
};

inline Handles& AllHandles() {
  static Handles handles;
  return handles;
}

// The SIMD targets of this machine, best first.
inline const std::vector<std::string>& Targets() {
  static const std::vector<std::string> targets = [] {
    std::vector<std::string> names;
    std::istringstream list(detopsGetSupportedTargets());
    for (std::string name; std::getline(list, name, ',');) names.push_back(name);
    return names;
  }();
  return targets;
}

}  // namespace detops_fuzz

#endif  // DETOPS_FUZZ_OPERATOR_CALL_H_
