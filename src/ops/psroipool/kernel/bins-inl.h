// Sums over the pixels of bins and their reverse. Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_PSROIPOOL_KERNEL_BINS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_PSROIPOOL_KERNEL_BINS_INL_H_
#undef DETOPS_OPS_PSROIPOOL_KERNEL_BINS_INL_H_
#else
#define DETOPS_OPS_PSROIPOOL_KERNEL_BINS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/element_type.h"
#include "hwy/highway.h"
#include "ops/psroipool/kernel/kernel.h"
#include "simd/element-inl.h"
#include "simd/long_sum-inl.h"
#include "simd/partial-inl.h"

// For functions that two places call: the compiler would keep what they refer to in memory.
#undef DETOPS_INLINE_ATTR
#define DETOPS_INLINE_ATTR HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace detops::psroipool {
namespace HWY_NAMESPACE {

using namespace detops::HWY_NAMESPACE;  // hn and vectors of simd/
namespace {

inline int64_t AreaOf(BinSpan y, BinSpan x) { return SizeOf(y) * SizeOf(x); }

// Calls visit(plane's number among those of the bins, rows, columns, the bin's place in the pooled tensor) for all bins
// whose rows are `wanted`.
template <int kWrite, typename T, class Wanted, class Visit>
HWY_INLINE void VisitBins(const RoiBins& bins, T* pooled, const Wanted& wanted, const Visit& visit) {
  const auto roi_of = [&](int64_t i) -> int64_t { return bins.chosen == nullptr ? i : bins.chosen[i]; };
  const auto row_of = [&](int64_t roi) {
    return pooled + (bins.rows == nullptr ? roi : bins.rows[roi]) * bins.pooled_row_stride;
  };
  const BinSpan* const first_y = bins.ys + bins.first_bin / bins.pooled_width * bins.span_stride;
  const int64_t first_column = bins.first_bin % bins.pooled_width;
  // Rows of the pooled tensor are far from each other, out of the processor's own sight. The lines of a first bin; from
  // there on it sees what comes.
  const auto prefetch = [&](int64_t i) DETOPS_INLINE_ATTR {
    constexpr int64_t kRowsAhead = 12;
    T* ahead = row_of(roi_of(std::min(i + kRowsAhead, bins.count - 1)));
    __builtin_prefetch(ahead, kWrite);
    __builtin_prefetch(ahead + bins.channels - 1, kWrite);
  };
  if (bins.bins == 1) {  // the same, with fewer jumps that the processor has to keep in mind
    const BinSpan* const first_x = bins.xs + first_column * bins.span_stride;
    for (int64_t i = 0; i < bins.count; ++i) {
      prefetch(i);
      const int64_t roi = roi_of(i);
      if (wanted(first_y[roi])) visit(0, first_y[roi], first_x[roi], row_of(roi));
    }
    return;
  }
  for (int64_t i = 0; i < bins.count; ++i) {
    prefetch(i);
    const int64_t roi = roi_of(i);
    T* const row = row_of(roi);
    const BinSpan* y = first_y + roi;
    int64_t column = first_column;
    for (int64_t bin = 0; bin < bins.bins; y += bins.span_stride, column = 0) {
      const int64_t end = std::min(bins.bins, bin + bins.pooled_width - column);
      if (wanted(*y)) {
        const BinSpan* x = bins.xs + column * bins.span_stride + roi;
        for (; bin < end; ++bin, x += bins.span_stride) visit(bin, *y, *x, row + bin * bins.pooled_bin_stride);
      }
      bin = end;
    }
  }
}

// The channels of a pixel as vectors. Those of a plane follow each other, and after the last channel is room. In the
// pooled tensor there is none: the last vector ends with the last channel and shares some with the one before it.
template <int kVectors, class D>
class ChannelVectors {
 public:
  HWY_INLINE ChannelVectors(D d, int64_t channels)
      : channels_(channels), last_(kVectors == 1 ? 0 : channels - Lanes()) {
    using Index = hwy::MakeSigned<hn::TFromD<D>>;
    HWY_ALIGN Index down[hn::MaxLanes(D())], up[hn::MaxLanes(D())];
    const auto shift = static_cast<Index>(kVectors == 1 ? 0 : PixelStride() - channels);  // lanes without a channel
    const auto n = static_cast<Index>(Lanes());
    for (Index i = 0; i < n; ++i) {
      down[i] = static_cast<Index>((i + n - shift) % n);
      up[i] = static_cast<Index>((i + shift) % n);
    }
    to_pooled_ = hn::SetTableIndices(d, down);
    to_plane_ = hn::SetTableIndices(d, up);
    in_last_ = hn::FirstN(d, static_cast<size_t>(n - shift));
  }

