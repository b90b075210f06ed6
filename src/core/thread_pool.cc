#include "core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <new>
#include <thread>

#include "core/float_mode.h"
#include "core/mutex.h"
#include "core/platform.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace detops {
namespace {

constexpr int kMaxWorkers = 255;

// How long an idle worker looks for work before it sleeps. Waking a sleeper costs some 50 us in a virtual machine,
// so calls that follow each other closely should find the workers awake; longer would waste the user's power.
constexpr auto kAwake = std::chrono::microseconds(50);

void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

struct Job {
  detopsTask_t task = nullptr;
  void* context = nullptr;
  int count = 0;
  FloatMode float_mode;
};

// Who may work on the present job: an "open" bit, how many workers may still join, how many have joined. Workers
// join by compare-and-swap while the gate is open; the caller shuts it when no task is left and waits only for
// those who joined. A worker that wakes up late finds it shut and has touched nothing.
constexpr uint32_t kOpen = 1u << 31;
constexpr uint32_t kJoinedMask = 0xffff;
constexpr int kLimitShift = 16;
constexpr uint32_t kLimitMask = 0x7fff;

struct State {
  Mutex lifecycle;  // guards the next four and the starting of workers
  bool fork_handler_registered = false;
  int users = 0;
  ThreadHandle workers[kMaxWorkers] = {};
  std::atomic<int> worker_count{0};
  std::atomic<bool> stopping{false};

  std::atomic<bool> busy{false};   // somebody's job has the workers
  std::atomic<uint32_t> epoch{0};  // changes when there is news; sleepers wait on it
  std::atomic<uint32_t> gate{0};
  std::atomic<int> next{0};  // first task nobody has taken
  std::atomic<int> left{0};  // workers that joined and are done
  Job job;                   // written while the gate is shut and nobody is inside
};

// Never destroyed: a program may end while its threads still run.
alignas(64) constinit State g_state;

void TakeTasks(State& state, const Job& job) {
  for (;;) {
    const int index = state.next.fetch_add(1, std::memory_order_relaxed);
    if (index >= job.count) return;
    job.task(job.context, index);
  }
}

bool Join(State& state) {
  uint32_t gate = state.gate.load(std::memory_order_acquire);
  for (;;) {
    const uint32_t limit = (gate >> kLimitShift) & kLimitMask;
    if ((gate & kOpen) == 0 || (gate & kJoinedMask) >= limit) return false;
    if (state.gate.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
      return true;
    }
  }
}

// Returns when the epoch is no longer `seen`: first watching, then asleep.
void AwaitNews(State& state, uint32_t seen) {
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 32; ++i) {
      if (state.epoch.load(std::memory_order_acquire) != seen) return;
      Pause();
    }
  } while (std::chrono::steady_clock::now() - start < kAwake);
  AwaitChange(state.epoch, seen);
}

ThreadResult WorkerMain(void* argument) {
  State& state = g_state;
  auto seen = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(argument));
  for (;;) {
    AwaitNews(state, seen);
    seen = state.epoch.load(std::memory_order_acquire);
    if (state.stopping.load(std::memory_order_acquire)) return {};
    if (!Join(state)) continue;
    state.job.float_mode.Adopt();
    TakeTasks(state, state.job);
    state.left.fetch_add(1, std::memory_order_release);
  }
}

// In the child of a fork only the calling thread lives on: forget the workers, start others when needed. Handles
// made before the fork stay registered, for the child may use and destroy them.
void ResetInChild() {
  const int users = g_state.users;
  new (&g_state) State;
  g_state.users = users;
  g_state.fork_handler_registered = true;
}

// Starts workers until there are `wanted`, or the system refuses.
void StartWorkers(State& state, int wanted) {
  state.lifecycle.Lock();
  int count = state.worker_count.load(std::memory_order_relaxed);
  while (count < wanted) {
    const auto seen = static_cast<uintptr_t>(state.epoch.load(std::memory_order_relaxed));
    char name[20];
    std::snprintf(name, sizeof(name), "detops-%d", count + 1);
    if (!StartThread(WorkerMain, reinterpret_cast<void*>(seen), name, &state.workers[count])) break;
    ++count;
  }
  state.worker_count.store(count, std::memory_order_release);
  state.lifecycle.Unlock();
}

void RunAlone(int count, detopsTask_t task, void* context) {
  for (int index = 0; index < count; ++index) task(context, index);
}

void AwaitLeavers(State& state, int joined) {
  for (int spins = 0; state.left.load(std::memory_order_acquire) != joined; ++spins) {
    if (spins < 4096) {
      Pause();
    } else {
      std::this_thread::yield();  // a worker lost its core; do not keep it from coming back
    }
  }
}

}  // namespace

ThreadPool& ThreadPool::Shared() {
  static ThreadPool pool;
  return pool;
}

bool ThreadPool::AddUser() {
  State& state = g_state;
  state.lifecycle.Lock();
  if (!state.fork_handler_registered) {
    state.fork_handler_registered = CallAtFork(nullptr, nullptr, ResetInChild);
  }
  const bool ok = state.fork_handler_registered;
  if (ok) ++state.users;
  state.lifecycle.Unlock();
  return ok;
}

void ThreadPool::RemoveUser() {
  State& state = g_state;
  state.lifecycle.Lock();
  if (--state.users == 0) {
    const int count = state.worker_count.load(std::memory_order_relaxed);
    state.stopping.store(true, std::memory_order_release);
    state.epoch.fetch_add(1, std::memory_order_release);
    WakeAll(state.epoch);
    for (int i = 0; i < count; ++i) JoinThread(state.workers[i]);
    state.worker_count.store(0, std::memory_order_relaxed);
    state.stopping.store(false, std::memory_order_release);
  }
  state.lifecycle.Unlock();
}

void ThreadPool::Run(int threads, int count, detopsTask_t task, void* context) {
  State& state = g_state;
  const int helpers = std::min({threads, count, kMaxWorkers + 1}) - 1;
  if (helpers <= 0 || state.busy.exchange(true, std::memory_order_acquire)) {
    RunAlone(count, task, context);
    return;
  }
  if (state.worker_count.load(std::memory_order_acquire) < helpers) StartWorkers(state, helpers);

  state.job = Job{task, context, count, FloatMode::OfThisThread()};
  state.next.store(0, std::memory_order_relaxed);
  state.left.store(0, std::memory_order_relaxed);
  state.gate.store(kOpen | (static_cast<uint32_t>(helpers) << kLimitShift), std::memory_order_release);
  state.epoch.fetch_add(1, std::memory_order_release);
  WakeAll(state.epoch);

  TakeTasks(state, state.job);
  const uint32_t gate = state.gate.fetch_and(~kOpen, std::memory_order_acq_rel);
  AwaitLeavers(state, static_cast<int>(gate & kJoinedMask));
  state.busy.store(false, std::memory_order_release);
}

int ThreadPool::WorkerCount() const { return g_state.worker_count.load(std::memory_order_acquire); }

}  // namespace detops
