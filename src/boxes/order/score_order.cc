#include "boxes/order/score_order.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "core/bit_sort.h"
#include "core/element_type.h"

namespace detops::boxes {

namespace {

// Words hold the index in their lowest bits and the key above them.
constexpr int kIndexBits = 32;

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;
template <typename T>
using WordOf = std::conditional_t<sizeof(T) == 8, unsigned __int128, uint64_t>;

template <typename T>
constexpr BitsOf<T> InfinityBits() {
  if constexpr (std::is_same_v<T, Half>) return 0x7c00;
  if constexpr (std::is_same_v<T, BFloat16>) return 0x7f80;
  if constexpr (std::is_same_v<T, float>) return 0x7f800000;
  return static_cast<BitsOf<T>>(0x7ff0000000000000);
}

// Ascending keys are descending scores. By integers, so that no mode of the processor changes them.
template <typename T>
BitsOf<T> KeyOf(T score) {
  using Bits = BitsOf<T>;
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  constexpr Bits kMagnitude = static_cast<Bits>(kSign - 1);
  const Bits bits = std::bit_cast<Bits>(score);
  const Bits magnitude = bits & kMagnitude;
  if (magnitude > InfinityBits<T>()) return static_cast<Bits>(~Bits{0});
  if (magnitude == 0) return kMagnitude;
  return (bits & kSign) != 0 ? bits : static_cast<Bits>(bits ^ kMagnitude);
}

// The words of one task: a part of the array, shorter with every step.
template <typename Word>
struct Segment {
  Word* words;
  int64_t count;
  Word ones, zeros;  // bits that some word has, that some word lacks
};

template <typename Word>
class Selection {
 public:
  Selection(const Parallel& parallel, int64_t count, Word* words, Word* spare, uint32_t* counters)
      : parallel_(parallel),
        tasks_(std::min({parallel.TaskCount(count, 8 << 10), parallel.ThreadCount(), kMaxSortTasks})),
        words_(words),
        spare_(spare),
        counters_(counters) {}

  template <typename T>
  bool Collect(const Scores& scores) {
    const bool ran = parallel_.Run(tasks_, [&](int task) {
      const Range range = PieceOf(scores.count, tasks_, task);
      Segment<Word>& segment = segments_[task];
      segment = {words_ + range.begin, 0, 0, 0};
      Word* end = segment.words;
      for (int64_t i = range.begin; i < range.end; ++i) {
        const T score = LoadElement<T>(scores.data, scores.first + i);
        const Word word = static_cast<Word>(KeyOf(score)) << kIndexBits | static_cast<Word>(i);
        const bool counts = !scores.has_floor || ToAccumulator(score) > scores.floor;
        *end = word;
        end += counts;
        segment.ones |= counts ? word : 0;
        segment.zeros |= counts ? ~word : 0;
      }
      segment.count = end - segment.words;
    });
    Word ones = 0, zeros = 0;
    for (int task = 0; task < tasks_; ++task) {
      total_ += segments_[task].count;
      ones |= segments_[task].ones;
      zeros |= segments_[task].zeros;
    }
    // The highest bit in which two keys differ.
    for (Word differ = (ones & zeros) >> kIndexBits; differ != 0; differ >>= 1) ++key_bits_;
    prefix_ = (ones >> kIndexBits) >> key_bits_;
    return ran;
  }

  // Drops words behind the first `limit`, not all.
  bool Shrink(int64_t limit) {
    int64_t wanted = limit;  // among the words of the prefix
    int high = kIndexBits + key_bits_;
    while (total_ > 2 * limit && high > kIndexBits) {
      const int low = std::max(kIndexBits, high - kMaxDigitBits);
      if (!Count(low, high)) return false;
      uint32_t value = 0;
      for (int64_t behind; (behind = wanted - CountOf(value)) > 0; ++value) wanted = behind;
      prefix_ = prefix_ << (high - low) | value;
      if (!Drop(low)) return false;
      high = low;
    }
    cut_ties_ = high == kIndexBits && total_ > limit;
    ties_ = wanted;
    return true;
  }

