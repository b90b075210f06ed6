// Sums over the pixels of bins and their reverse. Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_PSROIPOOL_BINS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_PSROIPOOL_BINS_INL_H_
#undef DETOPS_OPS_PSROIPOOL_BINS_INL_H_
#else
#define DETOPS_OPS_PSROIPOOL_BINS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/element_type.h"
#include "hwy/highway.h"
#include "ops/psroipool/psroipool_kernel.h"
#include "simd/element-inl.h"
#include "simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

inline int64_t AreaOf(BinSpan y, BinSpan x) { return int64_t{y.end - y.begin} * int64_t{x.end - x.begin}; }

// Calls visit(plane's number among those of the bins, rows, columns, the bin's place in the pooled tensor) for all bins
// whose rows are `wanted`.
template <int kWrite, typename T, class Wanted, class Visit>
HWY_INLINE void VisitBins(const RoiBins& bins, T* pooled, const Wanted& wanted, const Visit& visit) {
  const auto row_of = [&](int64_t i) {
    return pooled + (bins.rows == nullptr ? i : bins.rows[i]) * bins.pooled_row_stride;
  };
  const int64_t first_row = bins.first_bin / bins.pooled_width;
  const int64_t first_column = bins.first_bin % bins.pooled_width;
  for (int64_t i = 0; i < bins.count; ++i) {
    // Rows of the pooled tensor are far from each other, out of the processor's own sight. The lines of a first bin;
    // from there on it sees what comes.
    constexpr int64_t kRowsAhead = 12;
    T* ahead = row_of(std::min(i + kRowsAhead, bins.count - 1));
    __builtin_prefetch(ahead, kWrite);
    __builtin_prefetch(ahead + bins.channels - 1, kWrite);
    T* const row = row_of(i);
    const BinSpan* y = bins.ys + first_row * bins.span_stride + i;
    int64_t column = first_column;
    for (int64_t bin = 0; bin < bins.bins; y += bins.span_stride, column = 0) {
      const int64_t end = std::min(bins.bins, bin + bins.pooled_width - column);
      if (wanted(*y)) {
        const BinSpan* x = bins.xs + column * bins.span_stride + i;
        for (; bin < end; ++bin, x += bins.span_stride) visit(bin, *y, *x, row + bin * bins.pooled_bin_stride);
      }
      bin = end;
    }
  }
}

// Where the vectors of a pixel begin. The last one ends with the last channel.
template <int kVectors, class D>
struct VectorPlaces {
  VectorPlaces(D d, int64_t channels)
      : n(static_cast<int64_t>(hn::Lanes(d))), last(kVectors == 1 ? 0 : channels - n), left(channels) {}

  int64_t Begin(int k) const { return k == kVectors - 1 ? last : k * n; }

  int64_t n;
  int64_t last;
  int64_t left;  // of all channels, for one vector that they do not fill
};

// kVectors running sums over a pixel.
template <int kVectors, class D, typename Plane, class V>
HWY_INLINE void AddPixel(D d, const VectorPlaces<kVectors, D>& places, const Plane* pixel, V& s0, V& s1, V& s2, V& s3) {
  s0 = hn::Add(s0, LoadElements(d, pixel + places.Begin(0)));
  if constexpr (kVectors > 1) s1 = hn::Add(s1, LoadElements(d, pixel + places.Begin(1)));
  if constexpr (kVectors > 2) s2 = hn::Add(s2, LoadElements(d, pixel + places.Begin(2)));
  if constexpr (kVectors > 3) s3 = hn::Add(s3, LoadElements(d, pixel + places.Begin(3)));
}

// Calls visit(first pixel of a row, std::integral_constant<int, width>) for all rows if the width is small, or
// visit(pixel, one) for all pixels. Loops with few rounds are a coin toss to the processor; one jump per bin is not.
template <typename Pointer, class Visit>
HWY_INLINE void VisitPixels(Pointer first, int64_t row_stride, int64_t pixel_stride, int64_t height, int64_t width,
                            const Visit& visit) {
  const auto rows = [&](auto pixels) {
    for (int64_t y = 0; y < height; ++y) visit(first + y * row_stride, pixels);
  };
  switch (width) {
    case 1:
      return rows(std::integral_constant<int, 1>());
    case 2:
      return rows(std::integral_constant<int, 2>());
    case 3:
      return rows(std::integral_constant<int, 3>());
    case 4:
      return rows(std::integral_constant<int, 4>());
    case 5:
      return rows(std::integral_constant<int, 5>());
    case 6:
      return rows(std::integral_constant<int, 6>());
    case 7:
      return rows(std::integral_constant<int, 7>());
    case 8:
      return rows(std::integral_constant<int, 8>());
    default:
      for (int64_t y = 0; y < height; ++y) {
        Pointer pixel = first + y * row_stride;
        for (int64_t x = 0; x < width; ++x, pixel += pixel_stride) visit(pixel, std::integral_constant<int, 1>());
      }
  }
}

