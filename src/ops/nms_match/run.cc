#include <limits>

#include "core/arena.h"
#include "core/element_type.h"
#include "ops/nms_match/problem.h"

namespace detops::nms_match {

RunResult Run(const Problem& problem, const Parallel& parallel, Scratch& scratch) {
  const auto make = [&](Arena& arena) { return boxes::ScoredBoxes::Take(arena, problem.count); };
  return RunPass(scratch, make, [&](boxes::ScoredBoxes& scored) {
    if (!scored.Read(problem.tensors, parallel)) return RunResult::kRunnerFailed;
    const boxes::SoftRules rules = {.weakening = boxes::Weakening::kJoin,
                                    .least_iou = problem.iou_threshold,
                                    .sigma = 1,
                                    .least_score = std::numeric_limits<double>::lowest(),
                                    .first_counts_always = false};
    boxes::Contest& contest = scored.contest;
    boxes::Begin(contest, scored.boxes, 0, problem.count, scored.scores, rules);
    while (problem.round(contest, rules).index >= 0) {
    }
    const auto set = [&](int64_t box, double head) {
      StoreIndex(problem.index_type, problem.group, box, static_cast<int64_t>(head));
    };
    // A box that took no part is alone.
    for (int64_t i = 0; contest.count < problem.count && i < problem.count; ++i) set(i, static_cast<double>(i));
    for (int64_t i = 0; i < contest.count; ++i) set(static_cast<int64_t>(contest.index[i]), contest.owner[i]);
    return RunResult::kDone;
  });
}

}  // namespace detops::nms_match
