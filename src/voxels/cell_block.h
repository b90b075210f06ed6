// The voxels of a block of points on each axis. The loops have a fixed length and no branches, which the compiler turns
// into vector code of the baseline.
#ifndef DETOPS_VOXELS_CELL_BLOCK_H_
#define DETOPS_VOXELS_CELL_BLOCK_H_

#include <algorithm>
#include <cstdint>

#include "core/element_type.h"
#include "voxels/geometry.h"

namespace detops::voxels {

inline constexpr int64_t kBlockPoints = 64;

template <typename T>
class CellBlock {
 public:
  using Real = Accumulator<T>;

  explicit CellBlock(const VoxelGrid& grid) : dims_(grid.dims) {
    for (int axis = 0; axis < dims_; ++axis) {
      axes_[axis] = {grid.range_min[axis], grid.voxel_size[axis], grid.extent[axis]};
    }
  }

  // Points [first, first + count) of rows of so many features; count <= kBlockPoints.
  void Read(const void* rows, int64_t features, int64_t first, int64_t count) {
    std::fill_n(inside, kBlockPoints, 1);
    for (int axis = 0; axis < dims_; ++axis) {
      for (int64_t i = 0; i < count; ++i) ratio_[i] = LoadReal<T>(rows, (first + i) * features + axis);
      ReadAxis(axes_[axis], cell[axis]);
    }
  }

  int32_t cell[kMaxVoxelDims][kBlockPoints];  // of points inside
  int32_t inside[kBlockPoints];               // 1 or 0

 private:
  void ReadAxis(const VoxelAxis<Real> axis, int32_t* cells) {
    for (int64_t i = 0; i < kBlockPoints; ++i) ratio_[i] = VoxelRatio(axis, ratio_[i]);
    for (int64_t i = 0; i < kBlockPoints; ++i) {
      const bool on_axis = OnAxis(axis, ratio_[i]);
      inside[i] &= static_cast<int32_t>(on_axis);
      cells[i] = static_cast<int32_t>(on_axis ? ratio_[i] : Real{0});
    }
  }

  const int dims_;
  VoxelAxis<Real> axes_[kMaxVoxelDims];
  Real ratio_[kBlockPoints] = {};
};

}  // namespace detops::voxels

#endif  // DETOPS_VOXELS_CELL_BLOCK_H_
