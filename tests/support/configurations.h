// Runs a test's body on every instruction set of this machine with several numbers of threads. Defects of one target,
// or of the cut between two threads, are invisible to a test that runs only the default.
#ifndef DETOPS_TESTS_SUPPORT_CONFIGURATIONS_H_
#define DETOPS_TESTS_SUPPORT_CONFIGURATIONS_H_

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "detops.h"
#include "support/handle.h"

namespace detops_test {

inline std::vector<std::string> SupportedTargets() {
  std::vector<std::string> targets;
  std::istringstream list(detopsGetSupportedTargets());
  for (std::string name; std::getline(list, name, ',');) targets.push_back(name);
  return targets;
}

// Forces a target for a scope. The automatic choice returns afterwards, so scopes do not nest.
class ForcedTarget {
 public:
  explicit ForcedTarget(const std::string& name) { Must(detopsSetTarget(name.c_str()), "detopsSetTarget"); }
  ~ForcedTarget() { detopsSetTarget(nullptr); }
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
};

// Calls body(handle) on every target; the handle has one thread unless the body changes that.
template <class Body>
void ForEachTarget(detopsProfile_t profile, Body&& body) {
  const std::vector<std::string> targets = SupportedTargets();
  ASSERT_FALSE(targets.empty());
  Handle handle(profile, 1);
  for (const std::string& target : targets) {
    SCOPED_TRACE("target " + target);
    const ForcedTarget forced(target);
    ASSERT_EQ(target, detopsGetTarget());
    handle.SetThreads(1);
    body(handle);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Calls body(handle) on every target with 1, 2, 3 and 7 threads.
template <class Body>
void ForEachConfiguration(detopsProfile_t profile, Body&& body) {
  ForEachTarget(profile, [&](Handle& handle) {
    for (int threads : {1, 2, 3, 7}) {
      SCOPED_TRACE(testing::Message() << threads << " threads");
      handle.SetThreads(threads);
      body(handle);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

template <class Body>
void ForEachConfiguration(Body&& body) {
  ForEachConfiguration(DETOPS_PROFILE_CONTRACT, body);
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_CONFIGURATIONS_H_
