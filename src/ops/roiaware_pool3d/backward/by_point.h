// The average's lists of points, turned around: which voxels give something to a point. So the row of a point is summed
// in registers and written once, where sums in memory would be cleared, added to and read again.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_BACKWARD_BY_POINT_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_BACKWARD_BY_POINT_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ops/roiaware_pool3d/problem.h"

namespace detops::roiaware_pool3d {

class SharesByPoint {
 public:
  static constexpr int kMaxFinders = 64;

  // Works in `memory`, so many doubles that need not be cleared. Points are found by `finders` tasks; voxels ascend
  // from one task to the next, and in a task.
  SharesByPoint(const GradientProblem& problem, double* memory, int64_t doubles, int finders)
      : problem_(problem), finders_(finders) {
    static_assert(sizeof(FoundPoint) == sizeof(VoxelShare) && sizeof(VoxelShare) == 2 * sizeof(double));
    const int64_t of_ends = DivideRoundUp(problem.points, 4) * 2;  // whole 16 bytes
    const int64_t entries = std::max<int64_t>(0, doubles - of_ends) / 2;
    most_ = std::min<int64_t>(entries / 2, UINT32_MAX);
    room_ = most_ / finders;
    ends_ = reinterpret_cast<uint32_t*>(memory);
    found_ = reinterpret_cast<FoundPoint*>(memory + of_ends);
    shares_ = reinterpret_cast<VoxelShare*>(found_ + most_);
  }

  // The points of a voxel. What does not fit into the finder's share of the memory is left out, and IsComplete()
  // becomes false. Points that do not exist, which only unchecked calls may name, are left out too.
  void Append(int finder, int64_t voxel, const int32_t* points, int64_t count) {
    int64_t& used = finder_[finder].used;
    if (used + count > room_) {
      used += count;
      return;
    }
    FoundPoint* const to = found_ + finder * room_;
    for (int64_t k = 0; k < count; ++k) {
      to[used] = {voxel, points[k], static_cast<int32_t>(count)};
      used += points[k] >= 0 && points[k] < problem_.points ? 1 : 0;
    }
  }

  // Whether all points fit, however they are shared out to finders.
  bool CanHoldAll() const {
    int64_t all = 0;
    for (int finder = 0; finder < finders_; ++finder) all += finder_[finder].used;
    return all <= most_;
  }
  bool IsComplete() const {
    return std::all_of(finder_, finder_ + finders_, [&](const Finder& finder) { return finder.used <= room_; });
  }

  // Begins again with one finder, which has all the memory.
  void StartOver() {
    finders_ = 1;
    room_ = most_;
    finder_[0].used = 0;
  }

  // Sorts what was found by points; of a point, by voxels.
  void Sort() {
    std::fill_n(ends_, problem_.points, 0u);
    VisitFound([&](const FoundPoint& found) { ++ends_[found.point]; });
    // Counts become begins, and begins become ends as the lists are filled.
    uint32_t place = 0;
    for (int64_t point = 0; point < problem_.points; ++point) place += std::exchange(ends_[point], place);
    const bool in_double = problem_.type == MLUOP_DTYPE_DOUBLE;
    VisitFound([&](const FoundPoint& found) {
      const double share =
          in_double ? 1.0 / static_cast<double>(found.count) : double{1.0f / static_cast<float>(found.count)};
      shares_[ends_[found.point]++] = {found.voxel, share};
    });
    listed_ = place;
  }

  bool Sum(const Parallel& parallel) const {
    constexpr int64_t kMinTaskNumbers = 50'000;
    const int tasks = parallel.TaskCount((listed_ + problem_.points) * problem_.channels, kMinTaskNumbers);
    return parallel.RunPieces(tasks, problem_.points, [&](Range range) {
      problem_.kernels.sum_shares(
          {shares_, ends_, listed_, range.begin, range.end, problem_.grad_out, problem_.channels, problem_.grad_in});
    });
  }

 private:
  struct FoundPoint {
    int64_t voxel;
    int32_t point, count;
  };

  // In a cache line of its own: it is counted on with every point.
  struct alignas(64) Finder {
    int64_t used = 0;  // places, or how many are wanted
  };

  template <class Visit>
  void VisitFound(const Visit& visit) const {
    for (int finder = 0; finder < finders_; ++finder) {
      const FoundPoint* found = found_ + finder * room_;
      for (int64_t i = 0; i < finder_[finder].used; ++i) visit(found[i]);
    }
  }

  const GradientProblem& problem_;
  int finders_;
  int64_t most_;  // points
  int64_t room_;  // of each finder
  Finder finder_[kMaxFinders];
  int64_t listed_ = 0;
  uint32_t* ends_;      // [P]: where the shares of a point end
  FoundPoint* found_;   // [finders, capacity]
  VoxelShare* shares_;  // by point
};

}  // namespace detops::roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_BACKWARD_BY_POINT_H_
