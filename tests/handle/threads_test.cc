// Threads around the operators: none is left behind, several callers at once, calls inside of calls.
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "detops.h"
#include "gtest/gtest.h"
#include "handle/align_case.h"
#include "support/handle.h"
#include "support/process.h"

namespace {

using detops_test::AlignCase;
using detops_test::ThreadsOfProcess;
using detops_test::ThreadsOfProcessBecome;

// Ends the program after some time: a deadlock must become a failure.
class Deadline {
 public:
  explicit Deadline(unsigned seconds) { alarm(seconds); }
  ~Deadline() { alarm(0); }
};

class Handle : public detops_test::Handle {
 public:
  explicit Handle(int threads) : detops_test::Handle(DETOPS_PROFILE_CONTRACT, threads) {}
  operator mluOpHandle_t() const { return get(); }  // NOLINT(google-explicit-constructor)
};

// The work of these tests, with its results from one thread.
class ThreadsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::thread([] {}).join();  // a sanitizer starts a thread of its own with the first one; that is not ours to count
    const Handle handle(1);
    ASSERT_EQ(work_.Forward(handle, forward_.data()), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(work_.Backward(handle, backward_.data()), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(detops_test::Disagreement(forward_, work_.ForwardReference()), "");
    ASSERT_EQ(detops_test::Disagreement(backward_, work_.BackwardReference()), "");
  }

  bool ForwardIsRight(mluOpHandle_t handle) const {
    std::vector<float> output(work_.size(), 77.0f);
    return work_.Forward(handle, output.data()) == MLUOP_STATUS_SUCCESS && output == forward_;
  }
  bool BackwardIsRight(mluOpHandle_t handle) const {
    std::vector<float> output(work_.size(), 77.0f);
    return work_.Backward(handle, output.data()) == MLUOP_STATUS_SUCCESS && output == backward_;
  }

  const Deadline deadline_{200};
  const AlignCase work_{{2, 50, 50, 64, 5}};
  std::vector<float> forward_ = std::vector<float>(work_.size());
  std::vector<float> backward_ = std::vector<float>(work_.size());
};

TEST_F(ThreadsTest, HandlesWithoutWorkStartNoThread) {
  const int before = ThreadsOfProcess();
  const Handle idle(4), single(1);
  EXPECT_TRUE(ForwardIsRight(single));
  EXPECT_EQ(ThreadsOfProcess(), before);
}

// The last handle goes and the first comes all the time, while others work.
TEST_F(ThreadsTest, EightThreadsCreateAndDestroyHandles) {
  const int before = ThreadsOfProcess();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 15; ++round) {
        const Handle handle(2 + (i + round) % 3);
        if (!ForwardIsRight(handle)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(ThreadsOfProcessBecome(before));
}

// A runner that uses the library itself, with another handle, before each of its tasks.
struct NestedRunner {
  const ThreadsTest* test;
  mluOpHandle_t inner;
  bool (*work)(const ThreadsTest*, mluOpHandle_t);
  std::atomic<int> wrong{0};
  std::atomic<int> calls{0};

  static int Run(void* self, detopsTask_t task, void* context, int count) {
    auto* runner = static_cast<NestedRunner*>(self);
    for (int i = 0; i < count; ++i) {
      if (i < 3) {
        ++runner->calls;
        if (!runner->work(runner->test, runner->inner)) ++runner->wrong;
      }
      task(context, i);
    }
    return 0;
  }
};

class NestedTest : public ThreadsTest {
 public:
  static bool Both(const ThreadsTest* test, mluOpHandle_t handle) {
    const auto* self = static_cast<const NestedTest*>(test);
    return self->ForwardIsRight(handle) && self->BackwardIsRight(handle);
  }
};

TEST_F(NestedTest, RunnerCallsTheLibraryWithAnotherHandle) {
  const Handle outer(4), inner(4);
  NestedRunner runner{this, inner, Both};
  ASSERT_EQ(detopsSetParallelRunner(outer, NestedRunner::Run, &runner), MLUOP_STATUS_SUCCESS);
  EXPECT_TRUE(ForwardIsRight(outer));
  EXPECT_TRUE(BackwardIsRight(outer));
  EXPECT_GT(runner.calls, 3);
  EXPECT_EQ(runner.wrong, 0);
}

TEST_F(NestedTest, RunnersInsideOfRunners) {
  const Handle outer(2), middle(3), inner(4);
  NestedRunner around_inner{this, inner, Both};
  NestedRunner around_middle{this, middle, Both};
  ASSERT_EQ(detopsSetParallelRunner(middle, NestedRunner::Run, &around_inner), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(detopsSetParallelRunner(outer, NestedRunner::Run, &around_middle), MLUOP_STATUS_SUCCESS);
  EXPECT_TRUE(ForwardIsRight(outer));
  EXPECT_GT(around_inner.calls, around_middle.calls);
  EXPECT_EQ(around_inner.wrong, 0);
  EXPECT_EQ(around_middle.wrong, 0);
}

// A runner with threads of its own, each of which also uses the library's threads through a handle of its own.
struct ThreadedRunner {
  const ThreadsTest* test;
  std::atomic<int> wrong{0};

  static int Run(void* self, detopsTask_t task, void* context, int count) {
    auto* runner = static_cast<ThreadedRunner*>(self);
    std::atomic<int> next{count - 1};
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        const Handle own(3);
        if (!NestedTest::Both(runner->test, own)) ++runner->wrong;
        for (int i = next--; i >= 0; i = next--) task(context, i);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return 0;
  }
};

TEST_F(NestedTest, ThreadsOfARunnerCallTheLibrary) {
  const Handle outer(8);
  ThreadedRunner runner{this};
  ASSERT_EQ(detopsSetParallelRunner(outer, ThreadedRunner::Run, &runner), MLUOP_STATUS_SUCCESS);
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(ForwardIsRight(outer));
    EXPECT_TRUE(BackwardIsRight(outer));
  }
  EXPECT_EQ(runner.wrong, 0);
}

}  // namespace
