// How values of pairs reach the output. Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_BOXES_PAIRS_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_BOXES_PAIRS_KERNEL_INL_H_
#undef DETOPS_BOXES_PAIRS_KERNEL_INL_H_
#else
#define DETOPS_BOXES_PAIRS_KERNEL_INL_H_
#endif

#include "boxes/pairs/kernel.h"
#include "core/element_type.h"
#include "hwy/highway.h"
#include "simd/element-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Rounds a vector of doubles once and writes it to elements [index, index + lanes) of an array of T, which may have any
// alignment.
template <typename T, class D>
HWY_INLINE void StoreRounded(D d, hn::Vec<D> v, void* data, int64_t index) {
  T* const to = static_cast<T*>(data) + index;
  if constexpr (std::is_same_v<T, double>) {
    hn::StoreU(v, d, to);
  } else {
    const hn::Rebind<float, D> df;
    StoreElements(FloatsFor<T>(d, v), df, to);
  }
}

// Doubles to consecutive elements.
template <typename T>
HWY_INLINE void StoreRun(const double* values, int64_t count, void* data, int64_t index) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) StoreRounded<T>(d, hn::LoadU(d, values + i), data, index + i);
  for (; i < count; ++i) StoreElement<T>(data, index + i, FromDouble<T>(values[i]));
}

// Values of `count` columns of a line.
HWY_INLINE void StoreLine(const boxes::PairOutput& output, int64_t line, int64_t column, const double* values,
                          int64_t count) {
  const int64_t first = line * output.line_stride + column * output.column_stride;
  WithElementType(output.type, [&]<typename T>() {
    if (output.column_stride == 1) {
      StoreRun<T>(values, count, output.data, first);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        StoreElement<T>(output.data, first + i * output.column_stride, FromDouble<T>(values[i]));
      }
    }
  });
}

// Values of elements here and there.
HWY_INLINE void StoreAt(const boxes::PairOutput& output, const int64_t* elements, const double* values, int64_t count) {
  WithElementType(output.type, [&]<typename T>() {
    for (int64_t i = 0; i < count; ++i) StoreElement<T>(output.data, elements[i], FromDouble<T>(values[i]));
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
