// Pooling of one voxel, and its reverse. Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_ROIAWARE_POOL3D_KERNEL_POOL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_ROIAWARE_POOL3D_KERNEL_POOL_INL_H_
#undef DETOPS_OPS_ROIAWARE_POOL3D_KERNEL_POOL_INL_H_
#else
#define DETOPS_OPS_ROIAWARE_POOL3D_KERNEL_POOL_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/element_type.h"
#include "hwy/highway.h"
#include "ops/roiaware_pool3d/kernel/kernel.h"
#include "simd/element-inl.h"
#include "simd/long_sum-inl.h"
#include "simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::roiaware_pool3d {
namespace HWY_NAMESPACE {

using namespace detops::HWY_NAMESPACE;  // hn and vectors of simd/
namespace {

template <typename T>
HWY_INLINE const T* FeatureRow(const VoxelPool& pool, int64_t k) {
  return static_cast<const T*>(pool.features) + PointOf(pool.points[k]) * pool.channels;
}

// Point numbers that go with the lanes of D, and their store as int32. With doubles they are doubles, which hold them
// exactly: Highway does not shorten 64-bit integers.
template <class D>
HWY_INLINE auto SetPoint(D d, int32_t point) {
  if constexpr (std::is_same_v<hn::TFromD<D>, double>) {
    return hn::Set(d, static_cast<double>(point));
  } else {
    return hn::Set(hn::RebindToSigned<D>(), point);
  }
}
template <class D, class V>
HWY_INLINE void StorePoints(D d, V points, int32_t* to, int64_t count) {
  const hn::Rebind<int32_t, D> di;
  alignas(64) int32_t buffer[hn::MaxLanes(D())];
  if constexpr (std::is_same_v<hn::TFromD<D>, double>) {
    hn::StoreU(hn::DemoteTo(di, points), di, buffer);
  } else {
    if (HWY_LIKELY(count >= static_cast<int64_t>(hn::Lanes(d)))) return hn::StoreU(points, di, to);
    hn::StoreU(points, di, buffer);
  }
  std::copy_n(buffer, std::min<int64_t>(count, static_cast<int64_t>(hn::Lanes(d))), to);
}

template <typename T>
HWY_NOINLINE void PoolMaxOf(const VoxelPool& pool) {
  using Real = Accumulator<T>;
  const hn::ScalableTag<Real> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < pool.channels; c += n) {
    const int64_t left = pool.channels - c;
    auto most = hn::Set(d, -std::numeric_limits<Real>::infinity());
    auto winner = SetPoint(d, -1);
    for (int64_t k = 0; k < pool.count; ++k) {
      const auto feature = LoadFirst(d, FeatureRow<T>(pool, k) + c, left);
      // Strict, so the first of equals wins; false for NaN.
      const auto wins = hn::Gt(feature, most);
      most = hn::IfThenElse(wins, feature, most);
      const auto point = SetPoint(d, PointOf(pool.points[k]));
      winner = hn::IfThenElse(hn::RebindMask(hn::DFromV<decltype(winner)>(), wins), point, winner);
    }
    // Nobody has won where it still is -Inf.
    const auto any = hn::Gt(most, hn::Set(d, -std::numeric_limits<Real>::infinity()));
    StoreFirst(hn::IfThenElseZero(any, most), d, static_cast<T*>(pool.pooled) + c, left);
    StorePoints(d, winner, pool.argmax + c, left);
  }
}

template <class D, typename T>
HWY_INLINE hn::Vec<D> SumFeatures(D d, const VoxelPool& pool, int64_t begin, int64_t end, int64_t c, int64_t left) {
  auto sum = hn::Zero(d);
  for (int64_t k = begin; k < end; ++k) sum = hn::Add(sum, LoadFirst(d, FeatureRow<T>(pool, k) + c, left));
  return sum;
}

template <class D, typename T>
HWY_NOINLINE hn::Vec<D> SumManyFeatures(D d, const VoxelPool& pool, int64_t c, int64_t left) {
  return SumInPieces(d, pool.count, [&](int64_t begin, int64_t end) HWY_ATTR {
    return SumFeatures<D, T>(d, pool, begin, end, c, left);
  });
}

template <typename T>
HWY_NOINLINE void PoolAverageOf(const VoxelPool& pool) {
  using Real = Accumulator<T>;
  const hn::ScalableTag<Real> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const auto count = hn::Set(d, static_cast<Real>(pool.count));
  for (int64_t c = 0; c < pool.channels; c += n) {
    const int64_t left = pool.channels - c;
    const auto sum = pool.count <= kLongSum ? SumFeatures<decltype(d), T>(d, pool, 0, pool.count, c, left)
                                            : SumManyFeatures<decltype(d), T>(d, pool, c, left);
    StoreFirst(hn::Div(sum, count), d, static_cast<T*>(pool.pooled) + c, left);
  }
}

template <typename T>
HWY_INLINE double GradientAt(const VoxelGradient& g, int64_t c) {
  if constexpr (std::is_same_v<T, double>) {
    return static_cast<const T*>(g.gradient)[c];
  } else {
    const hn::CappedTag<float, 1> one;
    return static_cast<double>(hn::GetLane(LoadElements(one, static_cast<const T*>(g.gradient) + c)));
  }
}

// A vector of a gradient.
template <class DD, typename T>
HWY_INLINE hn::Vec<DD> DoublesAt(DD dd, const T* gradient) {
  if constexpr (std::is_same_v<T, double>) {
    return hn::LoadU(dd, gradient);
  } else {
    return hn::PromoteTo(dd, LoadElements(hn::Rebind<float, DD>(), gradient));
  }
}

// Most voxels hold a point or two, so the maxima of neighbouring channels are often those of one point: then they are
// added as a vector.
template <typename T>
HWY_NOINLINE void AddMaxOf(const VoxelGradient& g) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<int32_t, decltype(dd)> di;
  const auto n = static_cast<int64_t>(hn::Lanes(dd));
  for (int64_t c = g.channel_begin; c < g.channel_end; c += n) {
    const int32_t first = g.argmax[c];
    const int64_t end = std::min(c + n, g.channel_end);
    if (end - c == n && hn::AllTrue(di, hn::Eq(hn::LoadU(di, g.argmax + c), hn::Set(di, first)))) {
      if (first < g.point_begin || first >= g.point_end) continue;
      double* sum = g.sums + first * g.channels + c;
      hn::StoreU(hn::Add(hn::LoadU(dd, sum), DoublesAt(dd, static_cast<const T*>(g.gradient) + c)), dd, sum);
      continue;
    }
    for (int64_t i = c; i < end; ++i) {
      const int32_t point = g.argmax[i];
      if (point < g.point_begin || point >= g.point_end) continue;
      g.sums[point * g.channels + i] += GradientAt<T>(g, i);
    }
  }
}