  // Known to the compiler where the length of vectors is.
  static HWY_INLINE int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(D())); }
  static HWY_INLINE int64_t PixelStride() { return kVectors * Lanes(); }

  template <typename T>
  HWY_INLINE void Store(D d, hn::Vec<D> v0, hn::Vec<D> v1, hn::Vec<D> v2, hn::Vec<D> v3, T* pooled) const {
    if constexpr (kVectors == 1) {
      StoreFirst(v0, d, pooled, channels_);
    } else {
      StoreElements(v0, d, pooled);
      if constexpr (kVectors > 2) StoreElements(v1, d, pooled + Lanes());
      if constexpr (kVectors > 3) StoreElements(v2, d, pooled + 2 * Lanes());
      const auto last = kVectors == 2 ? v1 : kVectors == 3 ? v2 : v3;
      const auto before = kVectors == 2 ? v0 : kVectors == 3 ? v1 : v2;
      StoreElements(hn::TableLookupLanes(hn::IfThenElse(in_last_, last, before), to_pooled_), d, pooled + last_);
    }
  }

  // load(place, count) has the vector of the pooled tensor at `place`, of which `count` channels exist. After the last
  // channel the last vector may hold anything.
  template <class Load>
  HWY_INLINE void Load4(const Load& load, hn::Vec<D>& v0, hn::Vec<D>& v1, hn::Vec<D>& v2, hn::Vec<D>& v3) const {
    v0 = load(0, kVectors == 1 ? channels_ : Lanes());
    if constexpr (kVectors > 2) v1 = load(Lanes(), Lanes());
    if constexpr (kVectors > 3) v2 = load(2 * Lanes(), Lanes());
    if constexpr (kVectors > 1) {
      (kVectors == 2 ? v1 : kVectors == 3 ? v2 : v3) = hn::TableLookupLanes(load(last_, Lanes()), to_plane_);
    }
  }

 private:
  int64_t channels_;
  int64_t last_;  // where the last vector begins in the pooled tensor
  decltype(hn::SetTableIndices(D(), static_cast<hwy::MakeSigned<hn::TFromD<D>>*>(nullptr))) to_pooled_, to_plane_;
  hn::Mask<D> in_last_;
};

// kVectors running sums over a pixel.
template <int kVectors, class D, typename Plane, class V>
HWY_INLINE void AddPixel(D d, const Plane* pixel, V& s0, V& s1, V& s2, V& s3) {
  const size_t n = hn::Lanes(d);
  s0 = hn::Add(s0, LoadElements(d, pixel));
  if constexpr (kVectors > 1) s1 = hn::Add(s1, LoadElements(d, pixel + n));
  if constexpr (kVectors > 2) s2 = hn::Add(s2, LoadElements(d, pixel + 2 * n));
  if constexpr (kVectors > 3) s3 = hn::Add(s3, LoadElements(d, pixel + 3 * n));
}

