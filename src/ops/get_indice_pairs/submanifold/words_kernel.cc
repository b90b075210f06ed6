#include "ops/get_indice_pairs/submanifold/words_kernel.h"

#include <algorithm>
#include <bit>

#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/get_indice_pairs/submanifold/words_kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detops::get_indice_pairs {
namespace HWY_NAMESPACE {
namespace {

constexpr int64_t kKeyBlock = 512;

template <int kDims>
HWY_INLINE void KeysOf(const SiteKeys& how, int64_t begin, int64_t end, int64_t* HWY_RESTRICT keys) {
  const auto own_sites = static_cast<uint64_t>(how.own_sites);
  // Columns are below 2^31 and words have at least 48 sites: the quotient by multiplication is exact.
  const uint64_t reciprocal = (uint64_t{1} << 37) / own_sites + 1;
  for (int64_t i = begin; i < end; ++i) {
    const int32_t* const site = how.indices + i * (kDims + 1);
    int64_t key = how.reach;
    for (int axis = 0; axis < kDims; ++axis) key += how.pitches[axis] * site[axis];
    const auto column = static_cast<uint64_t>(site[kDims]);
    const uint64_t word = column * reciprocal >> 37;
    keys[i - begin] = key + static_cast<int64_t>(word * (64 - own_sites) + column);
  }
}

// The same by vectors of 32 bits. Returns how far it came.
HWY_INLINE int64_t KeysIn32Bits(const SiteKeys& how, int64_t begin, int64_t end, int64_t* HWY_RESTRICT keys) {
#if HWY_TARGET == HWY_SCALAR
  (void)how, (void)end, (void)keys;
  return begin;
#else
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<int32_t> d;
  const hn::Repartition<int64_t, decltype(d)> d64;
  const hn::Half<decltype(d)> half;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto pitch = [&](int axis) { return hn::Set(d, static_cast<int32_t>(how.pitches[axis])); };
  const auto reciprocal = hn::Set(d, (1 << 21) / how.own_sites + 1);  // exact for columns up to 2^15
  const auto others = hn::Set(d, 64 - how.own_sites);
  const auto reach = hn::Set(d, how.reach);
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    hn::Vec<decltype(d)> batch, plane, row, column;
    hn::LoadInterleaved4(d, how.indices + i * 4, batch, plane, row, column);
    const auto word = hn::ShiftRight<21>(hn::Mul(column, reciprocal));
    const auto in_row = hn::Add(hn::Add(column, reach), hn::Mul(word, others));
    const auto outer = hn::Add(hn::Mul(batch, pitch(0)), hn::Mul(plane, pitch(1)));
    const auto key = hn::Add(hn::Add(outer, hn::Mul(row, pitch(2))), in_row);
    hn::StoreU(hn::PromoteTo(d64, hn::LowerHalf(half, key)), d64, keys + (i - begin));
    hn::StoreU(hn::PromoteTo(d64, hn::UpperHalf(half, key)), d64, keys + (i - begin) + lanes / 2);
  }
  return i;
#endif
}

// Keys of the sites [begin, end), at most kKeyBlock.
HWY_INLINE void WriteKeys(const SiteKeys& how, int64_t begin, int64_t end, int64_t* HWY_RESTRICT keys) {
  switch (how.dims) {
    case 1:
      return KeysOf<1>(how, begin, end, keys);
    case 2:
      return KeysOf<2>(how, begin, end, keys);
    default: {
      const int64_t done = how.in_32_bits ? KeysIn32Bits(how, begin, end, keys) : begin;
      return KeysOf<3>(how, done, end, keys + (done - begin));
    }
  }
}

// The number of bits set in `word` below `bit`, which is less than 64.
HWY_INLINE int32_t RankOf(uint64_t word, int bit) {
  return static_cast<int32_t>(std::popcount(word & ((uint64_t{1} << bit) - 1)));
}

// Pairs of one word's sites under one offset: of a site at bit b with the site at bit b - delta of `inputs`.
//
// Written at each site whether or not it has a pair: nobody can foresee which do, and a wrong guess costs more.
template <bool kOrdered>
HWY_INLINE void AppendOffset(const WordsToSearch& words, uint64_t outputs, int32_t position, uint64_t inputs,
                             int32_t base, int delta, int32_t*& head) {
  const int64_t row_length = words.row_length;
  int32_t* end = head;
  do {
    const int bit = std::countr_zero(outputs) - delta;
    outputs &= outputs - 1;
    end[0] = base + RankOf(inputs, bit);
    end[row_length] = kOrdered ? words.order[position] : position;
    end += inputs >> bit & 1;
    ++position;
  } while (outputs != 0);
  head = end;
}

// The same for the offsets of a line of three, deltas 1, 0 and -1, whose inputs are neighbours.
template <bool kOrdered>
HWY_INLINE void AppendThree(const WordsToSearch& words, uint64_t outputs, int32_t position, uint64_t inputs,
                            int32_t base, int32_t** heads) {
  const int64_t row_length = words.row_length;
  int32_t* first = heads[0];
  int32_t* second = heads[1];
  int32_t* third = heads[2];
  do {
    const int bit = std::countr_zero(outputs) - 1;
    outputs &= outputs - 1;
    const uint64_t met = inputs >> bit;
    const int32_t index = kOrdered ? words.order[position] : position;
    int32_t input = base + RankOf(inputs, bit);
    first[0] = input;
    first[row_length] = index;
    first += met & 1;
    input += static_cast<int32_t>(met & 1);
    second[0] = input;
    second[row_length] = index;
    second += met >> 1 & 1;
    input += static_cast<int32_t>(met >> 1 & 1);
    third[0] = input;
    third[row_length] = index;
    third += met >> 2 & 1;
    ++position;
  } while (outputs != 0);
  heads[0] = first;
  heads[1] = second;
  heads[2] = third;
}

// Bits that shifting by `delta` brings to where the outputs are.
HWY_INLINE uint64_t Shifted(uint64_t inputs, int delta) { return delta >= 0 ? inputs << delta : inputs >> -delta; }

template <bool kOrdered>
HWY_INLINE void SearchWordsAs(const WordsToSearch& words) {
  for (int64_t word = words.begin; word < words.end; ++word) {
    const int64_t place = words.ids[word] - words.first_id;
    const uint64_t outputs = words.bits[word];
    const int32_t position = words.begins[word];
    for (int i = 0; i < words.line_count; ++i) {
      const WordLine& line = words.lines[i];
      const uint64_t inputs = line.bits[place];
      const int32_t base = line.bases[place];
      int32_t** const heads = words.heads + line.first_head;
      if (line.count == 3 && line.dilation == 1 && line.first_delta == 1) {  // by far the most frequent
        if ((outputs & (inputs << 1 | inputs | inputs >> 1)) == 0) continue;
        AppendThree<kOrdered>(words, outputs, position, inputs, base, heads);
        continue;
      }
      for (int offset = 0; offset < line.count; ++offset) {
        const int delta = line.first_delta - offset * line.dilation;
        if ((outputs & Shifted(inputs, delta)) == 0) continue;
        AppendOffset<kOrdered>(words, outputs, position, inputs, base, delta, heads[offset]);
      }
    }
  }
}

}  // namespace

