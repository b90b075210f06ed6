#define DETOPS_ALSO_AVX512  // see core/simd_target.h

#include "ops/indice_convolution/rows/kernel.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/element_type.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/indice_convolution/rows/kernel.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/indice_convolution/microkernel-inl.h"
#include "ops/indice_convolution/rows/epilogue-inl.h"
#include "ops/indice_convolution/rows/few_columns-inl.h"
#include "ops/indice_convolution/rows/few_columns_512-inl.h"
#include "ops/indice_convolution/rows/pack-inl.h"
#include "ops/indice_convolution/rows/rows-inl.h"
#include "ops/indice_convolution/rows/small_matrix-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::indice_convolution {
namespace HWY_NAMESPACE {
namespace {

// Converted rows lie one after the other.
struct RowNumbers {
  constexpr RowNumbers() {
    for (int i = 0; i < kMaxRowChunk; ++i) numbers[i] = i;
  }
  int32_t numbers[kMaxRowChunk] = {};
};
constexpr RowNumbers kRowNumbers;

template <class D, typename C>
using RowProductsFunction = void (*)(D, const GatheredRows<C>&, int64_t, const C*, int64_t);

template <int kVectors, class D, typename C, size_t... kR>
HWY_INLINE void MultiplyGroup(D d, const GatheredRows<C>& gathered, int64_t rows, const C* panel, int64_t depth,
                              std::index_sequence<kR...> /*rows less one*/) {
  constexpr RowProductsFunction<D, C> kFunctions[] = {AddRowProducts<static_cast<int>(kR) + 1, kVectors, D, C>...};
  kFunctions[rows - 1](d, gathered, 1, panel, depth);
}

// One panel times `count` rows. What is left of two groups is shared by them: a small group does not hide latencies.
template <int kVectors, class D, typename C>
HWY_INLINE void MultiplyPanel(D d, GatheredRows<C> gathered, int64_t count, const C* panel, int64_t depth) {
  constexpr int64_t kMost = kMostRows<kVectors>;
  const int64_t full = count % kMost == 0 ? count / kMost : std::max<int64_t>(count / kMost - 1, 0);
  if (full > 0) AddRowProducts<kMost, kVectors>(d, gathered, full, panel, depth);
  gathered.other_rows += full * kMost;
  gathered.block_rows += full * kMost;
  gathered.ahead_count = 0;  // full groups have fetched what there is
  for (int64_t left = count - full * kMost; left > 0;) {
    const int64_t rows = left > kMost ? (left + 1) / 2 : left;
    MultiplyGroup<kVectors>(d, gathered, rows, panel, depth, kIndices<kMost>);
    gathered.other_rows += rows;
    gathered.block_rows += rows;
    left -= rows;
  }
}

// `vectors` of [1, kVectors].
template <int kVectors, class D, typename C>
HWY_INLINE void MultiplyPanelOf(D d, int64_t vectors, const GatheredRows<C>& gathered, int64_t count, const C* panel,
                                int64_t depth) {
  if constexpr (kVectors > 1) {
    if (vectors < kVectors) return MultiplyPanelOf<kVectors - 1>(d, vectors, gathered, count, panel, depth);
  }
  MultiplyPanel<kVectors>(d, gathered, count, panel, depth);
}

// Pairs of one offset within a tile.
struct ListPart {
  const int32_t* block_rows;
  const int32_t* other_rows;
  int64_t count;
};

// Rows that will be needed next. Those that are converted first are brought into the cache a share at a time.
struct NextRows {
  const std::byte* source;
  int64_t row_bytes;
  const int32_t* other_rows;
  int64_t count;

