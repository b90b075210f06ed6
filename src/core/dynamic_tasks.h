// Items that differ in work, handed out to whoever is free.
#ifndef DETOPS_CORE_DYNAMIC_TASKS_H_
#define DETOPS_CORE_DYNAMIC_TASKS_H_

#include <atomic>
#include <cstdint>

#include "core/parallel.h"

namespace detops {

// Calls body(worker, item) for every item of [0, items), the lower first. A worker, of [0, workers), has one item at a
// time, so it may have memory of its own; which one gets an item is chance, and must not change the result. False if
// the caller's runner failed.
//
// With `start`, every worker begins with start(worker), also one that gets no item.
template <class Start, class Body>
[[nodiscard]] bool RunDynamic(const Parallel& parallel, int workers, int64_t items, const Start& start,
                              const Body& body) {
  std::atomic<int64_t> next{0};
  return parallel.Run(workers, [&](int worker) {
    start(worker);
    for (int64_t item; (item = next.fetch_add(1, std::memory_order_relaxed)) < items;) body(worker, item);
  });
}

template <class Body>
[[nodiscard]] bool RunDynamic(const Parallel& parallel, int workers, int64_t items, const Body& body) {
  return RunDynamic(parallel, workers, items, [](int) {}, body);
}

}  // namespace detops

#endif  // DETOPS_CORE_DYNAMIC_TASKS_H_
