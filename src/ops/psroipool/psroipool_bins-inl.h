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

#include "core/half.h"
#include "hwy/highway.h"
#include "ops/psroipool/psroipool_kernel.h"
#include "simd/element-inl.h"
#include "simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using PlaneOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

inline int64_t AreaOf(BinSpan y, BinSpan x) { return int64_t{y.end - y.begin} * int64_t{x.end - x.begin}; }

// kVectors sums over the pixels of one row, or of a piece of it.
template <int kVectors, class D, typename Real, class V>
HWY_INLINE void AddPixels(D d, const Real* HWY_RESTRICT pixel, int64_t pixel_stride, int64_t count, V& s0, V& s1, V& s2,
                          V& s3) {
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (; count > 0; --count, pixel += pixel_stride) {
    s0 = hn::Add(s0, hn::LoadU(d, pixel));
    if constexpr (kVectors > 1) s1 = hn::Add(s1, hn::LoadU(d, pixel + n));
    if constexpr (kVectors > 2) s2 = hn::Add(s2, hn::LoadU(d, pixel + 2 * n));
    if constexpr (kVectors > 3) s3 = hn::Add(s3, hn::LoadU(d, pixel + 3 * n));
  }
}

// Every kLongSum pixels the sums are moved into double ones.
template <int kVectors, class D, typename Real, class V>
HWY_NOINLINE void SumLongBin(D d, const BinSums& sums, const Real* first, int64_t width, int64_t height, V& s0, V& s1,
                             V& s2, V& s3) {
  constexpr size_t kMaxLanes = hn::MaxLanes(D());
  const auto n = static_cast<int64_t>(hn::Lanes(d));
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
    const Real* pixel = first + y * sums.row_stride;
    for (int64_t x = 0; x < width;) {
      const int64_t step = std::min(room, width - x);
      AddPixels<kVectors>(d, pixel + x * sums.pixel_stride, sums.pixel_stride, step, s0, s1, s2, s3);
      x += step;
      room -= step;
      if (room > 0) continue;
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

template <int kVectors, typename T, class D>
HWY_NOINLINE void SumBinsWith(D d, const BinSums& sums) {
  using Real = PlaneOf<T>;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const auto* plane = static_cast<const Real*>(sums.plane);
  const auto target_of = [&](int64_t i) {
    return static_cast<T*>(sums.target) + (sums.rows == nullptr ? i : sums.rows[i]) * sums.target_stride;
  };
  // The rows of the target are far from each other, out of the processor's own sight.
  constexpr int64_t kAhead = 8;
  for (int64_t i = 0; i < sums.count; ++i) {
    if (i + kAhead < sums.count) __builtin_prefetch(target_of(i + kAhead), 1);
    const BinSpan y = sums.ys[i], x = sums.xs[i];
    const int64_t area = AreaOf(y, x);
    const int64_t width = x.end - x.begin;
    const Real* first = plane + y.begin * sums.row_stride + x.begin * sums.pixel_stride;
    auto s0 = hn::Zero(d);
    auto s1 = s0, s2 = s0, s3 = s0;
    if (HWY_UNLIKELY(area > kLongSum && !sums.in_order)) {
      SumLongBin<kVectors>(d, sums, first, width, y.end - y.begin, s0, s1, s2, s3);
    } else if (area > 0) {
      for (uint32_t row = y.begin; row < y.end; ++row, first += sums.row_stride) {
        AddPixels<kVectors>(d, first, sums.pixel_stride, width, s0, s1, s2, s3);
      }
    }
    // 0 / 1 for an empty bin.
    const auto pixels = hn::Set(d, static_cast<Real>(std::max<int64_t>(area, 1)));
    T* target = target_of(i);
    StoreFirst(hn::Div(s0, pixels), d, target, sums.channels);
    if constexpr (kVectors > 1) StoreFirst(hn::Div(s1, pixels), d, target + n, sums.channels - n);
    if constexpr (kVectors > 2) StoreFirst(hn::Div(s2, pixels), d, target + 2 * n, sums.channels - 2 * n);
    if constexpr (kVectors > 3) StoreFirst(hn::Div(s3, pixels), d, target + 3 * n, sums.channels - 3 * n);
  }
}

template <int kVectors, typename T, class D>
HWY_NOINLINE void AddBinsWith(D d, const BinAdditions& additions) {
  using Real = PlaneOf<T>;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  auto* plane = static_cast<Real*>(additions.plane);
  const auto source_of = [&](int64_t i) {
    return static_cast<const T*>(additions.source) +
           (additions.rows == nullptr ? i : additions.rows[i]) * additions.source_stride;
  };
  constexpr int64_t kAhead = 8;
  const int64_t channels = additions.channels;
  for (int64_t i = 0; i < additions.count; ++i) {
    if (i + kAhead < additions.count) __builtin_prefetch(source_of(i + kAhead), 0);
    const BinSpan y = additions.ys[i], x = additions.xs[i];
    const uint32_t row_begin = std::max(y.begin, additions.row_begin);
    const uint32_t row_end = std::min(y.end, additions.row_end);
    const int64_t width = x.end - x.begin;
    if (row_begin >= row_end || width == 0) continue;
    const auto pixels = hn::Set(d, static_cast<Real>(AreaOf(y, x)));
    const T* source = source_of(i);
    const auto g0 = hn::Div(LoadFirst(d, source, channels), pixels);
    auto g1 = g0, g2 = g0, g3 = g0;
    if constexpr (kVectors > 1) g1 = hn::Div(LoadFirst(d, source + n, channels - n), pixels);
    if constexpr (kVectors > 2) g2 = hn::Div(LoadFirst(d, source + 2 * n, channels - 2 * n), pixels);
    if constexpr (kVectors > 3) g3 = hn::Div(LoadFirst(d, source + 3 * n, channels - 3 * n), pixels);
    Real* first = plane + row_begin * additions.row_stride + x.begin * additions.pixel_stride;
    for (uint32_t row = row_begin; row < row_end; ++row, first += additions.row_stride) {
      Real* HWY_RESTRICT pixel = first;
      for (int64_t count = width; count > 0; --count, pixel += additions.pixel_stride) {
        hn::StoreU(hn::Add(hn::LoadU(d, pixel), g0), d, pixel);
        if constexpr (kVectors > 1) hn::StoreU(hn::Add(hn::LoadU(d, pixel + n), g1), d, pixel + n);
        if constexpr (kVectors > 2) hn::StoreU(hn::Add(hn::LoadU(d, pixel + 2 * n), g2), d, pixel + 2 * n);
        if constexpr (kVectors > 3) hn::StoreU(hn::Add(hn::LoadU(d, pixel + 3 * n), g3), d, pixel + 3 * n);
      }
    }
  }
}

// Planes of double for tensors of other types, where a pixel gets so many terms that float sums would go astray. Rare,
// so short instead of fast.
template <typename T>
HWY_NOINLINE void AddBinsWide(const BinAdditions& additions) {
  const hn::CappedTag<float, 1> one;
  auto* plane = static_cast<double*>(additions.plane);
  for (int64_t i = 0; i < additions.count; ++i) {
    const BinSpan y = additions.ys[i], x = additions.xs[i];
    const uint32_t row_begin = std::max(y.begin, additions.row_begin);
    const uint32_t row_end = std::min(y.end, additions.row_end);
    const auto pixels = static_cast<float>(AreaOf(y, x));
    const T* source = static_cast<const T*>(additions.source) +
                      (additions.rows == nullptr ? i : additions.rows[i]) * additions.source_stride;
    for (uint32_t row = row_begin; row < row_end; ++row) {
      for (uint32_t column = x.begin; column < x.end; ++column) {
        double* pixel = plane + row * additions.row_stride + column * additions.pixel_stride;
        for (int64_t c = 0; c < additions.channels; ++c) {
          pixel[c] += static_cast<double>(hn::GetLane(LoadElements(one, source + c)) / pixels);
        }
      }
    }
  }
}

// Calls run.template operator()<kVectors>(d) with the vectors that make up a pixel.
template <typename Real, class Run>
HWY_INLINE void WithVectorsOf(int64_t pixel_stride, const Run& run) {
  const hn::ScalableTag<Real> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  if (pixel_stride < n) {
    if (pixel_stride == 1) return run.template operator()<1>(hn::CappedTag<Real, 1>());
    if (pixel_stride == 2) return run.template operator()<1>(hn::CappedTag<Real, 2>());
    return run.template operator()<1>(hn::CappedTag<Real, 4>());
  }
  switch (pixel_stride / n) {
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

template <typename T>
void SumBinsOf(const BinSums& sums) {
  WithVectorsOf<PlaneOf<T>>(sums.pixel_stride, [&]<int kVectors>(auto d) { SumBinsWith<kVectors, T>(d, sums); });
}

template <typename T>
void AddBinsOf(const BinAdditions& additions) {
  WithVectorsOf<PlaneOf<T>>(additions.pixel_stride,
                            [&]<int kVectors>(auto d) { AddBinsWith<kVectors, T>(d, additions); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
