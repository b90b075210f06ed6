// Backward. First all numbers that will be used as places are looked at, and the voxels that hold something are marked:
// most hold nothing, and only the marked ones are read again. Then every task adds its own channels of its own points,
// voxel after voxel, so the order of a sum does not depend on the cutting. Averages are summed point after point
// instead, with the same bits, if their lists fit where the sums would be.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/arena.h"
#include "core/data_type.h"
#include "core/half.h"
#include "ops/roiaware_pool3d/backward/by_point.h"
#include "ops/roiaware_pool3d/problem.h"

namespace detops::roiaware_pool3d {
namespace {

constexpr int64_t kWordBits = 64;
constexpr int kMaxLooks = SharesByPoint::kMaxFinders;  // tasks of the first look

class BackwardPass {
 public:
  BackwardPass(const GradientProblem& problem, const Parallel& parallel) : problem_(problem), parallel_(parallel) {
    words_ = DivideRoundUp(problem.voxels, kWordBits);
    numbers_ = SaturatingMultiply(problem.points, problem.channels);
    element_bytes_ = static_cast<int64_t>(SizeOfType(problem.type));
  }

  RunResult Run(bool check, Scratch& scratch, GradientFault* fault) {
    if (!TakeFromScratch(scratch, [&](Arena& arena) { Take(arena); })) return RunResult::kNoMemory;
    return problem_.method == PoolMethod::kMax ? RunMax(check, fault) : RunAverage(check, fault);
  }

 private:
  void Take(Arena& arena) {
    marks_ = arena.Take<uint64_t>(words_);
    sums_ = arena.Take<double>(numbers_);
  }

  RunResult RunMax(bool check, GradientFault* fault) {
    const int tasks = LookCount(problem_.channels);
    const auto clear = [&](int task) { ClearPiece(tasks, task); };  // while the look waits for memory
    const auto look = [&](int, int64_t word, Range voxels) { return LookAtArgmax(word, voxels, check); };
    if (!LookAtAll(tasks, clear, look, fault)) return RunResult::kRunnerFailed;
    return fault->kind == GradientFault::kNone ? AddAll() : RunResult::kDone;
  }

  RunResult RunAverage(bool check, GradientFault* fault) {
    constexpr int64_t kLineNumbers = 16;  // of a list, most of which are empty
    const int tasks = LookCount(kLineNumbers);
    SharesByPoint shares(problem_, sums_, numbers_, tasks);
    const auto look = [&](int task, int64_t word, Range voxels) {
      return LookAtLists(word, voxels, check,
                         [&](int64_t voxel, List list) { shares.Append(task, voxel, list.points, list.count); });
    };
    if (!LookAtAll(tasks, [](int) {}, look, fault)) return RunResult::kRunnerFailed;
    if (check && problem_.begins != nullptr && problem_.voxels == 0 && problem_.begins[0] != 0) {
      *fault = {GradientFault::kBegin, 0};
    }
    if (fault->kind != GradientFault::kNone) return RunResult::kDone;
    // The choice must not depend on the number of tasks: of two NaNs that are added the other way may keep the other.
    if (shares.CanHoldAll()) {
      if (!shares.IsComplete()) {
        shares.StartOver();
        VisitMarked([&](int64_t voxel) {
          const List list = ListOf(voxel);
          shares.Append(0, voxel, list.points, list.count);
        });
      }
      shares.Sort();
      return ResultOf(shares.Sum(parallel_));
    }
    const bool cleared = parallel_.Run(tasks, [&](int task) { ClearPiece(tasks, task); });
    return cleared ? AddAll() : RunResult::kRunnerFailed;
  }

  void ClearPiece(int tasks, int task) {
    const Range range = PieceOf(numbers_, tasks, task);
    std::fill(sums_ + range.begin, sums_ + range.end, 0.0);
  }

  RunResult AddAll() { return ResultOf(AddToSums() && StoreSums()); }

  // The points of a voxel; average only.
  struct List {
    const int32_t* points;
    int64_t count;
  };
  List ListOf(int64_t voxel) const {
    if (problem_.begins == nullptr) {
      const int32_t* row = problem_.pts_idx + voxel * problem_.max_points;
      return {row + 1, row[0]};
    }
    const int64_t begin = problem_.begins[voxel];
    return {problem_.pts_idx + begin, problem_.begins[voxel + 1] - begin};
  }

