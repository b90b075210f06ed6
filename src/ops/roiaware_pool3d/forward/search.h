// The points of each voxel, for one group of boxes after the other.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_FORWARD_SEARCH_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_FORWARD_SEARCH_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "core/arena.h"
#include "core/bit_sort.h"
#include "core/checked_math.h"
#include "ops/roiaware_pool3d/forward/points.h"
#include "ops/roiaware_pool3d/problem.h"

namespace detops::roiaware_pool3d {

// The entries of a box, ascending: by voxel, and in a voxel by point.
struct BoxEntries {
  const VoxelPoint* first;
  const VoxelPoint* last;
};

// Asks for the features of points that come soon: they lie anywhere.
inline void PrefetchFeatures(const VoxelPoint* entry, const VoxelPoint* last, const char* features, int64_t row_bytes) {
  constexpr int64_t kAhead = 12;
  constexpr int64_t kLineBytes = 64;
  if (last - entry <= kAhead) return;
  const char* row = features + PointOf(entry[kAhead]) * row_bytes;
  for (int64_t byte = 0; byte < std::min(row_bytes, 2 * kLineBytes); byte += kLineBytes) __builtin_prefetch(row + byte);
}

// Calls visit(voxel, first entry, number of entries that are kept) for the voxels of [first, last).
template <class Visit>
void VisitVoxels(const VoxelPoint* first, const VoxelPoint* last, int64_t most_points, const Visit& visit) {
  while (first != last) {
    const uint32_t voxel = VoxelOf(*first);
    const VoxelPoint* end = first + 1;
    while (end != last && VoxelOf(*end) == voxel) ++end;
    if (most_points > 0) visit(voxel, first, std::min<int64_t>(end - first, most_points));
    first = end;
  }
}

// A box with more entries than this and a third of all points, in a grid of not more voxels than that, is crowded.
inline constexpr int64_t kCrowd = 512;
inline constexpr int64_t kMostVoxelsOfCrowd = 2048;

template <typename T>
class BoxSearch {
 public:
  BoxSearch(const BoxSearchProblem& problem, const Parallel& parallel)
      : problem_(problem), parallel_(parallel), points_(problem, parallel) {
    // Room for what a group of boxes may find, or for one box with all points.
    constexpr int64_t kRoom = int64_t{4} << 20;
    room_ = std::max(problem.points, std::min(kRoom, SaturatingMultiply(problem.boxes, problem.points)));
  }

  void Take(Arena& arena) {
    points_.Take(arena);
    begins_ = arena.Take<int64_t>(problem_.boxes + 1);
    counts_ = arena.Take<int64_t>(problem_.boxes);
    sorted_ = arena.Take<const VoxelPoint*>(problem_.boxes);
    entries_ = arena.Take<VoxelPoint>(room_);
    spare_ = arena.Take<VoxelPoint>(room_);
  }

  bool Prepare() { return points_.Sort(); }

  // How many of the boxes from `box` on fit together; their places are set.
  int64_t GroupEnd(int64_t box) {
    int64_t place = 0;
    int64_t end = box;
    for (; end < problem_.boxes; ++end) {
      int64_t candidates = 0;
      points_.VisitRuns(end, [&](int64_t first, int64_t last) { candidates += last - first; });
      if (end > box && place + candidates > room_) break;
      begins_[end] = place;
      place += candidates;
    }
    work_ = place;
    return end;
  }

  // Finds and sorts the entries of the boxes [begin, end), which GroupEnd has found to fit; calls found(box) for each.
  template <class Found>
  bool Find(int64_t begin, int64_t end, const Found& found) {
    constexpr int64_t kMinTaskPoints = 4000;
    // Cut by the points to look at: boxes are not equal.
    const int tasks = static_cast<int>(std::min<int64_t>(parallel_.TaskCount(work_, kMinTaskPoints), end - begin));
    const auto first_box = [&](int task) {
      const Range points = PieceOf(work_, tasks, task);
      return std::lower_bound(begins_ + begin, begins_ + end, points.begin) - begins_;
    };
    return parallel_.Run(tasks, [&](int task) {
      const int64_t last = task + 1 == tasks ? end : first_box(task + 1);
      for (int64_t box = task == 0 ? begin : first_box(task); box < last; ++box) {
        VoxelPoint* entries = entries_ + begins_[box];
        counts_[box] = points_.Find(box, entries);
        Sort(box, entries, spare_ + begins_[box]);
        found(box);
      }
    });
  }

