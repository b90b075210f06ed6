// A box, prepared for the question which of its voxels a point lies in. Decisions are taken in float (double for double
// tensors); everything that does not depend on the point is decided here, the rest in kernel/kernel.cc.
#ifndef DETOPS_OPS_ROIAWARE_POOL3D_GEOMETRY_H_
#define DETOPS_OPS_ROIAWARE_POOL3D_GEOMETRY_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace detops::roiaware_pool3d {

struct VoxelGrid {
  int64_t x, y, z;
  int64_t count() const { return x * y * z; }
};

struct BoxRules {
  bool z_is_center;
  double xy_margin;
};

template <typename Real>
struct BoxFrame {
  Real cx, cy, cosine, sine;  // of the angle by which points are turned back
  Real z_center, z_reach;     // inside: |z - z_center| <= z_reach
  Real x_reach, y_reach;      // inside: |local| < reach
  Real x_shift, y_shift, z_bottom, z_shift;
  Real x_step, y_step, z_step;          // voxel = (local + shift) / step
  double low_x, high_x, low_y, high_y;  // no point outside is inside
};

// |a| < limit for the Real a, or |a| <= limit, is the same as a comparison with a Real.
template <typename Real>
Real RoundedUp(double limit) {
  const auto nearest = static_cast<Real>(limit);
  return static_cast<double>(nearest) < limit ? std::nextafter(nearest, std::numeric_limits<Real>::infinity())
                                              : nearest;
}
template <typename Real>
Real RoundedDown(double limit) {
  const auto nearest = static_cast<Real>(limit);
  return static_cast<double>(nearest) > limit ? std::nextafter(nearest, -std::numeric_limits<Real>::infinity())
                                              : nearest;
}

// An axis of size 0 has one step that is infinite: every point falls into voxel 0.
template <typename Real>
Real StepOf(Real size, int64_t voxels) {
  return size == 0 ? std::numeric_limits<Real>::infinity() : size / static_cast<Real>(voxels);
}

// roi = (cx, cy, cz, dx, dy, dz, rz), all finite.
template <typename Real>
BoxFrame<Real> MakeBoxFrame(const Real roi[7], const VoxelGrid& grid, const BoxRules& rules) {
  const Real cx = roi[0], cy = roi[1], cz = roi[2], dx = roi[3], dy = roi[4], dz = roi[5];
  // In double and rounded once, so that no library's float cosine decides.
  const double turn = -static_cast<double>(roi[6]);
  BoxFrame<Real> frame;
  frame.cx = cx;
  frame.cy = cy;
  frame.cosine = static_cast<Real>(std::cos(turn));
  frame.sine = static_cast<Real>(std::sin(turn));
  const double half_z = static_cast<double>(dz) / 2;
  frame.z_center = rules.z_is_center ? cz : static_cast<Real>(static_cast<double>(cz) + half_z);
  frame.z_reach = RoundedDown<Real>(half_z);
  const auto margin = static_cast<double>(static_cast<Real>(rules.xy_margin));
  const double reach_x = static_cast<double>(dx) / 2 + margin;
  const double reach_y = static_cast<double>(dy) / 2 + margin;
  frame.x_reach = RoundedUp<Real>(reach_x);
  frame.y_reach = RoundedUp<Real>(reach_y);
  frame.x_shift = dx / 2;
  frame.y_shift = dy / 2;
  frame.z_bottom = cz;
  frame.z_shift = rules.z_is_center ? dz / 2 : 0;
  frame.x_step = StepOf(dx, grid.x);
  frame.y_step = StepOf(dy, grid.y);
  frame.z_step = StepOf(dz, grid.z);
  // The upright rectangle around the box, wider by more than rounding can move a point.
  const double cosine = std::fabs(static_cast<double>(frame.cosine)), sine = std::fabs(static_cast<double>(frame.sine));
  const double slack = 1e-5 * (std::fabs(reach_x) + std::fabs(reach_y)) + 1e-30;
  const double half_width = cosine * reach_x + sine * reach_y + slack;
  const double half_height = sine * reach_x + cosine * reach_y + slack;
  frame.low_x = static_cast<double>(cx) - half_width;
  frame.high_x = static_cast<double>(cx) + half_width;
  frame.low_y = static_cast<double>(cy) - half_height;
  frame.high_y = static_cast<double>(cy) + half_height;
  return frame;
}

}  // namespace detops::roiaware_pool3d

#endif  // DETOPS_OPS_ROIAWARE_POOL3D_GEOMETRY_H_
