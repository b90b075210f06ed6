#include "boxes/order/label_groups.h"

#include "core/bit_sort.h"
#include "core/half.h"

namespace detops::boxes {

namespace {

using Word = unsigned __int128;
constexpr int kPlaceBits = 32;

uint64_t LabelOf(mluOpDataType_t type, const void* labels, int64_t index) {
  return static_cast<uint64_t>(type == MLUOP_DTYPE_INT64 ? LoadElement<int64_t>(labels, index)
                                                         : int64_t{LoadElement<int32_t>(labels, index)});
}

}  // namespace

LabelGroups LabelGroups::Take(Arena& arena, int64_t most) {
  LabelGroups groups = {};
  groups.words_ = arena.Take<Word>(most);
  groups.spare_ = arena.Take<Word>(most);
  groups.counters_ = arena.Take<uint32_t>(kSortCounters);
  groups.places_ = arena.Take<uint32_t>(most);
  groups.begins_ = arena.Take<uint32_t>(SaturatingAdd(most, 1));
  return groups;
}

bool LabelGroups::Make(const Parallel& parallel, mluOpDataType_t type, const void* labels, const uint32_t* order,
                       int64_t count) {
  uint64_t ones = 0, zeros = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t label = LabelOf(type, labels, order[i]);
    ones |= label;
    zeros |= ~label;
    words_[i] = Word{label} << kPlaceBits | static_cast<Word>(i);
  }
  int bits = 0;  // up to the highest in which two labels differ
  for (uint64_t differ = ones & zeros; differ != 0; differ >>= 1) ++bits;
  Word* sorted = nullptr;
  if (!SortByBits(parallel, words_, spare_, count, kPlaceBits, kPlaceBits + bits, counters_, &sorted)) return false;
  groups_ = 0;
  for (int64_t i = 0; i < count; ++i) {
    const bool first = i == 0 || sorted[i] >> kPlaceBits != sorted[i - 1] >> kPlaceBits;
    if (first) begins_[groups_++] = static_cast<uint32_t>(i);
    places_[i] = static_cast<uint32_t>(sorted[i]);
  }
  begins_[groups_] = static_cast<uint32_t>(count);
  return true;
}

}  // namespace detops::boxes
