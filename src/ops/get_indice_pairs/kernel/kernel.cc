#include "ops/get_indice_pairs/kernel/kernel.h"

#include <bit>

#include "core/simd_target.h"
#include "hwy/cache_control.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/get_indice_pairs/kernel/kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/get_indice_pairs/kernel/append-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::get_indice_pairs {
namespace HWY_NAMESPACE {
namespace {

// data[i] = value(i) for i in [0, count); vector(i) is a vector of them from i on.
template <class Vector, class Value>
HWY_INLINE void Write(int32_t* data, int64_t count, bool stream, const Vector& vector, const Value& value) {
  const D32 d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  if (stream) {
    constexpr uintptr_t kLine = 64;
    for (; i < count && reinterpret_cast<uintptr_t>(data + i) % kLine != 0; ++i) data[i] = value(i);
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
      hn::Stream(vector(i), d, data + i);
      hn::Stream(vector(i + lanes), d, data + i + lanes);
      hn::Stream(vector(i + 2 * lanes), d, data + i + 2 * lanes);
      hn::Stream(vector(i + 3 * lanes), d, data + i + 3 * lanes);
    }
    hwy::FlushStream();  // what was written must be visible to whoever learns that this task is done
  }
  for (; i + lanes <= count; i += lanes) hn::StoreU(vector(i), d, data + i);
  for (; i < count; ++i) data[i] = value(i);
}

}  // namespace

void AppendPairs(const PairBlock& block) {
  for (int slot = 0; slot < block.slots; ++slot) {
    const int64_t offset = block.offset_of[slot];
    int32_t* const head = block.list + offset * 2 * block.row_length + block.counts[offset];
    // The list has room for all sites of the block.
    const int32_t* const end = AppendSlot(block.met + int64_t{slot} * kBlockSites, block.sites, block.first, head,
                                          head + block.sites, block.row_length);
    block.counts[offset] += static_cast<int32_t>(end - head);
  }
}

// The values are put down where their keys say, and collected from there: no comparisons, one jump per pair.
void SortList(const ListToSort& list) {
  int32_t* const HWY_RESTRICT spread = list.spread;
  if (list.renamed == nullptr) {
    for (int64_t i = 0; i < list.count; ++i) spread[list.keys[i]] = list.values[i];
  } else {
    for (int64_t i = 0; i < list.count; ++i) spread[list.renamed[list.keys[i]]] = list.values[i];
  }
  const D32 d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto none = hn::Set(d, -1);
  int32_t* head = list.sorted_keys;
  int64_t key = 0;
  // Without a look whether there is any: often there is, often not, and a wrong guess costs more. The head is never
  // ahead of the key, so a whole vector fits.
  const auto step = hn::Set(d, static_cast<int32_t>(lanes));
  auto keys = hn::Iota(d, 0);
  for (; key + lanes <= list.universe; key += lanes, keys = hn::Add(keys, step)) {
    const auto values = hn::LoadU(d, spread + key);
    hn::StoreU(none, d, spread + key);
    head += CompressTwo(d, hn::Gt(values, none), keys, head, values, head + list.row_length);
  }
  for (; key < list.universe; ++key) {
    if (spread[key] < 0) continue;
    head[0] = static_cast<int32_t>(key);
    head[list.row_length] = spread[key];
    spread[key] = -1;
    ++head;
  }
}

int64_t FindOutside(const int32_t* rows, int columns, const int32_t* limits, int64_t begin, int64_t end) {
  const hn::ScalableTag<uint32_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kMaxColumns = kMaxSpatialDims + 1;
  // `columns` vectors are `lanes` whole rows, and the limits repeat with them.
  HWY_ALIGN uint32_t repeated[kMaxColumns * hn::MaxLanes(d)];
  for (int64_t i = 0; i < columns * lanes; ++i) repeated[i] = static_cast<uint32_t>(limits[i % columns]) - 1;
  int64_t i = begin * columns;
  const int64_t stop = end * columns;
  for (; i + columns * lanes <= stop; i += columns * lanes) {
    // Without a sign a negative number is a large one. min(value, limit - 1) = value for good ones.
    auto differ = hn::Zero(d);
    for (int64_t j = 0; j < columns; ++j) {
      const auto value = hn::BitCast(d, hn::LoadU(D32(), rows + i + j * lanes));
      differ = hn::Or(differ, hn::Xor(value, hn::Min(value, hn::Load(d, repeated + j * lanes))));
    }
    if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Eq(differ, hn::Zero(d))))) break;
  }
  for (; i < stop; ++i) {
    if (static_cast<uint32_t>(rows[i]) >= static_cast<uint32_t>(limits[i % columns])) return i;
  }
  return stop;
}

int64_t CountBits(const uint64_t* words, int64_t begin, int64_t end, int64_t before, int32_t* ranks) {
  const int64_t at_start = before;
  for (int64_t i = begin; i < end; ++i) {
    if (ranks != nullptr) ranks[i] = static_cast<int32_t>(before);
    before += std::popcount(words[i]);
  }
  return before - at_start;
}

int64_t KeepWords(const uint64_t* HWY_RESTRICT words, int64_t count, uint64_t* HWY_RESTRICT kept,
                  int32_t* HWY_RESTRICT places, int64_t* bits) {
  int64_t used = 0, set = 0;
  // Without a branch: which words are 0 cannot be foreseen.
  for (int64_t i = 0; i < count; ++i) {
    kept[used] = words[i];
    places[used] = static_cast<int32_t>(i);
    used += words[i] != 0 ? 1 : 0;
    set += std::popcount(words[i]);
  }
  *bits = set;
  return used;
}

void Fill(int32_t* data, int64_t count, int32_t value, bool stream) {
  const auto v = hn::Set(D32(), value);
  Write(data, count, stream, [v](int64_t) { return v; }, [value](int64_t) { return value; });
}

void Copy(int32_t* data, const int32_t* from, int64_t count, bool stream) {
  Write(
      data, count, stream, [from](int64_t i) { return hn::LoadU(D32(), from + i); },
      [from](int64_t i) { return from[i]; });
}

void CountUp(int32_t* data, int64_t count, bool stream) {
  const D32 d;
  const auto lanes = hn::Iota(d, 0);
  Write(
      data, count, stream, [&](int64_t i) { return hn::Add(lanes, hn::Set(d, static_cast<int32_t>(i))); },
      [](int64_t i) { return static_cast<int32_t>(i); });
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::get_indice_pairs
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::get_indice_pairs {

HWY_EXPORT(AppendPairs);
HWY_EXPORT(SortList);
HWY_EXPORT(FindOutside);
HWY_EXPORT(CountBits);
HWY_EXPORT(KeepWords);
HWY_EXPORT(Fill);
HWY_EXPORT(Copy);
HWY_EXPORT(CountUp);

IndicePairsKernels ChooseIndicePairsKernels() {
  return {&DETOPS_DISPATCH(AppendPairs), &DETOPS_DISPATCH(SortList),  &DETOPS_DISPATCH(FindOutside),
          &DETOPS_DISPATCH(CountBits),   &DETOPS_DISPATCH(KeepWords), &DETOPS_DISPATCH(Fill),
          &DETOPS_DISPATCH(Copy),        &DETOPS_DISPATCH(CountUp),   ChooseMarkReached(),
          ChooseAppendReached(),         ChooseWordKernels()};
}

}  // namespace detops::get_indice_pairs
#endif  // HWY_ONCE
