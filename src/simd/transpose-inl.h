// Small matrices turned around, with conversion to and from float. Not for HWY_SCALAR.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_SIMD_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_SIMD_TRANSPOSE_INL_H_
#undef DETOPS_SIMD_TRANSPOSE_INL_H_
#else
#define DETOPS_SIMD_TRANSPOSE_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "simd/element-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

inline constexpr int64_t kTransposeBlock = 4;

// 4 x 4 elements, to[column * target_stride + row] = from[row * source_stride + column], of which `rows` rows exist;
// the others count as zeros.
template <bool kAllRows, typename Source, typename Target>
HWY_INLINE void TransposeBlock(const Source* HWY_RESTRICT from, int64_t source_stride, Target* HWY_RESTRICT to,
                               int64_t target_stride, int64_t rows) {
  const hn::FixedTag<float, kTransposeBlock> d;
  const auto load = [&](int64_t k) HWY_ATTR {
    return kAllRows || k < rows ? LoadElements(d, from + k * source_stride) : hn::Zero(d);
  };
  const auto r0 = load(0), r1 = load(1), r2 = load(2), r3 = load(3);
  const auto low02 = hn::InterleaveLower(d, r0, r2), low13 = hn::InterleaveLower(d, r1, r3);
  const auto high02 = hn::InterleaveUpper(d, r0, r2), high13 = hn::InterleaveUpper(d, r1, r3);
  StoreElements(hn::InterleaveLower(d, low02, low13), d, to);
  StoreElements(hn::InterleaveUpper(d, low02, low13), d, to + target_stride);
  StoreElements(hn::InterleaveLower(d, high02, high13), d, to + 2 * target_stride);
  StoreElements(hn::InterleaveUpper(d, high02, high13), d, to + 3 * target_stride);
}

// 8 x 4 floats likewise, for vectors of 8 lanes and more.
template <bool kAllRows>
HWY_INLINE void TransposeTallBlock(const float* HWY_RESTRICT from, int64_t source_stride, float* HWY_RESTRICT to,
                                   int64_t target_stride, int64_t rows) {
  const hn::CappedTag<float, 2 * kTransposeBlock> d;
  const hn::Half<decltype(d)> half;
  const auto load_row = [&](int64_t k) HWY_ATTR {
    return kAllRows || k < rows ? hn::LoadU(half, from + k * source_stride) : hn::Zero(half);
  };
  const auto load = [&](int64_t k) HWY_ATTR { return hn::Combine(d, load_row(k + kTransposeBlock), load_row(k)); };
  const auto r0 = load(0), r1 = load(1), r2 = load(2), r3 = load(3);
  const auto low02 = hn::InterleaveLower(d, r0, r2), low13 = hn::InterleaveLower(d, r1, r3);
  const auto high02 = hn::InterleaveUpper(d, r0, r2), high13 = hn::InterleaveUpper(d, r1, r3);
  hn::StoreU(hn::InterleaveLower(d, low02, low13), d, to);
  hn::StoreU(hn::InterleaveUpper(d, low02, low13), d, to + target_stride);
  hn::StoreU(hn::InterleaveLower(d, high02, high13), d, to + 2 * target_stride);
  hn::StoreU(hn::InterleaveUpper(d, high02, high13), d, to + 3 * target_stride);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
