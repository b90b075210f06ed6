// Where a box is sampled, and which pixels with which weights make a sample.
//
// Everything that jumps (inside or outside, which pixel) is decided here, once, in the scalar type Real: float for
// float, half and bfloat16 tensors, double for double ones. The file is compiled once, not per instruction set, so
// all targets decide alike.
#ifndef DETOPS_OPS_ROTATED_FEATURE_ALIGN_GEOMETRY_H_
#define DETOPS_OPS_ROTATED_FEATURE_ALIGN_GEOMETRY_H_

#include <cmath>
#include <cstdint>

namespace detops::rotated_feature_align {

inline constexpr int kMaxSamplePoints = 5;
inline constexpr int kNeighbours = 4;

template <typename Real>
struct SamplePoint {
  Real x;
  Real y;
};

// Finite numbers only; products of them may overflow, see Locate.
template <typename Real>
struct RotatedBox {
  Real y, x, w, h, angle;
};

// The centre, and for points = 5 the corners in the order of the README's drawing.
template <typename Real>
inline void FindSamplePoints(const RotatedBox<Real>& box, Real scale, int points, SamplePoint<Real>* samples) {
  const Real y = box.y * scale;
  const Real x = box.x * scale;
  samples[0] = {x, y};
  if (points == 1) return;
  const Real half_w = box.w * scale / 2;
  const Real half_h = box.h * scale / 2;
  // In double and rounded once, so that no vector or float approximation decides differently.
  const auto cosine = static_cast<Real>(std::cos(static_cast<double>(box.angle)));
  const auto sine = static_cast<Real>(std::sin(static_cast<double>(box.angle)));
  const Real wx = cosine * half_w;
  const Real wy = sine * half_w;
  const Real hx = -sine * half_h;
  const Real hy = cosine * half_h;
  samples[1] = {x + wx + hx, y + wy + hy};
  samples[2] = {x - wx + hx, y - wy + hy};
  samples[3] = {x - wx - hx, y - wy - hy};
  samples[4] = {x + wx - hx, y + wy - hy};
}

// The pixels around a sample: (low, low + step) on each axis, and how far the sample is from low.
template <typename Real>
struct Neighbourhood {
  int64_t low_y, low_x;
  int step_y, step_x;  // 1; 0 at the far border, where both neighbours are the same pixel
  Real fraction_y, fraction_x;
};

// One axis of Locate. Any coordinate is safe: it is clamped before it becomes an integer, NaN to 0.
template <typename Real>
inline void LocateOnAxis(Real coordinate, int64_t size, int64_t* low, int* step, Real* fraction) {
  const auto limit = static_cast<Real>(size);
  const int64_t last = size - 1;
  coordinate = coordinate > 0 ? coordinate : 0;
  coordinate = coordinate < limit ? coordinate : limit;
  const auto floor = static_cast<int64_t>(coordinate);
  const bool interior = floor < last;
  *low = interior ? floor : last;
  *step = interior ? 1 : 0;
  *fraction = interior ? coordinate - static_cast<Real>(floor) : 0;
}

// Finds the neighbours and tells whether the sample counts. One that lies more than a pixel outside the map does not;
// nor does one whose coordinates overflowed or are not a number, as every comparison with it is false. There are no
// branches: which samples are inside is a coin toss to the processor.
template <typename Real>
inline bool Locate(const SamplePoint<Real>& sample, int64_t height, int64_t width, Neighbourhood<Real>* place) {
  LocateOnAxis(sample.y, height, &place->low_y, &place->step_y, &place->fraction_y);
  LocateOnAxis(sample.x, width, &place->low_x, &place->step_x, &place->fraction_x);
  return (sample.y >= -1) & (sample.y <= static_cast<Real>(height)) & (sample.x >= -1) &
         (sample.x <= static_cast<Real>(width));
}

// The weights of (low, low), (low, low + x), (low + y, low), (low + y, low + x).
template <typename Real>
inline void BilinearWeights(Real fraction_y, Real fraction_x, Real weights[kNeighbours]) {
  const Real rest_y = 1 - fraction_y;
  const Real rest_x = 1 - fraction_x;
  weights[0] = rest_y * rest_x;
  weights[1] = rest_y * fraction_x;
  weights[2] = fraction_y * rest_x;
  weights[3] = fraction_y * fraction_x;
}

}  // namespace detops::rotated_feature_align

#endif  // DETOPS_OPS_ROTATED_FEATURE_ALIGN_GEOMETRY_H_
