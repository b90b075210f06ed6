// The loop over the allocations of a call: allocation k fails, for k = 1, 2, ... until the call needs no more, once
// alone and once with all that follow. Each time the status must say so, nothing may have changed or leaked, and the
// same call must succeed afterwards.
#ifndef DETOPS_TESTS_ALLOCATION_SUBJECT_H_
#define DETOPS_TESTS_ALLOCATION_SUBJECT_H_

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "allocation/hooks.h"
#include "detops.h"
#include "gtest/gtest.h"

namespace detops_test::hooks {

struct Balance {
  int64_t blocks, mapped_bytes;
  bool operator==(const Balance&) const = default;
};

inline Balance Live() { return {g_blocks, g_mapped_bytes}; }

inline void PrintTo(const Balance& balance, std::ostream* out) {
  *out << balance.blocks << " blocks and " << balance.mapped_bytes << " mapped bytes";
}

// A call that allocates. The functions must not allocate themselves.
struct Subject {
  std::function<int()> call;         // the status, 0 for success
  std::function<void()> undo;        // after a success: frees what the call made
  std::function<bool()> untouched;   // after a failure: whether outputs are as before
  int failed;                        // the status of a call without memory
  bool may_do_without = false;       // some of its allocations are not needed for success
  std::function<bool()> right = {};  // after a success: whether the result is
};

inline int CallWithFailure(const Subject& subject, int k, bool for_ever, int* failures) {
  g_failures = 0;
  g_until_failure = k - 1;
  g_for_ever = for_ever;
  g_armed = true;
  const int status = subject.call();
  g_armed = false;
  *failures = g_failures;
  return status;
}

// The status of a call that takes no memory, while there is none.
template <class Function>
int WithoutMemory(Function call) {
  g_failures = 0;
  g_until_failure = 0;
  g_for_ever = true;
  g_armed = true;
  const int status = call();
  g_armed = false;
  EXPECT_EQ(g_failures, 0) << "it asked for memory";
  return status;
}

inline void FailEveryAllocation(const Subject& subject) {
  for (const bool for_ever : {false, true}) {
    for (int k = 1;; ++k) {
      SCOPED_TRACE("allocation " + std::to_string(k) + (for_ever ? " and all later ones fail" : " fails"));
      ASSERT_LT(k, 1000) << "the call never stops allocating";
      const Balance before = Live();
      int failures = 0;
      const int status = CallWithFailure(subject, k, for_ever, &failures);
      if (failures == 0) {
        EXPECT_EQ(status, 0);
        subject.undo();
        EXPECT_EQ(Live(), before) << "a call that succeeded leaks";
        EXPECT_GT(k, 1) << "the call allocates nothing; the test is blind";
        break;
      }
      if (status == 0 && subject.may_do_without) {
        EXPECT_TRUE(subject.right());
        subject.undo();
        EXPECT_EQ(Live(), before);
        continue;
      }
      EXPECT_EQ(status, subject.failed);
      EXPECT_TRUE(subject.untouched()) << "a call that failed wrote a result";
      EXPECT_EQ(Live(), before) << "a call that failed leaks";
      EXPECT_EQ(subject.call(), 0) << "the same call, with memory";
      if (subject.right) {
        EXPECT_TRUE(subject.right());
      }
      subject.undo();
      EXPECT_EQ(Live(), before) << "the second call leaks";
    }
  }
}

// A handle in the full profile.
inline mluOpHandle_t NewHandle(int threads) {
  mluOpHandle_t handle = nullptr;
  mluOpCreate(&handle);
  detopsSetProfile(handle, DETOPS_PROFILE_FULL);
  detopsSetNumThreads(handle, threads);
  return handle;
}

// A thread keeps memory for its error text from its first failure to its end, so that failure comes before any
// counting.
class AllocationFailureTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(mluOpCreate(nullptr), MLUOP_STATUS_BAD_PARAM); }
};

}  // namespace detops_test::hooks

#endif  // DETOPS_TESTS_ALLOCATION_SUBJECT_H_
