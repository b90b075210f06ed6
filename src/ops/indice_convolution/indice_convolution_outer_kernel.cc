#define DETOPS_WIDE_TARGETS  // see core/simd_target.h

#include "ops/indice_convolution/indice_convolution_outer_kernel.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/element_type.h"
#include "core/simd_target.h"
#include "ops/indice_convolution/indice_convolution_panels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/indice_convolution/indice_convolution_outer_kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/indice_convolution/indice_convolution_product-inl.h"
#include "ops/indice_convolution/indice_convolution_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {
namespace {

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
    AddGroup<kVectors, kPacked>(d, pairs, size, sums, kUpTo<kMost>);
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

// Copies of the rows of some pairs as groups and panels, see kPackedChannels.
template <typename T>
class PackedRows {
 public:
  using C = SumOf<T>;

  template <class D>
  PackedRows(D d, const OuterProductsPart& part)
      : rows_(part.problem->filter.rows),
        columns_(part.problem->filter.columns),
        groups_(rows_, kPackedChannels),
        left_end_(static_cast<const T*>(part.problem->left) + part.problem->left_rows * rows_),
        right_end_(static_cast<const T*>(part.problem->right) + part.problem->right_rows * columns_),
        row_(static_cast<C*>(part.left)),
        left_(row_ + PaddedColumns(rows_, static_cast<int64_t>(hn::Lanes(d))) + kPackedSlot),
        left_distance_(PackedDistance(part.chunk, kPackedSlot, sizeof(C))),
        right_(static_cast<C*>(part.right)),
        panel_(kPanelVectors * static_cast<int64_t>(hn::Lanes(d))),
        right_distance_(PackedDistance(part.chunk, panel_, sizeof(C))) {}

  template <class D>
  HWY_INLINE RowPairs<C> Copy(D d, const RowPairs<T>& pairs) const {
    for (int64_t i = 0; i < pairs.count; ++i) {
      CopyLeft(d, pairs.left + pairs.left_rows[i] * pairs.left_stride, left_ + i * kPackedSlot);
      CopyRight(d, pairs.right + pairs.right_rows[i] * pairs.right_stride, i);
    }
    return {left_, left_distance_, nullptr, right_, right_distance_, nullptr, pairs.count};
  }

 private:
  template <class D>
  HWY_INLINE void CopyLeft(D d, const T* HWY_RESTRICT from, C* HWY_RESTRICT to) const {
    const C* row = row_;
    bool ready = false;
    if constexpr (std::is_same_v<T, C>) {
      ready = left_end_ - from >= rows_ + kPackedSlot;  // slots are filled behind the last channel
      if (ready) row = from;
    }
    if (!ready) ConvertRow(d, from, rows_, left_end_, row_);
    const hn::CappedTag<C, kPackedSlot> slot;
    const auto copy = [&](int64_t groups, int64_t size) HWY_ATTR {
      for (int64_t g = 0; g < groups; ++g, row += size, to += left_distance_) {
        for (size_t j = 0; j < kPackedSlot; j += hn::Lanes(slot)) hn::StoreU(hn::LoadU(slot, row + j), slot, to + j);
      }
    };
    copy(groups_.extra, groups_.base + 1);
    copy(groups_.count - groups_.extra, groups_.base);
  }

  template <class D>
  HWY_INLINE void CopyRight(D d, const T* HWY_RESTRICT from, int64_t pair) const {
    const auto n = static_cast<int64_t>(hn::Lanes(d));
    C* HWY_RESTRICT to = right_;
    int64_t c = 0;
    for (; c + panel_ <= columns_; c += panel_, to += right_distance_) {
      for (int64_t j = 0; j < kPanelVectors; ++j) {
        hn::StoreU(LoadElements(d, from + c + j * n), d, to + pair * panel_ + j * n);
      }
    }
    if (c < columns_) ConvertRow(d, from + c, columns_ - c, right_end_, to + pair * PaddedColumns(columns_ - c, n));
  }

