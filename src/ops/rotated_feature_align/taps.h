// From the boxes of a tensor to taps, for both passes.
#ifndef DETOPS_OPS_ROTATED_FEATURE_ALIGN_TAPS_H_
#define DETOPS_OPS_ROTATED_FEATURE_ALIGN_TAPS_H_

#include <cstdint>

#include "core/element_type.h"
#include "ops/rotated_feature_align/geometry.h"
#include "ops/rotated_feature_align/problem.h"

namespace detops::rotated_feature_align {

template <typename T>
RotatedBox<Accumulator<T>> LoadBox(const void* boxes, int64_t pixel) {
  const auto number = [&](int64_t i) { return LoadReal<T>(boxes, pixel * 5 + i); };
  return {number(0), number(1), number(2), number(3), number(4)};
}

// Calls visit(i, counts, neighbourhood) for every sample i of the pixel's box, in order; samples that do not count have
// neighbours on the map too, but must not be used.
template <typename T, class Visit>
inline void VisitSamples(const RotatedFeatureAlignProblem& problem, int64_t pixel, const Visit& visit) {
  using Real = Accumulator<T>;
  SamplePoint<Real> samples[kMaxSamplePoints];
  FindSamplePoints(LoadBox<T>(problem.boxes, pixel), static_cast<Real>(problem.spatial_scale), problem.points, samples);
  for (int i = 0; i < problem.points; ++i) {
    Neighbourhood<Real> place;
    const bool counts = Locate(samples[i], problem.height, problem.width, &place);
    visit(i, counts, place);
  }
}

// Elements of work below which a second thread costs more than it brings: about 10 us.
inline constexpr int64_t kMinTaskElements = 200'000;

}  // namespace detops::rotated_feature_align

#endif  // DETOPS_OPS_ROTATED_FEATURE_ALIGN_TAPS_H_
