// The library's own threads, one set for the whole process.
//
// One pool, not one per handle: when several threads of a program call operators at the same time, the first
// gets the workers and the others work alone, so that the machine is never given more threads than it has cores
// because of us. Results do not depend on it.
#ifndef DETOPS_CORE_THREAD_POOL_H_
#define DETOPS_CORE_THREAD_POOL_H_

#include "detops/handle.h"

namespace detops {

class ThreadPool {
 public:
  static ThreadPool& Shared();

  // Handles register here; false if memory is short. When the last one leaves, all workers end before
  // RemoveUser returns.
  bool AddUser();
  void RemoveUser();

  // Runs task(context, i) for every i in [0, count) on the calling thread and up to threads - 1 workers;
  // returns when all are done. Workers are started when first needed; if the system has no thread left, the
  // call goes on with those there are.
  void Run(int threads, int count, detopsTask_t task, void* context);

  // Number of workers alive; for tests.
  int WorkerCount() const;
};

}  // namespace detops

#endif  // DETOPS_CORE_THREAD_POOL_H_
