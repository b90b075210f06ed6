// The rule of regular and transposed convolutions, in exact integers.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_GEOMETRY_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_GEOMETRY_H_

#include <algorithm>
#include <cstdint>

#include "ops/get_indice_pairs/get_indice_pairs.h"

namespace detops {

// The output coordinate that `input` reaches on an axis under kernel offset `offset`; -1 if there is none.
inline int64_t OutputCoordinate(const SparseConvolutionAxis& axis, bool transposed, int64_t input, int64_t offset) {
  const int64_t shift = offset * axis.dilation;
  int64_t output;
  if (transposed) {
    output = input * axis.stride - axis.pad + shift;
  } else {
    const int64_t scaled = input + axis.pad - shift;
    if (scaled % axis.stride != 0) return -1;
    output = scaled / axis.stride;
  }
  return output >= 0 && output < axis.output ? output : -1;
}

// The kernel offsets under which `input` can reach the output space at all; some of them fail for the stride.
struct OffsetRange {
  int64_t begin, end;
};
inline OffsetRange OffsetsInReach(const SparseConvolutionAxis& axis, bool transposed, int64_t input) {
  // Regular: 0 <= input + pad - r * dilation <= (output - 1) * stride.
  // Transposed: 0 <= input * stride - pad + r * dilation <= output - 1, so the ends change their roles.
  const int64_t last = int64_t{axis.output} - 1;
  const int64_t least = transposed ? axis.pad - input * axis.stride : input + axis.pad - last * axis.stride;
  const int64_t most = transposed ? least + last : input + axis.pad;
  if (most < 0) return {0, 0};
  const int64_t begin = least <= 0 ? 0 : (least + axis.dilation - 1) / axis.dilation;
  return {begin, std::min<int64_t>(most / axis.dilation + 1, axis.filter)};
}

// Calls visit(offset, site) for every output site that the input site `coordinates` (batch first) reaches, ascending by
// offset. A site is its flat number in batch x output space.
template <class Visit>
class ReachedSites {
 public:
  ReachedSites(const GetIndicePairsProblem& problem, const Visit& visit) : problem_(problem), visit_(visit) {}

  void Of(const int32_t* coordinates) { Descend<0>(coordinates + 1, 0, coordinates[0]); }

 private:
  template <int axis>
  void Descend(const int32_t* coordinates, int64_t offset, int64_t site) {
    const SparseConvolutionAxis& rule = problem_.axes[axis];
    const OffsetRange range = OffsetsInReach(rule, problem_.transposed, coordinates[axis]);
    for (int64_t r = range.begin; r < range.end; ++r) {
      const int64_t output = OutputCoordinate(rule, problem_.transposed, coordinates[axis], r);
      if (output < 0) continue;
      const int64_t next_offset = offset * rule.filter + r;
      const int64_t next_site = site * rule.output + output;
      if (axis + 1 == problem_.dims) {
        visit_(next_offset, next_site);
      } else {
        if constexpr (axis + 1 < kMaxSpatialDims) Descend<axis + 1>(coordinates, next_offset, next_site);
      }
    }
  }

  const GetIndicePairsProblem& problem_;
  const Visit& visit_;
};

// The batch id and coordinates of a flat site number.
inline void SiteCoordinates(const GetIndicePairsProblem& problem, int64_t site, int32_t* coordinates) {
  for (int axis = problem.dims - 1; axis >= 0; --axis) {
    coordinates[axis + 1] = static_cast<int32_t>(site % problem.axes[axis].output);
    site /= problem.axes[axis].output;
  }
  coordinates[0] = static_cast<int32_t>(site);
}

}  // namespace detops

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_GEOMETRY_H_
