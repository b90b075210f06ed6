// Cuts the work into pieces.
#include "ops/@room@/problem.h"

namespace detops::@room@ {

RunResult Run(const Problem& problem, Kernel kernel, const Parallel& parallel) {
  constexpr int64_t kLeastElements = 16 << 10;  // below this one thread is done before another has started
  const int tasks = parallel.TaskCount(problem.elements, kLeastElements);
  const bool done = parallel.Run(tasks, [&](int task) {
    const Range piece = PieceOf(problem.elements, tasks, task);
    kernel(problem, piece.begin, piece.end);
  });
  return done ? RunResult::kDone : RunResult::kRunnerFailed;
}

}  // namespace detops::@room@
