// Which points lie in a box: everything that does not depend on the point, and the test of one point. Decisions are
// taken in float (double for double tensors). Vectors of points: boxes/points/interior-inl.h, with the same operations.
#ifndef DETOPS_BOXES_POINTS_INTERIOR_H_
#define DETOPS_BOXES_POINTS_INTERIOR_H_

#include <cmath>
#include <limits>

namespace detops::boxes {

struct BoxRules {
  bool z_is_center;
  double xy_margin;
};

template <typename Real>
struct BoxInterior {
  Real cx, cy, cosine, sine;  // of the angle by which points are turned back
  Real z_center, z_reach;     // inside: |z - z_center| <= z_reach
  Real x_reach, y_reach;      // inside: |local| < reach

  // False for NaN.
  bool Contains(Real x, Real y, Real z) const {
    const Real dx = x - cx, dy = y - cy;
    const Real local_x = dx * cosine - dy * sine, local_y = dx * sine + dy * cosine;
    // Numbers, so that all three are compared without a branch.
    const int in_z = std::fabs(z - z_center) <= z_reach ? 1 : 0;
    const int in_x = std::fabs(local_x) < x_reach ? 1 : 0;
    const int in_y = std::fabs(local_y) < y_reach ? 1 : 0;
    return (in_z & in_x & in_y) != 0;
  }
};

// The upright rectangle around a box: no point outside of it is inside.
struct BoxBounds {
  double low_x, high_x, low_y, high_y;
  bool empty() const { return high_x < low_x || high_y < low_y; }
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

// box = (cx, cy, cz, dx, dy, dz, rz), all finite.
template <typename Real>
BoxInterior<Real> MakeBoxInterior(const Real box[7], const BoxRules& rules) {
  const double half_z = static_cast<double>(box[5]) / 2;
  const auto margin = static_cast<double>(static_cast<Real>(rules.xy_margin));
  // In double and rounded once, so that no library's float cosine decides.
  const double turn = -static_cast<double>(box[6]);
  return {.cx = box[0],
          .cy = box[1],
          .cosine = static_cast<Real>(std::cos(turn)),
          .sine = static_cast<Real>(std::sin(turn)),
          .z_center = rules.z_is_center ? box[2] : static_cast<Real>(static_cast<double>(box[2]) + half_z),
          .z_reach = RoundedDown<Real>(half_z),
          .x_reach = RoundedUp<Real>(static_cast<double>(box[3]) / 2 + margin),
          .y_reach = RoundedUp<Real>(static_cast<double>(box[4]) / 2 + margin)};
}

// NaN if the box is so large that its ends cannot be told.
template <typename Real>
BoxBounds BoundsOf(const BoxInterior<Real>& box) {
  const double cosine = std::fabs(static_cast<double>(box.cosine)), sine = std::fabs(static_cast<double>(box.sine));
  const auto reach_x = static_cast<double>(box.x_reach), reach_y = static_cast<double>(box.y_reach);
  // Wider by more than rounding can move a point.
  const double slack = 1e-5 * (std::fabs(reach_x) + std::fabs(reach_y)) + 1e-30;
  const double half_width = cosine * reach_x + sine * reach_y + slack;
  const double half_height = sine * reach_x + cosine * reach_y + slack;
  const auto cx = static_cast<double>(box.cx), cy = static_cast<double>(box.cy);
  return {cx - half_width, cx + half_width, cy - half_height, cy + half_height};
}

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_POINTS_INTERIOR_H_
