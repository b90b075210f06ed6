#include "torch_ops/threads.h"

#include <pthread.h>
#include <torch/csrc/stable/ops.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace detops_torch {
namespace {

std::atomic<bool> torch_threads_taken = false;

// Holds torch's threads from a thread's first call until it ends.
class Claim {
 public:
  Claim() {
    static const bool watching_forks = pthread_atfork(nullptr, nullptr, &InChild) == 0;
    granted_ = watching_forks && !torch_threads_taken.exchange(true, std::memory_order_relaxed);
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim() {
    if (granted_) torch_threads_taken.store(false, std::memory_order_relaxed);
  }

  bool granted() const { return granted_; }
  static Claim& OfThisThread() {
    thread_local Claim claim;
    return claim;
  }

 private:
  // In the child of a fork torch's threads are gone for ever, also for the thread that had them.
  static void InChild() {
    torch_threads_taken.store(true, std::memory_order_relaxed);
    OfThisThread().granted_ = false;
  }

  bool granted_ = false;
};

// A detopsRunner_t. Tasks are taken one by one, because torch would give each thread a fixed share.
int RunOnTorchThreads(void* opaque, detopsTask_t task, void* context, int count) {
  std::atomic<int> next = 0;
  const auto take_tasks = [&](int64_t /*begin*/, int64_t /*end*/) {
    for (int index = next.fetch_add(1, std::memory_order_relaxed); index < count;
         index = next.fetch_add(1, std::memory_order_relaxed)) {
      task(context, index);
    }
  };
  const int64_t workers = std::min<int64_t>(reinterpret_cast<intptr_t>(opaque), count);
  if (workers <= 1) {
    take_tasks(0, 1);
    return 0;
  }
  try {
    torch::stable::parallel_for(0, workers, 1, take_tasks);
  } catch (...) {
    return 1;
  }
  return 0;
}

}  // namespace

detops_binding::Workers WorkersOfThisThread() {
  const int torch_threads = static_cast<int>(torch::stable::get_num_threads());
  const int own_number = detops_binding::SettingsOfThisThread().num_threads;
  const int num_threads = own_number >= 0 ? own_number : torch_threads;
  // More than torch has, and 0, "all", are the library's business.
  const bool torch_has_them = num_threads >= 1 && num_threads <= torch_threads;
  if (!torch_has_them || !Claim::OfThisThread().granted()) return {.num_threads = num_threads};
  return {.num_threads = num_threads,
          .runner = &RunOnTorchThreads,
          .opaque = reinterpret_cast<void*>(static_cast<intptr_t>(num_threads))};
}

}  // namespace detops_torch
