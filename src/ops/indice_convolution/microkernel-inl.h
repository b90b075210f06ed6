// The innermost loops: a group of rows times a panel of a matrix, and a group of columns times rows.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_INDICE_CONVOLUTION_MICROKERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_INDICE_CONVOLUTION_MICROKERNEL_INL_H_
#undef DETOPS_OPS_INDICE_CONVOLUTION_MICROKERNEL_INL_H_
#else
#define DETOPS_OPS_INDICE_CONVOLUTION_MICROKERNEL_INL_H_
#endif

#include <cstdint>
#include <utility>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/indice_convolution/problem.h"
#include "ops/indice_convolution/rows/panels.h"

HWY_BEFORE_NAMESPACE();
namespace detops::indice_convolution {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A group of rows times a panel fills most of the registers with sums; the rest is for a row of the panel and one
// number of a row. With 32 registers panels are twice as wide, because the numbers of rows come one by one and cost as
// much as a vector each.
#if HWY_TARGET == HWY_AVX3
inline constexpr int kPanelVectors = 4;
inline constexpr int kSumRegisters = 24;
#else
inline constexpr int kPanelVectors = 2;
inline constexpr int kSumRegisters = 12;
#endif

// Panels of row products may be wider: a group then has fewer rows, but each of their numbers does more, and each row
// is gathered less often. Columns that are one such panel are, others if a panel is small enough to stay in the L1
// cache together with a chunk of rows and none is left over.
inline constexpr int kMostRowPanelVectors = 4;
inline constexpr int64_t kWidePanelRows = 64;

HWY_INLINE int64_t RowPanelVectors(const FilterMatrices& filter, int64_t lanes) {
  const int64_t width = kMostRowPanelVectors * lanes;
  const bool wide = filter.columns <= width || (filter.columns % width == 0 && filter.rows <= kWidePanelRows);
  return wide ? kMostRowPanelVectors : kPanelVectors;
}

// Rows of a group: each needs a register for its address.
template <int kVectors>
inline constexpr int kMostRows = kVectors == 1                   ? 8
                                 : kSumRegisters / kVectors > 10 ? 10
                                                                 : kSumRegisters / kVectors;

// Channels of a group of an outer product. With one vector each number of a row is used once, so more of them bring
// nothing but fewer passes over the pairs, which counts where rows come from other_rows.
template <int kVectors>
inline constexpr int kMostChannels = kVectors > 1          ? kSumRegisters / kVectors
                                     : kSumRegisters >= 24 ? 16
                                                           : 6;
static_assert(kPackedChannels == kMostChannels<kPanelVectors>);

// The loops below are written as folds over constant indices, for gcc 12 keeps arrays that are indexed by a loop in
// memory, at less than half the speed.
template <int kCount>
inline constexpr auto kIndices = std::make_index_sequence<static_cast<size_t>(kCount)>();

template <class D, typename C, class V, size_t... kV>
HWY_INLINE void LoadVectors(D d, const C* HWY_RESTRICT from, V* to, std::index_sequence<kV...> /*vectors*/) {
  const size_t n = hn::Lanes(d);
  ((to[kV] = hn::LoadU(d, from + kV * n)), ...);
}

template <class V, size_t... kV>
HWY_INLINE void MultiplyAdd(V number, const V* vectors, V* sums, std::index_sequence<kV...> /*vectors*/) {
  ((sums[kV] = hn::MulAdd(number, vectors[kV], sums[kV])), ...);
}

template <class D, typename C, class V, size_t... kV>
HWY_INLINE void AddTo(D d, C* HWY_RESTRICT to, const V* sums, std::index_sequence<kV...> /*vectors*/) {
  const size_t n = hn::Lanes(d);
  ((hn::StoreU(hn::Add(hn::LoadU(d, to + kV * n), sums[kV]), d, to + kV * n)), ...);
}

template <class D, class V, size_t... kV>
HWY_INLINE void SetToZero(D d, V* sums, std::index_sequence<kV...> /*vectors*/) {
  ((sums[kV] = hn::Zero(d)), ...);
}

// Brings the bytes [begin, end) of a row into the cache.
HWY_INLINE void PrefetchBytes(const void* row, int64_t begin, int64_t end) {
  for (int64_t b = begin; b < end; b += 64) hwy::Prefetch(static_cast<const char*>(row) + b);
}

// See GatheredRows. A group has 6 rows, and every panel of columns meets all of them: 3 are enough from two panels on.
inline constexpr int kAheadRows = kSumRegisters > 12 ? 3 : 2;

// Rows that are multiplied by panels, and where their sums are. The pairs are other_rows[i] -> block_rows[i].
template <typename C>
struct GatheredRows {
  const C* rows;  // the first channel of row 0
  int64_t row_stride;
  const int32_t* other_rows;
  const int32_t* block_rows;
  C* sums;  // of row 0
  int64_t sums_stride;
  bool prefetch;  // rows of later groups
  // Rows that are needed after all of these, if any: kAheadRows of them are fetched during every full group, a piece
  // for every step along the channels. All at once they would wait for each other.
  const int32_t* ahead = nullptr;
  int64_t ahead_count = 0;
};

// How many groups before its turn.
inline constexpr int kPrefetchGroups = 6;

// Channels that are written out one after the other: counting and addresses then cost little compared with the
// products, also on a core whose other thread is busy.
inline constexpr int64_t kDepthSteps = 8;

// This many channels, as in the first layers of a network, have no loop at all.
inline constexpr int64_t kShortDepth = 16;

// Keeps a sum in its register: with 16 of them compilers move the sums of wide panels around, or even into memory (gcc
// 12 is 5 % slower then, clang 19 20 %).
template <class V>
HWY_INLINE void PinVector(V& sum) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  asm("" : "+v"(sum.raw));
#else
  (void)sum;
#endif
}

