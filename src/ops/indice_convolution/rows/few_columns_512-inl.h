// The innermost loop for few columns with vectors of 512 bits: as in rows/few_columns-inl.h lanes are channels
// of the source, but four columns fill a vector, one per block of 128 bits, and a fifth has a vector of its own, whose
// blocks are all parts of it. What is left in the lanes of a column is added up when its row is done.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_INDICE_CONVOLUTION_ROWS_FEW_COLUMNS_512_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_FEW_COLUMNS_512_INL_H_
#undef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_FEW_COLUMNS_512_INL_H_
#else
#define DETOPS_OPS_INDICE_CONVOLUTION_ROWS_FEW_COLUMNS_512_INL_H_
#endif

#include <cstdint>
#include <utility>

#include "hwy/highway.h"
#include "ops/indice_convolution/microkernel-inl.h"
#include "ops/indice_convolution/rows/kernel.h"

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace detops::indice_convolution {
namespace HWY_NAMESPACE {

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;
static_assert(hn::MaxLanes(DF()) == kLanesOf512);

// Columns that have a block each.
inline constexpr int64_t kBlockColumns = kLanesOf512 / kBlockLanes;

// First for every four channels a vector whose block b has those rows of column b, then the fifth column as it is.
template <class WeightOf>  // number of (row, column)
void PackFewColumns(const FilterMatrices& filter, const WeightOf& weight_of, float* HWY_RESTRICT matrix) {
  for (int64_t row = 0; row < filter.rows; row += kBlockLanes) {
    for (int64_t column = 0; column < kBlockColumns; ++column) {
      for (int64_t i = 0; i < kBlockLanes; ++i) {
        *matrix++ = column < filter.columns ? weight_of(row + i, column) : 0.0f;
      }
    }
  }
  for (int64_t row = 0; row < filter.rows && filter.columns > kBlockColumns; ++row) {
    *matrix++ = weight_of(row, kBlockColumns);
  }
}

template <size_t... kQ>
HWY_INLINE VF BlockProducts(const float* HWY_RESTRICT row, const VF* weights, std::index_sequence<0, kQ...> /*quads*/) {
  const DF d;
  VF sum = hn::Mul(hn::LoadDup128(d, row), weights[0]);
  ((sum = hn::MulAdd(hn::LoadDup128(d, row + kQ * kBlockLanes), weights[kQ], sum)), ...);
  return sum;
}

template <size_t... kV>
HWY_INLINE VF LoneProduct(const float* HWY_RESTRICT row, const VF* weights, std::index_sequence<0, kV...> /*vectors*/) {
  const DF d;
  VF sum = hn::Mul(hn::LoadU(d, row), weights[0]);
  ((sum = hn::MulAdd(hn::LoadU(d, row + kV * kLanesOf512), weights[kV], sum)), ...);
  return sum;
}

// For `count` pairs: sums[block_row] += rows[other_row] times the matrix of kRows channels. The columns of the sums are
// in lanes that OrderColumns knows.
template <int kRows, bool kLone>
HWY_NOINLINE void AddFewColumns(const GatheredRows<float>& gathered, int64_t count, const float* matrix) {
  constexpr int kQuads = kRows / static_cast<int>(kBlockLanes);
  constexpr int kVectors = kRows / static_cast<int>(kLanesOf512);
  const DF d;
  VF weights[kQuads];
  VF lone[kVectors];
  LoadVectors(d, matrix, weights, kIndices<kQuads>);
  if constexpr (kLone) LoadVectors(d, matrix + kQuads * kLanesOf512, lone, kIndices<kVectors>);
  float* const sums = gathered.sums;
  ForEachPair<true>(gathered, count, [&, sums](const float* HWY_RESTRICT row, int32_t block_row) HWY_ATTR {
    const VF products = BlockProducts(row, weights, kIndices<kQuads>);
    float* const to = sums + block_row * kLanesOf512;
    const VF sum = hn::LoadU(d, to);
    if constexpr (kLone) {
      // In every block: two lanes of its column and, between them, two of the fifth.
      const VF fifth = LoneProduct(row, lone, kIndices<kVectors>);
      const VF all = hn::Add(hn::InterleaveLower(products, fifth), hn::InterleaveUpper(d, products, fifth));
      hn::StoreU(hn::Add(sum, all), d, to);
    } else {
      hn::StoreU(hn::Add(sum, products), d, to);
    }
  });
}

// Pairs of one offset, see RowProductsAlgorithm.
inline void MultiplyFewColumns(const GatheredRows<float>& gathered, int64_t count, const float* matrix,
                               const FilterMatrices& filter) {
  static_assert(kMinFewColumnRows == 16 && kMaxFewColumnRows == 32);
  const bool lone = filter.columns > kBlockColumns;
  const auto add = filter.rows == 16 ? (lone ? AddFewColumns<16, true> : AddFewColumns<16, false>)
                                     : (lone ? AddFewColumns<32, true> : AddFewColumns<32, false>);
  add(gathered, count, matrix);
}

// Adds up the lanes of every column of all rows, and stores the columns in order.
inline void OrderColumns(const float* sums, int64_t rows, int64_t columns, const OrderedRows& ordered) {
  const DF d;
  HWY_ALIGN constexpr int32_t kLanes[kLanesOf512] = {0, 4, 8, 12, 1, 5, 9, 13};  // the others are not used
  const auto order = hn::SetTableIndices(d, kLanes);
  const auto in_blocks = hn::FirstN(d, static_cast<size_t>(kBlockColumns));
  const auto stored = hn::FirstN(d, static_cast<size_t>(columns));
  const bool lone = columns > kBlockColumns;
  for (int64_t r = 0; r < rows; ++r) {
    VF sum = hn::LoadU(d, sums + r * kLanesOf512);
    sum = hn::Add(sum, hn::Shuffle1032(sum));
    if (!lone) sum = hn::Add(sum, hn::Shuffle2301(sum));
    const VF lanes = hn::TableLookupLanes(sum, order);
    const VF pairs = hn::Add(lanes, hn::Shuffle2301(lanes));
    const VF result = hn::IfThenElse(in_blocks, lanes, hn::Add(pairs, hn::Shuffle1032(pairs)));
    hn::BlendedStore(result, stored, d, ordered.rows + r * ordered.stride);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_convolution
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // per-target include guard
