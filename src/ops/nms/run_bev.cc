// Boxes of seven numbers: one list, in the order in which it is given or in that of the scores.
#include "boxes/order/score_order.h"
#include "boxes/suppression/suppression.h"
#include "core/arena.h"
#include "core/element_type.h"
#include "ops/nms/problem.h"

namespace detops::nms {
namespace {

class Pass {
 public:
  Pass(Arena& arena, const Problem& problem) : problem_(problem) {
    suppression_ = boxes::Suppression<boxes::RotatedBox>::Take(arena, problem.count);
    places_ = arena.Take<uint32_t>(problem.count);
    if (problem.confidence == nullptr) return;
    order_ = boxes::ScoreOrder::Take(arena, problem.confidence_type, problem.count);
    ordered_ = arena.Take<uint32_t>(problem.count);
  }

  RunResult Run(const Parallel& parallel, int64_t* kept) {
    const bool given = problem_.confidence == nullptr;
    int64_t count = problem_.count;
    if (!given) {
      const boxes::Scores scores = {problem_.confidence_type, problem_.confidence, count};
      if (!order_.Find(parallel, scores, boxes::kNoLimit, ordered_, &count)) return RunResult::kRunnerFailed;
    }
    const auto index = [&](int64_t position) -> int64_t { return given ? position : ordered_[position]; };
    const auto box_at = [&](int64_t position) { return ReadBevBox(problem_, index(position)); };
    const boxes::SuppressionRules rules = {static_cast<double>(problem_.how.iou_threshold)};
    boxes::SuppressionCounts counts;
    if (!suppression_.Run(parallel, rules, count, box_at, places_, &counts)) return RunResult::kRunnerFailed;
    for (int64_t i = 0; i < counts.kept; ++i) {
      StoreIndex(problem_.output_type, problem_.output, i, index(places_[i]));
    }
    *kept = counts.kept;
    return RunResult::kDone;
  }

 private:
  const Problem& problem_;
  boxes::Suppression<boxes::RotatedBox> suppression_;
  uint32_t* places_;
  boxes::ScoreOrder order_ = {};
  uint32_t* ordered_ = nullptr;
};

}  // namespace

RunResult RunBev(const Problem& problem, const Parallel& parallel, Scratch& scratch, int64_t* kept) {
  return RunPass(
      scratch, [&](Arena& arena) { return Pass(arena, problem); },
      [&](Pass& pass) { return pass.Run(parallel, kept); });
}

}  // namespace detops::nms
