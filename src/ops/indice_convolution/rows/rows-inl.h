// Rows of all types as sums: loads, stores and copies that touch no byte after a row.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_INDICE_CONVOLUTION_ROWS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_ROWS_INL_H_
#undef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_ROWS_INL_H_
#else
#define DETOPS_OPS_INDICE_CONVOLUTION_ROWS_ROWS_INL_H_
#endif

#include <cstdint>

#include "core/element_type.h"
#include "hwy/highway.h"
#include "simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::indice_convolution {
namespace HWY_NAMESPACE {

using namespace detops::HWY_NAMESPACE;  // vectors of simd/

// A row in the type of the sums. The last vector is written whole; it is also read whole if that stays before the end
// of the tensor, so what stands after the row is any number.
template <class D, typename T, typename C>
HWY_INLINE void ConvertRow(D d, const T* HWY_RESTRICT from, int64_t count, const T* end, C* HWY_RESTRICT to) {
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + n <= count; i += n) hn::StoreU(LoadElements(d, from + i), d, to + i);
  if (i == count) return;
  hn::StoreU(end - from >= i + n ? LoadElements(d, from + i) : LoadFirst(d, from + i, count - i), d, to + i);
}

// Elements [begin, end) of a tensor in the type of the sums, at the same places.
template <typename T>
void ConvertElements(const void* tensor, int64_t begin, int64_t end, void* numbers) {
  const hn::ScalableTag<Accumulator<T>> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const T* HWY_RESTRICT from = static_cast<const T*>(tensor);
  Accumulator<T>* HWY_RESTRICT to = static_cast<Accumulator<T>*>(numbers);
  int64_t i = begin;
  for (; i + n <= end; i += n) hn::StoreU(LoadElements(d, from + i), d, to + i);
  for (; i < end; ++i) to[i] = ToAccumulator(from[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_convolution
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
