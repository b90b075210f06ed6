// The innermost loops: up to six rows (of one vector: eight) times a panel of a matrix, and up to six columns times
// rows.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_INDICE_CONVOLUTION_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_INDICE_CONVOLUTION_PRODUCT_INL_H_
#undef DETOPS_OPS_INDICE_CONVOLUTION_PRODUCT_INL_H_
#else
#define DETOPS_OPS_INDICE_CONVOLUTION_PRODUCT_INL_H_
#endif

#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/indice_convolution/indice_convolution_panels.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Adds kVectors vectors to memory.
template <int kVectors, class D, typename C, class V>
HWY_INLINE void AddTo(D d, C* HWY_RESTRICT sums, V a, V b) {
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  hn::StoreU(hn::Add(hn::LoadU(d, sums), a), d, sums);
  if constexpr (kVectors > 1) hn::StoreU(hn::Add(hn::LoadU(d, sums + n), b), d, sums + n);
}

// Rows that are multiplied by panels, and where their sums are. The pairs are far[i] -> near[i].
template <typename C>
struct GatheredRows {
  const C* rows;  // the first channel of row 0
  int64_t row_stride;
  const int32_t* far;
  const int32_t* near;
  C* sums;  // of row 0
  int64_t sums_stride;
  bool prefetch;  // the beginning of rows that come later
};

// How many groups before its turn.
inline constexpr int kPrefetchGroups = 6;

// For `groups` groups of kRows pairs each: sums[near][0, kVectors * lanes) += rows[far][0, depth) times the panel
// [depth][kVectors * lanes], one row after the other: some of the sums may be the same. The accumulators are named one
// by one because gcc 12 keeps an array of them in memory, at less than half the speed.
template <int kRows, int kVectors, class D, typename C = hn::TFromD<D>>
HWY_NOINLINE void AddRowProducts(D d, const GatheredRows<C>& gathered, int64_t groups, const C* HWY_RESTRICT matrix,
                                 int64_t depth) {
  static_assert(kRows >= 1 && kRows <= 12 / kVectors && kRows <= 8 && (kVectors == 1 || kVectors == 2));
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int32_t* HWY_RESTRICT far = gathered.far;
  const int32_t* HWY_RESTRICT near = gathered.near;
  for (; groups > 0; --groups) {
    const auto row = [&](int r) { return gathered.rows + far[r < kRows ? r : 0] * gathered.row_stride; };
    const C* HWY_RESTRICT r0 = row(0);
    const C* HWY_RESTRICT r1 = row(1);
    const C* HWY_RESTRICT r2 = row(2);
    const C* HWY_RESTRICT r3 = row(3);
    const C* HWY_RESTRICT r4 = row(4);
    const C* HWY_RESTRICT r5 = row(5);
    const C* HWY_RESTRICT r6 = row(6);
    const C* HWY_RESTRICT r7 = row(7);
    if (gathered.prefetch && groups > kPrefetchGroups) {
      for (int r = 0; r < kRows; ++r) {
        hwy::Prefetch(gathered.rows + far[kPrefetchGroups * kRows + r] * gathered.row_stride);
      }
    }
    const auto sums = [&](int r) { return gathered.sums + near[r] * gathered.sums_stride; };
    for (int r = 0; r < kRows; ++r) hwy::Prefetch(sums(r));
    auto a0 = hn::Zero(d);
    auto a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
    auto b0 = a0, b1 = a0, b2 = a0, b3 = a0, b4 = a0, b5 = a0;
    const C* HWY_RESTRICT panel = matrix;
    for (int64_t i = 0; i < depth; ++i) {
      const auto wa = hn::LoadU(d, panel);
      const auto wb = hn::LoadU(d, panel + (kVectors > 1 ? n : 0));
      panel += kVectors * n;
      const auto x0 = hn::Set(d, r0[i]);
      a0 = hn::MulAdd(x0, wa, a0);
      if constexpr (kVectors > 1) b0 = hn::MulAdd(x0, wb, b0);
      if constexpr (kRows > 1) {
        const auto x = hn::Set(d, r1[i]);
        a1 = hn::MulAdd(x, wa, a1);
        if constexpr (kVectors > 1) b1 = hn::MulAdd(x, wb, b1);
      }
      if constexpr (kRows > 2) {
        const auto x = hn::Set(d, r2[i]);
        a2 = hn::MulAdd(x, wa, a2);
        if constexpr (kVectors > 1) b2 = hn::MulAdd(x, wb, b2);
      }
      if constexpr (kRows > 3) {
        const auto x = hn::Set(d, r3[i]);
        a3 = hn::MulAdd(x, wa, a3);
        if constexpr (kVectors > 1) b3 = hn::MulAdd(x, wb, b3);
      }
      if constexpr (kRows > 4) {
        const auto x = hn::Set(d, r4[i]);
        a4 = hn::MulAdd(x, wa, a4);
        if constexpr (kVectors > 1) b4 = hn::MulAdd(x, wb, b4);
      }
      if constexpr (kRows > 5) {
        const auto x = hn::Set(d, r5[i]);
        a5 = hn::MulAdd(x, wa, a5);
        if constexpr (kVectors > 1) b5 = hn::MulAdd(x, wb, b5);
      }
      if constexpr (kRows > 6) a6 = hn::MulAdd(hn::Set(d, r6[i]), wa, a6);
      if constexpr (kRows > 7) a7 = hn::MulAdd(hn::Set(d, r7[i]), wa, a7);
    }
    AddTo<kVectors>(d, sums(0), a0, b0);
    if constexpr (kRows > 1) AddTo<kVectors>(d, sums(1), a1, b1);
    if constexpr (kRows > 2) AddTo<kVectors>(d, sums(2), a2, b2);
    if constexpr (kRows > 3) AddTo<kVectors>(d, sums(3), a3, b3);
    if constexpr (kRows > 4) AddTo<kVectors>(d, sums(4), a4, b4);
    if constexpr (kRows > 5) AddTo<kVectors>(d, sums(5), a5, b5);
    if constexpr (kRows > 6) AddTo<kVectors>(d, sums(6), a6, a6);
    if constexpr (kRows > 7) AddTo<kVectors>(d, sums(7), a7, a7);
    far += kRows;
    near += kRows;
  }
}

