// Points sorted by the number of their group: the lists of rooms whose groups are numbers already, or whose rows
// ascend. A radix sort of words that hold the number above that of the point, so the time depends on neither.
#ifndef DETOPS_VOXELS_SORTED_LISTS_H_
#define DETOPS_VOXELS_SORTED_LISTS_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/arena.h"
#include "core/bit_sort.h"
#include "core/checked_math.h"
#include "core/parallel.h"

namespace detops::voxels {

// Into how many tasks to cut passes over points or rows that do little for each.
inline constexpr int kMaxPasses = 64;
inline int TasksFor(const Parallel& parallel, int64_t items) {
  constexpr int64_t kMinTaskItems = 8 << 10;
  return std::min(kMaxPasses, parallel.TaskCount(items, kMinTaskItems));
}

// Words of 64 bits, or 128 where the key needs them. A point without a group has the number after the last.
template <typename Word>
class SortedPoints {
 public:
  // `key_bits` number all groups and the place after them.
  SortedPoints(int64_t points, int key_bits, Arena& arena)
      : count_(points),
        point_bits_(BitsToNumber(points)),
        key_bits_(key_bits),
        words_(arena.Take<Word>(points)),
        spare_(arena.Take<Word>(points)),
        counters_(arena.Take<uint32_t>(kSortCounters)) {}

  static bool Fits(int64_t points, int key_bits) {
    return BitsToNumber(points) + key_bits <= static_cast<int>(8 * sizeof(Word));
  }

  // key_of(point) gives its number. False if the caller's runner failed.
  template <class KeyOf>
  [[nodiscard]] bool Sort(const Parallel& parallel, const KeyOf& key_of) {
    const int tasks = TasksFor(parallel, count_);
    const bool made = parallel.RunPieces(tasks, count_, [&](Range range) {
      for (int64_t i = range.begin; i < range.end; ++i) words_[i] = key_of(i) << point_bits_ | static_cast<Word>(i);
    });
    return made &&
           SortByBits(parallel, words_, spare_, count_, point_bits_, point_bits_ + key_bits_, counters_, &words_);
  }

  Word Key(int64_t place) const { return words_[place] >> point_bits_; }
  int32_t Point(int64_t place) const { return static_cast<int32_t>(words_[place] & ((Word{1} << point_bits_) - 1)); }

 private:
  const int64_t count_;
  const int point_bits_, key_bits_;
  Word* words_;
  Word* spare_;
  uint32_t* counters_;
};

}  // namespace detops::voxels

#endif  // DETOPS_VOXELS_SORTED_LISTS_H_
