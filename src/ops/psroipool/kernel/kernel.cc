#include "ops/psroipool/kernel/kernel.h"

#include <cstring>
#include <type_traits>

#include "core/element_type.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/psroipool/kernel/kernel.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/psroipool/kernel/bins-inl.h"
#include "ops/psroipool/kernel/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::psroipool {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

int64_t LanesOf(mluOpDataType_t type) {
  return WithElementType(
      type, []<typename T>() HWY_ATTR { return static_cast<int64_t>(hn::Lanes(hn::ScalableTag<Accumulator<T>>())); });
}

template <typename From, typename To>
void TransposeAs(const Transposition& transposition) {
  if constexpr (std::is_same_v<From, double>) {
    TransposeOneByOne<From, To>(transposition);
  } else {
    Transpose<From, To>(transposition);
  }
}

void TransposeSame(mluOpDataType_t type, const Transposition& transposition) {
  WithElementType(type, [&]<typename T>() { TransposeAs<T, T>(transposition); });
}

void TransposeIn(mluOpDataType_t type, const Transposition& transposition) {
  WithElementType(type, [&]<typename T>() { TransposeAs<T, Accumulator<T>>(transposition); });
}

void TransposeOut(mluOpDataType_t type, const Transposition& transposition, bool in_double) {
  WithElementType(type, [&]<typename T>() {
    in_double ? TransposeAs<double, T>(transposition) : TransposeAs<Accumulator<T>, T>(transposition);
  });
}

void SumBins(mluOpDataType_t type, const BinSums& sums, bool as_accumulator) {
  WithElementType(type,
                  [&]<typename T>() { as_accumulator ? SumBinsOf<T, Accumulator<T>>(sums) : SumBinsOf<T, T>(sums); });
}

void AddBins(mluOpDataType_t type, const BinAdditions& additions, bool in_double) {
  WithElementType(type, [&]<typename T>() {
    in_double ? AddBinsOf<T, double>(additions) : AddBinsOf<T, Accumulator<T>>(additions);
  });
}

void FillPattern(const PatternFill& fill) {
  const hn::ScalableTag<int32_t> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  constexpr uintptr_t kCacheLine = 64;
  int64_t place = fill.first % fill.period;
  int64_t i = 0;
  const auto step = [&](int64_t by) {
    i += by;
    place += by;
    while (place >= fill.period) place -= fill.period;
  };
  if (fill.stream) {
    while (i < fill.count && reinterpret_cast<uintptr_t>(fill.target + i) % kCacheLine != 0) {
      fill.target[i] = fill.pattern[place];
      step(1);
    }
    for (; i + n <= fill.count; step(n)) hn::Stream(hn::LoadU(d, fill.pattern + place), d, fill.target + i);
    hwy::FlushStream();
  } else {
    for (; i + n <= fill.count; step(n)) hn::StoreU(hn::LoadU(d, fill.pattern + place), d, fill.target + i);
  }
  while (i < fill.count) {
    fill.target[i] = fill.pattern[place];
    step(1);
  }
}

void StreamCopy(const void* source, void* target, int64_t bytes) {
  const hn::ScalableTag<float> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  const auto* from = static_cast<const float*>(source);
  auto* to = static_cast<float*>(target);
  const int64_t count = bytes / static_cast<int64_t>(sizeof(float));
  for (int64_t i = 0; i < count; i += n) hn::Stream(hn::LoadU(d, from + i), d, to + i);
}

void FlushStores() { hwy::FlushStream(); }

}  // namespace

PsRoiPoolKernels PsRoiPoolKernelsOfTarget() {
  return {LanesOf, TransposeSame, TransposeIn, TransposeOut, SumBins, AddBins, FillPattern, StreamCopy, FlushStores};
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::psroipool
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::psroipool {

HWY_EXPORT(PsRoiPoolKernelsOfTarget);

PsRoiPoolKernels ChoosePsRoiPoolKernels() { return DETOPS_DISPATCH(PsRoiPoolKernelsOfTarget)(); }

}  // namespace detops::psroipool
#endif  // HWY_ONCE
