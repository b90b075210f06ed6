// Transposition of small matrices with conversion. Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_PSROIPOOL_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_PSROIPOOL_TRANSPOSE_INL_H_
#undef DETOPS_OPS_PSROIPOOL_TRANSPOSE_INL_H_
#else
#define DETOPS_OPS_PSROIPOOL_TRANSPOSE_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/half.h"
#include "hwy/highway.h"
#include "ops/psroipool/psroipool_kernel.h"
#include "simd/element-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kBlock = 4;

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
        if constexpr (std::is_same_v<Source, double>) {
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

// The block whose first element is (row, column); rows from `rows` on count as zeros.
template <typename Source, typename Target>
HWY_INLINE void TransposeBlock(const Source* source, Target* target, const Transposition& t, int64_t row,
                               int64_t column) {
  const hn::FixedTag<float, kBlock> d;
  const Source* from = source + row * t.source_stride + column;
  const auto load = [&](int64_t k) {
    return row + k < t.rows ? LoadElements(d, from + k * t.source_stride) : hn::Zero(d);
  };
  const auto r0 = load(0), r1 = load(1), r2 = load(2), r3 = load(3);
  const auto low02 = hn::InterleaveLower(d, r0, r2), low13 = hn::InterleaveLower(d, r1, r3);
  const auto high02 = hn::InterleaveUpper(d, r0, r2), high13 = hn::InterleaveUpper(d, r1, r3);
  Target* to = target + column * t.target_stride + row;
  StoreElements(hn::InterleaveLower(d, low02, low13), d, to);
  StoreElements(hn::InterleaveUpper(d, low02, low13), d, to + t.target_stride);
  StoreElements(hn::InterleaveLower(d, high02, high13), d, to + 2 * t.target_stride);
  StoreElements(hn::InterleaveUpper(d, high02, high13), d, to + 3 * t.target_stride);
}

template <typename Source, typename Target>
HWY_NOINLINE void Transpose(const Transposition& t) {
  const bool pad = t.padded_rows > t.rows;
  if (t.columns < kBlock || (t.rows < kBlock && !pad)) return TransposeOneByOne<Source, Target>(t);
  const auto* source = static_cast<const Source*>(t.source);
  auto* target = static_cast<Target*>(t.target);
  // The last blocks of a line start early enough to be whole: they write some elements again, with the same values.
  for (int64_t row = 0; row < t.padded_rows; row += kBlock) {
    const int64_t first_row = pad ? row : std::min(row, t.rows - kBlock);
    for (int64_t column = 0; column < t.columns; column += kBlock) {
      TransposeBlock(source, target, t, first_row, std::min(column, t.columns - kBlock));
    }
  }
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
