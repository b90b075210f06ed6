// All operators at once: many handles on many threads with shared inputs, threads that change between calls, a caller's
// own threads, processes that fork, and no thread left behind.
#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "reliability/mixed_work.h"
#include "support/long_tests.h"
#include "support/runner.h"
#include "support/sanitizers.h"

namespace detops_test {
namespace {

class MixedThreads : public testing::Test {
 protected:
  void SetUp() override {
    std::thread([] {}).join();  // a sanitizer starts a thread of its own with the first one; that is not ours to count
    for (size_t call = 0; call < MixedUser::Calls(); ++call) {
      ASSERT_EQ(alone_.Run(call), MLUOP_STATUS_SUCCESS) << MixedUser::NameOf(call) << ": " << alone_.handle.LastError();
    }
  }

  const MixedInputs inputs_;
  MixedUser alone_{inputs_};  // the results of one thread
};

// Sixteen threads, each with a handle of its own; inputs and the rulebook belong to all.
TEST_F(MixedThreads, SixteenHandlesShareTheirInputs) {
  const int rounds = Rounds(kThreadSanitizer ? 3 : 8, 2000);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  threads.reserve(16);
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      MixedUser user(inputs_, 1 + i % 4);
      for (int round = 0; round < rounds; ++round) wrong += user.WrongCalls(alone_);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(MixedThreads, NumberOfThreadsChangesBetweenCalls) {
  MixedUser user(inputs_);
  for (size_t call = 0; call < MixedUser::Calls(); ++call) {
    SCOPED_TRACE(MixedUser::NameOf(call));
    for (const int threads : {4, 1, 64, 2, 3, 0, 1000, 1, 7}) {
      user.handle.SetThreads(threads);
      ASSERT_EQ(user.Run(call), MLUOP_STATUS_SUCCESS) << user.handle.LastError();
      ASSERT_TRUE(user.Same(call, alone_)) << threads << " threads";
    }
  }
}

// Its own threads, the library's and its own again.
TEST_F(MixedThreads, CallersOwnThreads) {
  MixedUser user(inputs_, 4);
  Runner runner;
  runner.own_threads = true;
  for (const bool own : {true, false, true}) {
    user.handle.SetRunner(own ? Runner::Run : nullptr, own ? &runner : nullptr);
    EXPECT_EQ(user.WrongCalls(alone_), 0);
  }
  EXPECT_GT(runner.tasks, static_cast<int>(MixedUser::Calls()));
}

int ThreadsOfProcess() {
  int count = 0;
  DIR* directory = opendir("/proc/self/task");
  if (directory == nullptr) return -1;
  while (const dirent* entry = readdir(directory)) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

TEST(MixedThreadsEnd, NoThreadIsLeftAfterTheLastHandle) {
  std::thread([] {}).join();
  const int before = ThreadsOfProcess();
  for (int round = 0; round < Rounds(5, 200); ++round) {
    {
      const MixedInputs inputs;
      MixedUser user(inputs, 4);
      for (size_t call = 0; call < MixedUser::Calls(); ++call) ASSERT_EQ(user.Run(call), MLUOP_STATUS_SUCCESS);
      EXPECT_GT(ThreadsOfProcess(), before) << "four threads were asked for and one works";
    }
    // A thread that has been joined may be listed for a moment longer.
    for (int i = 0; i < 200 && ThreadsOfProcess() != before; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_EQ(ThreadsOfProcess(), before) << "round " << round;
  }
}

// Waits for the child, but not for ever: a child that hangs is ended and named.
testing::AssertionResult EndsWell(pid_t child) {
  if (child < 0) return testing::AssertionFailure() << "fork failed";
  int status = 0;
  const auto start = std::chrono::steady_clock::now();
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(120)) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return testing::AssertionFailure() << "the child hangs";
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return testing::AssertionSuccess();
  if (WIFSIGNALED(status)) return testing::AssertionFailure() << "the child got signal " << WTERMSIG(status);
  return testing::AssertionFailure() << "the child has " << WEXITSTATUS(status) << " wrong calls";
}

// The child uses the parent's handle, with its scratch memory, and a new one, on inputs of the parent.
TEST_F(MixedThreads, ChildOfAForkUsesEveryOperator) {
  if (kThreadSanitizer) GTEST_SKIP() << "the thread sanitizer ends a child that starts threads";
  MixedUser old(inputs_, 4);
  ASSERT_EQ(old.WrongCalls(alone_), 0);
  for (int round = 0; round < Rounds(20, 1000); ++round) {
    const pid_t child = fork();
    if (child == 0) {
      int wrong = old.WrongCalls(alone_);
      MixedUser fresh(inputs_, 3);
      wrong += fresh.WrongCalls(alone_);
      _exit(wrong);
    }
    ASSERT_TRUE(EndsWell(child)) << "round " << round;
  }
  EXPECT_EQ(old.WrongCalls(alone_), 0) << "the parent works on";
}

}  // namespace
}  // namespace detops_test
