// How work is cut and spread: every index once, for any number of threads, in the caller's float mode.
#include "core/parallel.h"

#include <atomic>
#include <bit>
#include <cfenv>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "core/thread_pool.h"
#include "gtest/gtest.h"

#if defined(__linux__)
#include <sched.h>
#endif

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace detops {
namespace {

// Workers live as long as somebody is registered.
class ParallelTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(ThreadPool::Shared().AddUser()); }
  void TearDown() override {
    ThreadPool::Shared().RemoveUser();
    EXPECT_EQ(ThreadPool::Shared().WorkerCount(), 0);
  }
};

Parallel WithThreads(int threads) {
  Parallel parallel;
  parallel.SetThreadCount(threads);
  return parallel;
}

TEST(PieceOfTest, PiecesCoverExactlyAndAreNearlyEqual) {
  const int64_t totals[] = {0, 1, 2, 3, 7, 8, 9, 100, 1023, (int64_t{1} << 31) + 5, INT64_MAX - 1, INT64_MAX};
  for (const int64_t total : totals) {
    for (const int count : {1, 2, 3, 4, 5, 7, 8, 9, 16, 64, 1000}) {
      int64_t next = 0, smallest = INT64_MAX, largest = 0;
      for (int i = 0; i < count; ++i) {
        const Range range = PieceOf(total, count, i);
        ASSERT_EQ(range.begin, next) << total << " in " << count;
        ASSERT_GE(range.end, range.begin);
        smallest = std::min(smallest, range.end - range.begin);
        largest = std::max(largest, range.end - range.begin);
        next = range.end;
      }
      ASSERT_EQ(next, total) << "in " << count;
      EXPECT_LE(largest - smallest, 1) << total << " in " << count;
    }
  }
}

TEST(TaskCountTest, Bounds) {
  const int64_t numbers[] = {0, 1, 2, 9, 10, 11, 99, 1000, 12345, int64_t{1} << 40, INT64_MAX};
  for (const int threads : {1, 2, 3, 8, 255, 100000, INT_MAX}) {
    const Parallel parallel = WithThreads(threads);
    for (const int64_t items : numbers) {
      for (const int64_t min_items : numbers) {
        const int tasks = parallel.TaskCount(items, min_items);
        ASSERT_GE(tasks, 1);
        ASSERT_LE(tasks, Parallel::kMaxTasks);
        if (threads == 1) {
          EXPECT_EQ(tasks, 1);
        }
        if (items <= min_items) {
          EXPECT_EQ(tasks, 1) << items << " items of at least " << min_items;
        }
        if (tasks > 1) {
          EXPECT_GE(items / tasks, min_items) << items << " in " << tasks << ": a task is too small";
        }
      }
    }
  }
}

TEST(TaskCountTest, LargeWorkGivesEveryThreadSomething) {
  for (int threads = 1; threads <= 64; ++threads) {
    EXPECT_GE(WithThreads(threads).TaskCount(int64_t{1} << 40, 1), threads);
    EXPECT_GE(WithThreads(threads).TaskCount(int64_t{1} << 40, 1000), threads);
  }
}

TEST(ThreadCountTest, ZeroIsTheDefault) {
  EXPECT_GE(DefaultThreadCount(), 1);
  Parallel parallel;
  EXPECT_EQ(parallel.ThreadCount(), DefaultThreadCount());
  parallel.SetThreadCount(DefaultThreadCount() + 3);
  EXPECT_EQ(parallel.ThreadCount(), DefaultThreadCount() + 3);
  parallel.SetThreadCount(0);
  EXPECT_EQ(parallel.ThreadCount(), DefaultThreadCount());
}