  int64_t rows_;
  int64_t columns_;
  Groups groups_;
  const T* left_end_;
  const T* right_end_;
  C* row_;  // one left row, if it cannot be copied from its place
  C* left_;
  int64_t left_distance_;
  C* right_;
  int64_t panel_;
  int64_t right_distance_;
};

template <typename T>
void AddProductsOf(const OuterProductsPart& part) {
  using C = SumOf<T>;
  const hn::ScalableTag<C> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const OuterProductsProblem& problem = *part.problem;
  const int64_t rows = problem.filter.rows;
  const int64_t columns = problem.filter.columns;
  const int64_t first = part.list->begins[part.first];
  const int64_t last = part.list->begins[part.last];
  const int32_t* const left_rows = problem.left_is_far ? part.list->far : part.list->near;
  const int32_t* const right_rows = problem.left_is_far ? part.list->near : part.list->far;
  const T* const left = static_cast<const T*>(problem.left);
  const T* const right = static_cast<const T*>(problem.right);
  C* const sums = static_cast<C*>(part.sums);
  constexpr int64_t kWidth = kPanelVectors;
  const int64_t calls = Groups(rows, kMostChannels<kPanelVectors>).count * ((columns + kWidth * n - 1) / (kWidth * n));
  const auto pairs_from = [&](int64_t begin, int64_t most) {
    return RowPairs<T>{left, rows, left_rows + begin, right, columns, right_rows + begin, std::min(most, last - begin)};
  };
  // What comes behind `begin`: more of this list, or the next one.
  const auto next_from = [&](int64_t begin, int64_t chunk) {
    RowPairs<T> next = pairs_from(begin, chunk);
    if (begin == last && part.next != nullptr) {
      const int64_t at = part.next->begins[part.first];
      next.left_rows = (problem.left_is_far ? part.next->far : part.next->near) + at;
      next.right_rows = (problem.left_is_far ? part.next->near : part.next->far) + at;
      next.count = std::min(chunk, part.next->begins[part.last] - at);
    }
    return NextPairs<T>{next, rows * static_cast<int64_t>(sizeof(T)), columns * static_cast<int64_t>(sizeof(T)),
                        (chunk + calls - 1) / calls};
  };
  if constexpr (std::is_same_v<T, C>) {
    if (part.in_place) {
      const bool many = !HasFewChannels(problem.filter);
      const int64_t chunk = many ? kInPlaceChunkOfMany : kInPlaceChunk;
      for (int64_t begin = first; begin < last; begin += chunk) {
        const RowPairs<T> pairs = pairs_from(begin, chunk);
        const bool one_by_one = kWidth <= 2 || columns <= 2 * n;  // AddOuterProducts fetches rows ahead
        AddPanels<false>(d, pairs, one_by_one ? NextPairs<T>() : next_from(begin + pairs.count, chunk), rows, columns,
                         sums);
      }
      return;
    }
  }
  const PackedRows<T> packed(d, part);
  for (int64_t begin = first; begin < last; begin += part.chunk) {
    const RowPairs<T> pairs = pairs_from(begin, part.chunk);
    AddPanels<true>(d, packed.Copy(d, pairs), next_from(begin + pairs.count, part.chunk), rows, columns, sums);
  }
}

template <typename T>
void StoreOf(const FilterMatrices& filter, const void* sums, int64_t distance, int64_t parts, int64_t offset,
             int64_t begin, int64_t end, void* filters) {
  using C = SumOf<T>;
  const hn::ScalableTag<C> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  T* const to = static_cast<T*>(filters) + offset * filter.offset_stride;
  constexpr int64_t kWidth = kPanelVectors;
  T values[hn::MaxLanes(hn::ScalableTag<C>())];
  for (int64_t c = 0; c < filter.columns; c += n) {
    const int64_t panel = c / (kWidth * n) * (kWidth * n);
    const int64_t width = std::min(kWidth * n, PaddedColumns(filter.columns, n) - panel);
    const int64_t count = std::min(n, filter.columns - c);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t place = panel * filter.rows + r * width + (c - panel);
      auto sum = hn::Zero(d);
      for (int64_t p = 0; p < parts; ++p) {
        const auto* matrix = reinterpret_cast<const C*>(static_cast<const std::byte*>(sums) + p * distance);
        sum = hn::Add(sum, hn::LoadU(d, matrix + place));
      }
      T* const row = to + r * filter.row_stride + c * filter.column_stride;
      if (filter.column_stride == 1 && count == n) {
        StoreElements(sum, d, row);
      } else {
        StoreElements(sum, d, values);
        for (int64_t i = 0; i < count; ++i) row[i * filter.column_stride] = values[i];
      }
    }
  }
}

template <typename T>
OuterProductsKernels KernelsOf() {
  const hn::ScalableTag<SumOf<T>> d;
  return {static_cast<int64_t>(hn::Lanes(d)),
          sizeof(SumOf<T>),
          !std::is_same_v<T, SumOf<T>>,
          AddProductsOf<T>,
          AddProductsOf<SumOf<T>>,
          ConvertElements<T>,
          StoreOf<T>};
}

}  // namespace

OuterProductsKernels OuterProductsKernelsOf(mluOpDataType_t type) {
  return WithElementType(type, []<typename T>() { return KernelsOf<T>(); });
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops {

HWY_EXPORT(OuterProductsKernelsOf);

OuterProductsKernels ChooseOuterProductsKernels(mluOpDataType_t type, const FilterMatrices& filter) {
  if (GainsByWideVectors(filter)) return DETOPS_DISPATCH(OuterProductsKernelsOf)(type);
  return DETOPS_DISPATCH_NARROW(OuterProductsKernelsOf)(type);
}

}  // namespace detops
#endif  // HWY_ONCE
