#include "boxes/suppression/ranked.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "boxes/order/label_groups.h"
#include "boxes/order/score_order.h"
#include "boxes/suppression/suppression.h"
#include "core/dynamic_tasks.h"
#include "core/element_type.h"
#include "core/simd_target.h"

namespace detops::boxes {

namespace {

constexpr int kMaxWorkers = 16;

// The rows of the problem as boxes.
template <class Box>
class Rows {
 public:
  explicit Rows(const RankedProblem& problem) : problem_(problem) {}

  Box operator()(int64_t row) const {
    return WithElementType(problem_.type, [&]<typename T>() {
      double numbers[8];
      const int64_t first = row * problem_.columns;
      const int64_t count = std::min<int64_t>(problem_.columns, 8);
      for (int64_t k = 0; k < count; ++k) numbers[k] = static_cast<double>(LoadReal<T>(problem_.boxes, first + k));
      return Make(numbers);
    });
  }

 private:
  Box Make(const double* n) const {
    if constexpr (std::is_same_v<Box, UprightBox>) {
      switch (problem_.format) {
        case RankedFormat::kCorners:
          return MakeUprightBox(n[0], n[1], n[2], n[3], problem_.offset);
        case RankedFormat::kCentre:
          return Centred(n[0], n[1], n[2], n[3]);
        default:  // z, dz and heading do not count, but must be numbers
          return std::isfinite(n[2]) && std::isfinite(n[5]) && std::isfinite(n[6]) ? Centred(n[0], n[1], n[3], n[4])
                                                                                   : MakeUprightBox(0, 0, 0, 0, 0);
      }
    } else if constexpr (std::is_same_v<Box, RotatedBox>) {
      if (problem_.format == RankedFormat::kRotated) return MakeRotatedBox(n[0], n[1], n[2], n[3], n[4]);
      const double z = std::isfinite(n[2]) && std::isfinite(n[5]) ? 0 : NAN;
      return MakeRotatedBox(n[0], n[1], n[3], n[4], n[6] + z);
    } else {
      return MakeQuad(n);
    }
  }

  static UprightBox Centred(double x, double y, double w, double h) {
    return MakeUprightBox(x - w / 2, y - h / 2, x + w / 2, y + h / 2, 0);
  }

  const RankedProblem& problem_;
};

template <class Box>
class Ranked {
 public:
  Ranked(const RankedProblem& problem, const Parallel& parallel, Arena& arena)
      : problem_(problem), parallel_(parallel), rows_(problem) {
    most_ = problem.pre_max > 0 ? std::min(problem.pre_max, problem.count) : problem.count;
    order_ = arena.Take<uint32_t>(most_);
    kept_ = arena.Take<uint32_t>(most_);
    // What is needed one after the other shares its place.
    const int64_t mark = arena.Mark();
    if (problem.scores != nullptr) by_score_ = ScoreOrder::Take(arena, problem.score_type, problem.count);
    arena.Rewind(mark);
    if (problem.labels != nullptr) {
      groups_ = LabelGroups::Take(arena, most_);
      stays_ = arena.Take<uint8_t>(most_);
      TakeWorkers(arena);
    }
    suppression_ = Suppression<Box>::Take(arena, most_);
  }

  bool Run(SuppressionCounts* counts) {
    if (!FindOrder()) return false;
    const bool ran = problem_.labels == nullptr ? SuppressAll(counts) : SuppressGroups(counts);
    if (!ran) return false;
    for (int64_t i = 0; i < counts->kept; ++i) StoreIndex(problem_.index_type, problem_.output, i, order_[kept_[i]]);
    return true;
  }

 private:
  struct Worker {
    Suppression<Box> suppression;
    uint32_t* kept;
    SuppressionCounts counts;
  };

  void TakeWorkers(Arena& arena) {
    workers_ = std::min(parallel_.ThreadCount(), kMaxWorkers);
    // A group that is larger than this occupies all threads by itself.
    most_of_worker_ = workers_ == 1 ? 0 : std::min(most_, 2 * most_ / workers_ + 64);
    if (workers_ == 1) return;
    for (int i = 0; i < workers_; ++i) {
      worker_[i].suppression = Suppression<Box>::Take(arena, most_of_worker_);
      worker_[i].kept = arena.Take<uint32_t>(most_of_worker_);
    }
  }

  bool FindOrder() {
    if (problem_.scores != nullptr) {
      const Scores scores = {problem_.score_type, problem_.scores, problem_.count};
      return by_score_.Find(parallel_, scores, most_, order_, &found_);
    }
    found_ = most_;
    std::iota(order_, order_ + found_, 0);
    return true;
  }

