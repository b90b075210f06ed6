// The members of groups that are numbered: of each group of [0, V) its points, ascending.
#ifndef DETOPS_VOXELS_LISTED_GROUPS_H_
#define DETOPS_VOXELS_LISTED_GROUPS_H_

#include <cstdint>

#include "core/arena.h"
#include "core/parallel.h"
#include "voxels/reduce.h"
#include "voxels/sorted_lists.h"

namespace detops::voxels {

// The number of a point's group as an element of an int32 or int64 tensor; -1 if it is not in [0, groups).
class GroupNumbers {
 public:
  GroupNumbers(mluOpDataType_t type, const void* data, int64_t groups) : type_(type), data_(data), groups_(groups) {}
  int64_t operator[](int64_t point) const;

 private:
  mluOpDataType_t type_;
  const void* data_;
  int64_t groups_;
};

class ListedGroups {
 public:
  // Fewer than 2^31 of both.
  ListedGroups(int64_t points, int64_t groups, Arena& arena);

  // False if the caller's runner failed.
  [[nodiscard]] bool Make(const Parallel& parallel, const GroupNumbers& numbers);

  PointList of(int64_t group) const { return {points_ + begins_[group], begins_[group + 1] - begins_[group]}; }
  // Points without a group.
  PointList outside() const { return {points_ + begins_[groups_], count_ - begins_[groups_]}; }

 private:
  const int64_t count_, groups_;
  SortedPoints<uint64_t> sorted_;
  int32_t* points_;
  int64_t* begins_;  // [groups + 1]
};

}  // namespace detops::voxels

#endif  // DETOPS_VOXELS_LISTED_GROUPS_H_
