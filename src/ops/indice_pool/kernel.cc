#include "ops/indice_pool/kernel.h"

#include <cstring>

#include "core/element_type.h"
#include "core/long_sum.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/indice_pool/kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/indice_pool/combine-inl.h"
#include "simd/element-inl.h"
#include "simd/long_sum-inl.h"
#include "simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::indice_pool {
namespace HWY_NAMESPACE {

using namespace detops::HWY_NAMESPACE;  // hn and vectors of simd/
namespace {

// One row of the block side.
struct RowList {
  int64_t block_row;
  const int32_t* other_rows;
  int64_t count;
  int64_t following;  // pairs of this row and of the rows after it, whose lists follow
};

// kVectors vectors of channels from c on; in registers, as they have names. The first channels of a row see to it that
// the rows of later pairs are fetched.
template <int kVectors, PoolKind kKind, typename T>
HWY_INLINE void CombineVectors(const Combine<kKind, T>& combine, const RowList& row, int64_t c, T* target) {
  using V = typename Combine<kKind, T>::V;
  const typename Combine<kKind, T>::D d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  V a0 = combine.Start(), a1 = a0, a2 = a0, a3 = a0;
  const auto own = [&](int index) HWY_ATTR {
    return combine.template Own<true>(row.block_row, c + (index < kVectors ? index : 0) * n, n);
  };
  const V own0 = own(0), own1 = own(1), own2 = own(2), own3 = own(3);
  for (int64_t i = 0; i < row.count; ++i) {
    const int64_t other_row = row.other_rows[i];
    if (c == 0) combine.FetchAhead(row.other_rows, i, row.following);
    a0 = combine.template Add<true>(a0, own0, other_row, c, n);
    if constexpr (kVectors > 1) a1 = combine.template Add<true>(a1, own1, other_row, c + n, n);
    if constexpr (kVectors > 2) a2 = combine.template Add<true>(a2, own2, other_row, c + 2 * n, n);
    if constexpr (kVectors > 3) a3 = combine.template Add<true>(a3, own3, other_row, c + 3 * n, n);
  }
  const auto store = [&](V all, int64_t from) HWY_ATTR {
    if (combine.Doubtful(all)) all = combine.template Settle<true>(all, row.other_rows, row.count, from, n);
    StoreElements(combine.Finish(all, row.count), d, target + from);
  };
  store(a0, c);
  if constexpr (kVectors > 1) store(a1, c + n);
  if constexpr (kVectors > 2) store(a2, c + 2 * n);
  if constexpr (kVectors > 3) store(a3, c + 3 * n);
}

// The last channels, fewer than a vector.
template <PoolKind kKind, typename T>
HWY_INLINE void CombineLast(const Combine<kKind, T>& combine, const RowList& row, int64_t c, int64_t left, T* target) {
  auto all = combine.Start();
  const auto own = combine.template Own<false>(row.block_row, c, left);
  for (int64_t i = 0; i < row.count; ++i) {
    if (c == 0) combine.FetchAhead(row.other_rows, i, row.following);
    all = combine.template Add<false>(all, own, row.other_rows[i], c, left);
  }
  if (combine.Doubtful(all)) all = combine.template Settle<false>(all, row.other_rows, row.count, c, left);
  StoreFirst(combine.Finish(all, row.count), typename Combine<kKind, T>::D(), target + c, left);
}

// A row with more pairs than a running sum stands: pieces are added in double.
template <PoolKind kKind, typename T>
HWY_NOINLINE void CombineMany(const Combine<kKind, T>& combine, const RowList& row, int64_t channels, T* target) {
  const typename Combine<kKind, T>::D d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < channels; c += n) {
    const int64_t left = channels - c;
    const auto own = combine.template Own<false>(row.block_row, c, left);
    const auto sum = SumInPieces(d, row.count, [&](int64_t begin, int64_t end) HWY_ATTR {
      auto piece = combine.Start();
      for (int64_t i = begin; i < end; ++i) piece = combine.template Add<false>(piece, own, row.other_rows[i], c, left);
      return piece;
    });
    StoreFirst(combine.Finish(sum, row.count), d, target + c, left);
  }
}

template <PoolKind kKind, typename T>
void PoolRowsOf(const PoolRows& rows) {
  const Combine<kKind, T> combine(*rows.problem, rows.shares);
  const auto n = static_cast<int64_t>(hn::Lanes(typename Combine<kKind, T>::D()));
  const int64_t channels = rows.problem->channels;
  for (int64_t r = 0; r < rows.rows; ++r) {
    const int64_t begin = rows.begins[r];
    const RowList row = {rows.first + r, rows.other_rows + begin, rows.begins[r + 1] - begin,
                         rows.begins[rows.rows] - begin};
    T* const target = static_cast<T*>(rows.problem->target) + row.block_row * channels;
    if (row.count == 0) {
      std::memset(static_cast<void*>(target), 0, static_cast<size_t>(channels) * sizeof(T));
      continue;
    }
    if (!IsMaximum(kKind) && row.count > kLongSum) {
      CombineMany(combine, row, channels, target);
      continue;
    }
    int64_t c = 0;
    for (; c + 4 * n <= channels; c += 4 * n) CombineVectors<4>(combine, row, c, target);
    if (c + 2 * n <= channels) {
      CombineVectors<2>(combine, row, c, target);
      c += 2 * n;
    }
    if (c + n <= channels) {
      CombineVectors<1>(combine, row, c, target);
      c += n;
    }
    if (c < channels) CombineLast(combine, row, c, channels - c, target);
  }
}

template <PoolKind kKind>
PoolKernel KernelOf(mluOpDataType_t type) {
  return WithElementType(type, []<typename T>() -> PoolKernel { return PoolRowsOf<kKind, T>; });
}

}  // namespace

PoolKernel PoolKernelOn(PoolKind kind, mluOpDataType_t type) {
  switch (kind) {
    case PoolKind::kMaximumFromZero:
      return KernelOf<PoolKind::kMaximumFromZero>(type);
    case PoolKind::kMaximumFromLowest:
      return KernelOf<PoolKind::kMaximumFromLowest>(type);
    case PoolKind::kAverage:
      return KernelOf<PoolKind::kAverage>(type);
    case PoolKind::kMaximumGradient:
      return KernelOf<PoolKind::kMaximumGradient>(type);
    default:
      return KernelOf<PoolKind::kAverageGradient>(type);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_pool
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::indice_pool {

HWY_EXPORT(PoolKernelOn);

PoolKernel ChoosePoolKernel(PoolKind kind, mluOpDataType_t type) { return DETOPS_DISPATCH(PoolKernelOn)(kind, type); }

}  // namespace detops::indice_pool
#endif  // HWY_ONCE
