// Transposition of small matrices with conversion. Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_PSROIPOOL_KERNEL_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_PSROIPOOL_KERNEL_TRANSPOSE_INL_H_
#undef DETOPS_OPS_PSROIPOOL_KERNEL_TRANSPOSE_INL_H_
#else
#define DETOPS_OPS_PSROIPOOL_KERNEL_TRANSPOSE_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/half.h"
#include "hwy/highway.h"
#include "ops/psroipool/kernel/kernel.h"
#include "simd/element-inl.h"
#include "simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::psroipool {
namespace HWY_NAMESPACE {

using namespace detops::HWY_NAMESPACE;  // hn and vectors of simd/
namespace {

// Any types, any sizes.
template <typename Source, typename Target>
HWY_NOINLINE void TransposeOneByOne(const Transposition& t) {
  const auto* source = static_cast<const Source*>(t.source);
  auto* target = static_cast<Target*>(t.target);
  const hn::CappedTag<std::conditional_t<std::is_same_v<Target, double>, double, float>, 1> one;
  using Number = hn::TFromD<decltype(one)>;
  for (int64_t column = 0; column < t.columns; ++column) {
    for (int64_t row = 0; row < t.padded_rows; ++row) {
      auto number = hn::Zero(one);
      if (row < t.rows) {
        const Source* from = source + row * t.source_stride + column;
        if constexpr (std::is_same_v<Source, double> && sizeof(Target) == 2) {
          number = hn::Set(one, ShortenToFloat(*from));
        } else if constexpr (std::is_same_v<Source, double>) {
          number = hn::Set(one, static_cast<Number>(*from));
        } else {
          number = LoadElements(one, from);
        }
      }
      StoreElements(number, one, target + column * t.target_stride + row);
    }
  }
}

#if HWY_TARGET == HWY_SCALAR

template <typename Source, typename Target>
void Transpose(const Transposition& t) {
  TransposeOneByOne<Source, Target>(t);
}

#else

constexpr int64_t kBlock = kTransposeBlock;

// Four rows from `row` on. The last block starts early enough to be whole: it writes some elements again, with the same
// values.
template <bool kAllRows, typename Source, typename Target>
HWY_INLINE void TransposeRows(const Transposition& t, int64_t row) {
  const int64_t source_stride = t.source_stride, target_stride = t.target_stride, columns = t.columns;
  const auto* from = static_cast<const Source*>(t.source) + row * source_stride;
  auto* to = static_cast<Target*>(t.target) + row;
  int64_t column = 0;
  for (; column + kBlock <= columns; column += kBlock) {
    TransposeBlock<kAllRows>(from + column, source_stride, to + column * target_stride, target_stride, t.rows - row);
  }
  if (column == columns) return;
  column = columns - kBlock;
  TransposeBlock<kAllRows>(from + column, source_stride, to + column * target_stride, target_stride, t.rows - row);
}

// Eight rows from `row` on, likewise.
template <bool kAllRows>
HWY_INLINE void TransposeTallRows(const Transposition& t, int64_t row) {
  const auto* source = static_cast<const float*>(t.source) + row * t.source_stride;
  auto* target = static_cast<float*>(t.target) + row;
  for (int64_t next = 0; next < t.columns; next += kBlock) {
    const int64_t column = std::min(next, t.columns - kBlock);
    TransposeTallBlock<kAllRows>(source + column, t.source_stride, target + column * t.target_stride, t.target_stride,
                                 t.rows - row);
  }
}

// All rows; those after the last whole eight are filled up with zeros, or begin early enough.
HWY_INLINE void TransposeTall(const Transposition& t) {
  constexpr int64_t kTall = 2 * kBlock;
  int64_t row = 0;
  for (; row + kTall <= t.rows; row += kTall) TransposeTallRows<true>(t, row);
  if (row == t.padded_rows) return;
  if (t.padded_rows == t.rows) return TransposeTallRows<true>(t, t.rows - kTall);
  for (; row < t.padded_rows; row += kTall) TransposeTallRows<false>(t, row);
}

template <typename Source, typename Target>
HWY_NOINLINE void Transpose(const Transposition& t) {
  const bool pad = t.padded_rows > t.rows;
  if (t.columns < kBlock || (t.rows < kBlock && !pad)) return TransposeOneByOne<Source, Target>(t);
  if constexpr (std::is_same_v<Source, float> && std::is_same_v<Target, float> &&
                hn::MaxLanes(hn::ScalableTag<float>()) >= 2 * kBlock) {
    if (pad ? t.padded_rows % (2 * kBlock) == 0 : t.rows >= 2 * kBlock) return TransposeTall(t);
  }
  int64_t row = 0;
  for (; row + kBlock <= t.rows; row += kBlock) TransposeRows<true, Source, Target>(t, row);
  if (row == t.padded_rows) return;
  if (!pad) return TransposeRows<true, Source, Target>(t, t.rows - kBlock);
  for (; row < t.padded_rows; row += kBlock) TransposeRows<false, Source, Target>(t, row);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops::psroipool
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
