// Values of pairs of upright boxes, compiled once per instruction set.
#define DETOPS_ALSO_AVX512
#include <algorithm>

#include "boxes/pairs/kernel.h"
#include "boxes/shape/upright.h"
#include "core/element_type.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "boxes/pairs/upright_kernel.cc"
// clang-format off: what is included once per target comes after foreach_target.h
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "boxes/pairs/kernel-inl.h"
#include "boxes/shape/upright-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace detops::boxes {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace shared = ::detops::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using Lanes = shared::UprightLanes<D>;
constexpr int64_t kLanes = hn::MaxLanes(D());

template <class Planes>
HWY_INLINE Lanes LoadBoxes(const Planes& planes, int64_t index) {
  const D d;
  return {hn::LoadU(d, planes[0] + index), hn::LoadU(d, planes[1] + index), hn::LoadU(d, planes[2] + index),
          hn::LoadU(d, planes[3] + index), hn::LoadU(d, planes[4] + index)};
}

// Values of some columns of a line; false, and nothing written, if all are 0. Whether a vector has pairs that overlap
// is as good as random, so nothing is decided before all vectors have been looked at.
template <PairValue kValue>
bool BlockOfLine(const Lanes& a, const PairPlanes& columns, int64_t begin, int64_t count, double* values) {
  const D d;
  auto some = hn::FirstN(d, 0);
  for (int64_t i = 0; i < count; i += kLanes) {
    some = hn::Or(some, shared::DoMeet(d, a, LoadBoxes(columns.field, begin + i)));
  }
  if (hn::AllFalse(d, some)) return false;
  for (int64_t i = 0; i < count; i += kLanes) {
    hn::StoreU(shared::UprightValue<kValue>(d, a, LoadBoxes(columns.field, begin + i)), d, values + i);
  }
  return true;
}

template <PairValue kValue>
void TileOf(const PairTile& tile) {
  const D d;
  alignas(64) double values[kBlockPairs];
  for (int64_t line = 0; line < tile.line_count; ++line) {
    const double* const box = tile.lines[line].field;
    const Lanes a = {hn::Set(d, box[0]), hn::Set(d, box[1]), hn::Set(d, box[2]), hn::Set(d, box[3]),
                     hn::Set(d, box[4])};
    for (int64_t begin = tile.column_begin; begin < tile.column_end; begin += kBlockPairs) {
      const int64_t count = std::min(kBlockPairs, tile.column_end - begin);
      if (BlockOfLine<kValue>(a, *tile.columns, begin, count, values)) {
        shared::StoreLine(tile.output, tile.line_begin + line, begin, values, count);
      }
    }
  }
}

template <PairValue kValue>
void AlignedOf(const AlignedPairs& pairs) {
  alignas(64) double values[kBlockPairs];
  for (int64_t i = 0; i < pairs.count; i += kLanes) {
    hn::StoreU(shared::UprightValue<kValue>(D(), LoadBoxes(pairs.first, i), LoadBoxes(pairs.second, i)), D(),
               values + i);
  }
  shared::StoreLine(pairs.output, 0, pairs.begin, values, pairs.count);
}

// Overlaps of upright boxes are nobody's question.
template <class Function>
void WithValue(PairValue value, const Function& function) {
  if (value == PairValue::kIou) return function.template operator()<PairValue::kIou>();
  if (value == PairValue::kIofFirst) return function.template operator()<PairValue::kIofFirst>();
  return function.template operator()<PairValue::kIofSecond>();
}

}  // namespace

void UprightTile(const PairTile& tile) {
  WithValue(tile.question->value, [&]<PairValue kValue>() { TileOf<kValue>(tile); });
}
void UprightAligned(const AlignedPairs& pairs) {
  WithValue(pairs.question->value, [&]<PairValue kValue>() { AlignedOf<kValue>(pairs); });
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::boxes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::boxes {

HWY_EXPORT(UprightTile);
HWY_EXPORT(UprightAligned);

PairKernels ChooseUprightPairKernels() { return {&DETOPS_DISPATCH(UprightTile), &DETOPS_DISPATCH(UprightAligned)}; }

}  // namespace detops::boxes
#endif  // HWY_ONCE
