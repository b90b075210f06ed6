// A process that has used the library forks; the child uses handles made before and after.
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "detops.h"
#include "gtest/gtest.h"
#include "handle/align_case.h"
#include "support/long_tests.h"
#include "support/process.h"
#include "support/sanitizers.h"

// The address sanitizer keeps freed memory in a quarantine, whose lock another thread may hold at the moment of a fork:
// then the child waits for ever in its first delete. Without quarantine there is no such lock.
// NOLINTBEGIN(bugprone-reserved-identifier): the sanitizer's own name
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0"; }
// NOLINTEND(bugprone-reserved-identifier)

namespace {

using detops_test::AlignCase;
using detops_test::EndsWell;

const int kRounds = detops_test::Rounds(200, 1000);

// What a child reports by its exit code.
enum ChildResult { kAllRight = 0, kOldHandleFailed, kNewHandleFailed, kDestroyFailed, kGrandchildFailed };

class ForkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (detops_test::kThreadSanitizer) GTEST_SKIP() << "the thread sanitizer ends a child that starts threads";
    ASSERT_EQ(mluOpCreate(&old_), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(detopsSetNumThreads(old_, 4), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(work_.Forward(old_, expected_.data()), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(detops_test::Disagreement(expected_, work_.ForwardReference()), "");
  }
  void TearDown() override {
    if (old_ != nullptr) {
      EXPECT_EQ(mluOpDestroy(old_), MLUOP_STATUS_SUCCESS);
    }
  }

  bool IsRight(mluOpHandle_t handle) const {
    std::vector<float> output(work_.size(), 77.0f);
    return work_.Forward(handle, output.data()) == MLUOP_STATUS_SUCCESS && output == expected_;
  }

  // A child's life: the old handle, a new one, both again after the new one is gone.
  ChildResult UseHandles() const {
    if (!IsRight(old_)) return kOldHandleFailed;
    mluOpHandle_t fresh = nullptr;
    if (mluOpCreate(&fresh) != MLUOP_STATUS_SUCCESS) return kNewHandleFailed;
    if (detopsSetNumThreads(fresh, 3) != MLUOP_STATUS_SUCCESS) return kNewHandleFailed;
    if (!IsRight(fresh)) return kNewHandleFailed;
    if (mluOpDestroy(fresh) != MLUOP_STATUS_SUCCESS) return kDestroyFailed;
    return IsRight(old_) ? kAllRight : kOldHandleFailed;
  }

  const AlignCase work_{{2, 50, 50, 64, 5}};
  std::vector<float> expected_ = std::vector<float>(work_.size());
  mluOpHandle_t old_ = nullptr;
};

TEST_F(ForkTest, ChildMayDestroyTheOldHandle) {
  for (int round = 0; round < kRounds / 10; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      ChildResult result = UseHandles();
      if (mluOpDestroy(old_) != MLUOP_STATUS_SUCCESS) result = kDestroyFailed;
      mluOpHandle_t fresh = nullptr;
      if (mluOpCreate(&fresh) != MLUOP_STATUS_SUCCESS || !IsRight(fresh)) result = kNewHandleFailed;
      if (mluOpDestroy(fresh) != MLUOP_STATUS_SUCCESS) result = kDestroyFailed;
      _exit(result);
    }
    ASSERT_TRUE(EndsWell(child)) << "round " << round;
    EXPECT_TRUE(IsRight(old_));
  }
}

TEST_F(ForkTest, ChildrenOfChildren) {
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      const ChildResult result = UseHandles();
      if (result != kAllRight) _exit(result);
      const pid_t grandchild = fork();
      if (grandchild == 0) _exit(UseHandles());
      if (!EndsWell(grandchild)) _exit(kGrandchildFailed);
      _exit(UseHandles());
    }
    ASSERT_TRUE(EndsWell(child)) << "round " << round;
  }
}

TEST_F(ForkTest, ForkWhileAnotherThreadIsInsideAnOperator) {
  std::atomic<bool> stop{false};
  std::atomic<int> calls{0}, wrong{0};
  std::thread busy([&] {
    mluOpHandle_t own = nullptr;
    if (mluOpCreate(&own) != MLUOP_STATUS_SUCCESS) ++wrong;
    detopsSetNumThreads(own, 4);
    while (!stop) {
      if (!IsRight(own)) ++wrong;
      ++calls;
    }
    mluOpDestroy(own);
  });
  while (calls == 0) std::this_thread::yield();
  for (int round = 0; round < kRounds; ++round) {
    const pid_t child = fork();
    if (child == 0) _exit(UseHandles());
    const ::testing::AssertionResult result = EndsWell(child);
    EXPECT_TRUE(result) << "round " << round;
    if (!result) break;
  }
  stop = true;
  busy.join();
  EXPECT_EQ(wrong, 0) << "the parent's own work went wrong";
}

// Handles come and go in the parent, so that forks meet the starting and ending of workers too.
TEST_F(ForkTest, ForkWhileAnotherThreadMakesAndDestroysHandles) {
  if (detops_test::kAddressSanitizer) {
    GTEST_SKIP() << "the address sanitizer has locks of its own around the end of a thread, which a child then misses";
  }
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  ASSERT_EQ(mluOpDestroy(old_), MLUOP_STATUS_SUCCESS);  // the other thread's is the last one each time
  old_ = nullptr;
  std::thread busy([&] {
    while (!stop) {
      mluOpHandle_t own = nullptr;
      if (mluOpCreate(&own) != MLUOP_STATUS_SUCCESS) ++wrong;
      detopsSetNumThreads(own, 4);
      if (!IsRight(own)) ++wrong;
      mluOpDestroy(own);
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      mluOpHandle_t fresh = nullptr;
      if (mluOpCreate(&fresh) != MLUOP_STATUS_SUCCESS) _exit(kNewHandleFailed);
      detopsSetNumThreads(fresh, 4);
      if (!IsRight(fresh)) _exit(kNewHandleFailed);
      _exit(mluOpDestroy(fresh) == MLUOP_STATUS_SUCCESS ? kAllRight : kDestroyFailed);
    }
    const ::testing::AssertionResult result = EndsWell(child);
    EXPECT_TRUE(result) << "round " << round;
    if (!result) break;
  }
  stop = true;
  busy.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