  // Sorts what is left and writes the indices of the first `limit`.
  bool Write(int64_t limit, uint32_t* order, int64_t* found) {
    Merge();
    Word* sorted = nullptr;
    if (!SortByBits(parallel_, words_, spare_, total_, kIndexBits, kIndexBits + key_bits_, counters_, &sorted)) {
      return false;
    }
    *found = std::min(limit, total_);
    for (int64_t i = 0; i < *found; ++i) order[i] = static_cast<uint32_t>(sorted[i]);
    return true;
  }

 private:
  uint32_t* CountersOf(int task) const { return counters_ + (static_cast<int64_t>(task) << kMaxDigitBits); }
  int64_t CountOf(uint32_t value) const {
    int64_t sum = 0;
    for (int task = 0; task < tasks_; ++task) sum += CountersOf(task)[value];
    return sum;
  }

  // How many words with the prefix there are of each value of bits [low, high).
  bool Count(int low, int high) {
    const uint32_t values = uint32_t{1} << (high - low);
    return parallel_.Run(tasks_, [&](int task) {
      uint32_t* own = CountersOf(task);
      std::fill_n(own, values, 0);
      const Segment<Word>& segment = segments_[task];
      for (int64_t i = 0; i < segment.count; ++i) {
        const Word word = segment.words[i];
        own[static_cast<uint32_t>(word >> low) & (values - 1)] += word >> low >> (high - low) == prefix_;
      }
    });
  }

  bool Drop(int low) {
    const bool ran = parallel_.Run(tasks_, [&](int task) {
      Segment<Word>& segment = segments_[task];
      Word* end = segment.words;
      for (int64_t i = 0; i < segment.count; ++i) {
        const Word word = segment.words[i];
        *end = word;
        end += word >> low <= prefix_;
      }
      segment.count = end - segment.words;
    });
    total_ = 0;
    for (int task = 0; task < tasks_; ++task) total_ += segments_[task].count;
    return ran;
  }

  // The segments as one array, in the order of the indices. Of words with the last key only as many as are wanted.
  void Merge() {
    Word* end = words_;
    int64_t ties = ties_;
    for (int task = 0; task < tasks_; ++task) {
      const Segment<Word>& segment = segments_[task];
      if (!cut_ties_) {
        std::memmove(end, segment.words, static_cast<size_t>(segment.count) * sizeof(Word));
        end += segment.count;
        continue;
      }
      for (int64_t i = 0; i < segment.count; ++i) {
        const Word word = segment.words[i];
        if (word >> kIndexBits == prefix_ && --ties < 0) continue;
        *end++ = word;
      }
    }
    total_ = end - words_;
  }

  const Parallel& parallel_;
  const int tasks_;
  Word* const words_;
  Word* const spare_;
  uint32_t* const counters_;
  Segment<Word> segments_[kMaxSortTasks];
  int64_t total_ = 0;
  bool cut_ties_ = false;  // every bit of the last key is decided, and not all words that have it are wanted
  int64_t ties_ = 0;       // how many of them are
  int key_bits_ = 0;       // lower ones of the keys; those above are the same in all
  Word prefix_ = 0;        // the key's bits that are decided, of the last word that is wanted
};

}  // namespace

ScoreOrder ScoreOrder::Take(Arena& arena, mluOpDataType_t type, int64_t most) {
  const int64_t words = type == MLUOP_DTYPE_DOUBLE ? SaturatingMultiply(most, 2) : most;
  ScoreOrder order = {};
  order.words_ = arena.Take<uint64_t>(words);
  order.spare_ = arena.Take<uint64_t>(words);
  order.counters_ = arena.Take<uint32_t>(kSortCounters);
  return order;
}

bool ScoreOrder::Find(const Parallel& parallel, const Scores& scores, int64_t limit, uint32_t* order,
                      int64_t* found) const {
  return WithElementType(scores.type, [&]<typename T>() {
    using Word = WordOf<T>;
    Selection<Word> selection(parallel, scores.count, static_cast<Word*>(words_), static_cast<Word*>(spare_),
                              counters_);
    limit = std::min(limit, scores.count);
    return selection.template Collect<T>(scores) && selection.Shrink(limit) && selection.Write(limit, order, found);
  });
}

}  // namespace detops::boxes