// Keeps the address of a row in one register: as base and index every multiplication that reads the row is two
// instructions to the processor, and 16 x 16 channels take a fifth longer.
template <typename C>
HWY_INLINE void PinAddress(const C*& row) {
#if HWY_ARCH_X86
  asm("" : "+r"(row));
#else
  (void)row;
#endif
}

// Adds one vector of a panel's row times a number of each row.
template <int kVectors, class D, typename C, size_t... kR>
HWY_INLINE void AddVector(D d, const C* HWY_RESTRICT vector, const hn::Vec<D>* numbers, size_t v,
                          hn::Vec<D> (*sums)[kVectors], std::index_sequence<kR...> /*rows*/) {
  const auto w = hn::LoadU(d, vector);
  ((sums[kR][v] = hn::MulAdd(numbers[kR], w, sums[kR][v])), ...);
  (PinVector(sums[kR][v]), ...);
}

template <int kVectors, class D, typename C, class Rows, size_t... kV>
HWY_INLINE void AddVectors(D d, const C* HWY_RESTRICT vectors, const hn::Vec<D>* numbers, hn::Vec<D> (*sums)[kVectors],
                           Rows rows, std::index_sequence<kV...> /*vectors*/) {
  const size_t n = hn::Lanes(d);
  (AddVector<kVectors>(d, vectors + kV * n, numbers, kV, sums, rows), ...);
}

// Adds channel i of some rows times that row of the panel.
template <int kVectors, class D, typename C, size_t... kR>
HWY_INLINE void AddChannel(D d, const C* const* row, int64_t i, const C* HWY_RESTRICT matrix,
                           hn::Vec<D> (*sums)[kVectors], std::index_sequence<kR...> rows) {
  const C* const from = matrix + i * kVectors * static_cast<int64_t>(hn::Lanes(d));
  if constexpr (kVectors > static_cast<int>(sizeof...(kR))) {  // whatever is fewer waits in registers
    const hn::Vec<D> numbers[] = {hn::Set(d, row[kR][i])...};
    AddVectors<kVectors>(d, from, numbers, sums, rows, kIndices<kVectors>);
  } else {
    hn::Vec<D> w[kVectors];
    LoadVectors(d, from, w, kIndices<kVectors>);
    (MultiplyAdd(hn::Set(d, row[kR][i]), w, sums[kR], kIndices<kVectors>), ...);
  }
}

template <int kVectors, class D, typename C, class Rows, size_t... kI>
HWY_INLINE void AddChannels(D d, const C* const* row, int64_t i, const C* HWY_RESTRICT matrix,
                            hn::Vec<D> (*sums)[kVectors], Rows rows, std::index_sequence<kI...> /*channels*/) {
  (AddChannel<kVectors>(d, row, i + static_cast<int64_t>(kI), matrix, sums, rows), ...);
}

template <typename C, size_t... kA>
HWY_INLINE void PrefetchEach(const C* const* rows, int64_t i, std::index_sequence<kA...> /*rows*/) {
  (hwy::Prefetch(rows[kA] + i), ...);
}