#if defined(__linux__)
// A process may be moved to fewer cores while it runs: who asks then gets their number.
TEST(ThreadCountTest, TheDefaultIsThatOfTheMoment) {
  if (std::getenv("DETOPS_NUM_THREADS") != nullptr) GTEST_SKIP() << "the variable says how many";
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  }
  Parallel before;
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  const Parallel during;
  EXPECT_EQ(during.ThreadCount(), 1);
  EXPECT_EQ(before.ThreadCount(), CPU_COUNT(&all)) << "a handle changed by itself";
  before.SetThreadCount(0);
  EXPECT_EQ(before.ThreadCount(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
  before.SetThreadCount(0);
  EXPECT_EQ(before.ThreadCount(), CPU_COUNT(&all));
}
#endif

// Runs `count` tasks and says how often each index came.
void ExpectEveryIndexOnce(const Parallel& parallel, int count) {
  std::vector<std::atomic<int>> seen(static_cast<size_t>(count) + 1);
  std::atomic<int> outside{0};
  ASSERT_TRUE(parallel.Run(count, [&](int index) {
    if (index < 0 || index >= count) {
      ++outside;
    } else {
      ++seen[static_cast<size_t>(index)];
    }
  }));
  ASSERT_EQ(outside, 0);
  for (int i = 0; i < count; ++i) ASSERT_EQ(seen[static_cast<size_t>(i)], 1) << i << " of " << count;
}

TEST_F(ParallelTest, EveryIndexOnce) {
  for (int threads = 1; threads <= 9; ++threads) {
    const Parallel parallel = WithThreads(threads);
    for (const int count : {0, 1, 2, 3, 8, 9, 10, 36, 1000}) {
      SCOPED_TRACE(threads);
      ExpectEveryIndexOnce(parallel, count);
    }
  }
}

TEST_F(ParallelTest, ManyRounds) {
  std::mt19937 random(7);
  for (int round = 0; round < 5000; ++round) {
    SCOPED_TRACE(round);
    ExpectEveryIndexOnce(WithThreads(1 + static_cast<int>(random() % 9)), static_cast<int>(random() % 40));
    if (HasFatalFailure()) return;
    if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // lets workers fall asleep
  }
}

// What a task wrote is there when Run returns.
TEST_F(ParallelTest, ResultsAreVisibleOnReturn) {
  const Parallel parallel = WithThreads(4);
  std::vector<int> results(64);
  for (int round = 1; round <= 2000; ++round) {
    ASSERT_TRUE(parallel.Run(64, [&](int index) { results[static_cast<size_t>(index)] = round * 100 + index; }));
    for (int i = 0; i < 64; ++i) ASSERT_EQ(results[static_cast<size_t>(i)], round * 100 + i);
  }
}

// Holds each task until `count` of them run at the same time, so that each is on a thread of its own.
class Meeting {
 public:
  explicit Meeting(int count) : count_(count) {}
  // False when the others do not come.
  bool Join() {
    ++here_;
    const auto start = std::chrono::steady_clock::now();
    while (here_ < count_) {
      if (std::chrono::steady_clock::now() - start > std::chrono::seconds(20)) return false;
      std::this_thread::yield();
    }
    return true;
  }

 private:
  const int count_;
  std::atomic<int> here_{0};
};

TEST_F(ParallelTest, AsManyThreadsAsAskedFor) {
  for (const int threads : {2, 3, 9, 4}) {
    Meeting meeting(threads);
    std::atomic<int> missed{0};
    std::vector<std::thread::id> ids(static_cast<size_t>(threads));
    ASSERT_TRUE(WithThreads(threads).Run(threads, [&](int index) {
      if (!meeting.Join()) ++missed;
      ids[static_cast<size_t>(index)] = std::this_thread::get_id();
    }));
    ASSERT_EQ(missed, 0) << threads;
    const std::set<std::thread::id> distinct(ids.begin(), ids.end());
    EXPECT_EQ(distinct.size(), static_cast<size_t>(threads));
    EXPECT_EQ(distinct.count(std::this_thread::get_id()), 1u) << "the caller works too";
  }
}

TEST_F(ParallelTest, NeverMoreThreadsThanAskedFor) {
  ExpectEveryIndexOnce(WithThreads(9), 100);  // leaves eight workers for the next calls to find
  for (const int threads : {1, 2, 3}) {
    std::atomic<int> inside{0}, most{0};
    ASSERT_TRUE(WithThreads(threads).Run(60, [&](int) {
      const int now = ++inside;
      int seen = most;
      while (seen < now && !most.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::sleep_for(std::chrono::microseconds(300));
      --inside;
    }));
    EXPECT_LE(most, threads);
  }
}

TEST_F(ParallelTest, OneThreadStartsNoWorker) {
  ExpectEveryIndexOnce(WithThreads(1), 100);
  ExpectEveryIndexOnce(WithThreads(8), 1);
  EXPECT_EQ(ThreadPool::Shared().WorkerCount(), 0);
  ExpectEveryIndexOnce(WithThreads(4), 100);
  EXPECT_EQ(ThreadPool::Shared().WorkerCount(), 3);
}

TEST_F(ParallelTest, CallersAtTheSameTime) {
  std::vector<std::thread> callers;
  callers.reserve(6);
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([caller] {
      for (int round = 0; round < 500; ++round) ExpectEveryIndexOnce(WithThreads(2 + caller % 3), 20);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_F(ParallelTest, TasksMayRunTasks) {
  std::atomic<int> inner{0};
  const Parallel parallel = WithThreads(4);
  ASSERT_TRUE(parallel.Run(8, [&](int) {
    if (!WithThreads(4).Run(16, [&](int) { ++inner; })) inner = -1000000;
  }));
  EXPECT_EQ(inner, 8 * 16);
}

#if defined(__x86_64__)
// Both look at the bits: a comparison would itself count subnormal numbers as zero in some modes.
// Whether the product of two small numbers, which is subnormal, becomes 0.
bool FlushesResults() {
  volatile float a = 0x1p-100f, b = 0x1p-30f;
  return std::bit_cast<uint32_t>(a * b) == 0;
}
// Whether a subnormal number counts as 0 in a product that is not subnormal.
bool ReadsZeros() {
  volatile float a = 0x1p-130f;
  return std::bit_cast<uint32_t>(a * 0x1p20f) == 0;
}

TEST_F(ParallelTest, TasksSeeTheCallersFloatMode) {
  constexpr int kThreads = 4;
  const unsigned before = _mm_getcsr();
  struct Mode {
    bool flush, zeros;
  };
  for (const Mode mode :
       {Mode{true, true}, Mode{false, false}, Mode{true, false}, Mode{false, true}, Mode{false, false}}) {
    _MM_SET_FLUSH_ZERO_MODE(mode.flush ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
    _mm_setcsr((_mm_getcsr() & ~0x40u) | (mode.zeros ? 0x40u : 0u));
    Meeting meeting(kThreads);
    std::atomic<int> missed{0}, wrong{0};
    const bool ran = WithThreads(kThreads).Run(kThreads, [&](int) {
      if (!meeting.Join()) ++missed;
      if (FlushesResults() != mode.flush) ++wrong;
      if (ReadsZeros() != mode.zeros) ++wrong;
    });
    const bool kept = (_mm_getcsr() & 0x8040u) == ((mode.flush ? 0x8000u : 0u) | (mode.zeros ? 0x40u : 0u));
    _mm_setcsr(before);
    ASSERT_TRUE(ran);
    ASSERT_EQ(missed, 0);
    EXPECT_EQ(wrong, 0) << "flush " << mode.flush << ", zeros " << mode.zeros;
    EXPECT_TRUE(kept) << "the caller's own mode was changed";
  }
}
#endif

TEST_F(ParallelTest, TasksSeeTheCallersRounding) {
  constexpr int kThreads = 3;
  for (const int mode : {FE_UPWARD, FE_TOWARDZERO, FE_DOWNWARD, FE_TONEAREST}) {
    Meeting meeting(kThreads);
    std::atomic<int> missed{0}, wrong{0};
    ASSERT_EQ(std::fesetround(mode), 0);
    const bool ran = WithThreads(kThreads).Run(kThreads, [&](int) {
      if (!meeting.Join()) ++missed;
      volatile float one = 1.0f, tiny = 0x1p-40f;
      const bool up = one + tiny > 1.0f, down = -one - tiny < -1.0f;
      if (up != (mode == FE_UPWARD) || down != (mode == FE_DOWNWARD)) ++wrong;
    });
    std::fesetround(FE_TONEAREST);
    ASSERT_TRUE(ran);
    ASSERT_EQ(missed, 0);
    EXPECT_EQ(wrong, 0) << mode;
  }
}

struct RunnerRecord {
  std::vector<int> counts = {};
  int result = 0;
  int leave_out = -1;     // a task that is not asked for
  bool disorder = false;  // every task is asked for twice, and some that do not exist
};

int RecordingRunner(void* opaque, detopsTask_t task, void* context, int count) {
  auto* record = static_cast<RunnerRecord*>(opaque);
  record->counts.push_back(count);
  for (int i = count - 1; i >= 0; --i) {
    if (i != record->leave_out) task(context, i);
    if (record->disorder) task(context, i);
  }
  if (record->disorder) {
    for (const int wrong : {-1, INT_MIN, count, count + 1, INT_MAX}) task(context, wrong);
  }
  return record->result;
}

TEST_F(ParallelTest, RunnerReplacesThePool) {
  RunnerRecord record;
  Parallel parallel = WithThreads(4);
  parallel.SetRunner(RecordingRunner, &record);
  ExpectEveryIndexOnce(parallel, 50);
  EXPECT_EQ(record.counts, std::vector<int>{50});
  EXPECT_EQ(ThreadPool::Shared().WorkerCount(), 0) << "the pool was used all the same";
  parallel.SetRunner(nullptr, nullptr);
  ExpectEveryIndexOnce(parallel, 50);
  EXPECT_EQ(record.counts, std::vector<int>{50}) << "the runner was taken away";
  EXPECT_EQ(ThreadPool::Shared().WorkerCount(), 3);
}

TEST_F(ParallelTest, RunnerFailures) {
  const auto runs = [](RunnerRecord record) {
    Parallel parallel = WithThreads(4);
    parallel.SetRunner(RecordingRunner, &record);
    return parallel.Run(10, [](int) {});
  };
  EXPECT_TRUE(runs({}));
  EXPECT_FALSE(runs({.result = 1}));
  EXPECT_FALSE(runs({.result = -1}));
  EXPECT_FALSE(runs({.leave_out = 9})) << "a task was forgotten";
  EXPECT_FALSE(runs({.leave_out = 0})) << "a task was forgotten";
}

// More tasks than there is room to count: none is run, with a runner and without.
TEST_F(ParallelTest, TooManyTasks) {
  RunnerRecord record;
  Parallel parallel = WithThreads(4);
  std::atomic<int> done{0};
  EXPECT_FALSE(parallel.Run(Parallel::kMaxTasks + 1, [&](int) { ++done; }));
  parallel.SetRunner(RecordingRunner, &record);
  EXPECT_FALSE(parallel.Run(Parallel::kMaxTasks + 1, [&](int) { ++done; }));
  EXPECT_EQ(done, 0);
  EXPECT_TRUE(record.counts.empty());
  EXPECT_TRUE(parallel.Run(Parallel::kMaxTasks, [&](int) { ++done; }));
  EXPECT_EQ(done, Parallel::kMaxTasks);
}

// What a wrong runner asks for beyond its duty is not done: it would write outside of the outputs, or add twice.
TEST_F(ParallelTest, RunnerThatAsksForTooMuch) {
  RunnerRecord record{.disorder = true};
  Parallel parallel = WithThreads(4);
  parallel.SetRunner(RecordingRunner, &record);
  for (const int count : {1, 10, 63, 64, 65, Parallel::kMaxTasks}) {
    std::vector<int> seen(static_cast<size_t>(count));
    int outside = 0;
    const bool ran = parallel.Run(
        count, [&](int index) { ++(index >= 0 && index < count ? seen[static_cast<size_t>(index)] : outside); });
    EXPECT_TRUE(ran) << "all tasks were done";
    EXPECT_EQ(outside, 0);
    EXPECT_EQ(seen, std::vector<int>(static_cast<size_t>(count), 1));
  }
}

#if defined(__x86_64__)
int ThreadRunner(void* /*opaque*/, detopsTask_t task, void* context, int count) {
  std::thread([=] {
    _mm_setcsr(0x1f80);  // a thread of the caller's in the default mode
    for (int i = 0; i < count; ++i) task(context, i);
  }).join();
  return 0;
}

TEST_F(ParallelTest, TasksOnARunnersThreadsSeeTheCallersFloatMode) {
  Parallel parallel = WithThreads(4);
  parallel.SetRunner(ThreadRunner, nullptr);
  const unsigned before = _mm_getcsr();
  for (const bool flush : {true, false}) {
    std::atomic<int> wrong{0};
    _MM_SET_FLUSH_ZERO_MODE(flush ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
    const bool ran = parallel.Run(5, [&](int) { wrong += FlushesResults() != flush ? 1 : 0; });
    _mm_setcsr(before);
    EXPECT_TRUE(ran);
    EXPECT_EQ(wrong, 0) << flush;
  }
}
#endif

}  // namespace
}  // namespace detops