  HWY_INLINE void Prefetch(int64_t share, int64_t shares) const {
    const int64_t lines = (row_bytes + 63) / 64;
    const int64_t begin = lines * share / shares * 64;
    const int64_t end = lines * (share + 1) / shares * 64;
    for (int64_t i = 0; i < count; ++i)
      PrefetchBytes(source + other_rows[i] * row_bytes, begin, std::min(end, row_bytes));
  }
};

// Rows of a chunk of pairs, where they are or converted.
template <typename T, class D, typename C>
HWY_INLINE void GatherChunk(D d, const RowProductsTile& tile, const ListPart& part, int64_t begin, int64_t count,
                            int64_t depth_begin, int64_t depth, GatheredRows<C>& gathered) {
  const int64_t row_length = tile.problem->filter.rows;
  gathered.block_rows = part.block_rows + begin;
  if (tile.source_as_sums != nullptr) {
    gathered.rows = static_cast<const C*>(tile.source_as_sums) + depth_begin;
    gathered.row_stride = row_length;
    gathered.other_rows = part.other_rows + begin;
    return;
  }
  if constexpr (!std::is_same_v<T, C>) {
    constexpr int64_t kAhead = 24;  // rows that are fetched before their turn
    const T* const source = static_cast<const T*>(tile.problem->source);
    const int64_t stride = PaddedColumns(depth, static_cast<int64_t>(hn::Lanes(d)));
    const T* const end = source + tile.problem->source_rows * row_length;
    C* const to = static_cast<C*>(tile.row_buffer);
    for (int64_t i = 0; i < count; ++i) {
      hwy::Prefetch(source + part.other_rows[std::min(begin + i + kAhead, part.count - 1)] * row_length);
      ConvertRow(d, source + part.other_rows[begin + i] * row_length + depth_begin, depth, end, to + i * stride);
    }
    gathered.rows = to;
    gathered.row_stride = stride;
    gathered.other_rows = kRowNumbers.numbers;
  }
}

// All columns of [column_begin, column_end) of the sums, for the pairs of one offset; `next` are those of the next one.
template <typename T>
void MultiplyList(const RowProductsTile& tile, const ListPart& part, const ListPart& next,
                  GatheredRows<Accumulator<T>> gathered, const Accumulator<T>* panels, int64_t column_begin,
                  int64_t column_end) {
  using C = Accumulator<T>;
  const hn::ScalableTag<C> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int64_t depth = tile.problem->filter.rows;
  const bool converts = tile.source_as_sums == nullptr;
  const auto* const source = static_cast<const std::byte*>(converts ? tile.problem->source : tile.source_as_sums);
  const int64_t row_bytes = depth * static_cast<int64_t>(converts ? sizeof(T) : sizeof(C));
  C* const sums = gathered.sums;
  // With one panel there is no reuse of rows, so chunks would only cost.
  const int64_t width = RowPanelVectors(tile.problem->filter, n) * n;
  const int64_t shares = DivideRoundUp(column_end - column_begin, width);
  const int64_t chunk =
      !converts && shares == 1 ? part.count : RowChunk(std::min(depth, kDepthBlock) * static_cast<int64_t>(sizeof(C)));
  gathered.prefetch = !converts && shares == 1;
  for (int64_t depth_begin = 0; depth_begin < depth; depth_begin += kDepthBlock) {
    const int64_t depth_here = std::min(kDepthBlock, depth - depth_begin);
    for (int64_t begin = 0; begin < part.count; begin += chunk) {
      const int64_t count = std::min(chunk, part.count - begin);
      GatherChunk<T>(d, tile, part, begin, count, depth_begin, depth_here, gathered);
      const int64_t left = part.count - begin - count;
      const NextRows next_rows = {source, row_bytes, left > 0 ? part.other_rows + begin + count : next.other_rows,
                                  std::min(chunk, left > 0 ? left : next.count)};
      for (int64_t column = column_begin; column < column_end; column += width) {
        const int64_t share = (column - column_begin) / width;
        if (shares > 1 && converts) next_rows.Prefetch(share, shares);
        if (shares > 1 && !converts) {
          gathered.ahead = next_rows.other_rows + next_rows.count * share / shares;
          gathered.ahead_count = next_rows.count * (share + 1) / shares - next_rows.count * share / shares;
        }
        const int64_t vectors = DivideRoundUp(std::min(width, column_end - column), n);
        gathered.sums = sums + column - column_begin;
        MultiplyPanelOf<kMostRowPanelVectors>(d, vectors, gathered, count,
                                              panels + column * depth + depth_begin * vectors * n, depth_here);
      }
    }
  }
}

template <class D, typename C>
using SmallMatrixFunction = void (*)(D, const GatheredRows<C>&, int64_t, const C*);

// The products of few channels, see RowProductsAlgorithm.
template <int kVectors, class D, typename C, size_t... kD>
void MultiplySmallMatrix(D d, const GatheredRows<C>& gathered, int64_t count, const C* panel, int64_t depth,
                         std::index_sequence<kD...> /*depths less one*/) {
  constexpr SmallMatrixFunction<D, C> kFunctions[] = {
      AddSmallMatrixProducts<static_cast<int>(kD) + 1, kVectors, D, C>...};
  kFunctions[depth - 1](d, gathered, count, panel);
}

// The pairs of one offset, by the algorithm that was chosen.
template <typename T>
void AddPart(const RowProductsTile& tile, const ListPart& part, const ListPart& next,
             GatheredRows<Accumulator<T>> gathered, const Accumulator<T>* panels, int64_t begin, int64_t end) {
  using C = Accumulator<T>;
  if (tile.algorithm == RowProductsAlgorithm::kPanels) {
    return MultiplyList<T>(tile, part, next, gathered, panels, begin, end);
  }
  const hn::ScalableTag<C> d;
  constexpr int kMost = hn::MaxLanes(d) * sizeof(C) >= 64 ? kMostSmallMatrixVectors : kSmallMatrixVectors;
  const FilterMatrices& filter = tile.problem->filter;
  const int64_t chunk = tile.source_as_sums != nullptr ? part.count : kMaxRowChunk;
  for (int64_t first = 0; first < part.count; first += chunk) {
    const int64_t count = std::min(chunk, part.count - first);
    GatherChunk<T>(d, tile, part, first, count, 0, filter.rows, gathered);
    if (tile.algorithm == RowProductsAlgorithm::kFewColumns) {
      if constexpr (kHasFewColumns<C>) MultiplyFewColumns(gathered, count, panels, filter);
    } else if (filter.columns <= static_cast<int64_t>(hn::Lanes(d))) {
      MultiplySmallMatrix<1>(d, gathered, count, panels, filter.rows, kIndices<kMost>);
    } else {
      MultiplySmallMatrix<2>(d, gathered, count, panels, filter.rows, kIndices<kMost / 2>);
    }
  }
}

// As AddPart for a block with a repeated row. Leaves the sums at zero.
template <typename T>
void AddPartInDouble(const RowProductsTile& tile, ListPart part, const GatheredRows<Accumulator<T>>& gathered,
                     const Accumulator<T>* panels, int64_t begin, int64_t end) {
  const int64_t stride = gathered.sums_stride;
  double* const double_sums = tile.double_sums - tile.first * kBlockRows * stride;
  // Products of small matrices add every channel straight to the sum.
  const int64_t terms = tile.algorithm == RowProductsAlgorithm::kSmallMatrix ? tile.problem->filter.rows : 1;
  const int64_t most = std::max<int64_t>(kMaxRepeatedTerms / terms, 1);
  while (part.count > 0) {
    const ListPart piece = {part.block_rows, part.other_rows, std::min(part.count, most)};
    AddPart<T>(tile, piece, {nullptr, nullptr, 0}, gathered, panels, begin, end);
    for (int64_t i = 0; i < piece.count; ++i) {
      // A row that occurs again adds zeros then.
      Accumulator<T>* HWY_RESTRICT row = gathered.sums + piece.block_rows[i] * stride;
      double* HWY_RESTRICT to = double_sums + piece.block_rows[i] * stride;
      for (int64_t c = 0; c < stride; ++c) {
        to[c] += static_cast<double>(row[c]);
        row[c] = 0;
      }
    }
    part = {part.block_rows + piece.count, part.other_rows + piece.count, part.count - piece.count};
  }
}

// The sums of one tile and block of columns.
template <typename T>
void AddTile(const RowProductsTile& tile, int64_t begin, int64_t end, const GatheredRows<Accumulator<T>>& gathered) {
  const hn::ScalableTag<Accumulator<T>> d;
  const FilterMatrices& filter = tile.problem->filter;
  const int64_t matrix = filter.rows * PaddedColumns(filter.columns, static_cast<int64_t>(hn::Lanes(d)));
  const auto part_of = [&](int64_t k) {
    if (k == tile.lists->list_count) return ListPart{nullptr, nullptr, 0};
    const PairList& list = tile.lists->list[k];
    const int64_t from = list.begins[tile.first];
    return ListPart{list.block_rows + from, list.other_rows + from, list.begins[tile.last] - from};
  };
  ListPart next = part_of(0);
  for (int64_t k = 0; k < tile.lists->list_count; ++k) {
    const ListPart part = next;
    next = part_of(k + 1);
    if (part.count == 0) continue;
    const Accumulator<T>* const panels = static_cast<const Accumulator<T>*>(tile.panels) + k * matrix;
    if (tile.double_sums != nullptr) {
      AddPartInDouble<T>(tile, part, gathered, panels, begin, end);
    } else {
      AddPart<T>(tile, part, next, gathered, panels, begin, end);
    }
  }
}

// Whether the sums are the result.
template <typename T>
bool NoEpilogue(const Epilogue& epilogue) {
  return std::is_same_v<T, Accumulator<T>> && epilogue.bias == nullptr && epilogue.residual == nullptr &&
         epilogue.activation == DETOPS_ACTIVATION_NONE;
}

// Whether they are that as they are, so that they can be added up in its place.
template <typename T>
bool SumsInTarget(const RowProductsTile& tile, int64_t lanes) {
  const RowProductsProblem& problem = *tile.problem;
  const int64_t width = problem.filter.columns;
  return NoEpilogue<T>(problem.epilogue) && tile.double_sums == nullptr &&
         tile.algorithm != RowProductsAlgorithm::kFewColumns && width % lanes == 0 && width <= kColumnBlock &&
         !StreamsRows<T>(problem);
}

template <typename T>
void MultiplyTileOf(const RowProductsTile& tile) {
  using C = Accumulator<T>;
  const hn::ScalableTag<C> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const RowProductsProblem& problem = *tile.problem;
  const int64_t width = problem.filter.columns;
  const int64_t first_row = tile.first * kBlockRows;
  const int64_t rows = std::min(tile.last * kBlockRows, problem.target_rows) - first_row;
  const bool sums_in_target = SumsInTarget<T>(tile, n);
  C* const sums = sums_in_target ? static_cast<C*>(problem.target) + first_row * width : static_cast<C*>(tile.sums);
  for (int64_t begin = 0; begin < width; begin += kColumnBlock) {
    const int64_t end = std::min(begin + kColumnBlock, width);
    const int64_t stride = PaddedColumns(end - begin, n);
    std::fill_n(sums, rows * stride, C{0});
    if (tile.double_sums != nullptr) std::fill_n(tile.double_sums, rows * stride, 0.0);
    AddTile<T>(tile, begin, end,
               {.rows = nullptr,
                .row_stride = 0,
                .other_rows = nullptr,
                .block_rows = nullptr,
                .sums = sums - first_row * stride,
                .sums_stride = stride,
                .prefetch = false});
    if (sums_in_target) return;
    if (tile.double_sums != nullptr) {
      for (int64_t i = 0; i < rows * stride; ++i) sums[i] = static_cast<C>(tile.double_sums[i]);
    }
    // The last vector of a row may reach into the next rows of this tile, which are written later.
    const int64_t whole = width <= kColumnBlock ? rows - (n + width - 1) / width : 0;
    if constexpr (kHasFewColumns<C>) {
      if (tile.algorithm == RowProductsAlgorithm::kFewColumns) {
        if (NoEpilogue<T>(problem.epilogue)) {
          return OrderColumns(sums, rows, width, {static_cast<C*>(problem.target) + first_row * width, width, whole});
        }
        OrderColumns(sums, rows, width, {sums, stride, rows});
      }
    }
    const auto apply =
        StreamsRows<T>(problem) ? ApplyEpilogue<StoreMode::kStream, T> : ApplyEpilogue<StoreMode::kPlain, T>;
    apply(problem, first_row, rows, sums, stride, begin, end, whole);
    // What was written must be visible to whoever learns that this tile is done.
    hwy::FlushStream();
  }
}

template <typename T>
RowProductsKernels KernelsOf() {
  const hn::ScalableTag<Accumulator<T>> d;
  return {static_cast<int64_t>(hn::Lanes(d)),
          sizeof(Accumulator<T>),
          !std::is_same_v<T, Accumulator<T>>,
          PackOf<T>,
          MultiplyTileOf<T>,
          ConvertElements<T>};
}

}  // namespace

RowProductsKernels RowProductsKernelsOf(mluOpDataType_t type) {
  return WithElementType(type, []<typename T>() { return KernelsOf<T>(); });
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_convolution
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::indice_convolution {

HWY_EXPORT(RowProductsKernelsOf);

RowProductsKernels ChooseRowProductsKernels(mluOpDataType_t type, const FilterMatrices& filter) {
  const bool gains = GainsByAvx512(filter) || (type != MLUOP_DTYPE_DOUBLE && HasFewColumns(filter, kLanesOf512));
  if (gains) return DETOPS_DISPATCH(RowProductsKernelsOf)(type);
  return DETOPS_DISPATCH_UP_TO_AVX2(RowProductsKernelsOf)(type);
}

}  // namespace detops::indice_convolution
#endif  // HWY_ONCE