// kDepth: 0, or the depth if it is known. kAhead: there are rows to fetch for later.
template <int kVectors, int64_t kDepth, bool kAhead, class D, typename C, size_t... kR>
HWY_INLINE void AddRowProductsOf(D d, const GatheredRows<C>& gathered, int64_t groups, const C* HWY_RESTRICT matrix,
                                 int64_t any_depth, std::index_sequence<kR...> rows) {
  const int64_t depth = kDepth > 0 ? kDepth : any_depth;
  constexpr auto kRows = static_cast<int64_t>(sizeof...(kR));
  constexpr auto vectors = kIndices<kVectors>;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int32_t* HWY_RESTRICT other_rows = gathered.other_rows;
  const int32_t* HWY_RESTRICT block_rows = gathered.block_rows;
  int64_t ahead = 0;
  for (; groups > 0; --groups) {
    const C* const row[] = {(gathered.rows + other_rows[kR] * gathered.row_stride)...};
    if (gathered.prefetch && groups > kPrefetchGroups) {
      for (int64_t r = 0; r < kRows; ++r) {
        PrefetchBytes(gathered.rows + other_rows[kPrefetchGroups * kRows + r] * gathered.row_stride, 0,
                      depth * static_cast<int64_t>(sizeof(C)));
      }
    }
    for (int64_t r = 0; r < kRows; ++r) {
      PrefetchBytes(gathered.sums + block_rows[r] * gathered.sums_stride, 0,
                    kVectors * n * static_cast<int64_t>(sizeof(C)));
    }
    const C* next[kAheadRows];
    for (int a = 0; kAhead && a < kAheadRows; ++a, ++ahead) {
      next[a] = ahead < gathered.ahead_count ? gathered.rows + gathered.ahead[ahead] * gathered.row_stride : row[0];
    }
    hn::Vec<D> sums[kRows][kVectors];
    (SetToZero(d, sums[kR], vectors), ...);
    if constexpr (kDepth > 0) {
      AddChannels<kVectors>(d, row, 0, matrix, sums, rows, kIndices<kDepth>);
    } else {
      int64_t i = 0;
      for (; i + kDepthSteps <= depth; i += kDepthSteps) {
        if constexpr (kAhead) PrefetchEach(next, i, kIndices<kAheadRows>);
        AddChannels<kVectors>(d, row, i, matrix, sums, rows, kIndices<kDepthSteps>);
      }
      for (; i < depth; ++i) AddChannel<kVectors>(d, row, i, matrix, sums, rows);
    }
    (AddTo(d, gathered.sums + block_rows[kR] * gathered.sums_stride, sums[kR], vectors), ...);
    other_rows += kRows;
    block_rows += kRows;
  }
}

// For `groups` groups of kRows pairs each: sums[block_row][0, kVectors * lanes) += rows[other_row][0, depth) times the
// panel [depth][kVectors * lanes], one row after the other: some of the sums may be the same.
template <int kRows, int kVectors, class D, typename C = hn::TFromD<D>>
HWY_NOINLINE void AddRowProducts(D d, const GatheredRows<C>& gathered, int64_t groups, const C* HWY_RESTRICT matrix,
                                 int64_t depth) {
  constexpr bool kUsual = kVectors == kPanelVectors || kVectors == kMostRowPanelVectors;
  if constexpr (kUsual && kRows == kMostRows<kVectors>) {
    if (depth == kShortDepth) {  // a row is a line or two: fetching costs what it brings
      return AddRowProductsOf<kVectors, kShortDepth, false>(d, gathered, groups, matrix, depth, kIndices<kRows>);
    }
    if (gathered.ahead_count > 0) {
      return AddRowProductsOf<kVectors, 0, true>(d, gathered, groups, matrix, depth, kIndices<kRows>);
    }
  }
  AddRowProductsOf<kVectors, 0, false>(d, gathered, groups, matrix, depth, kIndices<kRows>);
}

// How many pairs before its turn the beginning of a row is fetched.
inline constexpr int64_t kPrefetchPairs = 32;

// Calls add(row, block_row) for every pair; with kAhead rows are fetched before their turn.
template <bool kAhead, typename C, class Add>
HWY_INLINE void ForEachPair(const GatheredRows<C>& gathered, int64_t count, const Add& add) {
  const C* const rows = gathered.rows;
  const int32_t* const other_rows = gathered.other_rows;
  const int32_t* const block_rows = gathered.block_rows;
  const int64_t stride = gathered.row_stride;
  const auto add_pair = [&](int64_t i) HWY_ATTR {
    const C* row = rows + other_rows[i] * stride;
    PinAddress(row);
    add(row, block_rows[i]);
  };
  int64_t i = 0;
  if constexpr (kAhead) {
    for (; i < count - kPrefetchPairs; ++i) {
      hwy::Prefetch(rows + other_rows[i + kPrefetchPairs] * stride);
      add_pair(i);
    }
  }
  for (; i < count; ++i) add_pair(i);
}

