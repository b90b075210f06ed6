#include "ops/roiaware_pool3d/kernel/kernel.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "core/half.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/roiaware_pool3d/kernel/kernel.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
// After foreach_target.h.
#include "boxes/points/interior-inl.h"
#include "ops/roiaware_pool3d/kernel/entry_sort-inl.h"
#include "ops/roiaware_pool3d/kernel/pool-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::roiaware_pool3d {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Towards zero, then onto the grid.
template <typename Real>
HWY_INLINE int64_t VoxelOnAxis(Real ratio, int64_t count) {
  if (!(ratio > 0)) return 0;
  return ratio >= static_cast<Real>(count) ? count - 1 : std::min(static_cast<int64_t>(ratio), count - 1);
}

// Whether voxels and the numbers of all axes are integers of 32 bits that floats hold exactly.
HWY_INLINE bool IsSmall(const VoxelGrid& grid) {
  constexpr int64_t kExact = int64_t{1} << 24;
  return std::max({grid.x, grid.y, grid.z}) <= kExact && grid.x * grid.y <= INT32_MAX / grid.z;
}

// The same for a vector, on a grid that is small.
template <class D>
HWY_INLINE auto VoxelsOnAxis(D d, hn::Vec<D> ratio, int64_t count) {
  const auto positive = hn::IfThenElseZero(hn::Gt(ratio, hn::Zero(d)), ratio);  // 0 for NaN
  return hn::ConvertTo(hn::RebindToSigned<D>(), hn::Min(positive, hn::Set(d, static_cast<float>(count - 1))));
}

// Of a vector of points, the ratios that tell the voxel on each axis.
template <class V>
struct Ratios {
  V x, y, z;
};

// Their voxels, for the lanes in `bits`; others may be anything.
template <class D>
HWY_INLINE void WriteVoxels(D d, const Ratios<hn::Vec<D>>& ratios, const VoxelGrid& grid, bool small, uint64_t bits,
                            uint32_t* voxels) {
  using Real = hn::TFromD<D>;
  if constexpr (std::is_same_v<Real, float>) {
    if (HWY_LIKELY(small)) {
      const hn::RebindToSigned<D> di;
      const auto set = [&](int64_t count) { return hn::Set(di, static_cast<int32_t>(count)); };
      const auto column =
          hn::Add(hn::Mul(VoxelsOnAxis(d, ratios.x, grid.x), set(grid.y)), VoxelsOnAxis(d, ratios.y, grid.y));
      const auto voxel = hn::Add(hn::Mul(column, set(grid.z)), VoxelsOnAxis(d, ratios.z, grid.z));
      hn::Store(hn::BitCast(hn::RebindToUnsigned<D>(), voxel), hn::RebindToUnsigned<D>(), voxels);
      return;
    }
  }
  alignas(64) Real x[hn::MaxLanes(D())], y[hn::MaxLanes(D())], z[hn::MaxLanes(D())];
  hn::Store(ratios.x, d, x);
  hn::Store(ratios.y, d, y);
  hn::Store(ratios.z, d, z);
  for (; bits != 0; bits &= bits - 1) {
    const int k = std::countr_zero(bits);
    voxels[k] = static_cast<uint32_t>((VoxelOnAxis(x[k], grid.x) * grid.y + VoxelOnAxis(y[k], grid.y)) * grid.z +
                                      VoxelOnAxis(z[k], grid.z));
  }
}

