#define DETOPS_WIDE_TARGETS  // see core/simd_target.h

#include "ops/indice_convolution/indice_convolution_outer_kernel.h"

#include <algorithm>
#include <type_traits>

#include "core/half.h"
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

// `rows` channels as nearly equal groups of at most six, so that no group is too small to hide latencies.
struct Groups {
  explicit Groups(int64_t rows)
      : count((rows + kGroupRows - 1) / kGroupRows), base(rows / count), extra(rows % count) {}
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

// The products of all groups of left channels with one panel of right ones.
template <int kVectors, bool kPacked, class D, typename T, typename C>
HWY_INLINE void AddPanel(D d, RowPairs<C> pairs, const Groups& groups, NextPairs<T>& next, C* sums) {
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t g = 0; g < groups.count; ++g) {
    const int64_t size = groups.Size(g);
    if constexpr (kPacked) next.Prefetch();
    switch (size) {
      case 1:
        AddOuterProducts<1, kVectors, kPacked>(d, pairs, sums);
        break;
      case 2:
        AddOuterProducts<2, kVectors, kPacked>(d, pairs, sums);
        break;
      case 3:
        AddOuterProducts<3, kVectors, kPacked>(d, pairs, sums);
        break;
      case 4:
        AddOuterProducts<4, kVectors, kPacked>(d, pairs, sums);
        break;
      case 5:
        AddOuterProducts<5, kVectors, kPacked>(d, pairs, sums);
        break;
      default:
        AddOuterProducts<6, kVectors, kPacked>(d, pairs, sums);
        break;
    }
    pairs.left += size;
    sums += size * kVectors * n;
  }
}

// All panels.
template <bool kPacked, class D, typename T, typename C>
HWY_INLINE void AddPanels(D d, const RowPairs<C>& pairs, const Groups& groups, NextPairs<T> next, int64_t rows,
                          int64_t columns, C* sums) {
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < columns; c += 2 * n) {
    RowPairs<C> panel = pairs;
    panel.right += c;
    if (c + n < columns) {
      AddPanel<2, kPacked>(d, panel, groups, next, sums + c * rows);
    } else {
      AddPanel<1, kPacked>(d, panel, groups, next, sums + c * rows);
    }
  }
}

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
  const Groups groups(rows);
  const int64_t calls = groups.count * ((columns + 2 * n - 1) / (2 * n));
  const auto pairs_from = [&](int64_t begin, int64_t most) {
    return RowPairs<T>{left, rows, left_rows + begin, right, columns, right_rows + begin, std::min(most, last - begin)};
  };
  // What comes behind `begin`: more of this list, or the next one.
  const auto next_from = [&](int64_t begin) {
    RowPairs<T> next = pairs_from(begin, kOuterChunk);
    if (begin == last && part.next != nullptr) {
      const int64_t at = part.next->begins[part.first];
      next.left_rows = (problem.left_is_far ? part.next->far : part.next->near) + at;
      next.right_rows = (problem.left_is_far ? part.next->near : part.next->far) + at;
      next.count = std::min(kOuterChunk, part.next->begins[part.last] - at);
    }
    return NextPairs<T>{next, rows * static_cast<int64_t>(sizeof(T)), columns * static_cast<int64_t>(sizeof(T)),
                        (kOuterChunk + calls - 1) / calls};
  };
  if constexpr (std::is_same_v<T, C>) {
    if (part.in_place) {
      for (int64_t begin = first; begin < last; begin += kInPlaceChunk) {
        AddPanels<false>(d, pairs_from(begin, kInPlaceChunk), groups, NextPairs<T>(), rows, columns, sums);
      }
      return;
    }
  }
  RowPairs<C> packed = {static_cast<C*>(part.left),
                        OuterStride(rows, n, sizeof(C)),
                        nullptr,
                        static_cast<C*>(part.right),
                        OuterStride(columns, n, sizeof(C)),
                        nullptr,
                        0};
  const T* const left_end = left + problem.left_rows * rows;
  const T* const right_end = right + problem.right_rows * columns;
  for (int64_t begin = first; begin < last; begin += kOuterChunk) {
    packed.count = std::min(kOuterChunk, last - begin);
    for (int64_t i = 0; i < packed.count; ++i) {
      ConvertRow(d, left + left_rows[begin + i] * rows, rows, left_end,
                 static_cast<C*>(part.left) + i * packed.left_stride);
      ConvertRow(d, right + right_rows[begin + i] * columns, columns, right_end,
                 static_cast<C*>(part.right) + i * packed.right_stride);
    }
    AddPanels<true>(d, packed, groups, next_from(begin + packed.count), rows, columns, sums);
  }
}

template <typename T>
void StoreOf(const FilterMatrices& filter, const void* sums, int64_t distance, int64_t parts, int64_t offset,
             int64_t begin, int64_t end, void* filters) {
  using C = SumOf<T>;
  const hn::ScalableTag<C> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  T* const to = static_cast<T*>(filters) + offset * filter.offset_stride;
  T values[hn::MaxLanes(hn::ScalableTag<C>())];
  for (int64_t c = 0; c < filter.columns; c += n) {
    const int64_t panel = c / (2 * n) * (2 * n);
    const int64_t width = panel + n < filter.columns ? 2 * n : n;
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
  return {static_cast<int64_t>(hn::Lanes(d)), sizeof(SumOf<T>), !std::is_same_v<T, SumOf<T>>, AddProductsOf<T>,
          StoreOf<T>};
}

}  // namespace

OuterProductsKernels OuterProductsKernelsOf(mluOpDataType_t type) {
  switch (type) {
    case MLUOP_DTYPE_HALF:
      return KernelsOf<Half>();
    case MLUOP_DTYPE_BFLOAT16:
      return KernelsOf<BFloat16>();
    case MLUOP_DTYPE_DOUBLE:
      return KernelsOf<double>();
    default:
      return KernelsOf<float>();
  }
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