  SuppressionRules rules() const { return {problem_.threshold, problem_.post_max}; }

  bool SuppressAll(SuppressionCounts* counts) {
    return suppression_.Run(parallel_, rules(), found_, [this](int64_t i) { return rows_(order_[i]); }, kept_, counts);
  }

  bool SuppressGroup(const Parallel& parallel, const Suppression<Box>& suppression, int64_t group, uint32_t* kept,
                     SuppressionCounts* sum) {
    const uint32_t* places = groups_.places(group);
    SuppressionCounts counts;
    const bool ran = suppression.Run(
        parallel, rules(), groups_.size(group), [&](int64_t i) { return rows_(order_[places[i]]); }, kept, &counts);
    for (int64_t i = 0; i < counts.kept; ++i) stays_[places[kept[i]]] = 1;
    sum->tested += counts.tested;
    sum->computed += counts.computed;
    return ran;
  }

  bool SuppressGroups(SuppressionCounts* counts) {
    if (!groups_.Make(parallel_, problem_.label_type, problem_.labels, order_, found_)) return false;
    std::fill_n(stays_, found_, 0);
    // The large ones one after the other by all threads, then the others by one thread each.
    for (int64_t group = 0; group < groups_.groups(); ++group) {
      if (groups_.size(group) <= most_of_worker_) continue;
      if (!SuppressGroup(parallel_, suppression_, group, kept_, counts)) return false;
    }
    if (workers_ > 1) {
      const bool ran = RunDynamic(parallel_, workers_, groups_.groups(), [this](int index, int64_t group) {
        Worker& worker = worker_[index];
        // One thread runs without the caller's runner, so this cannot fail.
        if (groups_.size(group) > most_of_worker_) return;
        (void)SuppressGroup(Parallel(1), worker.suppression, group, worker.kept, &worker.counts);
      });
      if (!ran) return false;
    }
    for (int i = 0; i < workers_; ++i) {
      counts->tested += worker_[i].counts.tested;
      counts->computed += worker_[i].counts.computed;
    }
    const int64_t limit = rules().Limit(found_);
    counts->kept = 0;
    for (int64_t i = 0; i < found_ && counts->kept < limit; ++i) {
      if (stays_[i] != 0) kept_[counts->kept++] = static_cast<uint32_t>(i);
    }
    return true;
  }

  const RankedProblem& problem_;
  const Parallel& parallel_;
  const Rows<Box> rows_;
  int64_t most_ = 0, found_ = 0;
  uint32_t* order_;
  uint32_t* kept_;
  ScoreOrder by_score_ = {};
  LabelGroups groups_ = {};
  uint8_t* stays_ = nullptr;
  Suppression<Box> suppression_ = {};
  int workers_ = 0;
  int64_t most_of_worker_ = 0;
  Worker worker_[kMaxWorkers] = {};
};

template <class Box>
RunResult SuppressAs(const RankedProblem& problem, const Parallel& parallel, Scratch& scratch,
                     SuppressionCounts* counts) {
  return RunPass(
      scratch, [&](Arena& arena) { return Ranked<Box>(problem, parallel, arena); },
      [&](Ranked<Box>& ranked) { return ResultOf(ranked.Run(counts)); });
}

}  // namespace

int64_t RankedLimit(int64_t count, int64_t pre_max, int64_t post_max) {
  if (pre_max > 0) count = std::min(count, pre_max);
  return post_max > 0 ? std::min(count, post_max) : count;
}

RunResult SuppressRanked(const RankedProblem& problem, const Parallel& parallel, Scratch& scratch,
                         SuppressionCounts* counts) {
  *counts = {};
  switch (problem.format) {
    case RankedFormat::kRotated:
    case RankedFormat::kBev:
      return SuppressAs<RotatedBox>(problem, parallel, scratch, counts);
    case RankedFormat::kQuad:
      return SuppressAs<Quad>(problem, parallel, scratch, counts);
    default:
      return SuppressAs<UprightBox>(problem, parallel, scratch, counts);
  }
}

void LogSuppression(const Call& call, const RankedProblem& problem, const SuppressionCounts& counts) {
  call.Log(DETOPS_LOG_DISPATCH, "%lld boxes, %lld stay; %lld pairs tested, %lld computed; %s",
           static_cast<long long>(problem.count), static_cast<long long>(counts.kept),
           static_cast<long long>(counts.tested), static_cast<long long>(counts.computed), TargetName());
}

}  // namespace detops::boxes