void SearchWords(const WordsToSearch& words) {
  words.order == nullptr ? SearchWordsAs<false>(words) : SearchWordsAs<true>(words);
}

int64_t CollectWords(const SitesToCollect& sites) {
  int64_t* const HWY_RESTRICT ids = sites.ids;
  uint64_t* const HWY_RESTRICT bits = sites.bits;
  int64_t keys[kKeyBlock];
  int64_t before = -1;
  if (sites.begin > 0) WriteKeys(sites.keys, sites.begin - 1, sites.begin, &before);
  int64_t word = sites.begin - 1;
  uint64_t collected = 0;
  for (int64_t begin = sites.begin; begin < sites.end; begin += kKeyBlock) {
    const int64_t count = std::min(kKeyBlock, sites.end - begin);
    WriteKeys(sites.keys, begin, begin + count, keys);
    int64_t descents = 0;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t key = keys[i];
      descents |= key - before - 1;
      // Whether a site begins a new word nobody can foresee, so there is no branch.
      const auto fresh = static_cast<uint64_t>(static_cast<uint64_t>(key ^ before) >> 6 != 0);
      before = key;
      word += static_cast<int64_t>(fresh);
      collected = (collected & (fresh - 1)) | uint64_t{1} << (key & 63);
      ids[word] = key >> 6;
      bits[word] = collected;
    }
    if (descents < 0) return -1;
  }
  auto position = static_cast<int32_t>(sites.begin);
  for (int64_t i = sites.begin; i <= word; ++i) {
    sites.begins[i] = position;
    position += std::popcount(bits[i]);
  }
  return word + 1 - sites.begin;
}

