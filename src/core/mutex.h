// A mutex that needs no constructor, no destructor and no system: it serves while the program ends, for its threads
// may still run then, and in the child of a fork. std::mutex is so with glibc only: in mingw-w64 it is made at run
// time, and libc++ destroys it at the end.
#ifndef DETOPS_CORE_MUTEX_H_
#define DETOPS_CORE_MUTEX_H_

#include <atomic>
#include <cstdint>

#include "core/platform.h"

namespace detops {

class Mutex {
 public:
  void Lock() {
    uint32_t seen = kFree;
    if (state_.compare_exchange_strong(seen, kTaken, std::memory_order_acquire, std::memory_order_relaxed)) return;
    // Whoever sleeps has said so before. It may be the last that did, and then wakes somebody who is not there.
    while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
      AwaitChange(state_, kAwaited);
    }
  }

  void Unlock() {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) WakeOne(state_);
  }

 private:
  static constexpr uint32_t kFree = 0, kTaken = 1, kAwaited = 2;
  std::atomic<uint32_t> state_{kFree};
};

}  // namespace detops

#endif  // DETOPS_CORE_MUTEX_H_
