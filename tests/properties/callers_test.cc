// All operators at once: many handles on many threads, threads that change between calls, a caller's own threads,
// processes that fork, and no thread left over.
#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "properties/calls.h"
#include "support/float_traps.h"
#include "support/long_tests.h"
#include "support/runner.h"
#include "support/sanitizers.h"

namespace detops_test {
namespace {

class Callers : public testing::Test {
 protected:
  void SetUp() override {
    std::thread([] {}).join();  // a sanitizer starts a thread of its own with the first one; that is not ours to count
    expected_ = Caller().Results();
  }

  std::vector<std::string> expected_;  // by one thread
};

TEST_F(Callers, SixteenHandlesAtOnce) {
  const int rounds = Rounds(kThreadSanitizer ? 1 : 3, 1000);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  threads.reserve(16);
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      Caller caller(1 + i % 4);
      for (int round = 0; round < rounds; ++round) wrong += caller.WrongCalls(expected_);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Callers, NumberOfThreadsChangesBetweenCalls) {
  Caller caller;
  for (const int threads : {4, 1, 64, 2, 3, 0, 1000, 1, 7}) {
    caller.handle.SetThreads(threads);
    ASSERT_EQ(caller.WrongCalls(expected_), 0) << threads << " threads";
  }
}

// Its own threads, the library's and its own again.
TEST_F(Callers, OwnThreads) {
  Caller caller(4);
  Runner runner;
  runner.own_threads = true;
  for (const bool own : {true, false, true}) {
    caller.handle.SetRunner(own ? Runner::Run : nullptr, own ? &runner : nullptr);
    EXPECT_EQ(caller.WrongCalls(expected_), 0);
  }
  EXPECT_GT(runner.tasks, static_cast<int>(caller.size()));
}

int ThreadsOfProcess() {
  int count = 0;
  DIR* directory = opendir("/proc/self/task");
  if (directory == nullptr) return -1;
  while (const dirent* entry = readdir(directory)) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

TEST_F(Callers, NoThreadIsLeftAfterTheLastHandle) {
  const int before = ThreadsOfProcess();
  for (int round = 0; round < Rounds(3, 200); ++round) {
    {
      Caller caller(4);
      ASSERT_EQ(caller.WrongCalls(expected_), 0);
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

// The child uses the parent's handle, with its scratch memory, and a new one.
TEST_F(Callers, ChildOfAForkUsesEveryOperator) {
  if (kThreadSanitizer) GTEST_SKIP() << "the thread sanitizer ends a child that starts threads";
  Caller old(4);
  ASSERT_EQ(old.WrongCalls(expected_), 0);
  for (int round = 0; round < Rounds(8, 500); ++round) {
    const pid_t child = fork();
    if (child == 0) _exit(old.WrongCalls(expected_) + Caller(3).WrongCalls(expected_));
    ASSERT_TRUE(EndsWell(child)) << "round " << round;
  }
  EXPECT_EQ(old.WrongCalls(expected_), 0) << "the parent works on";
}

}  // namespace
}  // namespace detops_test
