#include "core/parallel.h"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/thread_pool.h"

#if defined(__linux__)
#include <sched.h>
#endif

namespace detops {
namespace {

int AffinityCount() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// The value of DETOPS_NUM_THREADS, 0 if it is not a whole number above 0.
int EnvironmentCount() {
  const char* text = std::getenv("DETOPS_NUM_THREADS");
  if (text == nullptr) return 0;
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc() && stop == end && value > 0 ? value : 0;
}

// What a caller's runner gets instead of the operator's task: it counts, so that a runner that forgets tasks is
// noticed instead of leaving holes in an output.
struct CountedTask {
  detopsTask_t task;
  void* context;
  std::atomic<int> done{0};

  static void Call(void* self, int index) {
    auto* counted = static_cast<CountedTask*>(self);
    counted->task(counted->context, index);
    counted->done.fetch_add(1, std::memory_order_acq_rel);
  }
};

}  // namespace

int DefaultThreadCount() {
  static const int count = [] {
    const int wanted = EnvironmentCount();
    return wanted > 0 ? wanted : AffinityCount();
  }();
  return count;
}

int Parallel::TaskCount(int64_t items, int64_t min_items) const {
  const int threads = ThreadCount();
  if (threads <= 1 || items <= min_items) return 1;
  // Four tasks a thread even out unequal tasks and a core that somebody else uses for a while.
  const int64_t wanted = std::min<int64_t>(items / std::max<int64_t>(min_items, 1), int64_t{4} * threads);
  return static_cast<int>(std::clamp<int64_t>(wanted, 1, 1 << 20));
}

bool Parallel::RunTasks(int count, detopsTask_t task, void* context) const {
  if (runner_ != nullptr) {
    CountedTask counted{task, context};
    const int result = runner_(opaque_, &CountedTask::Call, &counted, count);
    return result == 0 && counted.done.load(std::memory_order_acquire) == count;
  }
  ThreadPool::Shared().Run(ThreadCount(), count, task, context);
  return true;
}

}  // namespace detops