// Every kLongSum pixels the sums are moved into double ones.
template <int kVectors, class D, typename Plane, class V>
HWY_NOINLINE void SumLongBin(D d, const BinSums& sums, const Plane* first, int64_t width, int64_t height, V& s0, V& s1,
                             V& s2, V& s3) {
  using Real = hn::TFromD<D>;
  constexpr size_t kMaxLanes = hn::MaxLanes(D());
  const VectorPlaces<kVectors, D> places(d, sums.bins.channels);
  const int64_t n = places.n;
  Real piece[kVectors * kMaxLanes];
  double total[kVectors * kMaxLanes] = {};
  const auto flush = [&] {
    hn::StoreU(s0, d, piece);
    if constexpr (kVectors > 1) hn::StoreU(s1, d, piece + n);
    if constexpr (kVectors > 2) hn::StoreU(s2, d, piece + 2 * n);
    if constexpr (kVectors > 3) hn::StoreU(s3, d, piece + 3 * n);
    for (int64_t i = 0; i < kVectors * n; ++i) total[i] += piece[i];
    s0 = s1 = s2 = s3 = hn::Zero(d);
  };
  int64_t room = kLongSum;
  for (int64_t y = 0; y < height; ++y) {
    const Plane* pixel = first + y * sums.bins.row_stride;
    for (int64_t x = 0; x < width; ++x, pixel += sums.bins.pixel_stride) {
      AddPixel<kVectors>(d, places, pixel, s0, s1, s2, s3);
      if (--room > 0) continue;
      flush();
      room = kLongSum;
    }
  }
  flush();
  for (int64_t i = 0; i < kVectors * n; ++i) piece[i] = static_cast<Real>(total[i]);
  s0 = hn::LoadU(d, piece);
  if constexpr (kVectors > 1) s1 = hn::LoadU(d, piece + n);
  if constexpr (kVectors > 2) s2 = hn::LoadU(d, piece + 2 * n);
  if constexpr (kVectors > 3) s3 = hn::LoadU(d, piece + 3 * n);
}

template <int kVectors, typename Plane, typename T, class D>
HWY_NOINLINE void SumBinsWith(D d, const BinSums& sums) {
  using Real = hn::TFromD<D>;
  const RoiBins& bins = sums.bins;
  const VectorPlaces<kVectors, D> places(d, bins.channels);
  const int64_t pixel_stride = bins.pixel_stride;
  const auto* planes = static_cast<const Plane*>(sums.planes);
  const auto all = [](BinSpan) { return true; };
  VisitBins<1>(bins, static_cast<T*>(sums.target), all, [&](int64_t bin, BinSpan y, BinSpan x, T* target) HWY_ATTR {
    const int64_t area = AreaOf(y, x);
    const int64_t height = y.end - y.begin, width = x.end - x.begin;
    const Plane* first = planes + bin * bins.plane_stride + y.begin * bins.row_stride + x.begin * pixel_stride;
    auto s0 = hn::Zero(d);
    auto s1 = s0, s2 = s0, s3 = s0;
    if (HWY_UNLIKELY(area > kLongSum && !sums.in_order)) {
      SumLongBin<kVectors>(d, sums, first, width, height, s0, s1, s2, s3);
    } else if (area > 0) {
      VisitPixels(first, bins.row_stride, pixel_stride, height, width, [&](const Plane* row, auto pixels) HWY_ATTR {
        for (int k = 0; k < pixels; ++k) AddPixel<kVectors>(d, places, row + k * pixel_stride, s0, s1, s2, s3);
      });
    }
    // 0 / 1 for an empty bin.
    const auto divisor = hn::Set(d, static_cast<Real>(std::max<int64_t>(area, 1)));
    StoreFirst(hn::Div(s0, divisor), d, target, kVectors > 1 ? places.n : places.left);
    if constexpr (kVectors > 1) StoreElements(hn::Div(s1, divisor), d, target + places.Begin(1));
    if constexpr (kVectors > 2) StoreElements(hn::Div(s2, divisor), d, target + places.Begin(2));
    if constexpr (kVectors > 3) StoreElements(hn::Div(s3, divisor), d, target + places.Begin(3));
  });
}