// A share of a gradient: a product of its own type, and as double from there on.
template <class DD, typename T>
HWY_INLINE hn::Vec<DD> SharedGradient(DD dd, const T* gradient, Accumulator<T> share, int64_t left) {
  const hn::Rebind<Accumulator<T>, DD> d;
  const auto part = hn::Mul(LoadFirst(d, gradient, left), hn::Set(d, share));
  if constexpr (std::is_same_v<T, double>) {
    return part;
  } else {
    return hn::PromoteTo(dd, part);
  }
}

template <class DD, typename T>
HWY_INLINE void StoreSum(DD dd, hn::Vec<DD> sum, T* to, int64_t left) {
  if constexpr (std::is_same_v<T, double>) {
    StoreFirst(sum, dd, to, left);
  } else {
    StoreFirst(FloatsFor<T>(dd, sum), hn::Rebind<float, DD>(), to, left);
  }
}

template <typename T>
HWY_NOINLINE void AddAverageOf(const VoxelGradient& g) {
  const hn::ScalableTag<double> dd;
  const auto n = static_cast<int64_t>(hn::Lanes(dd));
  const auto share = Accumulator<T>{1} / static_cast<Accumulator<T>>(g.count);
  for (int64_t c = g.channel_begin; c < g.channel_end; c += n) {
    const int64_t left = g.channel_end - c;
    const auto added = SharedGradient(dd, static_cast<const T*>(g.gradient) + c, share, left);
    for (int64_t k = 0; k < g.count; ++k) {
      const int32_t point = g.points[k];
      if (point < g.point_begin || point >= g.point_end) continue;
      double* sum = g.sums + point * g.channels + c;
      StoreFirst(hn::Add(LoadFirst(dd, sum, left), added), dd, sum, left);
    }
  }
}

template <typename T>
HWY_NOINLINE void SumSharesOf(const PointGradients& g) {
  constexpr int64_t kAhead = 16;  // the voxels of points that follow each other lie anywhere
  const hn::ScalableTag<double> dd;
  const auto n = static_cast<int64_t>(hn::Lanes(dd));
  const auto row = [&](int64_t share) {
    return static_cast<const T*>(g.gradients) + g.shares[share].voxel * g.channels;
  };
  int64_t first = g.begin == 0 ? 0 : g.ends[g.begin - 1];
  for (int64_t point = g.begin; point < g.end; ++point) {
    const int64_t last = g.ends[point];
    for (int64_t k = first + kAhead; k < std::min(last + kAhead, g.listed); ++k) __builtin_prefetch(row(k));
    T* target = static_cast<T*>(g.target) + point * g.channels;
    // The number of shares is a coin toss to the processor: it should be tossed once for many channels.
    int64_t c = 0;
    for (; c + 4 * n <= g.channels; c += 4 * n) {
      auto sum0 = hn::Zero(dd), sum1 = hn::Zero(dd), sum2 = hn::Zero(dd), sum3 = hn::Zero(dd);
      for (int64_t k = first; k < last; ++k) {
        const auto share = static_cast<Accumulator<T>>(g.shares[k].share);
        const T* from = row(k) + c;
        sum0 = hn::Add(sum0, SharedGradient(dd, from, share, n));
        sum1 = hn::Add(sum1, SharedGradient(dd, from + n, share, n));
        sum2 = hn::Add(sum2, SharedGradient(dd, from + 2 * n, share, n));
        sum3 = hn::Add(sum3, SharedGradient(dd, from + 3 * n, share, n));
      }
      StoreSum(dd, sum0, target + c, n);
      StoreSum(dd, sum1, target + c + n, n);
      StoreSum(dd, sum2, target + c + 2 * n, n);
      StoreSum(dd, sum3, target + c + 3 * n, n);
    }
    for (; c < g.channels; c += n) {
      const int64_t left = g.channels - c;
      auto sum = hn::Zero(dd);
      for (int64_t k = first; k < last; ++k) {
        const auto share = static_cast<Accumulator<T>>(g.shares[k].share);
        sum = hn::Add(sum, SharedGradient(dd, row(k) + c, share, left));
      }
      StoreSum(dd, sum, target + c, left);
    }
    first = last;
  }
}

template <typename T>
HWY_NOINLINE void StoreSumsOf(const double* sums, void* target, int64_t count) {
  const hn::ScalableTag<double> dd;
  const auto n = static_cast<int64_t>(hn::Lanes(dd));
  for (int64_t i = 0; i < count; i += n) {
    StoreSum(dd, LoadFirst(dd, sums + i, count - i), static_cast<T*>(target) + i, count - i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops::roiaware_pool3d
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
