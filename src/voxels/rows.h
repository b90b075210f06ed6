// Which voxels get a row of the results, and which row.
#ifndef DETOPS_VOXELS_ROWS_H_
#define DETOPS_VOXELS_ROWS_H_

#include <cstdint>

#include "core/arena.h"
#include "core/parallel.h"
#include "voxels/groups.h"

namespace detops::voxels {

class VoxelRows {
 public:
  void Take(const PointToVoxelProblem& problem, Arena& arena);

  // `scratch` is free for use, and groups.led_group is afterwards undefined. False if the caller's runner failed.
  [[nodiscard]] bool Assign(const PointToVoxelProblem& problem, const CloudRanges& clouds, const Parallel& parallel,
                            const GroupScratch& scratch, const VoxelGroups& groups);

  int64_t count() const { return count_; }
  const int32_t* group_of_row() const { return group_of_row_; }

 private:
  void LimitClouds(const PointToVoxelProblem& problem, const CloudRanges& clouds, const VoxelGroups& groups);
  bool ByFirstPoint(const PointToVoxelProblem& problem, const Parallel& parallel, const VoxelGroups& groups);
  template <typename Word>
  bool SortByKey(const PointToVoxelProblem& problem, const Parallel& parallel, const GroupScratch& scratch,
                 const VoxelGroups& groups);

  int64_t count_ = 0;
  int64_t* first_rank_ = nullptr;  // [clouds]: voxels with a first point before those of the cloud
  int64_t* first_row_ = nullptr;   // [clouds + 1]: the rows of a cloud
  int32_t* group_of_row_ = nullptr;
};

}  // namespace detops::voxels

#endif  // DETOPS_VOXELS_ROWS_H_
