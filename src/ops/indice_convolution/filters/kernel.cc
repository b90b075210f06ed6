#define DETOPS_ALSO_AVX512  // see core/simd_target.h

#include "ops/indice_convolution/filters/kernel.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/element_type.h"
#include "core/simd_target.h"
#include "ops/indice_convolution/rows/panels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/indice_convolution/filters/kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/indice_convolution/filters/groups-inl.h"
#include "ops/indice_convolution/rows/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::indice_convolution {
namespace HWY_NAMESPACE {
namespace {

// Copies of the rows of some pairs as groups and panels, see kPackedChannels.
template <typename T>
class PackedRows {
 public:
  using C = Accumulator<T>;

  template <class D>
  PackedRows(D d, const FilterGradientPart& part)
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
      ready = left_end_ - from >= rows_ + kPackedSlot;  // slots are filled after the last channel
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
void AddPackedOf(const FilterGradientPart& part) {
  const hn::ScalableTag<Accumulator<T>> d;
  const FilterMatrices& filter = part.problem->filter;
  const PartPairs<T> all(part);
  const PackedRows<T> packed(d, part);
  for (int64_t begin = all.first(); begin < all.last(); begin += part.chunk) {
    const RowPairs<T> pairs = all.From(begin, part.chunk);
    AddPanels<true>(d, packed.Copy(d, pairs), all.Next(d, begin + pairs.count, part.chunk), filter.rows, filter.columns,
                    static_cast<Accumulator<T>*>(part.sums));
  }
}

template <typename T>
void StoreOf(const FilterMatrices& filter, const void* sums, int64_t distance, int64_t parts, int64_t offset,
             int64_t begin, int64_t end, void* filters) {
  using C = Accumulator<T>;
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
FilterGradientKernels KernelsOf() {
  const hn::ScalableTag<Accumulator<T>> d;
  return {static_cast<int64_t>(hn::Lanes(d)),
          sizeof(Accumulator<T>),
          !std::is_same_v<T, Accumulator<T>>,
          AddPackedOf<T>,
          AddPackedOf<Accumulator<T>>,
          AddInPlaceOn(std::is_same_v<Accumulator<T>, double>),
          ConvertElements<T>,
          StoreOf<T>};
}

}  // namespace

FilterGradientKernels FilterGradientKernelsOf(mluOpDataType_t type) {
  return WithElementType(type, []<typename T>() { return KernelsOf<T>(); });
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_convolution
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::indice_convolution {

HWY_EXPORT(FilterGradientKernelsOf);

FilterGradientKernels ChooseFilterGradientKernels(mluOpDataType_t type, const FilterMatrices& filter) {
  if (GainsByAvx512(filter)) return DETOPS_DISPATCH(FilterGradientKernelsOf)(type);
  return DETOPS_DISPATCH_UP_TO_AVX2(FilterGradientKernelsOf)(type);
}

}  // namespace detops::indice_convolution
#endif  // HWY_ONCE
