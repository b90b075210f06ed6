// Greedy suppression of boxes that stand in order: the first stays, and each further one unless an earlier one that
// stays has an IoU with it above the threshold.
//
// The IoU is the double that UprightValueOf, RotatedValueOf and QuadIou give, compared as `IoU > threshold`. So what
// stays is the same for any number of threads and any instruction set. A box without area stays and removes nothing. A
// threshold below 0: of the boxes with an area the first stays. From 1 on, or NaN: all stay.
//
// Who has classes or images calls Run for each, with memory of its own for each thread that does so at once:
//
//     one list, or few:  suppression.Run(handle's parallel, ...)       threads share the boxes of one list
//     many lists:        RunDynamic over the lists, in each            one thread a list
//                        suppression[worker].Run(Parallel(1), ...)
#ifndef DETOPS_BOXES_SUPPRESSION_H_
#define DETOPS_BOXES_SUPPRESSION_H_

#include <algorithm>
#include <cstdint>

#include "boxes/polygon.h"
#include "boxes/rotated.h"
#include "boxes/upright.h"
#include "core/arena.h"
#include "core/parallel.h"

namespace detops::boxes {

struct SuppressionRules {
  double threshold;
  int64_t post_max = 0;  // at most so many stay: the first; no limit below 1
  int64_t Limit(int64_t count) const { return post_max > 0 ? std::min(post_max, count) : count; }
};

struct SuppressionCounts {
  int64_t kept = 0;
  int64_t tested = 0;    // pairs whose upright bounds were compared
  int64_t computed = 0;  // of these, pairs whose IoU was computed
};

inline double IouOf(const UprightBox& a, const UprightBox& b) { return UprightValueOf(PairValue::kIou, a, b); }
inline double IouOf(const RotatedBox& a, const RotatedBox& b) { return RotatedValueOf(PairValue::kIou, a, b); }
inline double IouOf(const Quad& a, const Quad& b) { return QuadIou(a, b); }

// Box: UprightBox, RotatedBox or Quad. Holds the memory for lists of up to a number of boxes, which is linear in it;
// one list at a time, as many as there are one after the other.
template <class Box>
class Suppression {
 public:
  static Suppression Take(Arena& arena, int64_t most) {
    Suppression suppression;
    suppression.boxes_ = arena.Take<Box>(most);
    return suppression;
  }

  // box_at(i) is box i of [0, count), the best first; it is called once for those that are needed, by any thread.
  // Writes the positions of those that stay, ascending, to kept, which has room for rules.Limit(count). False if the
  // caller's runner failed.
  template <class BoxAt>
  [[nodiscard]] bool Run(const Parallel& /*parallel*/, const SuppressionRules& rules, int64_t count,
                         const BoxAt& box_at, uint32_t* kept, SuppressionCounts* counts) const {
    *counts = {};
    const int64_t limit = rules.Limit(count);
    for (int64_t i = 0; i < count && counts->kept < limit; ++i) {
      const Box box = box_at(i);
      bool falls = false;
      for (int64_t k = 0; k < counts->kept && !falls; ++k) {
        ++counts->computed;
        falls = IouOf(box, boxes_[k]) > rules.threshold && box.area != 0 && boxes_[k].area != 0;
      }
      if (falls) continue;
      boxes_[counts->kept] = box;
      kept[counts->kept++] = static_cast<uint32_t>(i);
    }
    counts->tested = counts->computed;
    return true;
  }

 private:
  Box* boxes_;
};

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_SUPPRESSION_H_
