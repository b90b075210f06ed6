// Which voxel a point lies in, and how a voxel becomes a number that sorts. Scalar code, the same for all SIMD targets.
#ifndef DETOPS_OPS_POINT_TO_VOXEL_GEOMETRY_H_
#define DETOPS_OPS_POINT_TO_VOXEL_GEOMETRY_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/checked_math.h"

namespace detops::point_to_voxel {

inline constexpr int kMaxVoxelDims = 4;

// One axis in the type in which is decided.
template <typename Real>
struct VoxelAxis {
  VoxelAxis() = default;
  VoxelAxis(double range_min, double voxel_size, int32_t grid)
      : min(static_cast<Real>(range_min)), size(static_cast<Real>(voxel_size)), end(static_cast<Real>(grid)) {
    // For a Real it is the same to be below `grid` and to be below the first Real that is not.
    if (static_cast<double>(end) < grid) end = std::nextafter(end, std::numeric_limits<Real>::infinity());
  }
  Real min = 0, size = 1;
  Real end = 1;
};

// (p - min) / size, each operation rounded by itself. Its floor is the voxel.
template <typename Real>
Real VoxelRatio(const VoxelAxis<Real>& axis, Real coordinate) {
  return (coordinate - axis.min) / axis.size;
}

// Whether the floor is in [0, grid); false for NaN.
template <typename Real>
bool OnAxis(const VoxelAxis<Real>& axis, Real ratio) {
  return (ratio >= 0) & (ratio < axis.end);
}

// A voxel as bits: the cloud, ..., z, y, x from the highest to the lowest, so that numbers ascend as these do.
class VoxelKeys {
 public:
  static constexpr int kMaxBits = 62;

  VoxelKeys(int dims, const int32_t grid[], int64_t clouds) : dims_(dims) {
    for (int axis = 0; axis < dims; ++axis) {
      shift_[axis] = bits_;
      bits_ += BitsToNumber(grid[axis]);
    }
    shift_[dims] = bits_;
    bits_ += BitsToNumber(clouds);
  }

  int bits() const { return bits_; }
  // Of x: 0, of y: 1, ..., of the cloud: dims.
  int shift(int field) const { return shift_[field]; }
  uint64_t Cloud(uint64_t key) const { return key >> shift_[dims_]; }

  // Writes ..., z, y, x, after the cloud if that is wanted.
  void Write(uint64_t key, bool with_cloud, int32_t* to) const {
    if (with_cloud) *to++ = static_cast<int32_t>(Cloud(key));
    for (int axis = dims_ - 1; axis >= 0; --axis) {
      const uint64_t mask = (uint64_t{1} << (shift_[axis + 1] - shift_[axis])) - 1;
      *to++ = static_cast<int32_t>(key >> shift_[axis] & mask);
    }
  }

 private:
  int dims_;
  int bits_ = 0;
  int shift_[kMaxVoxelDims + 1] = {};
};

}  // namespace detops::point_to_voxel

#endif  // DETOPS_OPS_POINT_TO_VOXEL_GEOMETRY_H_
