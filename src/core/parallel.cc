#include "core/parallel.h"

#include <atomic>
#include <charconv>
#include <cstring>

#include "core/float_mode.h"
#include "core/platform.h"
#include "core/thread_pool.h"

namespace detops {
namespace {

// The value of DETOPS_NUM_THREADS, 0 if it is not a whole number above 0.
int EnvironmentCount() {
  const char* text = EnvironmentText("DETOPS_NUM_THREADS");
  if (text == nullptr) return 0;
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc() && stop == end && value > 0 ? value : 0;
}

// What a caller's runner gets instead of the operator's task. It does each task once, in the caller's float mode,
// however often the runner asks, and knows afterwards whether all were done: a runner that forgets or repeats tasks
// must not leave holes in an output or write to one twice.
class CheckedTasks {
 public:
  CheckedTasks(detopsTask_t task, void* context, int count) : task_(task), context_(context), count_(count) {}

  static void Run(void* self, int index) { static_cast<CheckedTasks*>(self)->RunOne(index); }

  bool AllDone() const { return done_.load(std::memory_order_acquire) == count_; }

 private:
  void RunOne(int index) {
    if (index < 0 || index >= count_) return;
    const uint64_t bit = uint64_t{1} << (index % 64);
    if ((started_[index / 64].fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return;
    const FloatMode own = FloatMode::OfThisThread();
    float_mode_.Adopt();
    task_(context_, index);
    own.Adopt();
    done_.fetch_add(1, std::memory_order_acq_rel);
  }

  const detopsTask_t task_;
  void* const context_;
  const int count_;
  const FloatMode float_mode_ = FloatMode::OfThisThread();
  std::atomic<int> done_{0};
  std::atomic<uint64_t> started_[Parallel::kMaxTasks / 64] = {};
};

}  // namespace

int DefaultThreadCount() {
  const int wanted = EnvironmentCount();
  return wanted > 0 ? wanted : ProcessorCount();
}

int Parallel::TaskCount(int64_t items, int64_t min_items) const {
  const int threads = ThreadCount();
  if (threads <= 1 || items <= min_items) return 1;
  // Four tasks a thread even out unequal tasks and a core that somebody else uses for a while.
  const int64_t wanted = std::min<int64_t>(items / std::max<int64_t>(min_items, 1), int64_t{4} * threads);
  return static_cast<int>(std::clamp<int64_t>(wanted, 1, kMaxTasks));
}

bool Parallel::RunTasks(int count, detopsTask_t task, void* context) const {
  if (count > kMaxTasks) return false;  // a slip of an operator must not write beyond what is there
  if (runner_ != nullptr) {
    CheckedTasks tasks(task, context, count);
    return runner_(opaque_, &CheckedTasks::Run, &tasks, count) == 0 && tasks.AllDone();
  }
  ThreadPool::Shared().Run(ThreadCount(), count, task, context);
  return true;
}

}  // namespace detops