template <typename Real>
HWY_NOINLINE int64_t FindPoints(const PointTest<Real>& test, VoxelPoint* entries) {
  const hn::ScalableTag<Real> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const BoxFrame<Real>& f = *test.frame;
  const boxes::HWY_NAMESPACE::BoxInteriorVectors<decltype(d)> box(d, f.interior);
  const bool small = IsSmall(test.grid);
  alignas(64) uint32_t voxels[hn::MaxLanes(d)];
  int64_t found = 0;
  for (int64_t i = test.begin; i < test.end; i += n) {
    const auto z = hn::LoadU(d, test.z + i);
    const auto local = box.LocalOf(hn::LoadU(d, test.x + i), hn::LoadU(d, test.y + i));
    const auto inside = box.Contains(local, z);
    const auto counted = hn::And(inside, hn::FirstN(d, static_cast<size_t>(test.end - i)));
    if (hn::AllFalse(d, counted)) continue;
    uint8_t bytes[8] = {};  // one bit per lane
    hn::StoreMaskBits(d, counted, bytes);
    uint64_t bits;
    std::memcpy(&bits, bytes, sizeof(bits));
    const auto height = hn::Add(hn::Sub(z, hn::Set(d, f.z_bottom)), hn::Set(d, f.z_shift));
    WriteVoxels(
        d,
        {hn::Div(hn::Add(local.x, hn::Set(d, f.x_shift)), hn::Set(d, f.x_step)),
         hn::Div(hn::Add(local.y, hn::Set(d, f.y_shift)), hn::Set(d, f.y_step)), hn::Div(height, hn::Set(d, f.z_step))},
        test.grid, small, bits, voxels);
    for (; bits != 0; bits &= bits - 1) {
      const int k = std::countr_zero(bits);
      entries[found++] = static_cast<VoxelPoint>(voxels[k]) << 32 | static_cast<uint32_t>(test.ids[i + k]);
    }
  }
  return found;
}

int64_t FindFloat(const PointTest<float>& test, VoxelPoint* entries) { return FindPoints(test, entries); }
int64_t FindDouble(const PointTest<double>& test, VoxelPoint* entries) { return FindPoints(test, entries); }

void Fill(int32_t* target, int64_t count, int32_t value, bool stream) {
  constexpr int64_t kLine = 16;  // numbers of a cache line
  const hn::ScalableTag<int32_t> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const auto v = hn::Set(d, value);
  int64_t i = 0;
  if (stream && count >= 2 * kLine) {
    const auto misaligned = static_cast<int64_t>(reinterpret_cast<uintptr_t>(target) / sizeof(int32_t) % kLine);
    const int64_t head = (kLine - misaligned) % kLine;
    for (; i < head; ++i) target[i] = value;
    for (; i + kLine <= count; i += kLine) {
      for (int64_t k = 0; k < kLine; k += n) hn::Stream(v, d, target + i + k);
    }
  }
  for (; i + n <= count; i += n) hn::StoreU(v, d, target + i);
  for (; i < count; ++i) target[i] = value;
}

void FlushStores() { hwy::FlushStream(); }

uint64_t Inspect(const int32_t* numbers, int64_t channels, int64_t rows, int32_t points, bool* bad) {
  const hn::ScalableTag<int32_t> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const auto none = hn::Set(d, -1), last = hn::Set(d, points - 1);
  auto wrong = hn::Zero(d);
  uint64_t used = 0;
  bool fault = false;
  for (int64_t row = 0; row < rows; ++row, numbers += channels) {
    auto all = none;
    int64_t i = 0;
    for (; i + n <= channels; i += n) {
      const auto number = hn::LoadU(d, numbers + i);
      all = hn::And(all, number);
      wrong = hn::Or(wrong, hn::Or(hn::VecFromMask(d, hn::Lt(number, none)), hn::VecFromMask(d, hn::Gt(number, last))));
    }
    bool any = !hn::AllTrue(d, hn::Eq(all, none));
    for (; i < channels; ++i) {
      any |= numbers[i] != -1;
      fault |= numbers[i] < -1 || numbers[i] >= points;
    }
    used |= static_cast<uint64_t>(any) << row;
  }
  *bad |= fault || !hn::AllTrue(d, hn::Eq(wrong, hn::Zero(d)));
  return used;
}

}  // namespace

RoiAwareKernels RoiAwareKernelsOfTarget(mluOpDataType_t type) {
  return WithElementType(type, []<typename T>() -> RoiAwareKernels {
    return {FindFloat,   FindDouble,  SortFewEntries,  PoolMaxOf<T>,   PoolAverageOf<T>, Fill,
            FlushStores, AddMaxOf<T>, AddAverageOf<T>, SumSharesOf<T>, StoreSumsOf<T>,   Inspect};
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::roiaware_pool3d
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::roiaware_pool3d {

HWY_EXPORT(RoiAwareKernelsOfTarget);

RoiAwareKernels ChooseRoiAwareKernels(mluOpDataType_t type) { return DETOPS_DISPATCH(RoiAwareKernelsOfTarget)(type); }

}  // namespace detops::roiaware_pool3d
#endif  // HWY_ONCE
