// What happens to the sums of a row when they are complete: bias, residual, activation, rounding, and the store.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_INDICE_CONVOLUTION_ROWS_EPILOGUE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_EPILOGUE_INL_H_
#undef DETOPS_OPS_INDICE_CONVOLUTION_ROWS_EPILOGUE_INL_H_
#else
#define DETOPS_OPS_INDICE_CONVOLUTION_ROWS_EPILOGUE_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "ops/indice_convolution/rows/kernel.h"
#include "ops/indice_convolution/rows/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::indice_convolution {
namespace HWY_NAMESPACE {
namespace {

template <class D>
HWY_INLINE hn::Vec<D> Activate(D d, hn::Vec<D> v, const Epilogue& epilogue) {
  using C = hn::TFromD<D>;
  if (epilogue.activation == DETOPS_ACTIVATION_NONE) return v;
  const auto zero = hn::Zero(d);
  const auto negative = epilogue.activation == DETOPS_ACTIVATION_RELU
                            ? zero
                            : hn::Mul(v, hn::Set(d, static_cast<C>(epilogue.negative_slope)));
  return hn::IfThenElse(hn::Lt(v, zero), negative, v);  // NaN stays
}

// Whether finished rows are written past the caches: whole lines, long runs of them, and more than caches hold.
template <typename T>
bool StreamsRows(const RowProductsProblem& problem) {
  constexpr int64_t kLineBytes = 64;
  constexpr int64_t kMinRowBytes = 256;
  constexpr int64_t kMinBytes = 8 << 20;
  const int64_t row_bytes = problem.filter.columns * static_cast<int64_t>(sizeof(T));
  return row_bytes % kLineBytes == 0 && row_bytes >= kMinRowBytes && problem.target_rows >= kMinBytes / row_bytes &&
         reinterpret_cast<uintptr_t>(problem.target) % kLineBytes == 0;
}

// Columns [begin, end) of `rows` target rows from `first` on; their sums are `stride` apart. The last vector of the
// first `whole` rows may be written whole.
template <StoreMode kMode, typename T>
void ApplyEpilogue(const RowProductsProblem& problem, int64_t first, int64_t rows,
                   const Accumulator<T>* HWY_RESTRICT sums, int64_t stride, int64_t begin, int64_t end, int64_t whole) {
  const hn::ScalableTag<Accumulator<T>> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = problem.filter.columns;
  const Epilogue epilogue = problem.epilogue;
  const T* const bias = static_cast<const T*>(epilogue.bias);
  const T* residual = epilogue.residual == nullptr ? nullptr : static_cast<const T*>(epilogue.residual) + first * width;
  T* HWY_RESTRICT to = static_cast<T*>(problem.target) + first * width;
  for (int64_t row = 0; row < rows; ++row, to += width, sums += stride) {
    int64_t c = begin;
    for (; c + n <= end; c += n) {
      auto v = hn::LoadU(d, sums + c - begin);
      if (bias != nullptr) v = hn::Add(v, LoadElements(d, bias + c));
      if (residual != nullptr) v = hn::Add(v, LoadElements(d, residual + c));
      StoreElements<kMode>(Activate(d, v, epilogue), d, to + c);
    }
    if (c < end) {
      auto v = hn::LoadU(d, sums + c - begin);
      if (bias != nullptr) v = hn::Add(v, LoadFirst(d, bias + c, end - c));
      if (residual != nullptr) v = hn::Add(v, LoadFirst(d, residual + c, end - c));
      v = Activate(d, v, epilogue);
      if (row < whole) {
        StoreElements(v, d, to + c);
      } else {
        StoreFirst(v, d, to + c, end - c);
      }
    }
    if (residual != nullptr) residual += width;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_convolution
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