// All loads before the first store: channels that two vectors share are then stored twice, with the same values.
template <int kVectors, class D, typename Real, class V>
HWY_INLINE void AddToPixel(D d, const VectorPlaces<kVectors, D>& places, Real* pixel, V g0, V g1, V g2, V g3) {
  const auto v0 = hn::Add(hn::LoadU(d, pixel), g0);
  auto v1 = v0, v2 = v0, v3 = v0;
  if constexpr (kVectors > 1) v1 = hn::Add(hn::LoadU(d, pixel + places.Begin(1)), g1);
  if constexpr (kVectors > 2) v2 = hn::Add(hn::LoadU(d, pixel + places.Begin(2)), g2);
  if constexpr (kVectors > 3) v3 = hn::Add(hn::LoadU(d, pixel + places.Begin(3)), g3);
  hn::StoreU(v0, d, pixel);
  if constexpr (kVectors > 1) hn::StoreU(v1, d, pixel + places.Begin(1));
  if constexpr (kVectors > 2) hn::StoreU(v2, d, pixel + places.Begin(2));
  if constexpr (kVectors > 3) hn::StoreU(v3, d, pixel + places.Begin(3));
}

// The gradient of `count` channels (the others count as zeros) divided by the pixels of a bin, in the type of the
// source (half and bfloat16: float); then in that of the plane, which may be double.
template <class D, typename T>
HWY_INLINE hn::Vec<D> ShareOf(D d, const T* source, int64_t count, RealOf<T> pixels) {
  const hn::Rebind<RealOf<T>, D> ds;
  const auto share = hn::Div(LoadFirst(ds, source, count), hn::Set(ds, pixels));
  if constexpr (std::is_same_v<RealOf<T>, hn::TFromD<D>>) {
    return share;
  } else {
    return hn::PromoteTo(d, share);
  }
}

template <int kVectors, typename T, class D>
HWY_NOINLINE void AddBinsWith(D d, const BinAdditions& additions) {
  using Real = hn::TFromD<D>;
  const RoiBins& bins = additions.bins;
  const VectorPlaces<kVectors, D> places(d, bins.channels);
  const int64_t pixel_stride = bins.pixel_stride;
  auto* planes = static_cast<Real*>(additions.planes);
  const auto inside = [&](BinSpan y) { return y.begin < additions.row_end && y.end > additions.row_begin; };
  const auto* pooled = static_cast<const T*>(additions.source);
  VisitBins<0>(bins, pooled, inside, [&](int64_t bin, BinSpan y, BinSpan x, const T* source) HWY_ATTR {
    const uint32_t row_begin = std::max(y.begin, additions.row_begin);
    const uint32_t row_end = std::min(y.end, additions.row_end);
    const int64_t width = x.end - x.begin;
    if (row_begin >= row_end || width == 0) return;
    const auto area = static_cast<RealOf<T>>(AreaOf(y, x));
    const auto g0 = ShareOf(d, source, kVectors > 1 ? places.n : places.left, area);
    auto g1 = g0, g2 = g0, g3 = g0;
    if constexpr (kVectors > 1) g1 = ShareOf(d, source + places.Begin(1), places.n, area);
    if constexpr (kVectors > 2) g2 = ShareOf(d, source + places.Begin(2), places.n, area);
    if constexpr (kVectors > 3) g3 = ShareOf(d, source + places.Begin(3), places.n, area);
    Real* first = planes + bin * bins.plane_stride + row_begin * bins.row_stride + x.begin * pixel_stride;
    VisitPixels(first, bins.row_stride, pixel_stride, row_end - row_begin, width, [&](Real* row, auto pixels) HWY_ATTR {
      for (int k = 0; k < pixels; ++k) AddToPixel<kVectors>(d, places, row + k * pixel_stride, g0, g1, g2, g3);
    });
  });
}

// Calls run.template operator()<kVectors>(d) with the vectors that cover the channels of a pixel.
template <typename Real, class Run>
HWY_INLINE void WithVectorsOf(int64_t channels, const Run& run) {
  const hn::ScalableTag<Real> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  if (channels < n) {
    if (channels == 1) return run.template operator()<1>(hn::CappedTag<Real, 1>());
    if (channels == 2) return run.template operator()<1>(hn::CappedTag<Real, 2>());
    if (channels <= 4) return run.template operator()<1>(hn::CappedTag<Real, 4>());
    if (channels <= 8) return run.template operator()<1>(hn::CappedTag<Real, 8>());
    return run.template operator()<1>(d);
  }
  switch ((channels + n - 1) / n) {
    case 1:
      return run.template operator()<1>(d);
    case 2:
      return run.template operator()<2>(d);
    case 3:
      return run.template operator()<3>(d);
    default:
      return run.template operator()<4>(d);
  }
}

template <typename Plane, typename T>
void SumBinsOf(const BinSums& sums) {
  WithVectorsOf<RealOf<T>>(sums.bins.channels, [&]<int kVectors>(auto d) { SumBinsWith<kVectors, Plane, T>(d, sums); });
}

template <typename T, typename Plane>
void AddBinsOf(const BinAdditions& additions) {
  WithVectorsOf<Plane>(additions.bins.channels, [&]<int kVectors>(auto d) { AddBinsWith<kVectors, T>(d, additions); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
