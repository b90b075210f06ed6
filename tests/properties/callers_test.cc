// All operators at once: many handles on many threads, threads that change between calls, a caller's own threads,
// processes that fork, and no thread left over.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "properties/calls.h"
#include "support/float_traps.h"
#include "support/long_tests.h"
#include "support/process.h"
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

TEST_F(Callers, NoThreadIsLeftAfterTheLastHandle) {
  const int before = ThreadsOfProcess();
  for (int round = 0; round < Rounds(3, 200); ++round) {
    {
      Caller caller(4);
      ASSERT_EQ(caller.WrongCalls(expected_), 0);
      EXPECT_GT(ThreadsOfProcess(), before) << "four threads were asked for and one works";
    }
    ASSERT_TRUE(ThreadsOfProcessBecome(before)) << "round " << round;
  }
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
