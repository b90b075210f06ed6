// How a handle spreads work over threads.
//
// Operators cut work into tasks whose results do not depend on who runs them or in which order, so that the bits
// of an output are the same for any number of threads and any runner.
#ifndef DETOPS_CORE_PARALLEL_H_
#define DETOPS_CORE_PARALLEL_H_

#include <algorithm>
#include <cstdint>

#include "detops/handle.h"

namespace detops {

// The number of CPUs this process may run on now, or DETOPS_NUM_THREADS if that is a whole number above 0.
int DefaultThreadCount();

// A half-open range of work items.
struct Range {
  int64_t begin;
  int64_t end;
};

// Piece `index` of `count` nearly equal pieces of [0, total).
inline Range PieceOf(int64_t total, int count, int index) {
  const int64_t base = total / count;
  const int64_t extra = total % count;
  const int64_t begin = base * index + std::min<int64_t>(index, extra);
  return {begin, begin + base + (index < extra ? 1 : 0)};
}

class Parallel {
 public:
  Parallel() = default;
  // Without a look at the system. `count` >= 1.
  explicit Parallel(int count) : thread_count_(count) {}

  // 0: the default of this moment. `count` >= 0.
  void SetThreadCount(int count) { thread_count_ = count > 0 ? count : DefaultThreadCount(); }
  int ThreadCount() const { return thread_count_; }

  void SetRunner(detopsRunner_t runner, void* opaque) {
    runner_ = runner;
    opaque_ = opaque;
  }

  // No call is cut into more tasks than this.
  static constexpr int kMaxTasks = 4096;

  // Into how many tasks to cut `items` of work so that each has at least `min_items` and threads that finish
  // early find something to do. 1 when one thread is faster.
  int TaskCount(int64_t items, int64_t min_items) const;

  // Runs body(i) once for every i in [0, count), count <= kMaxTasks. False if the caller's runner failed.
  template <class Body>
  [[nodiscard]] bool Run(int count, const Body& body) const {
    return RunTasks(
        count, [](void* context, int index) { (*static_cast<const Body*>(context))(index); },
        const_cast<void*>(static_cast<const void*>(&body)));
  }

  // body(piece) for each of `count` nearly equal pieces of [0, total).
  template <class Body>
  [[nodiscard]] bool RunPieces(int count, int64_t total, const Body& body) const {
    return Run(count, [&](int index) { body(PieceOf(total, count, index)); });
  }
  // Pieces of at least `min_items` of the items, as TaskCount says.
  template <class Body>
  [[nodiscard]] bool RunItems(int64_t items, int64_t min_items, const Body& body) const {
    return RunPieces(TaskCount(items, min_items), items, body);
  }

 private:
  bool RunTasks(int count, detopsTask_t task, void* context) const;

  int thread_count_ = DefaultThreadCount();
  detopsRunner_t runner_ = nullptr;
  void* opaque_ = nullptr;
};

}  // namespace detops

#endif  // DETOPS_CORE_PARALLEL_H_
