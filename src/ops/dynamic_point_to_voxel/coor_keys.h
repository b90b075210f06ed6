// Given coordinates as numbers that sort as they do: each less the lowest of its axis, the first above the others.
#ifndef DETOPS_OPS_DYNAMIC_POINT_TO_VOXEL_COOR_KEYS_H_
#define DETOPS_OPS_DYNAMIC_POINT_TO_VOXEL_COOR_KEYS_H_

#include <algorithm>
#include <cstdint>

#include "core/checked_math.h"
#include "core/half.h"
#include "core/parallel.h"
#include "ops/dynamic_point_to_voxel/problem.h"
#include "voxels/sorted_lists.h"

namespace detops::dynamic_point_to_voxel {

// The least and the greatest coordinates of points that have a voxel.
struct CoorRange {
  int32_t low[kAxes] = {INT32_MAX, INT32_MAX, INT32_MAX};
  int32_t high[kAxes] = {-1, -1, -1};

  void Add(const int32_t* coor) {
    for (int axis = 0; axis < kAxes; ++axis) {
      low[axis] = std::min(low[axis], coor[axis]);
      high[axis] = std::max(high[axis], coor[axis]);
    }
  }
  void Add(const CoorRange& other) {
    for (int axis = 0; axis < kAxes; ++axis) {
      low[axis] = std::min(low[axis], other.low[axis]);
      high[axis] = std::max(high[axis], other.high[axis]);
    }
  }
};

// The coordinates of a point, which may lie at any address. False if it has no voxel.
inline bool ReadCoor(const void* coors, int64_t point, int32_t* coor) {
  for (int axis = 0; axis < kAxes; ++axis) coor[axis] = LoadElement<int32_t>(coors, kAxes * point + axis);
  return (coor[0] | coor[1] | coor[2]) >= 0;
}

// False if the caller's runner failed.
[[nodiscard]] inline bool FindRange(const void* coors, int64_t points, const Parallel& parallel, CoorRange* range) {
  const int tasks = voxels::TasksFor(parallel, points);
  CoorRange found[voxels::kMaxPasses];
  const bool done = parallel.Run(tasks, [&](int task) {
    const Range own = PieceOf(points, tasks, task);
    CoorRange result;
    for (int64_t i = own.begin; i < own.end; ++i) {
      int32_t coor[kAxes];
      if (ReadCoor(coors, i, coor)) result.Add(coor);
    }
    found[task] = result;
  });
  for (int task = 0; task < tasks; ++task) range->Add(found[task]);
  return done;
}

class CoorKeys {
 public:
  explicit CoorKeys(const CoorRange& range) : range_(range) {
    for (int axis = kAxes - 1; axis >= 0; --axis) {
      shift_[axis] = bits_;
      bits_ += BitsToNumber(std::max<int64_t>(0, int64_t{range.high[axis]} - range.low[axis] + 1));
    }
  }

  // Of a key, and the one above all others that means no voxel.
  int bits() const { return bits_ + 1; }

  template <typename Word>
  Word Key(const void* coors, int64_t point) const {
    int32_t coor[kAxes];
    if (!ReadCoor(coors, point, coor)) return Word{1} << bits_;
    Word key = 0;
    for (int axis = 0; axis < kAxes; ++axis) {
      key |= static_cast<Word>(static_cast<uint32_t>(coor[axis] - range_.low[axis])) << shift_[axis];
    }
    return key;
  }
  template <typename Word>
  bool HasVoxel(Word key) const {
    return key >> bits_ == 0;
  }
  template <typename Word>
  void Write(Word key, int32_t* coor) const {
    for (int axis = 0; axis < kAxes; ++axis) {
      const int bits = (axis == 0 ? bits_ : shift_[axis - 1]) - shift_[axis];
      const uint64_t mask = (uint64_t{1} << bits) - 1;
      coor[axis] = range_.low[axis] + static_cast<int32_t>(static_cast<uint64_t>(key >> shift_[axis]) & mask);
    }
  }

 private:
  const CoorRange range_;
  int bits_ = 0;
  int shift_[kAxes];
};

}  // namespace detops::dynamic_point_to_voxel

#endif  // DETOPS_OPS_DYNAMIC_POINT_TO_VOXEL_COOR_KEYS_H_