// Left and right rows of pairs, in place or packed.
template <typename C>
struct RowPairs {
  const C* left;  // the first of the channels, of row 0; packed: of the first pair
  int64_t left_stride;
  const int32_t* left_rows;  // which row, for every pair
  const C* right;
  int64_t right_stride;
  const int32_t* right_rows;
  int64_t count;
  bool fetch = false;  // in place: rows that come later, as those of this chunk are read for the first time
};

// Pairs that are written out one after the other, see kDepthSteps; fewer where each needs addresses of its own.
template <bool kPacked>
inline constexpr int64_t kPairSteps = kPacked ? 8 : 4;

template <int kVectors, bool kPacked, class D, typename C, size_t... kR>
HWY_INLINE void AddPair(D d, const RowPairs<C>& pairs, int64_t i, hn::Vec<D> (*products)[kVectors],
                        std::index_sequence<kR...> /*channels*/) {
  const int64_t width = kVectors * static_cast<int64_t>(hn::Lanes(d));
  const C* left = pairs.left + (kPacked ? i * kPackedSlot : pairs.left_rows[i] * pairs.left_stride);
  if constexpr (!kPacked && kVectors == 1) PinAddress(left);  // each number is read by a multiplication
  const C* const right = pairs.right + (kPacked ? i * width : pairs.right_rows[i] * pairs.right_stride);
  hn::Vec<D> w[kVectors];
  LoadVectors(d, right, w, kIndices<kVectors>);
  (MultiplyAdd(hn::Set(d, left[kR]), w, products[kR], kIndices<kVectors>), ...);
}

template <int kVectors, bool kPacked, class D, typename C, class Channels, size_t... kI>
HWY_INLINE void AddPairs(D d, const RowPairs<C>& pairs, int64_t i, hn::Vec<D> (*products)[kVectors], Channels channels,
                         std::index_sequence<kI...> /*pairs*/) {
  (AddPair<kVectors, kPacked>(d, pairs, i + static_cast<int64_t>(kI), products, channels), ...);
}

template <int kVectors, bool kPacked, class D, typename C, size_t... kR>
HWY_INLINE void AddOuterProductsOf(D d, const RowPairs<C>& pairs, C* HWY_RESTRICT sums,
                                   std::index_sequence<kR...> channels) {
  constexpr auto vectors = kIndices<kVectors>;
  constexpr int64_t kSteps = kPairSteps<kPacked>;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int64_t count = pairs.count;
  hn::Vec<D> products[sizeof...(kR)][kVectors];
  (SetToZero(d, products[kR], vectors), ...);
  int64_t i = 0;
  if constexpr (!kPacked && kVectors <= 2) {  // rows of wider panels are fetched before their chunk
    const int64_t fetched = pairs.fetch ? count - kPrefetchPairs : 0;
    for (; i < fetched; ++i) {
      hwy::Prefetch(pairs.right + pairs.right_rows[i + kPrefetchPairs] * pairs.right_stride);
      if constexpr (sizeof...(kR) > 8) {
        hwy::Prefetch(pairs.left + pairs.left_rows[i + kPrefetchPairs] * pairs.left_stride);
      }
      AddPair<kVectors, kPacked>(d, pairs, i, products, channels);
    }
  }
  for (; i + kSteps <= count; i += kSteps) {
    AddPairs<kVectors, kPacked>(d, pairs, i, products, channels, kIndices<kSteps>);
  }
  for (; i < count; ++i) AddPair<kVectors, kPacked>(d, pairs, i, products, channels);
  (AddTo(d, sums + static_cast<int64_t>(kR) * kVectors * n, products[kR], vectors), ...);
}

// sums[r][0, kVectors * lanes) += over all pairs: left[r] times right[0, kVectors * lanes), for kRows channels r; the
// rows of sums are kVectors * lanes apart. kPacked: pair i is the i-th, with its numbers side by side.
template <int kRows, int kVectors, bool kPacked, class D, typename C = hn::TFromD<D>>
HWY_NOINLINE void AddOuterProducts(D d, const RowPairs<C>& pairs, C* HWY_RESTRICT sums) {
  AddOuterProductsOf<kVectors, kPacked>(d, pairs, sums, kIndices<kRows>);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_convolution
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
