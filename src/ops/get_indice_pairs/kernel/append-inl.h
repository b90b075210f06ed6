// Appending by vectors to the two rows of a list. Seen once per SIMD target; docs/architecture.md explains the guard.
#if defined(DETOPS_OPS_GET_INDICE_PAIRS_KERNEL_APPEND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_GET_INDICE_PAIRS_KERNEL_APPEND_INL_H_
#undef DETOPS_OPS_GET_INDICE_PAIRS_KERNEL_APPEND_INL_H_
#else
#define DETOPS_OPS_GET_INDICE_PAIRS_KERNEL_APPEND_INL_H_
#endif

#include <bit>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/get_indice_pairs/kernel/compress.h"

HWY_BEFORE_NAMESPACE();
namespace detops::get_indice_pairs {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D32 = hn::ScalableTag<int32_t>;

// Highway's own Compress for AVX2 has its table inside the function, and gcc 12 copies that to the stack each time.
constexpr bool kOwnCompress = hn::MaxLanes(D32()) == 4 || hn::MaxLanes(D32()) == 8;

// Stores the lanes of `a` to `to_a` and those of `b` to `to_b` that are set in `mask`, in their order; what follows
// them up to the whole vectors is undefined. Returns their number.
template <class V, class M>
HWY_INLINE size_t CompressTwo(D32 d, M mask, V a, int32_t* to_a, V b, int32_t* to_b) {
  if constexpr (kOwnCompress) {
    uint8_t bits[8];
    hn::StoreMaskBits(d, mask, bits);
    const hn::RebindToUnsigned<D32> du;
    const auto shifts = hn::ShiftLeft<2>(hn::Iota(du, 0));
    const auto lanes = hn::And(hn::Shr(hn::Set(du, kCompressLanes.packed[bits[0]]), shifts), hn::Set(du, 7));
    const auto indices = hn::IndicesFromVec(d, lanes);
    hn::StoreU(hn::TableLookupLanes(a, indices), d, to_a);
    hn::StoreU(hn::TableLookupLanes(b, indices), d, to_b);
    return static_cast<size_t>(std::popcount(bits[0]));
  } else {
    // Not CompressStore: some processors are slow at compressing right into memory.
    hn::StoreU(hn::Compress(a, mask), d, to_a);
    hn::StoreU(hn::Compress(b, mask), d, to_b);
    return hn::CountTrue(d, mask);
  }
}

// Appends (first + v, met[v]) for all v in [0, sites) with met[v] >= 0. Returns the new head. Whole vectors are stored,
// except where they would go beyond `end`.
HWY_INLINE int32_t* AppendSlot(const int32_t* HWY_RESTRICT met, int sites, int32_t first, int32_t* head,
                               const int32_t* end, int64_t row_length) {
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto none = hn::Set(d, -1);
  const auto step = hn::Set(d, lanes);
  auto index = hn::Iota(d, first);
  int v = 0;
  for (; v + lanes <= sites; v += lanes, index = hn::Add(index, step)) {
    const auto values = hn::LoadU(d, met + v);
    const auto found = hn::Gt(values, none);
    if (hn::AllFalse(d, found)) continue;
    if (HWY_UNLIKELY(end - head < lanes)) break;
    head += CompressTwo(d, found, index, head, values, head + row_length);
  }
  for (; v < sites; ++v) {
    if (met[v] < 0) continue;
    head[0] = first + v;
    head[row_length] = met[v];
    ++head;
  }
  return head;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops::get_indice_pairs
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
