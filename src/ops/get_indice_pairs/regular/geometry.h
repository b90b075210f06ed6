// The rule of regular and transposed convolutions, in exact integers.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_REGULAR_GEOMETRY_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_REGULAR_GEOMETRY_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "core/checked_math.h"
#include "ops/get_indice_pairs/problem.h"

namespace detops::get_indice_pairs {

// The kernel offsets under which input coordinates of one axis reach the output space.
//
// Regular: r with r * dilation = input + pad modulo stride, and 0 <= input + pad - r * dilation <= (output - 1) *
// stride. Solutions of the first are `step` apart, so they are counted off instead of tried one by one: neither the
// kernel nor the stride need be small. Transposed: every r with 0 <= input * stride - pad + r * dilation <= output - 1.
class AxisReach {
 public:
  AxisReach() = default;
  AxisReach(const SparseConvolutionAxis& axis, bool transposed) : axis_(axis), transposed_(transposed) {
    if (transposed) return;
    common_ = std::gcd(axis.stride, axis.dilation);
    step_ = axis.stride / common_;
    // The inverse of dilation / common modulo step, by Euclid's algorithm.
    int64_t rest = step_, next_rest = axis.dilation / common_ % step_, next_inverse = 1;
    while (next_rest != 0) {
      const int64_t quotient = rest / next_rest;
      rest = std::exchange(next_rest, rest - quotient * next_rest);
      inverse_ = std::exchange(next_inverse, inverse_ - quotient * next_inverse);
    }
    inverse_ = (inverse_ % step_ + step_) % step_;
  }

  // Calls visit(offset, output coordinate), ascending by offset.
  template <class Visit>
  void ForEach(int64_t input, const Visit& visit) const {
    const int64_t last = int64_t{axis_.output} - 1;
    const int64_t shifted = transposed_ ? input * axis_.stride - axis_.pad : input + axis_.pad;
    // The least and the largest r * dilation.
    const int64_t least = transposed_ ? -shifted : shifted - last * axis_.stride;
    const int64_t most = transposed_ ? last - shifted : shifted;
    if (most < 0 || shifted % common_ != 0) return;
    int64_t begin = least <= 0 ? 0 : DivideRoundUp(least, axis_.dilation);
    const int64_t end = std::min<int64_t>(most / axis_.dilation + 1, axis_.filter);
    if (step_ > 1) {
      const int64_t solution = shifted / common_ % step_ * inverse_ % step_;
      begin += (solution - begin % step_ + step_) % step_;
    }
    for (int64_t r = begin; r < end; r += step_) {
      visit(r, transposed_ ? shifted + r * axis_.dilation : (shifted - r * axis_.dilation) / axis_.stride);
    }
  }

 private:
  SparseConvolutionAxis axis_;
  bool transposed_ = false;
  int64_t common_ = 1;
  int64_t step_ = 1;
  int64_t inverse_ = 0;
};

// Calls visit(offset, site) for every output site that the input site `coordinates` (batch first) reaches, ascending by
// offset. A site is its flat number in batch x output space.
template <class Visit>
class ReachedSites {
 public:
  ReachedSites(const GetIndicePairsProblem& problem, const Visit& visit) : problem_(problem), visit_(visit) {
    for (int axis = 0; axis < problem.dims; ++axis) reach_[axis] = AxisReach(problem.axes[axis], problem.transposed);
  }

  void Of(const int32_t* coordinates) const { Descend<0>(coordinates + 1, 0, coordinates[0]); }

 private:
  template <int axis>
  void Descend(const int32_t* coordinates, int64_t offset, int64_t site) const {
    const SparseConvolutionAxis& rule = problem_.axes[axis];
    reach_[axis].ForEach(coordinates[axis], [&](int64_t r, int64_t output) {
      const int64_t next_offset = offset * rule.filter + r;
      const int64_t next_site = site * rule.output + output;
      if (axis + 1 == problem_.dims) {
        visit_(next_offset, next_site);
      } else {
        if constexpr (axis + 1 < kMaxSpatialDims) Descend<axis + 1>(coordinates, next_offset, next_site);
      }
    });
  }

  const GetIndicePairsProblem& problem_;
  const Visit& visit_;
  AxisReach reach_[kMaxSpatialDims];
};

// The batch id and coordinates of a flat site number.
inline void SiteCoordinates(const GetIndicePairsProblem& problem, int64_t site, int32_t* coordinates) {
  for (int axis = problem.dims - 1; axis >= 0; --axis) {
    coordinates[axis + 1] = static_cast<int32_t>(site % problem.axes[axis].output);
    site /= problem.axes[axis].output;
  }
  coordinates[0] = static_cast<int32_t>(site);
}

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_REGULAR_GEOMETRY_H_