void PackSites(const SiteKeys& how, int64_t begin, int64_t end, int index_bits, uint64_t* packed) {
  int64_t keys[kKeyBlock];
  for (int64_t first = begin; first < end; first += kKeyBlock) {
    const int64_t count = std::min(kKeyBlock, end - first);
    WriteKeys(how, first, first + count, keys);
    for (int64_t i = 0; i < count; ++i) {
      packed[first + i] = static_cast<uint64_t>(keys[i]) << index_bits | static_cast<uint64_t>(first + i);
    }
  }
}

// A word's sites are ranked by the bits below them: the input is in full order without its last digits being sorted.
int64_t RankSites(const SitesToRank& sites) {
  WordTables& tables = *sites.tables;
  std::fill(std::begin(tables.bits), std::end(tables.bits), 0);
  std::fill(std::begin(tables.used), std::end(tables.used), 0);
  uint64_t groups_used = 0;  // of tables.used, which of its words are not 0
  constexpr uint64_t kIdMask = (uint64_t{1} << WordTables::kIdBits) - 1;
  const uint64_t* const packed = sites.packed;
  const int group_shift = sites.index_bits + 6 + WordTables::kIdBits;
  const uint64_t index_mask = (uint64_t{1} << sites.index_bits) - 1;
  const auto id_of = [&](uint64_t site) { return site >> (sites.index_bits + 6); };
  const auto bit_of = [&](uint64_t site) { return uint64_t{1} << (site >> sites.index_bits & 63); };
  int64_t word = sites.begin;
  uint64_t twice = 0;
  for (int64_t begin = sites.begin, end; begin < sites.end; begin = end) {
    const uint64_t group = packed[begin] >> group_shift;
    for (end = begin; end < sites.end && packed[end] >> group_shift == group; ++end) {
      const uint64_t id = id_of(packed[end]) & kIdMask;
      const uint64_t bit = bit_of(packed[end]);
      twice |= tables.bits[id] & bit;
      tables.bits[id] |= bit;
      tables.used[id >> 6] |= uint64_t{1} << (id & 63);
      groups_used |= uint64_t{1} << (id >> 6);
    }
    if (twice != 0) return -1;
    const int64_t first_word = word;
    auto position = static_cast<int32_t>(begin);
    for (; groups_used != 0; groups_used &= groups_used - 1) {
      const int used = std::countr_zero(groups_used);
      for (uint64_t& rest = tables.used[used]; rest != 0; rest &= rest - 1) {
        const int64_t id = int64_t{64} * used + std::countr_zero(rest);
        sites.ids[word] = static_cast<int64_t>(group << WordTables::kIdBits) | id;
        sites.bits[word] = tables.bits[id];
        sites.begins[word] = tables.begins[id] = position;
        position += std::popcount(tables.bits[id]);
        ++word;
      }
    }
    for (int64_t i = begin; i < end; ++i) {
      const uint64_t id = id_of(packed[i]) & kIdMask;
      const int32_t rank = std::popcount(tables.bits[id] & (bit_of(packed[i]) - 1));
      sites.order[tables.begins[id] + rank] = static_cast<int32_t>(packed[i] & index_mask);
    }
    for (int64_t i = first_word; i < word; ++i) tables.bits[static_cast<uint64_t>(sites.ids[i]) & kIdMask] = 0;
  }
  return word - sites.begin;
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::get_indice_pairs
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::get_indice_pairs {

HWY_EXPORT(CollectWords);
HWY_EXPORT(PackSites);
HWY_EXPORT(RankSites);
HWY_EXPORT(SearchWords);

WordKernels ChooseWordKernels() {
  return {&DETOPS_DISPATCH(CollectWords), &DETOPS_DISPATCH(PackSites), &DETOPS_DISPATCH(RankSites),
          &DETOPS_DISPATCH(SearchWords)};
}

}  // namespace detops::get_indice_pairs
#endif  // HWY_ONCE