  BoxEntries EntriesOf(int64_t box) const { return {sorted_[box], sorted_[box] + counts_[box]}; }

 private:
  // The result is in one of the two.
  void Sort(int64_t box, VoxelPoint* entries, VoxelPoint* spare) {
    constexpr int64_t kVeryFew = 16;
    const int64_t count = counts_[box];
    const int64_t voxels = problem_.grid.count();
    if (count > kCrowd && 3 * count >= problem_.points && voxels <= kMostVoxelsOfCrowd) {
      counts_[box] = SortCrowd(entries, spare, count);
      sorted_[box] = spare;
    } else if (count > kVeryFew && count <= kFewEntries && voxels <= kMostVoxelsOfFew) {
      problem_.kernels.sort_few(entries, count, voxels, spare);
      sorted_[box] = spare;
    } else if (count <= kFewEntries) {
      std::sort(entries, entries + count);
      sorted_[box] = entries;
    } else {
      sorted_[box] = SortMany(entries, spare, count);
    }
  }

  VoxelPoint* SortMany(VoxelPoint* entries, VoxelPoint* spare, int64_t count) const {
    const Parallel alone(1);
    uint32_t counters[1 << kMaxDigitBits];
    VoxelPoint* by_point = entries;
    VoxelPoint* sorted = entries;
    // One thread needs no runner, so nothing fails.
    static_cast<void>(SortByBits(alone, entries, spare, count, 0, BitsToNumber(problem_.points), counters, &by_point) &&
                      SortByBits(alone, by_point, by_point == entries ? spare : entries, count, 32,
                                 32 + BitsToNumber(problem_.grid.count()), counters, &sorted));
    return sorted;
  }

  // For a box that holds a good part of all points. Their voxels are put down by point and read in that order, so that
  // points which find the list of their voxel full are dropped at once; then what is left is dealt out to the voxels.
  // The result, of which it gives the number, is in `spare`.
  int64_t SortCrowd(VoxelPoint* entries, VoxelPoint* spare, int64_t count) const {
    // Voxels and a bit for each point that has one are where the result will be: at most 2.7 bytes per point.
    using Voxel = uint16_t __attribute__((may_alias));
    using Bits = uint64_t __attribute__((may_alias));
    const int64_t words = DivideRoundUp(problem_.points, 64);
    auto* const used = reinterpret_cast<Bits*>(spare);
    auto* const voxel_of = reinterpret_cast<Voxel*>(used + words);
    std::fill_n(used, words, Bits{0});
    for (int64_t i = 0; i < count; ++i) {
      const auto point = static_cast<uint32_t>(PointOf(entries[i]));
      voxel_of[point] = static_cast<Voxel>(VoxelOf(entries[i]));
      used[point / 64] |= Bits{1} << (point % 64);
    }
    uint32_t counts[kMostVoxelsOfCrowd] = {};
    const auto most = static_cast<uint32_t>(std::min<int64_t>(problem_.most_points, UINT32_MAX));
    int64_t kept = 0;
    for (int64_t word = 0; word < words; ++word) {
      for (uint64_t bits = used[word]; bits != 0; bits &= bits - 1) {
        const auto point = static_cast<uint32_t>(word * 64 + std::countr_zero(bits));
        const uint32_t voxel = voxel_of[point];
        // Without a branch: the next entry is written in any case, and stays if there is room for it.
        entries[kept] = static_cast<VoxelPoint>(voxel) << 32 | point;
        const uint32_t keep = counts[voxel] < most ? 1 : 0;
        counts[voxel] += keep;
        kept += keep;
      }
    }
    uint32_t place = 0;
    for (int64_t voxel = 0; voxel < problem_.grid.count(); ++voxel) place += std::exchange(counts[voxel], place);
    for (int64_t i = 0; i < kept; ++i) spare[counts[VoxelOf(entries[i])]++] = entries[i];
    return kept;
  }

  const BoxSearchProblem& problem_;
  const Parallel& parallel_;
  SortedPoints<T> points_;
  int64_t room_;
  int64_t work_ = 0;
  int64_t* begins_ = nullptr;
  int64_t* counts_ = nullptr;
  const VoxelPoint** sorted_ = nullptr;  // the entries of a box, in `entries_` or `spare_`
  VoxelPoint* entries_ = nullptr;
  VoxelPoint* spare_ = nullptr;
};

}  // namespace detops::roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_FORWARD_SEARCH_H_
