// The innermost loop for few columns: lanes along the channels of the source.
//
// With one lane per column most of a vector would be idle, and every number of a source row would have to be loaded and
// spread on its own. Here four channels at a time meet as many columns as a vector has blocks of 128 bits. The lanes of
// a column are added up when a row is done.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_INDICE_CONVOLUTION_ROWS_FEW_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_FEW_COLUMNS_INL_H_
#undef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_FEW_COLUMNS_INL_H_
#else
#define DETOPS_OPS_INDICE_CONVOLUTION_ROWS_FEW_COLUMNS_INL_H_
#endif

#include <cstdint>
#include <type_traits>
#include <utility>

#include "hwy/highway.h"
#include "ops/indice_convolution/microkernel-inl.h"
#include "ops/indice_convolution/rows/kernel.h"
#include "ops/indice_convolution/rows/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::indice_convolution {
namespace HWY_NAMESPACE {

// Sums of type C may be products of few columns on this target, if ChooseAlgorithm says so.
template <typename C>
inline constexpr bool kHasFewColumns = std::is_same_v<C, float> && HWY_TARGET != HWY_SCALAR;

// The scalar target has no blocks, AVX3 a version of its own (rows/few_columns_512-inl.h).
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_AVX3

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

HWY_INLINE int64_t Blocks() { return static_cast<int64_t>(hn::Lanes(DF())) / kBlockLanes; }

// matrix[set][quad]: a vector whose block b has the rows 4 * quad + (0, 1, 2, 3) of column set * blocks + b.
template <class WeightOf>  // number of (row, column)
void PackFewColumns(const FilterMatrices& filter, const WeightOf& weight_of, float* HWY_RESTRICT matrix) {
  const int64_t blocks = Blocks();
  for (int64_t set = 0; set * blocks < filter.columns; ++set) {
    for (int64_t row = 0; row < filter.rows; row += kBlockLanes) {
      for (int64_t column = set * blocks; column < (set + 1) * blocks; ++column) {
        for (int64_t i = 0; i < kBlockLanes; ++i) {
          *matrix++ = column < filter.columns ? weight_of(row + i, column) : 0.0f;
        }
      }
    }
  }
}

template <size_t... kQ>
HWY_INLINE VF DotProducts(const VF* numbers, const VF* weights, std::index_sequence<0, kQ...> /*quads*/) {
  VF sum = hn::Mul(numbers[0], weights[0]);
  ((sum = hn::MulAdd(numbers[kQ], weights[kQ], sum)), ...);
  return sum;
}

// In every block: (a0 + a2, b0 + b2, a1 + a3, b1 + b3).
HWY_INLINE VF AddHalves(VF a, VF b) { return hn::Add(hn::InterleaveLower(a, b), hn::InterleaveUpper(DF(), a, b)); }

// Lane i of every block: the sum of that block of sets[i].
template <int kSets>
HWY_INLINE VF AddLanes(const VF* sets) {
  const hn::RepartitionToWide<DF> pairs;
  const VF zero = hn::Zero(DF());
  const auto low = hn::BitCast(pairs, AddHalves(sets[0], kSets > 1 ? sets[kSets > 1 ? 1 : 0] : zero));
  const auto high = hn::BitCast(pairs, kSets > 2 ? AddHalves(sets[kSets > 2 ? 2 : 0], zero) : zero);
  return hn::Add(hn::BitCast(DF(), hn::InterleaveLower(low, high)),
                 hn::BitCast(DF(), hn::InterleaveUpper(pairs, low, high)));
}

template <size_t kQuads, size_t... kS, size_t... kQ>
HWY_INLINE void AddFewColumnsOf(const GatheredRows<float>& gathered, int64_t count, const float* HWY_RESTRICT matrix,
                                std::index_sequence<kS...> sets, std::index_sequence<kQ...> quads) {
  const DF d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  VF weights[sizeof...(kS)][kQuads];
  (LoadVectors(d, matrix + kS * kQuads * n, weights[kS], quads), ...);
  float* const sums = gathered.sums;
  ForEachPair<true>(gathered, count, [&, sums](const float* HWY_RESTRICT row, int32_t block_row) HWY_ATTR {
    const VF numbers[] = {hn::LoadDup128(d, row + kQ * kBlockLanes)...};
    const VF products[] = {DotProducts(numbers, weights[kS], quads)...};
    float* const to = sums + block_row * n;
    hn::StoreU(hn::Add(hn::LoadU(d, to), AddLanes<static_cast<int>(sets.size())>(products)), d, to);
  });
}

// For `count` pairs: sums[block_row] += rows[other_row] times the matrix, kSets vectors of columns and kQuads * 4
// channels. The columns of the sums are in the order that OrderColumns knows.
template <int kSets, int kQuads>
HWY_NOINLINE void AddFewColumns(const GatheredRows<float>& gathered, int64_t count, const float* matrix) {
  AddFewColumnsOf<kQuads>(gathered, count, matrix, kIndices<kSets>, kIndices<kQuads>);
}

using FewColumnsFunction = void (*)(const GatheredRows<float>&, int64_t, const float*);

template <size_t... kQ>
HWY_INLINE FewColumnsFunction FewColumnsOf(int64_t sets, int64_t quads, std::index_sequence<kQ...> /*more*/) {
  constexpr int kLeast = kMinFewColumnRows / kBlockLanes;
  constexpr FewColumnsFunction kFunctions[kMaxFewColumnSets][sizeof...(kQ)] = {
      {AddFewColumns<1, kLeast + static_cast<int>(kQ)>...},
      {AddFewColumns<2, kLeast + static_cast<int>(kQ)>...},
      {AddFewColumns<3, kLeast + static_cast<int>(kQ)>...}};
  return kFunctions[sets - 1][quads - kLeast];
}

// Pairs of one offset, see RowProductsAlgorithm.
inline void MultiplyFewColumns(const GatheredRows<float>& gathered, int64_t count, const float* matrix,
                               const FilterMatrices& filter) {
  constexpr auto kDepths = kIndices<(kMaxFewColumnRows - kMinFewColumnRows) / kBlockLanes + 1>;
  const int64_t sets = (filter.columns + Blocks() - 1) / Blocks();
  FewColumnsOf(sets, filter.rows / kBlockLanes, kDepths)(gathered, count, matrix);
}

// Column set * blocks + b has been summed up in lane `set` of block b. Stores the columns of all rows in order.
inline void OrderColumns(const float* sums, int64_t rows, int64_t columns, const OrderedRows& ordered) {
  const DF d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN int32_t lanes[hn::MaxLanes(d)];
  for (int64_t c = 0; c < n; ++c) lanes[c] = static_cast<int32_t>(c % Blocks() * kBlockLanes + c / Blocks());
  const auto order = hn::SetTableIndices(d, lanes);
  float* to = ordered.rows;
  for (int64_t r = 0; r < rows; ++r, to += ordered.stride) {
    const VF row = hn::TableLookupLanes(hn::LoadU(d, sums + r * n), order);
    if (r < ordered.whole) {
      hn::StoreU(row, d, to);
    } else {
      StoreFirst(row, d, to, columns);
    }
  }
}

#endif  // HWY_TARGET
}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_convolution
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