// Calls visit(first pixel of a row, std::integral_constant<int, width>) for all rows if the width is small, or
// visit(pixel, one) for all pixels. Loops with few rounds are a coin toss to the processor; one jump per bin is not.
// `column`: the first column in row 0 of the plane.
template <typename Pointer, class Visit>
HWY_INLINE void VisitPixels(const RoiBins& bins, Pointer column, int64_t pixel_stride, BinSpan y, int64_t width,
                            const Visit& visit) {
  const int64_t row_stride = bins.row_stride;
  const uint32_t row_mask = bins.row_mask;
  const auto rows = [&](auto pixels) DETOPS_INLINE_ATTR {
    for (uint32_t row = y.begin; row < y.end; ++row) visit(column + (row & row_mask) * row_stride, pixels);
  };
  switch (width) {
    case 0:
      return;
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
      for (uint32_t row = y.begin; row < y.end; ++row) {
        Pointer pixel = column + (row & row_mask) * row_stride;
        for (int64_t x = 0; x < width; ++x, pixel += pixel_stride) visit(pixel, std::integral_constant<int, 1>());
      }
  }
}

// The means of the channels. 0 / 1 for an empty bin.
template <class Channels, class D, typename T, class V>
HWY_INLINE void StoreMeans(D d, const Channels& channels, int64_t area, V s0, V s1, V s2, V s3, T* target) {
  const auto divisor = hn::Set(d, static_cast<hn::TFromD<D>>(std::max<int64_t>(area, 1)));
  channels.Store(d, hn::Div(s0, divisor), hn::Div(s1, divisor), hn::Div(s2, divisor), hn::Div(s3, divisor), target);
}

// Every kLongSum pixels the sums are moved into double ones.
template <int kVectors, class D, typename Plane, typename T>
HWY_NOINLINE void SumLongBin(D d, const RoiBins& bins, const Plane* column, BinSpan y, int64_t width, T* target) {
  using Channels = ChannelVectors<kVectors, D>;
  LongSums<D, kVectors> sums;
  auto s0 = hn::Zero(d);
  auto s1 = s0, s2 = s0, s3 = s0;
  const auto flush = [&]() HWY_ATTR {
    sums.Add(0, s0);
    if constexpr (kVectors > 1) sums.Add(1, s1);
    if constexpr (kVectors > 2) sums.Add(2, s2);
    if constexpr (kVectors > 3) sums.Add(3, s3);
    s0 = s1 = s2 = s3 = hn::Zero(d);
  };
  int64_t left = kLongSum;
  for (uint32_t row = y.begin; row < y.end; ++row) {
    const Plane* pixel = column + (row & bins.row_mask) * bins.row_stride;
    for (int64_t x = 0; x < width; ++x, pixel += Channels::PixelStride()) {
      AddPixel<kVectors>(d, pixel, s0, s1, s2, s3);
      if (--left > 0) continue;
      flush();
      left = kLongSum;
    }
  }
  flush();
  s0 = sums.Get(0);
  if constexpr (kVectors > 1) s1 = sums.Get(1);
  if constexpr (kVectors > 2) s2 = sums.Get(2);
  if constexpr (kVectors > 3) s3 = sums.Get(3);
  StoreMeans(d, Channels(d, bins.channels), int64_t{y.end - y.begin} * width, s0, s1, s2, s3, target);
}

template <int kVectors, typename Plane, typename T, class D>
HWY_NOINLINE void SumBinsWith(D d, const BinSums& sums) {
  using Channels = ChannelVectors<kVectors, D>;
  const RoiBins& bins = sums.bins;
  const Channels channels(d, bins.channels);
  const auto* planes = static_cast<const Plane*>(sums.planes);
  const int64_t longest = sums.in_order ? INT64_MAX : kLongSum;
  const auto all = [](BinSpan) { return true; };
  const auto sum = [&](int64_t bin, BinSpan y, BinSpan x, T* target) DETOPS_INLINE_ATTR {
    const int64_t area = AreaOf(y, x), width = x.end - x.begin;
    const Plane* column = planes + bin * bins.plane_stride + x.begin * Channels::PixelStride();
    if (HWY_UNLIKELY(area > longest)) return SumLongBin<kVectors>(d, bins, column, y, width, target);
    auto s0 = hn::Zero(d);
    auto s1 = s0, s2 = s0, s3 = s0;
    VisitPixels(bins, column, Channels::PixelStride(), y, width, [&](const Plane* row, auto pixels) HWY_ATTR {
      for (int k = 0; k < pixels; ++k) AddPixel<kVectors>(d, row + k * Channels::PixelStride(), s0, s1, s2, s3);
    });
    StoreMeans(d, channels, area, s0, s1, s2, s3, target);
  };
  VisitBins<1>(bins, static_cast<T*>(sums.target), all, sum);
}

