// From points to words that hold the key of a voxel above the number of a point.
#ifndef DETOPS_OPS_POINT_TO_VOXEL_GROUPS_WORDS_H_
#define DETOPS_OPS_POINT_TO_VOXEL_GROUPS_WORDS_H_

#include <algorithm>
#include <cstdint>

#include "core/element_type.h"
#include "core/parallel.h"
#include "ops/point_to_voxel/groups/groups.h"

namespace detops::point_to_voxel {

inline VoxelKeys KeysOf(const PointToVoxelProblem& problem) { return {problem.dims, problem.grid, problem.clouds}; }
inline int PointBits(const PointToVoxelProblem& problem) { return BitsToNumber(problem.points); }

// The keys of some consecutive points of one cloud. The loops have a fixed length and no branches, which the compiler
// turns into vector code of the baseline.
template <typename T>
class KeyBlock {
 public:
  static constexpr int64_t kPoints = 64;
  using Real = Accumulator<T>;

  explicit KeyBlock(const PointToVoxelProblem& problem) : problem_(problem), keys_(KeysOf(problem)) {
    for (int axis = 0; axis < problem.dims; ++axis) {
      axes_[axis] = {problem.range_min[axis], problem.voxel_size[axis], problem.grid[axis]};
    }
  }

  // count <= kPoints.
  void Read(int64_t cloud, int64_t first, int64_t count) {
    std::fill_n(inside, kPoints, 1);
    std::fill_n(key, kPoints, static_cast<uint64_t>(cloud) << keys_.shift(problem_.dims));
    for (int axis = 0; axis < problem_.dims; ++axis) {
      for (int64_t i = 0; i < count; ++i) {
        ratio_[i] = LoadReal<T>(problem_.rows, (first + i) * problem_.features + axis);
      }
      AddAxis(axes_[axis], keys_.shift(axis));
    }
  }

  uint64_t key[kPoints];
  int32_t inside[kPoints];  // 1 or 0

 private:
  void AddAxis(const VoxelAxis<Real> axis, int shift) {
    for (int64_t i = 0; i < kPoints; ++i) ratio_[i] = VoxelRatio(axis, ratio_[i]);
    for (int64_t i = 0; i < kPoints; ++i) {
      const bool on_axis = OnAxis(axis, ratio_[i]);
      inside[i] &= static_cast<int32_t>(on_axis);
      voxel_[i] = static_cast<int32_t>(on_axis ? ratio_[i] : Real{0});
    }
    for (int64_t i = 0; i < kPoints; ++i) key[i] |= static_cast<uint64_t>(static_cast<uint32_t>(voxel_[i])) << shift;
  }

  const PointToVoxelProblem& problem_;
  const VoxelKeys keys_;
  VoxelAxis<Real> axes_[kMaxVoxelDims];
  Real ratio_[kPoints] = {};
  int32_t voxel_[kPoints];
};

// Writes the words of those points of a range that lie in a voxel, and gives their number. There must be room for the
// words of all points.
template <typename T, typename Word>
int64_t WriteWords(const PointToVoxelProblem& problem, const CloudRanges& clouds, Range range, Word* words) {
  const int point_bits = PointBits(problem);
  KeyBlock<T> block(problem);
  int64_t cloud = std::upper_bound(clouds.begins, clouds.begins + problem.clouds, range.begin) - clouds.begins - 1;
  int64_t written = 0;
  for (int64_t first = range.begin; first < range.end;) {
    while (clouds.begins[cloud + 1] <= first) ++cloud;
    const int64_t count = std::min({KeyBlock<T>::kPoints, range.end - first, clouds.begins[cloud + 1] - first});
    block.Read(cloud, first, count);
    for (int64_t i = 0; i < count; ++i) {
      words[written] = static_cast<Word>(block.key[i]) << point_bits | static_cast<Word>(first + i);
      written += block.inside[i];
    }
    first += count;
  }
  return written;
}

}  // namespace detops::point_to_voxel

#endif  // DETOPS_OPS_POINT_TO_VOXEL_GROUPS_WORDS_H_
