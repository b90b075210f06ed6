// The order in which boxes are visited: score descending, equal scores by index ascending.
//
// +-Inf sort as numbers, -0 and 0 are equal, NaN comes behind all others. The first few of many are selected digit by
// digit of the scores' bits, without a sort of all:
//
//     bits of a score    1011|0110|...     1. count the words by their first digit; the limit falls into one value
//                        ---- ----         2. drop the words behind that value
//                        1st  2nd digit    3. the next digit, among the words of that value; until few are left
//                                          4. sort those
#ifndef DETOPS_BOXES_ORDER_SCORE_ORDER_H_
#define DETOPS_BOXES_ORDER_SCORE_ORDER_H_

#include <cstdint>
#include <limits>

#include "core/arena.h"
#include "core/parallel.h"
#include "mlu_op/types.h"

namespace detops::boxes {

// Elements [first, first + count) of a dense tensor of half, bfloat16, float or double.
struct Scores {
  mluOpDataType_t type;
  const void* data;
  int64_t count;  // below 2^32
  int64_t first = 0;
  // With a floor, only scores above it (NaN is not) take part.
  bool has_floor = false;
  double floor = 0;
};

inline constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// Memory for orders of up to a number of scores: 16 bytes for each, 32 for doubles. One thread uses it at a time.
class ScoreOrder {
 public:
  static ScoreOrder Take(Arena& arena, mluOpDataType_t type, int64_t most);

  // The first `limit` in order: order[0 .. *found) become indices from `first` on, counted from 0. There is room for
  // as many as `limit` and the count allow. False if the caller's runner failed.
  [[nodiscard]] bool Find(const Parallel& parallel, const Scores& scores, int64_t limit, uint32_t* order,
                          int64_t* found) const;

 private:
  void* words_;
  void* spare_;
  uint32_t* counters_;
};

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_ORDER_SCORE_ORDER_H_