  int LookCount(int64_t numbers_of_voxel) const {
    constexpr int64_t kMinTaskNumbers = 50'000;
    return std::min(kMaxLooks, parallel_.TaskCount(problem_.voxels * numbers_of_voxel, kMinTaskNumbers));
  }

  // Calls start(task), look(task, word, voxels) for the words of `marks_`, and gives the first fault.
  template <class Start, class Look>
  bool LookAtAll(int tasks, const Start& start, const Look& look, GradientFault* fault) const {
    GradientFault found[kMaxLooks];
    const bool done = parallel_.Run(tasks, [&](int task) {
      start(task);
      const Range range = PieceOf(words_, tasks, task);
      for (int64_t word = range.begin; word < range.end; ++word) {
        const int64_t first = word * kWordBits;
        const GradientFault here = look(task, word, Range{first, std::min(first + kWordBits, problem_.voxels)});
        if (here.kind == GradientFault::kNone) continue;
        found[task] = here;
        return;
      }
    });
    for (int task = 0; task < tasks && fault->kind == GradientFault::kNone; ++task) *fault = found[task];
    return done;
  }

  GradientFault LookAtArgmax(int64_t word, Range voxels, bool check) {
    const auto points = static_cast<int32_t>(problem_.points);
    const int32_t* rows = problem_.argmax + voxels.begin * problem_.channels;
    bool bad = false;
    marks_[word] = problem_.kernels.inspect(rows, problem_.channels, voxels.end - voxels.begin, points, &bad);
    if (!bad || !check) return {};
    int64_t i = 0;
    while (rows[i] >= -1 && rows[i] < points) ++i;
    return {GradientFault::kArgmax, voxels.begin * problem_.channels + i};
  }

  // Calls found(voxel, list) for lists that hold something. First without a branch: an unforeseen one would also stop
  // the flow of lists from memory.
  template <class Found>
  GradientFault LookAtLists(int64_t word, Range voxels, bool check, const Found& found) {
    // The counts of the dense form are too far from each other for the processor to see them coming.
    constexpr int64_t kAhead = 48;
    uint64_t not_empty = 0;
    for (int64_t voxel = voxels.begin; voxel < voxels.end; ++voxel) {
      if (problem_.begins == nullptr) {
        __builtin_prefetch(problem_.pts_idx + std::min(voxel + kAhead, problem_.voxels - 1) * problem_.max_points);
      }
      not_empty |= static_cast<uint64_t>(ListOf(voxel).count != 0) << (voxel - voxels.begin);
    }
    // Of the compact form the first begin has to be looked at, too; any other that is wrong is the end of a wrong list.
    if (word == 0 && problem_.begins != nullptr) not_empty |= 1;
    uint64_t marks = 0;
    for (; not_empty != 0; not_empty &= not_empty - 1) {
      const uint64_t bit = not_empty & -not_empty;
      const int64_t voxel = voxels.begin + std::countr_zero(not_empty);
      if (check) {
        const GradientFault fault = LookAtList(voxel);
        if (fault.kind != GradientFault::kNone) return fault;
      }
      const List list = ListOf(voxel);
      if (list.count <= 0) continue;
      marks |= bit;
      found(voxel, list);
    }
    marks_[word] = marks;
    return {};
  }

  GradientFault LookAtList(int64_t voxel) const {
    if (problem_.begins != nullptr) {
      const int64_t begin = problem_.begins[voxel], end = problem_.begins[voxel + 1];
      if (begin < 0 || begin > problem_.listed_points || (voxel == 0 && begin != 0)) {
        return {GradientFault::kBegin, voxel};
      }
      if (end < begin || end > problem_.listed_points) return {GradientFault::kBegin, voxel + 1};
    }
    const List list = ListOf(voxel);
    if (problem_.begins == nullptr && (list.count < 0 || list.count > problem_.max_points - 1)) {
      return {GradientFault::kCount, voxel * problem_.max_points};
    }
    for (int64_t k = 0; k < list.count; ++k) {
      const int32_t point = list.points[k];
      if (point < 0 || point >= problem_.points) return {GradientFault::kPoint, list.points + k - problem_.pts_idx};
    }
    return {};
  }

