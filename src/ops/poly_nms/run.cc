// Scores give the order, boxes/suppression/suppression.h what is kept; indices are sorted at the end.
#include <algorithm>

#include "boxes/order/score_order.h"
#include "boxes/shape/numbers.h"
#include "boxes/suppression/suppression.h"
#include "core/arena.h"
#include "ops/poly_nms/problem.h"

namespace detops::poly_nms {
namespace {

using boxes::Quad;

// The order reads scores one behind the other. Floats hold all but doubles exactly.
mluOpDataType_t ScoreType(const Problem& problem) {
  return problem.type == MLUOP_DTYPE_DOUBLE ? MLUOP_DTYPE_DOUBLE : MLUOP_DTYPE_FLOAT;
}

struct Memory {
  Memory(const Problem& problem, Arena& arena)
      : scores(arena.Take<double>(problem.count)),
        order(arena.Take<uint32_t>(problem.count)),
        kept(arena.Take<uint32_t>(problem.count)) {
    const int64_t mark = arena.Mark();
    by_score = boxes::ScoreOrder::Take(arena, ScoreType(problem), problem.count);
    arena.Rewind(mark);  // the order is found before anything is suppressed
    suppression = boxes::Suppression<Quad>::Take(arena, problem.count);
  }

  void* scores;
  uint32_t* order;
  uint32_t* kept;
  boxes::ScoreOrder by_score;
  boxes::Suppression<Quad> suppression;
};

void GatherScores(const Problem& problem, void* scores) {
  for (int64_t i = 0; i < problem.count; ++i) {
    double score;
    boxes::ReadNumbers(problem.type, problem.boxes, i * kColumns + 8, 1, &score);
    boxes::WriteNumbers(ScoreType(problem), &score, 1, scores, i);
  }
}

RunResult RunOn(const Problem& problem, const Memory& memory, const Parallel& parallel, int64_t* kept) {
  GatherScores(problem, memory.scores);
  int64_t found = 0;
  if (!memory.by_score.Find(parallel, {ScoreType(problem), memory.scores, problem.count}, boxes::kNoLimit, memory.order,
                            &found)) {
    return RunResult::kRunnerFailed;
  }
  const auto quad_at = [&](int64_t i) {
    double numbers[8];
    boxes::ReadNumbers(problem.type, problem.boxes, memory.order[i] * kColumns, 8, numbers);
    return boxes::MakeQuad(numbers);
  };
  boxes::SuppressionCounts counts;
  if (!memory.suppression.Run(parallel, {problem.threshold}, found, quad_at, memory.kept, &counts)) {
    return RunResult::kRunnerFailed;
  }
  for (int64_t i = 0; i < counts.kept; ++i) memory.kept[i] = memory.order[memory.kept[i]];
  std::sort(memory.kept, memory.kept + counts.kept);
  for (int64_t i = 0; i < counts.kept; ++i) {
    if (problem.index_type == MLUOP_DTYPE_INT64) {
      StoreElement(problem.output, i, static_cast<int64_t>(memory.kept[i]));
    } else {
      StoreElement(problem.output, i, static_cast<int32_t>(memory.kept[i]));
    }
  }
  *kept = counts.kept;
  return RunResult::kDone;
}

}  // namespace

RunResult Run(const Problem& problem, const Parallel& parallel, Scratch& scratch, int64_t* kept) {
  return RunPass(
      scratch, [&](Arena& arena) { return Memory(problem, arena); },
      [&](const Memory& memory) { return RunOn(problem, memory, parallel, kept); });
}

}  // namespace detops::poly_nms
