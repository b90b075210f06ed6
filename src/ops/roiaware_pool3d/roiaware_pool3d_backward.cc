// Backward. First all numbers that will be used as places are looked at, and the voxels that hold something are marked:
// most hold nothing, and only the marked ones are read again. Then every task adds its own channels of its own points,
// voxel after voxel, so the order of a sum does not depend on the cutting.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/arena.h"
#include "core/data_type.h"
#include "core/half.h"
#include "ops/roiaware_pool3d/roiaware_pool3d.h"

namespace detops {
namespace {

constexpr int64_t kWordBits = 64;
constexpr int kMaxLooks = 64;  // tasks of the first look

class BackwardPass {
 public:
  BackwardPass(const GradientProblem& problem, const Parallel& parallel) : problem_(problem), parallel_(parallel) {
    words_ = DivideRoundUp(problem.voxels, kWordBits);
    numbers_ = SaturatingMultiply(problem.points, problem.channels);
    element_bytes_ = static_cast<int64_t>(SizeOfType(problem.type));
  }

  RunResult Run(bool check, Scratch& scratch, GradientFault* fault) {
    if (!TakeFromScratch(scratch, [&](Arena& arena) { Take(arena); })) return RunResult::kNoMemory;
    if (!LookAtAll(check, fault)) return RunResult::kRunnerFailed;
    if (fault->kind != GradientFault::kNone) return RunResult::kDone;
    return AddAll() && StoreAll() ? RunResult::kDone : RunResult::kRunnerFailed;
  }

 private:
  void Take(Arena& arena) {
    marks_ = arena.Take<uint64_t>(words_);
    sums_ = arena.Take<double>(numbers_);
  }

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

  // Marks the voxels that hold something; also clears the sums. Finds the first fault if `check`.
  bool LookAtAll(bool check, GradientFault* fault) {
    constexpr int64_t kMinTaskNumbers = 50'000;
    const int64_t row = problem_.method == PoolMethod::kMax ? problem_.channels : 16;
    const int tasks = std::min(kMaxLooks, parallel_.TaskCount(problem_.voxels * row + numbers_, kMinTaskNumbers));
    GradientFault found[kMaxLooks];
    const bool done = parallel_.Run(tasks, [&](int task) {
      const Range sums = PieceOf(numbers_, tasks, task);
      std::fill(sums_ + sums.begin, sums_ + sums.end, 0.0);
      const Range range = PieceOf(words_, tasks, task);
      for (int64_t word = range.begin; word < range.end; ++word) {
        const int64_t first = word * kWordBits;
        const int64_t last = std::min(first + kWordBits, problem_.voxels);
        const GradientFault here = problem_.method == PoolMethod::kMax ? LookAtArgmax(word, first, last, check)
                                                                       : LookAtLists(word, first, last, check);
        if (here.kind == GradientFault::kNone) continue;
        found[task] = here;
        return;
      }
    });
    if (check && problem_.begins != nullptr && problem_.voxels == 0 && problem_.begins[0] != 0) {
      *fault = {GradientFault::kBegin, 0};
    }
    for (int task = 0; task < tasks && fault->kind == GradientFault::kNone; ++task) *fault = found[task];
    return done;
  }

  GradientFault LookAtArgmax(int64_t word, int64_t first, int64_t last, bool check) {
    const auto points = static_cast<int32_t>(problem_.points);
    const int32_t* rows = problem_.argmax + first * problem_.channels;
    bool bad = false;
    marks_[word] = problem_.kernels.inspect(rows, problem_.channels, last - first, points, &bad);
    if (!bad || !check) return {};
    int64_t i = 0;
    while (rows[i] >= -1 && rows[i] < points) ++i;
    return {GradientFault::kArgmax, first * problem_.channels + i};
  }

  GradientFault LookAtLists(int64_t word, int64_t first, int64_t last, bool check) {
    // The counts of the dense form are too far from each other for the processor to see them coming.
    constexpr int64_t kAhead = 48;
    uint64_t marks = 0;
    for (int64_t voxel = first; voxel < last; ++voxel) {
      if (problem_.begins == nullptr && voxel + kAhead < problem_.voxels) {
        __builtin_prefetch(problem_.pts_idx + (voxel + kAhead) * problem_.max_points);
      }
      if (check) {
        const GradientFault fault = LookAtList(voxel);
        if (fault.kind != GradientFault::kNone) return fault;
      }
      marks |= static_cast<uint64_t>(ListOf(voxel).count > 0) << (voxel - first);
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

  bool AddAll() {
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
      for (int64_t word = 0; word < words_; ++word) {
        PrefetchWord(word + kWordsAhead);
        for (uint64_t marks = marks_[word]; marks != 0; marks &= marks - 1) {
          Add(word * kWordBits + std::countr_zero(marks), channels, points);
        }
      }
    });
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
      problem_.kernels.add_max(problem_.type, gradient);
    } else {
      const List list = ListOf(voxel);
      gradient.points = list.points;
      gradient.count = list.count;
      problem_.kernels.add_average(problem_.type, gradient);
    }
  }

  bool StoreAll() {
    constexpr int64_t kMinTaskNumbers = 100'000;
    const int tasks = parallel_.TaskCount(numbers_, kMinTaskNumbers);
    return parallel_.Run(tasks, [&](int task) {
      const Range range = PieceOf(numbers_, tasks, task);
      problem_.kernels.store_sums(problem_.type, sums_ + range.begin,
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

}  // namespace detops
