#include <algorithm>
#include <limits>

#include "core/arena.h"
#include "core/element_type.h"
#include "ops/soft_nms/problem.h"

namespace detops::soft_nms {

RunResult Run(const Problem& problem, const Parallel& parallel, Scratch& scratch, int64_t* emitted) {
  const auto make = [&](Arena& arena) { return boxes::ScoredBoxes::Take(arena, problem.count); };
  return RunPass(scratch, make, [&](boxes::ScoredBoxes& scored) {
    if (!scored.Read(problem.tensors, parallel)) return RunResult::kRunnerFailed;
    boxes::Begin(scored.contest, scored.boxes, 0, problem.count, scored.scores, problem.rules);
    int64_t done = 0;
    const auto emit = [&](const boxes::Contest::Winner& winner) {
      StoreIndex(problem.index_type, problem.output, done, winner.index);
      WithElementType(problem.tensors.scores_type,
                      [&]<typename T>() { StoreElement<T>(problem.new_scores, done, FromDouble<T>(winner.score)); });
      ++done;
    };
    for (;;) {
      const boxes::Contest::Winner winner = problem.round(scored.contest, problem.rules);
      if (winner.index < 0) break;
      emit(winner);
    }
    // Where the best score is -infinity, which a contest takes for "out", it belongs to the first winner.
    double* const end = scored.scores + problem.count;
    const double* first = std::find(scored.scores, end, -std::numeric_limits<double>::infinity());
    if (done == 0 && first != end) emit({first - scored.scores, *first});
    *emitted = done;
    return RunResult::kDone;
  });
}

}  // namespace detops::soft_nms
