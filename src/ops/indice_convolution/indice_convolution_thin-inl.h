// The innermost loop for few channels: the matrix of an offset stays in registers while the pairs go by.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_INDICE_CONVOLUTION_THIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_INDICE_CONVOLUTION_THIN_INL_H_
#undef DETOPS_OPS_INDICE_CONVOLUTION_THIN_INL_H_
#else
#define DETOPS_OPS_INDICE_CONVOLUTION_THIN_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "ops/indice_convolution/indice_convolution_product-inl.h"
#include "ops/indice_convolution/indice_convolution_rows_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {

// For `count` pairs: sums[near] += rows[far][0, kDepth) times the panel [kDepth][kVectors * lanes], pair by pair.
template <int kDepth, int kVectors, class D, typename C = hn::TFromD<D>>
HWY_NOINLINE void AddThinProducts(D d, const GatheredRows<C>& gathered, int64_t count, const C* HWY_RESTRICT panel) {
  static_assert(kDepth * kVectors <= kThinVectors && (kVectors == 1 || kVectors == 2));
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  constexpr int kSize = kDepth * kVectors;
  const auto w0 = hn::LoadU(d, panel);
  const auto w1 = hn::LoadU(d, panel + (kSize > 1 ? 1 : 0) * n);
  const auto w2 = hn::LoadU(d, panel + (kSize > 2 ? 2 : 0) * n);
  const auto w3 = hn::LoadU(d, panel + (kSize > 3 ? 3 : 0) * n);
  const auto w4 = hn::LoadU(d, panel + (kSize > 4 ? 4 : 0) * n);
  const auto w5 = hn::LoadU(d, panel + (kSize > 5 ? 5 : 0) * n);
  const auto w6 = hn::LoadU(d, panel + (kSize > 6 ? 6 : 0) * n);
  const auto w7 = hn::LoadU(d, panel + (kSize > 7 ? 7 : 0) * n);
  const auto w8 = hn::LoadU(d, panel + (kSize > 8 ? 8 : 0) * n);
  const auto w9 = hn::LoadU(d, panel + (kSize > 9 ? 9 : 0) * n);
  const auto w10 = hn::LoadU(d, panel + (kSize > 10 ? 10 : 0) * n);
  const auto w11 = hn::LoadU(d, panel + (kSize > 11 ? 11 : 0) * n);
  const C* const rows = gathered.rows;
  C* const sums = gathered.sums;
  const int32_t* const far = gathered.far;
  const int32_t* const near = gathered.near;
  const int64_t row_stride = gathered.row_stride;
  const int64_t sums_stride = gathered.sums_stride;
  for (int64_t i = 0; i < count; ++i) {
    const C* const row = rows + far[i] * row_stride;
    C* const to = sums + near[i] * sums_stride;
    auto a = hn::LoadU(d, to);
    if constexpr (kVectors == 2) {
      auto b = hn::LoadU(d, to + n);
      const auto x0 = hn::Set(d, row[0]);
      a = hn::MulAdd(x0, w0, a);
      b = hn::MulAdd(x0, w1, b);
      if constexpr (kDepth > 1) {
        const auto x = hn::Set(d, row[1]);
        a = hn::MulAdd(x, w2, a);
        b = hn::MulAdd(x, w3, b);
      }
      if constexpr (kDepth > 2) {
        const auto x = hn::Set(d, row[2]);
        a = hn::MulAdd(x, w4, a);
        b = hn::MulAdd(x, w5, b);
      }
      if constexpr (kDepth > 3) {
        const auto x = hn::Set(d, row[3]);
        a = hn::MulAdd(x, w6, a);
        b = hn::MulAdd(x, w7, b);
      }
      if constexpr (kDepth > 4) {
        const auto x = hn::Set(d, row[4]);
        a = hn::MulAdd(x, w8, a);
        b = hn::MulAdd(x, w9, b);
      }
      if constexpr (kDepth > 5) {
        const auto x = hn::Set(d, row[5]);
        a = hn::MulAdd(x, w10, a);
        b = hn::MulAdd(x, w11, b);
      }
      hn::StoreU(b, d, to + n);
    } else {
      // Two chains, added in the end: one would be as long as the latencies of all its steps.
      a = hn::MulAdd(hn::Set(d, row[0]), w0, a);
      if constexpr (kDepth > 1) {
        auto b = hn::Mul(hn::Set(d, row[1]), w1);
        if constexpr (kDepth > 2) a = hn::MulAdd(hn::Set(d, row[2]), w2, a);
        if constexpr (kDepth > 3) b = hn::MulAdd(hn::Set(d, row[3]), w3, b);
        if constexpr (kDepth > 4) a = hn::MulAdd(hn::Set(d, row[4]), w4, a);
        if constexpr (kDepth > 5) b = hn::MulAdd(hn::Set(d, row[5]), w5, b);
        if constexpr (kDepth > 6) a = hn::MulAdd(hn::Set(d, row[6]), w6, a);
        if constexpr (kDepth > 7) b = hn::MulAdd(hn::Set(d, row[7]), w7, b);
        if constexpr (kDepth > 8) a = hn::MulAdd(hn::Set(d, row[8]), w8, a);
        if constexpr (kDepth > 9) b = hn::MulAdd(hn::Set(d, row[9]), w9, b);
        if constexpr (kDepth > 10) a = hn::MulAdd(hn::Set(d, row[10]), w10, a);
        if constexpr (kDepth > 11) b = hn::MulAdd(hn::Set(d, row[11]), w11, b);
        a = hn::Add(a, b);
      }
    }
    hn::StoreU(a, d, to);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
