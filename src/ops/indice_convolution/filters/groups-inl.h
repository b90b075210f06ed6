// What outer products of rows in place and of packed ones share: all groups of left channels times all panels, and
// which pairs come next.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_INDICE_CONVOLUTION_FILTERS_GROUPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_INDICE_CONVOLUTION_FILTERS_GROUPS_INL_H_
#undef DETOPS_OPS_INDICE_CONVOLUTION_FILTERS_GROUPS_INL_H_
#else
#define DETOPS_OPS_INDICE_CONVOLUTION_FILTERS_GROUPS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <utility>

#include "hwy/highway.h"
#include "ops/indice_convolution/filters/kernel.h"
#include "ops/indice_convolution/microkernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::indice_convolution {
namespace HWY_NAMESPACE {

// `rows` channels as nearly equal groups of at most `most`, so that no group is too small to hide latencies.
struct Groups {
  Groups(int64_t rows, int64_t most) : count((rows + most - 1) / most), base(rows / count), extra(rows % count) {}
  int64_t Size(int64_t group) const { return group < extra ? base + 1 : base; }
  int64_t count;
  int64_t base;
  int64_t extra;
};

// Rows of the next chunk, brought into the cache a few at a time.
template <typename T>
struct NextPairs {
  RowPairs<T> pairs = {};
  int64_t left_bytes = 0;
  int64_t right_bytes = 0;
  int64_t step = 0;

  HWY_INLINE void Prefetch() {
    const int64_t done = std::min(step, pairs.count);
    for (int64_t i = 0; i < done; ++i) {
      PrefetchBytes(pairs.left + pairs.left_rows[i] * pairs.left_stride, 0, left_bytes);
      PrefetchBytes(pairs.right + pairs.right_rows[i] * pairs.right_stride, 0, right_bytes);
    }
    pairs.left_rows += done;
    pairs.right_rows += done;
    pairs.count -= done;
  }
};

template <class D, typename C>
using OuterProductsFunction = void (*)(D, const RowPairs<C>&, C*);

template <int kVectors, bool kPacked, class D, typename C, size_t... kR>
HWY_INLINE void AddGroup(D d, const RowPairs<C>& pairs, int64_t channels, C* sums,
                         std::index_sequence<kR...> /*channels less one*/) {
  constexpr OuterProductsFunction<D, C> kFunctions[] = {
      AddOuterProducts<static_cast<int>(kR) + 1, kVectors, kPacked, D, C>...};
  kFunctions[channels - 1](d, pairs, sums);
}

// The products of all left channels with one panel of right ones.
template <int kVectors, bool kPacked, class D, typename T, typename C>
HWY_INLINE void AddPanel(D d, RowPairs<C> pairs, int64_t rows, NextPairs<T>& next, C* sums) {
  constexpr int kMost = kPacked ? kPackedChannels : kMostChannels<kVectors>;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const Groups groups(rows, kMost);
  for (int64_t g = 0; g < groups.count; ++g) {
    const int64_t size = groups.Size(g);
    next.Prefetch();
    AddGroup<kVectors, kPacked>(d, pairs, size, sums, kIndices<kMost>);
    pairs.left += kPacked ? pairs.left_stride : size;
    pairs.fetch = false;
    sums += size * kVectors * n;
  }
}

// `vectors` of [1, kVectors].
template <int kVectors, bool kPacked, class D, typename T, typename C>
HWY_INLINE void AddPanelOf(D d, int64_t vectors, const RowPairs<C>& pairs, int64_t rows, NextPairs<T>& next, C* sums) {
  if constexpr (kVectors > 1) {
    if (vectors < kVectors) return AddPanelOf<kVectors - 1, kPacked>(d, vectors, pairs, rows, next, sums);
  }
  AddPanel<kVectors, kPacked>(d, pairs, rows, next, sums);
}

// All panels.
template <bool kPacked, class D, typename T, typename C>
HWY_INLINE void AddPanels(D d, const RowPairs<C>& pairs, NextPairs<T> next, int64_t rows, int64_t columns, C* sums) {
  constexpr int64_t kWidth = kPanelVectors;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < columns; c += kWidth * n) {
    RowPairs<C> panel = pairs;
    panel.fetch = c == 0;
    panel.right += kPacked ? c / (kWidth * n) * pairs.right_stride : c;
    AddPanelOf<kPanelVectors, kPacked>(d, std::min(kWidth, (columns - c + n - 1) / n), panel, rows, next,
                                       sums + c * rows);
  }
}

// In a file of its own; see there.
AddPartProducts AddInPlaceOn(bool in_double);

// The pairs of a part, chunk by chunk.
template <typename T>
class PartPairs {
 public:
  explicit PartPairs(const FilterGradientPart& part)
      : part_(part),
        problem_(*part.problem),
        left_rows_(problem_.left_is_other ? part.list->other_rows : part.list->block_rows),
        right_rows_(problem_.left_is_other ? part.list->block_rows : part.list->other_rows),
        last_(part.list->begins[part.last]) {}

  int64_t first() const { return part_.list->begins[part_.first]; }
  int64_t last() const { return last_; }

  RowPairs<T> From(int64_t begin, int64_t most) const {
    return {static_cast<const T*>(problem_.left),  problem_.filter.rows,    left_rows_ + begin,
            static_cast<const T*>(problem_.right), problem_.filter.columns, right_rows_ + begin,
            std::min(most, last_ - begin)};
  }

  // What comes after `begin`: more of this list, or the next one. Spread over the groups and panels of a chunk.
  template <class D>
  NextPairs<T> Next(D d, int64_t begin, int64_t chunk) const {
    RowPairs<T> next = From(begin, chunk);
    if (begin == last_ && part_.next != nullptr) {
      const int64_t at = part_.next->begins[part_.first];
      next.left_rows = (problem_.left_is_other ? part_.next->other_rows : part_.next->block_rows) + at;
      next.right_rows = (problem_.left_is_other ? part_.next->block_rows : part_.next->other_rows) + at;
      next.count = std::min(chunk, part_.next->begins[part_.last] - at);
    }
    const FilterMatrices& filter = problem_.filter;
    const int64_t panels = DivideRoundUp(filter.columns, kPanelVectors * static_cast<int64_t>(hn::Lanes(d)));
    const int64_t calls = Groups(filter.rows, kMostChannels<kPanelVectors>).count * panels;
    return {next, filter.rows * static_cast<int64_t>(sizeof(T)), filter.columns * static_cast<int64_t>(sizeof(T)),
            DivideRoundUp(chunk, calls)};
  }

 private:
  const FilterGradientPart& part_;
  const FilterGradientProblem& problem_;
  const int32_t* left_rows_;
  const int32_t* right_rows_;
  int64_t last_;
};

}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_convolution
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
