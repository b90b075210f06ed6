// From points to words that hold the key of a voxel above the number of a point.
#ifndef DETOPS_VOXELS_POINT_KEYS_H_
#define DETOPS_VOXELS_POINT_KEYS_H_

#include <algorithm>
#include <cstdint>

#include "core/parallel.h"
#include "voxels/cell_block.h"
#include "voxels/groups.h"

namespace detops::voxels {

inline VoxelKeys KeysOf(const PointToVoxelProblem& problem) {
  return {problem.grid.dims, problem.grid.extent, problem.clouds};
}
inline int PointBits(const PointToVoxelProblem& problem) { return BitsToNumber(problem.points); }

// The keys of some consecutive points of one cloud.
template <typename T>
class KeyBlock {
 public:
  explicit KeyBlock(const PointToVoxelProblem& problem)
      : problem_(problem), keys_(KeysOf(problem)), cells_(problem.grid) {}

  // count <= kBlockPoints.
  void Read(int64_t cloud, int64_t first, int64_t count) {
    cells_.Read(problem_.rows, problem_.features, first, count);
    std::fill_n(key, kBlockPoints, keys_.OfCloud(cloud));
    for (int axis = 0; axis < problem_.grid.dims; ++axis) keys_.Add(axis, cells_.cell[axis], kBlockPoints, key);
  }

  int32_t inside(int64_t i) const { return cells_.inside[i]; }  // 1 or 0
  uint64_t key[kBlockPoints];

 private:
  const PointToVoxelProblem& problem_;
  const VoxelKeys keys_;
  CellBlock<T> cells_;
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
    const int64_t count = std::min({kBlockPoints, range.end - first, clouds.begins[cloud + 1] - first});
    block.Read(cloud, first, count);
    for (int64_t i = 0; i < count; ++i) {
      words[written] = static_cast<Word>(block.key[i]) << point_bits | static_cast<Word>(first + i);
      written += block.inside(i);
    }
    first += count;
  }
  return written;
}

}  // namespace detops::voxels

#endif  // DETOPS_VOXELS_POINT_KEYS_H_
