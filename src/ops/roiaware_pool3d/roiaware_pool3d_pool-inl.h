// Pooling of one voxel, and its reverse. Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_ROIAWARE_POOL3D_POOL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_ROIAWARE_POOL3D_POOL_INL_H_
#undef DETOPS_OPS_ROIAWARE_POOL3D_POOL_INL_H_
#else
#define DETOPS_OPS_ROIAWARE_POOL3D_POOL_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/element_type.h"
#include "hwy/highway.h"
#include "ops/roiaware_pool3d/roiaware_pool3d_kernel.h"
#include "simd/element-inl.h"
#include "simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
HWY_INLINE const T* FeatureRow(const VoxelPool& pool, int64_t k) {
  return static_cast<const T*>(pool.features) + PointOf(pool.points[k]) * pool.channels;
}

// Point numbers beside the lanes of D, and their store as int32. Beside doubles they are doubles, which hold them
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
  using Real = RealOf<T>;
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

// Pieces of kLongSum points are summed as usual, and their sums in double.
template <class D, typename T>
HWY_NOINLINE hn::Vec<D> SumManyFeatures(D d, const VoxelPool& pool, int64_t c, int64_t left) {
  using Real = hn::TFromD<D>;
  alignas(64) Real piece[hn::MaxLanes(D())];
  double total[hn::MaxLanes(D())] = {};
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t begin = 0; begin < pool.count; begin += kLongSum) {
    const int64_t end = std::min(begin + kLongSum, pool.count);
    hn::Store(SumFeatures<D, T>(d, pool, begin, end, c, left), d, piece);
    for (int64_t i = 0; i < n; ++i) total[i] += piece[i];
  }
  for (int64_t i = 0; i < n; ++i) piece[i] = static_cast<Real>(total[i]);
  return hn::Load(d, piece);
}

template <typename T>
HWY_NOINLINE void PoolAverageOf(const VoxelPool& pool) {
  using Real = RealOf<T>;
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

template <typename T>
HWY_NOINLINE void AddMaxOf(const VoxelGradient& g) {
  for (int64_t c = g.channel_begin; c < g.channel_end; ++c) {
    const int32_t point = g.argmax[c];
    if (point < g.point_begin || point >= g.point_end) continue;
    g.sums[point * g.channels + c] += GradientAt<T>(g, c);
  }
}

template <typename T>
HWY_NOINLINE void AddAverageOf(const VoxelGradient& g) {
  using Real = RealOf<T>;
  const hn::ScalableTag<double> dd;
  const hn::Rebind<Real, decltype(dd)> d;
  const auto n = static_cast<int64_t>(hn::Lanes(dd));
  const auto share = hn::Set(d, Real{1} / static_cast<Real>(g.count));
  for (int64_t c = g.channel_begin; c < g.channel_end; c += n) {
    const int64_t left = g.channel_end - c;
    const auto part = hn::Mul(LoadFirst(d, static_cast<const T*>(g.gradient) + c, left), share);
    hn::Vec<decltype(dd)> added;
    if constexpr (std::is_same_v<Real, double>) {
      added = part;
    } else {
      added = hn::PromoteTo(dd, part);
    }
    for (int64_t k = 0; k < g.count; ++k) {
      const int32_t point = g.points[k];
      if (point < g.point_begin || point >= g.point_end) continue;
      double* sum = g.sums + point * g.channels + c;
      StoreFirst(hn::Add(LoadFirst(dd, sum, left), added), dd, sum, left);
    }
  }
}

template <typename T>
HWY_NOINLINE void StoreSumsOf(const double* sums, void* target, int64_t count) {
  auto* to = static_cast<T*>(target);
  if constexpr (std::is_same_v<T, double>) {
    std::copy_n(sums, count, to);
  } else {
    const hn::ScalableTag<double> dd;
    const hn::Rebind<float, decltype(dd)> d;
    const auto n = static_cast<int64_t>(hn::Lanes(dd));
    for (int64_t i = 0; i < count; i += n) {
      StoreFirst(FloatsFor<T>(dd, LoadFirst(dd, sums + i, count - i)), d, to + i, count - i);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
