// The matrix of an offset as the row products need it.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_INDICE_CONVOLUTION_ROWS_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_PACK_INL_H_
#undef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_PACK_INL_H_
#else
#define DETOPS_OPS_INDICE_CONVOLUTION_ROWS_PACK_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/indice_convolution/microkernel-inl.h"
#include "ops/indice_convolution/rows/few_columns-inl.h"
#include "ops/indice_convolution/rows/few_columns_512-inl.h"
#include "ops/indice_convolution/rows/kernel.h"
#include "ops/indice_convolution/rows/rows-inl.h"
#include "simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::indice_convolution {
namespace HWY_NAMESPACE {

using namespace detops::HWY_NAMESPACE;  // vectors of simd/

// Rows of `count` columns, one after the other and `padded` with zeros.
template <typename T>
void PackPanel(const FilterMatrices& filter, const T* HWY_RESTRICT from, int64_t count, int64_t padded,
               Accumulator<T>* HWY_RESTRICT to) {
  const hn::ScalableTag<Accumulator<T>> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  int64_t packed_rows = 0, packed_columns = 0;  // so other_rows
#if HWY_TARGET != HWY_SCALAR
  // Numbers of a column side by side: blocks of them are turned around.
  if constexpr (!std::is_same_v<T, double>) {
    constexpr int64_t kBlock = kTransposeBlock;
    if (filter.row_stride == 1 && filter.column_stride != 1) {
      packed_rows = filter.rows / kBlock * kBlock;
      packed_columns = count / kBlock * kBlock;
    }
    for (int64_t column = 0; column < packed_columns; column += kBlock) {
      const T* const source = from + column * filter.column_stride;
      for (int64_t row = 0; row < packed_rows; row += kBlock) {
        TransposeBlock<true>(source + row, filter.column_stride, to + row * padded + column, padded, kBlock);
      }
    }
  }
#endif
  for (int64_t row = 0; row < filter.rows; ++row, to += padded) {
    const T* const line = from + row * filter.row_stride;
    int64_t c = row < packed_rows ? packed_columns : 0;
    if (filter.column_stride == 1) {
      for (; c + n <= count; c += n) hn::StoreU(LoadElements(d, line + c), d, to + c);
    }
    for (; c < count; ++c) to[c] = ToAccumulator(line[c * filter.column_stride]);
    for (; c < padded; ++c) to[c] = 0;
  }
}

template <typename T>
void PackOf(const FilterMatrices& filter, const void* filters, int64_t offset, void* panels) {
  using C = Accumulator<T>;
  const hn::ScalableTag<C> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const T* const from = static_cast<const T*>(filters) + offset * filter.offset_stride;
  C* HWY_RESTRICT to = static_cast<C*>(panels);
  if constexpr (kHasFewColumns<C>) {
    if (ChooseAlgorithm(filter, n, sizeof(C)) == RowProductsAlgorithm::kFewColumns) {
      const auto weight_of = [&](int64_t row, int64_t column) {
        return ToAccumulator(from[row * filter.row_stride + column * filter.column_stride]);
      };
      return PackFewColumns(filter, weight_of, to);
    }
  }
  const int64_t width = RowPanelVectors(filter, n) * n;
  for (int64_t column = 0; column < filter.columns; column += width) {
    const int64_t count = std::min(width, filter.columns - column);
    const int64_t padded = PaddedColumns(count, n);
    PackPanel<T>(filter, from + column * filter.column_stride, count, padded, to);
    to += filter.rows * padded;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_convolution
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
