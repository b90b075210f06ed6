#include "ops/rotated_feature_align/kernel.h"

#include <type_traits>

#include "core/element_type.h"
#include "core/long_sum.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/rotated_feature_align/kernel.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/element-inl.h"
#include "simd/long_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::rotated_feature_align {
namespace HWY_NAMESPACE {

using namespace detops::HWY_NAMESPACE;  // hn and vectors of simd/
namespace {

// One row's terms.
template <typename T, typename Real>
struct RowTerms {
  const T* source;
  int64_t channels;
  const Tap<Real>* first;
  const Tap<Real>* last;

  const T* Row(const Tap<Real>& tap) const { return source + static_cast<int64_t>(tap.row) * channels; }
};

// Adds all terms to the sums of kVectors vectors of channels from `channel` on. The sums stay in registers; they are
// named one by one because gcc 12 keeps an array of them in memory, at less than half the speed.
template <int kVectors, class D, typename T, typename Real, class V>
HWY_INLINE void AddTerms(D d, const RowTerms<T, Real>& terms, int64_t channel, V& s0, V& s1, V& s2, V& s3, V& s4, V& s5,
                         V& s6, V& s7) {
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (const Tap<Real>* tap = terms.first; tap != terms.last; ++tap) {
    const T* row = terms.Row(*tap) + channel;
    const auto weight = hn::Set(d, tap->weight);
    s0 = hn::MulAdd(weight, LoadElements(d, row), s0);
    if constexpr (kVectors > 1) s1 = hn::MulAdd(weight, LoadElements(d, row + n), s1);
    if constexpr (kVectors > 2) s2 = hn::MulAdd(weight, LoadElements(d, row + 2 * n), s2);
    if constexpr (kVectors > 3) s3 = hn::MulAdd(weight, LoadElements(d, row + 3 * n), s3);
    if constexpr (kVectors > 4) s4 = hn::MulAdd(weight, LoadElements(d, row + 4 * n), s4);
    if constexpr (kVectors > 5) s5 = hn::MulAdd(weight, LoadElements(d, row + 5 * n), s5);
    if constexpr (kVectors > 6) s6 = hn::MulAdd(weight, LoadElements(d, row + 6 * n), s6);
    if constexpr (kVectors > 7) s7 = hn::MulAdd(weight, LoadElements(d, row + 7 * n), s7);
  }
}

// kVectors vectors of channels of one target row.
template <int kVectors, StoreMode kMode, class D, typename T, typename Real>
HWY_INLINE void SumVectors(D d, const RowTerms<T, Real>& terms, const T* HWY_RESTRICT self, T* HWY_RESTRICT target,
                           int64_t channel) {
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const T* own = self + channel;
  auto s0 = LoadElements(d, own);
  auto s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  if constexpr (kVectors > 1) s1 = LoadElements(d, own + n);
  if constexpr (kVectors > 2) s2 = LoadElements(d, own + 2 * n);
  if constexpr (kVectors > 3) s3 = LoadElements(d, own + 3 * n);
  if constexpr (kVectors > 4) s4 = LoadElements(d, own + 4 * n);
  if constexpr (kVectors > 5) s5 = LoadElements(d, own + 5 * n);
  if constexpr (kVectors > 6) s6 = LoadElements(d, own + 6 * n);
  if constexpr (kVectors > 7) s7 = LoadElements(d, own + 7 * n);
  AddTerms<kVectors>(d, terms, channel, s0, s1, s2, s3, s4, s5, s6, s7);
  T* to = target + channel;
  StoreElements<kMode>(s0, d, to);
  if constexpr (kVectors > 1) StoreElements<kMode>(s1, d, to + n);
  if constexpr (kVectors > 2) StoreElements<kMode>(s2, d, to + 2 * n);
  if constexpr (kVectors > 3) StoreElements<kMode>(s3, d, to + 3 * n);
  if constexpr (kVectors > 4) StoreElements<kMode>(s4, d, to + 4 * n);
  if constexpr (kVectors > 5) StoreElements<kMode>(s5, d, to + 5 * n);
  if constexpr (kVectors > 6) StoreElements<kMode>(s6, d, to + 6 * n);
  if constexpr (kVectors > 7) StoreElements<kMode>(s7, d, to + 7 * n);
}

// As SumVectors, for lists so long that rounding would add up: every box on one pixel, a constant gradient.
template <int kVectors, StoreMode kMode, class D, typename T, typename Real>
HWY_NOINLINE void SumLongVectors(D d, RowTerms<T, Real> terms, const T* self, T* target, int64_t channel) {
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  LongSums<D, kVectors> sums;
  for (int k = 0; k < kVectors; ++k) sums.Add(k, LoadElements(d, self + channel + k * n));
  const Tap<Real>* const last = terms.last;
  while (terms.first != last) {
    terms.last = last - terms.first > kLongSum ? terms.first + kLongSum : last;
    auto s0 = hn::Zero(d);
    auto s1 = s0, s2 = s0, s3 = s0, unused = s0;
    AddTerms<kVectors>(d, terms, channel, s0, s1, s2, s3, unused, unused, unused, unused);
    sums.Add(0, s0);
    if constexpr (kVectors > 1) sums.Add(1, s1);
    if constexpr (kVectors > 2) sums.Add(2, s2);
    if constexpr (kVectors > 3) sums.Add(3, s3);
    terms.first = terms.last;
  }
  for (int k = 0; k < kVectors; ++k) StoreElements<kMode>(sums.Get(k), d, target + channel + k * n);
}

template <StoreMode kMode, class D, typename T, typename Real>
HWY_INLINE void SumRow(D d, const RowTerms<T, Real>& terms, const T* HWY_RESTRICT self, T* HWY_RESTRICT target,
                       int64_t begin, int64_t end) {
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  int64_t channel = begin;
  for (; channel + 8 * n <= end; channel += 8 * n) SumVectors<8, kMode>(d, terms, self, target, channel);
  if (channel + 4 * n <= end) {
    SumVectors<4, kMode>(d, terms, self, target, channel);
    channel += 4 * n;
  }
  if (channel + 2 * n <= end) {
    SumVectors<2, kMode>(d, terms, self, target, channel);
    channel += 2 * n;
  }
  if (channel + n <= end) {
    SumVectors<1, kMode>(d, terms, self, target, channel);
    channel += n;
  }
  if (channel == end) return;
  if (end - begin >= n) {
    // The rest, together with channels that are done already: the same sums again, so the same bits.
    SumVectors<1, StoreMode::kPlain>(d, terms, self, target, end - n);
    return;
  }
  const hn::CappedTag<Real, 1> one;
  for (; channel < end; ++channel) SumVectors<1, StoreMode::kPlain>(one, terms, self, target, channel);
}

template <StoreMode kMode, class D, typename T, typename Real>
HWY_NOINLINE void SumLongRow(D d, const RowTerms<T, Real>& terms, const T* self, T* target, int64_t begin,
                             int64_t end) {
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  int64_t channel = begin;
  for (; channel + 4 * n <= end; channel += 4 * n) SumLongVectors<4, kMode>(d, terms, self, target, channel);
  for (; channel + n <= end; channel += n) SumLongVectors<1, kMode>(d, terms, self, target, channel);
  const hn::CappedTag<Real, 1> one;
  for (; channel < end; ++channel) SumLongVectors<1, StoreMode::kPlain>(one, terms, self, target, channel);
}

// A function of its own per type: all in one would be so large that compilers need minutes for it under sanitizers.
template <StoreMode kMode, typename T>
HWY_NOINLINE void SumRows(const RowSums& sums) {
  using Real = Accumulator<T>;
  const hn::ScalableTag<Real> d;
  const auto* taps = static_cast<const Tap<Real>*>(sums.taps);
  uint32_t begin = sums.begin;
  for (int64_t r = 0; r < sums.row_count; ++r) {
    const uint32_t end = sums.ends[r];
    const RowTerms<T, Real> terms{static_cast<const T*>(sums.source), sums.channels, taps + begin, taps + end};
    const T* self = static_cast<const T*>(sums.self) + r * sums.channels;
    T* target = static_cast<T*>(sums.target) + r * sums.channels;
    if (HWY_LIKELY(end - begin <= kLongSum)) {
      SumRow<kMode>(d, terms, self, target, sums.channel_begin, sums.channel_end);
    } else {
      SumLongRow<kMode>(d, terms, self, target, sums.channel_begin, sums.channel_end);
    }
    begin = end;
  }
}

template <typename T>
void SumRowsOf(const RowSums& sums) {
  if (sums.stream) {
    SumRows<StoreMode::kStream, T>(sums);
    hwy::FlushStream();  // the rows must be visible to whoever learns that this task is done
  } else {
    SumRows<StoreMode::kPlain, T>(sums);
  }
}

}  // namespace

void ComputeRowSums(const RowSums& sums) {
  switch (sums.type) {
    case MLUOP_DTYPE_HALF:
      return SumRowsOf<Half>(sums);
    case MLUOP_DTYPE_BFLOAT16:
      return SumRowsOf<BFloat16>(sums);
    case MLUOP_DTYPE_DOUBLE:
      return SumRowsOf<double>(sums);
    default:
      return SumRowsOf<float>(sums);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::rotated_feature_align
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::rotated_feature_align {

HWY_EXPORT(ComputeRowSums);

RowSumsKernel ChooseRowSumsKernel() { return &DETOPS_DISPATCH(ComputeRowSums); }

bool CanStream(const void* target, int64_t row_bytes, int64_t rows) {
  constexpr int64_t kCacheLine = 64;
  constexpr int64_t kLargeOutput = int64_t{8} << 20;
  return reinterpret_cast<uintptr_t>(target) % kCacheLine == 0 && row_bytes % kCacheLine == 0 &&
         row_bytes * rows >= kLargeOutput;
}

}  // namespace detops::rotated_feature_align
#endif  // HWY_ONCE
