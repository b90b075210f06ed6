// A stable sort of 64- or 128-bit words by some of their bits.
#ifndef DETOPS_CORE_BIT_SORT_H_
#define DETOPS_CORE_BIT_SORT_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/checked_math.h"
#include "core/parallel.h"

namespace detops {

inline constexpr int kMaxDigitBits = 11;  // 2048 counters stay in the first-level cache
inline constexpr int kMaxSortTasks = 16;
inline constexpr int64_t kSortCounters = int64_t{kMaxSortTasks} << kMaxDigitBits;

// Into how many digits to cut that many bits. A digit takes a step per word, and one per value that it can have: few
// words are sorted faster by short ones.
inline int DigitCount(int64_t count, int bits) {
  int best = static_cast<int>(DivideRoundUp(bits, kMaxDigitBits));
  const auto steps = [=](int digits) { return digits * (count + (int64_t{1} << DivideRoundUp(bits, digits))); };
  while (best > 0 && best < bits && steps(best + 1) < steps(best)) ++best;
  return best;
}

// Sorts words[0, count) by their bits [low, high), digit after digit from the lowest; equal ones keep their order.
// *sorted becomes `words` or `spare`, whichever holds the result. `counters` has room for kSortCounters, or for
// 2^kMaxDigitBits if `parallel` has one thread.
// False if the caller's runner failed.
template <typename Word>
[[nodiscard]] bool SortByBits(const Parallel& parallel, Word* words, Word* spare, int64_t count, int low, int high,
                              uint32_t* counters, Word** sorted) {
  constexpr int64_t kMinTaskWords = 8 << 10;
  const int tasks = std::min({parallel.TaskCount(count, kMinTaskWords), parallel.ThreadCount(), kMaxSortTasks});
  const int passes = DigitCount(count, high - low);
  for (int pass = 0; pass < passes; ++pass) {
    // Digits of nearly the same width.
    const Range bits = PieceOf(high - low, passes, pass);
    const int shift = low + static_cast<int>(bits.begin);
    const uint32_t values = uint32_t{1} << (bits.end - bits.begin);
    const auto digit = [=](Word word) { return static_cast<uint32_t>(word >> shift) & (values - 1); };
    const bool counted = parallel.Run(tasks, [&](int task) {
      uint32_t* own = counters + static_cast<int64_t>(task) * values;
      std::fill_n(own, values, 0);
      const Range range = PieceOf(count, tasks, task);
      for (int64_t i = range.begin; i < range.end; ++i) ++own[digit(words[i])];
    });
    if (!counted) return false;
    // Counts become positions: by digit, and under one digit by task.
    uint32_t position = 0;
    for (uint32_t value = 0; value < values; ++value) {
      for (int task = 0; task < tasks; ++task) {
        position += std::exchange(counters[static_cast<int64_t>(task) * values + value], position);
      }
    }
    const bool moved = parallel.Run(tasks, [&](int task) {
      uint32_t* own = counters + static_cast<int64_t>(task) * values;
      const Range range = PieceOf(count, tasks, task);
      for (int64_t i = range.begin; i < range.end; ++i) spare[own[digit(words[i])]++] = words[i];
    });
    if (!moved) return false;
    std::swap(words, spare);
  }
  *sorted = words;
  return true;
}

}  // namespace detops

#endif  // DETOPS_CORE_BIT_SORT_H_
