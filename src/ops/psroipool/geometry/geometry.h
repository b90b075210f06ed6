// Where the bins of a roi lie. Every decision that jumps is taken here, in float (double for double tensors), so that
// forward, backward and all SIMD targets agree.
#ifndef DETOPS_OPS_PSROIPOOL_GEOMETRY_GEOMETRY_H_
#define DETOPS_OPS_PSROIPOOL_GEOMETRY_GEOMETRY_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "detops/psroipool.h"

namespace detops::psroipool {

// The rows or columns [begin, end) of a bin that lie on the map; begin == end if there are none.
struct BinSpan {
  uint32_t begin, end;
};

inline int64_t SizeOf(BinSpan span) { return int64_t{span.end} - int64_t{span.begin}; }

// One axis of a roi: bin p covers [p * bin + start, (p + 1) * bin + start] + shift.
template <typename Real>
struct RoiAxis {
  Real start;
  Real bin;
  double shift;  // a whole number
};

template <typename Real>
struct RoiAxes {
  RoiAxis<Real> y, x;
};

// Which rounding and clipping a pass uses.
struct BinRules {
  detopsPsRoiPoolConvention_t convention;
  bool backward;

  // torchvision's forward never uses the last row and column.
  int64_t Limit(int64_t size) const {
    return convention == DETOPS_PSROIPOOL_TORCHVISION && !backward ? size - 1 : size;
  }
};

// Round first, then scale; the end is inside, hence + 1.
template <typename Real>
bool MakeRfcnAxis(Real low, Real high, Real scale, int64_t pooled, RoiAxis<Real>* axis) {
  const Real start = std::round(low) * scale;
  const Real end = static_cast<Real>(std::round(static_cast<double>(high)) + 1.0) * scale;
  const Real extent = end - start;
  *axis = {start, std::max(extent, static_cast<Real>(0.1)) / static_cast<Real>(pooled), 0.0};
  return std::isfinite(start) && std::isfinite(end) && std::isfinite(extent);
}

// Scale first, then round; the end is outside. Differences are double, where those of whole numbers are exact.
template <typename Real>
bool MakeTorchvisionAxis(Real low, Real high, Real scale, int64_t pooled, bool narrow, RoiAxis<Real>* axis) {
  const auto rounded = [&](Real coordinate) -> double {
    const Real scaled = coordinate * scale;
    return narrow ? std::round(static_cast<float>(scaled)) : std::round(scaled);
  };
  const double start = rounded(low);
  const double end = rounded(high);
  const auto extent = static_cast<Real>(end - start);
  *axis = {Real{0}, std::max(extent, Real{1}) / static_cast<Real>(pooled), start};
  return std::isfinite(start) && std::isfinite(end) && std::isfinite(extent);
}

// roi = (batch id, x1, y1, x2, y2). False if something overflows.
template <typename Real>
bool MakeRoiAxes(const BinRules& rules, const Real roi[5], Real scale, int64_t pooled_height, int64_t pooled_width,
                 RoiAxes<Real>* axes) {
  if (rules.convention == DETOPS_PSROIPOOL_RFCN) {
    const bool fits = MakeRfcnAxis(roi[2], roi[4], scale, pooled_height, &axes->y);
    return MakeRfcnAxis(roi[1], roi[3], scale, pooled_width, &axes->x) && fits;
  }
  // torchvision's backward rounds doubles as floats.
  const bool narrow = rules.convention == DETOPS_PSROIPOOL_TORCHVISION && rules.backward;
  const bool fits = MakeTorchvisionAxis(roi[2], roi[4], scale, pooled_height, narrow, &axes->y);
  return MakeTorchvisionAxis(roi[1], roi[3], scale, pooled_width, narrow, &axes->x) && fits;
}

// floor(position) and ceil(position) without a call, for what is not below 0: torchvision's bins begin there. NaN,
// which a caller without value checks may pass, becomes 0.
template <typename Real>
double FloorFromZero(Real position) {
  constexpr auto kWhole = static_cast<Real>(int64_t{1} << 53);  // and everything beyond
  if (!(position > 0)) return 0;
  return position < kWhole ? static_cast<double>(static_cast<int64_t>(position)) : static_cast<double>(position);
}
template <typename Real>
double CeilFromZero(Real position) {
  const double floor = FloorFromZero(position);
  return floor < static_cast<double>(position) ? floor + 1 : floor;
}

// `limit` < 2^32.
inline uint32_t ClampToMap(double edge, int64_t limit) {
  if (!(edge > 0)) return 0;
  return edge >= static_cast<double>(limit) ? static_cast<uint32_t>(limit)
                                            : static_cast<uint32_t>(static_cast<int64_t>(edge));
}

template <typename Real>
BinSpan SpanOfBin(const RoiAxis<Real>& axis, int64_t p, int64_t limit) {
  const Real low = static_cast<Real>(p) * axis.bin + axis.start;
  const Real high = static_cast<Real>(p + 1) * axis.bin + axis.start;
  if (axis.shift == 0) {  // the same without jumps: first to the map, then to whole numbers
    // In this order of arguments NaN, which a caller without value checks may pass, becomes 0.
    const auto on_map = [=](Real position) {
      return std::min(std::max(0.0, static_cast<double>(position)), static_cast<double>(limit));
    };
    const auto begin = static_cast<int64_t>(on_map(low));
    auto end = static_cast<int64_t>(on_map(high));
    end += static_cast<double>(end) < on_map(high) ? 1 : 0;
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(std::max(begin, end))};
  }
  const uint32_t begin = ClampToMap(FloorFromZero(low) + axis.shift, limit);
  const uint32_t end = ClampToMap(CeilFromZero(high) + axis.shift, limit);
  return {begin, std::max(begin, end)};
}

}  // namespace detops::psroipool

#endif  // DETOPS_OPS_PSROIPOOL_GEOMETRY_GEOMETRY_H_
