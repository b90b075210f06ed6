// Boxes of four numbers: image by image and class by class. All threads share one class, or each has classes of its
// own.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "boxes/order/score_order.h"
#include "boxes/suppression/suppression.h"
#include "core/arena.h"
#include "core/dynamic_tasks.h"
#include "core/value_check.h"
#include "ops/nms/problem.h"

namespace detops::nms {
namespace {

// The next number above a float: "more than" is "from there on".
double Above(float number) {
  return std::nextafter(static_cast<double>(number), std::numeric_limits<double>::infinity());
}

bool IsHard(const cnnlNmsStruct& how) {
  const bool gaussian = how.method_mode == MLUOP_NMS_SOFT_NMS_GAUSSIAN;
  return how.method_mode == MLUOP_NMS_HARD_NMS || (gaussian && how.soft_nms_sigma == 0);
}

boxes::SoftRules RulesOf(const cnnlNmsStruct& how) {
  const bool linear = how.method_mode == MLUOP_NMS_SOFT_NMS_LINEAR;
  return {.weakening = linear ? boxes::Weakening::kLinear : boxes::Weakening::kGaussian,
          .least_iou = Above(how.iou_threshold),
          .sigma = 2 * static_cast<double>(how.soft_nms_sigma),
          .least_score = Above(how.confidence_threshold),
          .first_counts_always = false};
}

// What one class needs at a time: a class of images and their boxes.
class HardWork {
 public:
  static HardWork Take(Arena& arena, const Problem& problem) {
    HardWork work;
    work.order_ = boxes::ScoreOrder::Take(arena, problem.confidence_type, problem.count);
    work.suppression_ = boxes::Suppression<boxes::UprightBox>::Take(arena, problem.count);
    work.ordered_ = arena.Take<uint32_t>(problem.count);
    work.places_ = arena.Take<uint32_t>(problem.most());
    return work;
  }

  // False if the caller's runner failed.
  bool Run(const Problem& problem, const Parallel& parallel, int64_t pair, Kept* kept, int64_t* count) const {
    const int64_t image = pair / problem.classes;
    const boxes::Scores scores = {.type = problem.confidence_type,
                                  .data = problem.confidence,
                                  .count = problem.count,
                                  .first = pair * problem.count,
                                  .has_floor = true,
                                  .floor = static_cast<double>(problem.how.confidence_threshold)};
    int64_t candidates = 0;
    if (!order_.Find(parallel, scores, boxes::kNoLimit, ordered_, &candidates)) return false;
    const boxes::SuppressionRules rules = {static_cast<double>(problem.how.iou_threshold), problem.most()};
    const auto box_at = [&](int64_t position) { return ReadBox(problem, image, ordered_[position]); };
    boxes::SuppressionCounts counts;
    if (!suppression_.Run(parallel, rules, candidates, box_at, places_, &counts)) return false;
    *count = counts.kept;
    for (int64_t i = 0; i < counts.kept; ++i) {
      const int64_t box = ordered_[places_[i]];
      kept[i] = {box, ElementAsDouble(problem.confidence_type, problem.confidence, scores.first + box)};
    }
    return true;
  }

 private:
  boxes::ScoreOrder order_;
  boxes::Suppression<boxes::UprightBox> suppression_;
  uint32_t* ordered_;
  uint32_t* places_;
};

class SoftWork {
 public:
  static SoftWork Take(Arena& arena, const Problem& problem) {
    SoftWork work;
    work.boxes_ = boxes::UprightPlanes::Take(arena, problem.count);
    work.scores_ = arena.Take<double>(problem.count);
    work.contest_ = boxes::Contest::Take(arena, problem.count);
    return work;
  }

  bool Run(const Problem& problem, const Parallel& parallel, int64_t pair, Kept* kept, int64_t* count) {
    constexpr int64_t kLeastBoxes = 4096;  // below this one thread is done before another has started
    boxes_.Pad();
    const bool read = parallel.RunItems(problem.count, kLeastBoxes, [&](Range piece) {
      for (int64_t i = piece.begin; i < piece.end; ++i) boxes_.Set(i, ReadBox(problem, pair / problem.classes, i));
      boxes::ReadScores(problem.confidence_type, problem.confidence, pair * problem.count + piece.begin,
                        piece.end - piece.begin, scores_ + piece.begin);
    });
    if (!read) return false;
    const boxes::SoftRules rules = RulesOf(problem.how);
    boxes::Begin(contest_, boxes_, 0, problem.count, scores_, rules);
    for (*count = 0; *count < problem.most(); ++*count) {
      const boxes::Contest::Winner winner = problem.round(contest_, rules);
      if (winner.index < 0) break;
      kept[*count] = {winner.index, winner.score};
    }
    return true;
  }

 private:
  boxes::UprightPlanes boxes_;
  double* scores_;
  boxes::Contest contest_;
};

template <class Work>
class Pass {
 public:
  Pass(Arena& arena, const Problem& problem, int workers) : problem_(problem), workers_(workers) {
    // The first Take fixes how much each worker gets, at the same distance.
    work_ = arena.Take<Work>(workers);
    for (int worker = 0; worker < workers; ++worker) {
      const Work made = Work::Take(arena, problem);
      if (work_ != nullptr) work_[worker] = made;
    }
    kept_ = arena.Take<Kept>(SaturatingMultiply(problem.pairs(), problem.most()));
    counts_ = arena.Take<int64_t>(problem.pairs());
  }

  RunResult Run(const Parallel& parallel, int64_t* kept) {
    const auto run = [&](int worker, const Parallel& by, int64_t pair) {
      return work_[worker].Run(problem_, by, pair, kept_ + pair * problem_.most(), counts_ + pair);
    };
    if (problem_.pairs() == 1) {
      if (!run(0, parallel, 0)) return RunResult::kRunnerFailed;
    } else {
      const Parallel alone(1);
      const bool done = RunDynamic(parallel, workers_, problem_.pairs(),
                                   [&](int worker, int64_t pair) { (void)run(worker, alone, pair); });
      if (!done) return RunResult::kRunnerFailed;
    }
    *kept = std::accumulate(counts_, counts_ + problem_.pairs(), int64_t{0});
    Write(problem_, kept_, counts_);
    Pad(problem_, *kept);
    return RunResult::kDone;
  }

 private:
  const Problem& problem_;
  int workers_;
  Work* work_;
  Kept* kept_;
  int64_t* counts_;
};

template <class Work>
RunResult RunWith(const Problem& problem, const Parallel& parallel, Scratch& scratch, int64_t* kept) {
  const int64_t workers = std::min<int64_t>({problem.pairs(), parallel.ThreadCount(), Parallel::kMaxTasks});
  return RunPass(
      scratch, [&](Arena& arena) { return Pass<Work>(arena, problem, static_cast<int>(workers)); },
      [&](Pass<Work>& pass) { return pass.Run(parallel, kept); });
}

}  // namespace

RunResult Run(const Problem& problem, const Parallel& parallel, Scratch& scratch, int64_t* kept) {
  return IsHard(problem.how) ? RunWith<HardWork>(problem, parallel, scratch, kept)
                             : RunWith<SoftWork>(problem, parallel, scratch, kept);
}

}  // namespace detops::nms
