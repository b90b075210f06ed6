// A box, prepared for the question which of its voxels a point lies in. Decisions are taken in float (double for double
// tensors); everything that does not depend on the point is decided here, the rest in kernel/kernel.cc.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_GEOMETRY_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_GEOMETRY_H_

#include <cstdint>
#include <limits>

#include "boxes/points/interior.h"

namespace detops::roiaware_pool3d {

struct VoxelGrid {
  int64_t x, y, z;
  int64_t count() const { return x * y * z; }
};

template <typename Real>
struct BoxFrame {
  boxes::BoxInterior<Real> interior;
  Real x_shift, y_shift, z_bottom, z_shift;
  Real x_step, y_step, z_step;  // voxel = (local + shift) / step
  boxes::BoxBounds bounds;
};

// An axis of size 0 has one step that is infinite: every point falls into voxel 0.
template <typename Real>
Real StepOf(Real size, int64_t voxels) {
  return size == 0 ? std::numeric_limits<Real>::infinity() : size / static_cast<Real>(voxels);
}

// roi = (cx, cy, cz, dx, dy, dz, rz), all finite.
template <typename Real>
BoxFrame<Real> MakeBoxFrame(const Real roi[7], const VoxelGrid& grid, const boxes::BoxRules& rules) {
  const Real dx = roi[3], dy = roi[4], dz = roi[5];
  const boxes::BoxInterior<Real> interior = boxes::MakeBoxInterior(roi, rules);
  return {.interior = interior,
          .x_shift = dx / 2,
          .y_shift = dy / 2,
          .z_bottom = roi[2],
          .z_shift = rules.z_is_center ? dz / 2 : 0,
          .x_step = StepOf(dx, grid.x),
          .y_step = StepOf(dy, grid.y),
          .z_step = StepOf(dz, grid.z),
          .bounds = boxes::BoundsOf(interior)};
}

}  // namespace detops::roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_GEOMETRY_H_