template <int kVectors, class D, typename Real, class V>
HWY_INLINE void AddToPixel(D d, Real* pixel, V g0, V g1, V g2, V g3) {
  const size_t n = hn::Lanes(d);
  hn::StoreU(hn::Add(hn::LoadU(d, pixel), g0), d, pixel);
  if constexpr (kVectors > 1) hn::StoreU(hn::Add(hn::LoadU(d, pixel + n), g1), d, pixel + n);
  if constexpr (kVectors > 2) hn::StoreU(hn::Add(hn::LoadU(d, pixel + 2 * n), g2), d, pixel + 2 * n);
  if constexpr (kVectors > 3) hn::StoreU(hn::Add(hn::LoadU(d, pixel + 3 * n), g3), d, pixel + 3 * n);
}

// The gradient of `count` channels (the others count as zeros) divided by the pixels of a bin, in the type of the
// source (half and bfloat16: float); then in that of the plane, which may be double.
template <class D, typename T>
HWY_INLINE hn::Vec<D> ShareOf(D d, const T* source, int64_t count, Accumulator<T> pixels) {
  const hn::Rebind<Accumulator<T>, D> ds;
  const auto share = hn::Div(LoadFirst(ds, source, count), hn::Set(ds, pixels));
  if constexpr (std::is_same_v<Accumulator<T>, hn::TFromD<D>>) {
    return share;
  } else {
    return hn::PromoteTo(d, share);
  }
}

template <int kVectors, typename T, class D>
HWY_NOINLINE void AddBinsWith(D d, const BinAdditions& additions) {
  using Real = hn::TFromD<D>;
  using Channels = ChannelVectors<kVectors, D>;
  const RoiBins& bins = additions.bins;
  const Channels channels(d, bins.channels);
  auto* planes = static_cast<Real*>(additions.planes);
  const auto inside = [&](BinSpan y) { return y.begin < additions.row_end && y.end > additions.row_begin; };
  const auto add = [&](int64_t bin, BinSpan y, BinSpan x, const T* source) DETOPS_INLINE_ATTR {
    const BinSpan rows = {std::max(y.begin, additions.row_begin), std::min(y.end, additions.row_end)};
    const int64_t width = x.end - x.begin;
    if (rows.begin >= rows.end || width == 0) return;
    const auto area = static_cast<Accumulator<T>>(AreaOf(y, x));
    auto g0 = hn::Zero(d);
    auto g1 = g0, g2 = g0, g3 = g0;
    channels.Load4([&](int64_t place, int64_t count) HWY_ATTR { return ShareOf(d, source + place, count, area); }, g0,
                   g1, g2, g3);
    Real* column = planes + bin * bins.plane_stride + x.begin * Channels::PixelStride();
    VisitPixels(bins, column, Channels::PixelStride(), rows, width, [&](Real* row, auto pixels) HWY_ATTR {
      for (int k = 0; k < pixels; ++k) AddToPixel<kVectors>(d, row + k * Channels::PixelStride(), g0, g1, g2, g3);
    });
  };
  VisitBins<0>(bins, static_cast<const T*>(additions.source), inside, add);
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
  WithVectorsOf<Accumulator<T>>(sums.bins.channels,
                                [&]<int kVectors>(auto d) { SumBinsWith<kVectors, Plane, T>(d, sums); });
}

template <typename T, typename Plane>
void AddBinsOf(const BinAdditions& additions) {
  WithVectorsOf<Plane>(additions.bins.channels, [&]<int kVectors>(auto d) { AddBinsWith<kVectors, T>(d, additions); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops::psroipool
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
