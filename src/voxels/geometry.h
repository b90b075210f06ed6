// Which voxel a point lies in, and how a voxel becomes a number that sorts. Scalar code, the same for all SIMD targets.
#ifndef DETOPS_VOXELS_GEOMETRY_H_
#define DETOPS_VOXELS_GEOMETRY_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/checked_math.h"

namespace detops::voxels {

inline constexpr int kMaxVoxelDims = 4;

// A regular grid, x first.
struct VoxelGrid {
  int dims;
  double range_min[kMaxVoxelDims];
  double voxel_size[kMaxVoxelDims];
  int32_t extent[kMaxVoxelDims];  // voxels on each axis
};

// How many voxels an axis has, in float as spconv and mmcv compute it; NaN, or too large a number, if that has none.
inline float VoxelsOnAxis(float range_min, float range_max, float voxel_size) {
  return std::round((range_max - range_min) / voxel_size);
}
inline bool IsVoxelCount(float count) { return count >= 1 && count < 0x1p31f; }

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

// Whether int64 counts the voxels of all clouds: then they can be numbered.
inline bool CanNumberVoxels(int dims, const int32_t grid[], int64_t clouds) {
  int64_t voxels = clouds;
  bool fits = true;
  for (int axis = 0; axis < dims; ++axis) fits = fits && CheckedMultiply(voxels, grid[axis], &voxels);
  return fits;
}

// A voxel as a number: the cloud, ..., z, y, x from the highest to the lowest, so that numbers ascend as these do. Each
// has bits of its own, unless these are more than 63 together: then the numbers follow each other without gaps.
class VoxelKeys {
 public:
  VoxelKeys(int dims, const int32_t grid[], int64_t clouds) : dims_(dims) {
    uint64_t voxels = 1;
    for (int axis = 0; axis < dims; ++axis) {
      extent_[axis] = static_cast<uint64_t>(grid[axis]);
      step_[axis] = voxels;
      voxels *= extent_[axis];
      shift_[axis] = bits_;
      bits_ += BitsToNumber(grid[axis]);
    }
    step_[dims] = voxels;
    shift_[dims] = bits_;
    bits_ += BitsToNumber(clouds);
    in_bits_ = bits_ <= 63;
    if (!in_bits_) bits_ = BitsToNumber(static_cast<int64_t>(voxels) * clouds);
  }

  int bits() const { return bits_; }
  uint64_t Cloud(uint64_t key) const { return in_bits_ ? key >> shift_[dims_] : key / step_[dims_]; }
  uint64_t OfCloud(int64_t cloud) const {
    return in_bits_ ? static_cast<uint64_t>(cloud) << shift_[dims_] : static_cast<uint64_t>(cloud) * step_[dims_];
  }

  // Adds a number on an axis, x: 0, to each key.
  void Add(int axis, const int32_t* cells, int64_t count, uint64_t* keys) const {
    const auto cell = [=](int64_t i) { return static_cast<uint64_t>(static_cast<uint32_t>(cells[i])); };
    if (in_bits_) {
      const int shift = shift_[axis];
      for (int64_t i = 0; i < count; ++i) keys[i] |= cell(i) << shift;
    } else {
      for (int64_t i = 0; i < count; ++i) keys[i] += cell(i) * step_[axis];
    }
  }

  // Writes ..., z, y, x, after the cloud if that is wanted.
  void Write(uint64_t key, bool with_cloud, int32_t* to) const {
    if (with_cloud) *to++ = static_cast<int32_t>(Cloud(key));
    for (int axis = dims_ - 1; axis >= 0; --axis) {
      const uint64_t mask = (uint64_t{1} << (shift_[axis + 1] - shift_[axis])) - 1;
      *to++ = static_cast<int32_t>(in_bits_ ? key >> shift_[axis] & mask : key / step_[axis] % extent_[axis]);
    }
  }

 private:
  int dims_;
  bool in_bits_;
  int bits_ = 0;
  int shift_[kMaxVoxelDims + 1] = {};
  uint64_t step_[kMaxVoxelDims + 1] = {}, extent_[kMaxVoxelDims] = {};
};

}  // namespace detops::voxels

#endif  // DETOPS_VOXELS_GEOMETRY_H_
