// The points of each voxel. Points are dealt out to buckets by a hash of their voxel, and the voxels of a bucket are
// told apart with a small hash table. So the memory follows the number of points, whatever the grid is, and buckets can
// be worked on by different threads.
#ifndef DETOPS_VOXELS_GROUPS_H_
#define DETOPS_VOXELS_GROUPS_H_

#include <cstdint>

#include "core/arena.h"
#include "core/parallel.h"
#include "voxels/voxelize.h"

namespace detops::voxels {

// A voxel that holds points: points[begin, begin + count), ascending.
struct VoxelGroup {
  uint64_t key;
  int32_t begin;
  int32_t count;
};

// In no order that means anything, and with unused ones between them.
struct VoxelGroups {
  int64_t count = 0;
  VoxelGroup* groups = nullptr;
  int32_t* points = nullptr;
  int32_t* led_group = nullptr;  // [P]: the group whose first point this is, or -1
};

// The clouds' points: [begins[c], begins[c + 1]). They ascend from 0 to P whatever the caller's numbers are.
struct CloudRanges {
  void Take(const PointToVoxelProblem& problem, Arena& arena) { begins = arena.Take<int64_t>(problem.clouds + 1); }
  void Set(const PointToVoxelProblem& problem);
  int64_t* begins = nullptr;
};

// Memory that the groups need while they are made; `words` and `spare` are free afterwards.
struct GroupScratch {
  void Take(const PointToVoxelProblem& problem, Arena& arena);

  void* words = nullptr;  // [P] of 8 or 16 bytes, see WordsOf64Bits
  void* spare = nullptr;
  uint32_t* counters = nullptr;  // kSortCounters
};

// A word holds the key of a voxel above the number of a point.
bool WordsOf64Bits(const PointToVoxelProblem& problem);

void TakeGroups(const PointToVoxelProblem& problem, Arena& arena, VoxelGroups& groups);

// Sets groups, and point_voxel to -1 if it is wanted. False if the caller's runner failed.
[[nodiscard]] bool GroupPoints(const PointToVoxelProblem& problem, const CloudRanges& clouds, const Parallel& parallel,
                               const GroupScratch& scratch, VoxelGroups& groups);

}  // namespace detops::voxels

#endif  // DETOPS_VOXELS_GROUPS_H_