  bool AddToSums() {
    // Channels are shared out first, in pieces of a cache line; then points.
    constexpr int64_t kMinTaskNumbers = 20'000;
    constexpr int64_t kChannelPiece = 8;
    constexpr int kMostTasks = 256;  // each looks at all marks
    const int64_t work = AddedRows();
    const int wanted =
        std::min({parallel_.TaskCount(work * problem_.channels, kMinTaskNumbers), parallel_.ThreadCount(), kMostTasks});
    const int channel_pieces =
        static_cast<int>(std::clamp<int64_t>(problem_.channels / kChannelPiece, 1, std::max(1, wanted)));
    const int point_pieces = static_cast<int>(std::min(DivideRoundUp(wanted, channel_pieces), problem_.points));
    return parallel_.Run(channel_pieces * point_pieces, [&](int task) {
      const Range channels = PieceOf(problem_.channels, channel_pieces, task % channel_pieces);
      const Range points = PieceOf(problem_.points, point_pieces, task / channel_pieces);
      VisitMarked([&](int64_t voxel) { Add(voxel, channels, points); });
    });
  }

  // Calls visit(voxel) for the voxels that hold something, in ascending order.
  template <class Visit>
  void VisitMarked(const Visit& visit) const {
    for (int64_t word = 0; word < words_; ++word) {
      PrefetchWord(word + kWordsAhead);
      for (uint64_t marks = marks_[word]; marks != 0; marks &= marks - 1) {
        visit(word * kWordBits + std::countr_zero(marks));
      }
    }
  }

  // Rows of channels that are added: one per marked voxel, or per listed point.
  int64_t AddedRows() const {
    int64_t rows = 0;
    for (int64_t word = 0; word < words_; ++word) {
      if (problem_.method == PoolMethod::kMax) {
        rows += std::popcount(marks_[word]);
        continue;
      }
      for (uint64_t marks = marks_[word]; marks != 0; marks &= marks - 1) {
        rows += ListOf(word * kWordBits + std::countr_zero(marks)).count;
      }
    }
    return rows;
  }

  // Marked voxels are rare and anywhere.
  static constexpr int64_t kWordsAhead = 6;
  void PrefetchWord(int64_t word) const {
    if (word >= words_) return;
    for (uint64_t marks = marks_[word]; marks != 0; marks &= marks - 1) {
      const int64_t voxel = word * kWordBits + std::countr_zero(marks);
      __builtin_prefetch(GradientOf(voxel));
      const bool max = problem_.method == PoolMethod::kMax;
      if (max) __builtin_prefetch(problem_.argmax + voxel * problem_.channels);
      if (!max && problem_.begins == nullptr) __builtin_prefetch(problem_.pts_idx + voxel * problem_.max_points);
    }
  }

  const char* GradientOf(int64_t voxel) const {
    return static_cast<const char*>(problem_.grad_out) + voxel * problem_.channels * element_bytes_;
  }

  void Add(int64_t voxel, Range channels, Range points) {
    VoxelGradient gradient = {};
    gradient.gradient = GradientOf(voxel);
    gradient.channels = problem_.channels;
    gradient.channel_begin = channels.begin;
    gradient.channel_end = channels.end;
    gradient.point_begin = static_cast<int32_t>(points.begin);
    gradient.point_end = static_cast<int32_t>(points.end);
    gradient.sums = sums_;
    if (problem_.method == PoolMethod::kMax) {
      gradient.argmax = problem_.argmax + voxel * problem_.channels;
      problem_.kernels.add_max(gradient);
    } else {
      const List list = ListOf(voxel);
      gradient.points = list.points;
      gradient.count = list.count;
      problem_.kernels.add_average(gradient);
    }
  }

  bool StoreSums() {
    constexpr int64_t kMinTaskNumbers = 100'000;
    return parallel_.RunItems(numbers_, kMinTaskNumbers, [&](Range range) {
      problem_.kernels.store_sums(sums_ + range.begin,
                                  static_cast<char*>(problem_.grad_in) + range.begin * element_bytes_,
                                  range.end - range.begin);
    });
  }

  const GradientProblem& problem_;
  const Parallel& parallel_;
  int64_t words_;
  int64_t numbers_;  // of grad_in
  int64_t element_bytes_;
  uint64_t* marks_ = nullptr;
  double* sums_ = nullptr;
};

}  // namespace

RunResult RoiAwareBackward(const GradientProblem& problem, bool check, const Parallel& parallel, Scratch& scratch,
                           GradientFault* fault) {
  return BackwardPass(problem, parallel).Run(check, scratch, fault);
}

}  // namespace detops::roiaware_pool3d