// Brings the bytes [begin, end) of a row into the cache.
HWY_INLINE void PrefetchBytes(const void* row, int64_t begin, int64_t end) {
  for (int64_t b = begin; b < end; b += 64) hwy::Prefetch(static_cast<const char*>(row) + b);
}

// How many pairs before its turn the beginning of a row is fetched.
inline constexpr int64_t kPrefetchPairs = 32;

// Left and right rows of pairs: in place, or packed with one row after the other.
template <typename C>
struct RowPairs {
  const C* left;  // the first of the channels, of row 0
  int64_t left_stride;
  const int32_t* left_rows;  // which row, for every pair
  const C* right;
  int64_t right_stride;
  const int32_t* right_rows;
  int64_t count;
};

// sums[r][0, kVectors * lanes) += over all pairs: left[r] times right[0, kVectors * lanes); the rows of sums are
// kVectors * lanes apart. kPacked: pair i has row i of both sides.
template <int kRows, int kVectors, bool kPacked, class D, typename C = hn::TFromD<D>>
HWY_NOINLINE void AddOuterProducts(D d, const RowPairs<C>& pairs, C* HWY_RESTRICT sums) {
  static_assert(kRows >= 1 && kRows <= kGroupRows && (kVectors == 1 || kVectors == 2));
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const C* HWY_RESTRICT left = pairs.left;
  const C* HWY_RESTRICT right = pairs.right;
  const int32_t* const HWY_RESTRICT left_rows = pairs.left_rows;
  const int32_t* const HWY_RESTRICT right_rows = pairs.right_rows;
  const int64_t left_stride = pairs.left_stride;
  const int64_t right_stride = pairs.right_stride;
  const int64_t count = pairs.count;
  auto a0 = hn::Zero(d);
  auto a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0;
  auto b0 = a0, b1 = a0, b2 = a0, b3 = a0, b4 = a0, b5 = a0;
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (!kPacked) {
      left = pairs.left + left_rows[i] * left_stride;
      right = pairs.right + right_rows[i] * right_stride;
      const int64_t ahead = i + kPrefetchPairs < count ? i + kPrefetchPairs : i;
      hwy::Prefetch(pairs.right + right_rows[ahead] * right_stride);
    }
    const auto wa = hn::LoadU(d, right);
    const auto wb = hn::LoadU(d, right + (kVectors > 1 ? n : 0));
    const auto x0 = hn::Set(d, left[0]);
    a0 = hn::MulAdd(x0, wa, a0);
    if constexpr (kVectors > 1) b0 = hn::MulAdd(x0, wb, b0);
    if constexpr (kRows > 1) {
      const auto x = hn::Set(d, left[1]);
      a1 = hn::MulAdd(x, wa, a1);
      if constexpr (kVectors > 1) b1 = hn::MulAdd(x, wb, b1);
    }
    if constexpr (kRows > 2) {
      const auto x = hn::Set(d, left[2]);
      a2 = hn::MulAdd(x, wa, a2);
      if constexpr (kVectors > 1) b2 = hn::MulAdd(x, wb, b2);
    }
    if constexpr (kRows > 3) {
      const auto x = hn::Set(d, left[3]);
      a3 = hn::MulAdd(x, wa, a3);
      if constexpr (kVectors > 1) b3 = hn::MulAdd(x, wb, b3);
    }
    if constexpr (kRows > 4) {
      const auto x = hn::Set(d, left[4]);
      a4 = hn::MulAdd(x, wa, a4);
      if constexpr (kVectors > 1) b4 = hn::MulAdd(x, wb, b4);
    }
    if constexpr (kRows > 5) {
      const auto x = hn::Set(d, left[5]);
      a5 = hn::MulAdd(x, wa, a5);
      if constexpr (kVectors > 1) b5 = hn::MulAdd(x, wb, b5);
    }
    if constexpr (kPacked) {
      left += left_stride;
      right += right_stride;
    }
  }
  constexpr int64_t kV = kVectors;
  AddTo<kVectors>(d, sums, a0, b0);
  if constexpr (kRows > 1) AddTo<kVectors>(d, sums + 1 * kV * n, a1, b1);
  if constexpr (kRows > 2) AddTo<kVectors>(d, sums + 2 * kV * n, a2, b2);
  if constexpr (kRows > 3) AddTo<kVectors>(d, sums + 3 * kV * n, a3, b3);
  if constexpr (kRows > 4) AddTo<kVectors>(d, sums + 4 * kV * n, a4, b4);
  if constexpr (kRows > 5) AddTo<kVectors>(d, sums + 5 * kV * n, a5, b5);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
