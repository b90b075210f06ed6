// The vector part, compiled once per instruction set.
#include "core/element_type.h"
#include "core/simd_target.h"
#include "ops/@room@/problem.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/@room@/kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/element-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::@room@ {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using ::detops::HWY_NAMESPACE::LoadElements;
using ::detops::HWY_NAMESPACE::StoreElements;

template <class D, typename T>
void MultiplyVectors(D d, const T* input, float factor, T* output, int64_t begin, int64_t end) {
  const auto vector = hn::Set(d, static_cast<hn::TFromD<D>>(factor));
  for (int64_t i = begin; i < end; i += static_cast<int64_t>(hn::Lanes(d))) {
    StoreElements(hn::Mul(LoadElements(d, input + i), vector), d, output + i);
  }
}

template <typename T>
void MultiplyAs(const Problem& problem, int64_t begin, int64_t end) {
  using Real = Accumulator<T>;
  const hn::ScalableTag<Real> d;
  const hn::CappedTag<Real, 1> one;
  const auto* input = static_cast<const T*>(problem.input);
  auto* output = static_cast<T*>(problem.output);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t whole = begin + (end - begin) / lanes * lanes;
  MultiplyVectors(d, input, problem.factor, output, begin, whole);
  MultiplyVectors(one, input, problem.factor, output, whole, end);
}

}  // namespace

void Multiply(const Problem& problem, int64_t begin, int64_t end) {
  WithElementType(problem.type, [&]<typename T>() { MultiplyAs<T>(problem, begin, end); });
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::@room@
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::@room@ {

HWY_EXPORT(Multiply);

Kernel ChooseKernel() { return &DETOPS_DISPATCH(Multiply); }

}  // namespace detops::@room@
#endif  // HWY_ONCE
