// The innermost loop for few channels: the matrix of an offset stays in registers while the pairs go by.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_INDICE_CONVOLUTION_ROWS_SMALL_MATRIX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_SMALL_MATRIX_INL_H_
#undef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_SMALL_MATRIX_INL_H_
#else
#define DETOPS_OPS_INDICE_CONVOLUTION_ROWS_SMALL_MATRIX_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "ops/indice_convolution/microkernel-inl.h"
#include "ops/indice_convolution/rows/kernel.h"

HWY_BEFORE_NAMESPACE();
namespace detops::indice_convolution {
namespace HWY_NAMESPACE {

// One pair under one vector of columns. Even and odd channels are two chains, added in the end: one would be as long as
// the latencies of all its steps.
template <class D, typename C, size_t... kE, size_t... kO>
HWY_INLINE void AddThinRow(D d, const C* HWY_RESTRICT row, const hn::Vec<D>* w, C* HWY_RESTRICT to,
                           std::index_sequence<kE...> /*even*/, std::index_sequence<kO...> /*odd*/) {
  auto even = hn::LoadU(d, to);
  ((even = hn::MulAdd(hn::Set(d, row[2 * kE]), w[2 * kE], even)), ...);
  if constexpr (sizeof...(kO) > 0) {
    auto odd = hn::Mul(hn::Set(d, row[1]), w[1]);
    ((odd = kO == 0 ? odd : hn::MulAdd(hn::Set(d, row[2 * kO + 1]), w[2 * kO + 1], odd)), ...);
    even = hn::Add(even, odd);
  }
  hn::StoreU(even, d, to);
}

// One pair under two vectors of columns, a chain each.
template <class D, typename C, size_t... kR>
HWY_INLINE void AddThinRowTwice(D d, const C* HWY_RESTRICT row, const hn::Vec<D>* w, C* HWY_RESTRICT to,
                                std::index_sequence<kR...> /*channels*/) {
  const size_t n = hn::Lanes(d);
  hn::Vec<D> sums[] = {hn::LoadU(d, to), hn::LoadU(d, to + n)};
  (MultiplyAdd(hn::Set(d, row[kR]), w + 2 * kR, sums, kIndices<2>), ...);
  hn::StoreU(sums[0], d, to);
  hn::StoreU(sums[1], d, to + n);
}

// For `count` pairs: sums[block_row] += rows[other_row][0, kDepth) times the panel [kDepth][kVectors * lanes], pair by
// pair.
template <int kDepth, int kVectors, class D, typename C = hn::TFromD<D>>
HWY_NOINLINE void AddSmallMatrixProducts(D d, const GatheredRows<C>& gathered, int64_t count,
                                         const C* HWY_RESTRICT panel) {
  static_assert(kVectors == 1 || kVectors == 2);
  hn::Vec<D> w[kDepth * kVectors];
  LoadVectors(d, panel, w, kIndices<kDepth * kVectors>);
  // Rows of sums are as long as the panel is wide.
  constexpr auto kSumsStride = static_cast<int64_t>(kVectors * hn::MaxLanes(D()));
  C* const sums = gathered.sums;
  const auto add = [&, sums](const C* HWY_RESTRICT row, int32_t block_row) HWY_ATTR {
    C* const to = sums + block_row * kSumsStride;
    if constexpr (kVectors == 1) {
      AddThinRow(d, row, w, to, kIndices<(kDepth + 1) / 2>, kIndices<kDepth / 2>);
    } else {
      AddThinRowTwice(d, row, w, to, kIndices<kDepth>);
    }
  };
  // With 16 registers the few channels of a row are done before a fetch pays.
  ForEachPair<(kSumRegisters > 12)>(gathered, count, add);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_convolution
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
