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
//
// How: boxes come in blocks of 256.
//
//     boxes in order   [ block 0 ][ block 1 ][ block 2 ][ ...
//                                      |
//            1. read, and compared     |        2. those that are left, in order, with those of
//               with all that stay: <--+-->        their own block that stay (one thread)
//               any thread             |
//                                      v
//     those that stay  [16][16][16][16][ 9]     outlines in float, 16 at a time: what passes their test, hardly any
//                                               pair, is computed in double
//
// Long lists find those that stay by cells (kept_outlines.h). Memory is linear in the boxes; a limit ends early.
#ifndef DETOPS_BOXES_SUPPRESSION_SUPPRESSION_H_
#define DETOPS_BOXES_SUPPRESSION_SUPPRESSION_H_

#include <algorithm>
#include <cstdint>

#include "boxes/polygon/quad.h"
#include "boxes/shape/rotated.h"
#include "boxes/shape/upright.h"
#include "boxes/suppression/kept_outlines.h"
#include "boxes/suppression/kernel.h"
#include "boxes/suppression/outline.h"
#include "core/arena.h"
#include "core/parallel.h"

namespace detops::boxes {

struct SuppressionRules {
  double threshold;
  int64_t post_max = 0;  // at most so many stay: the first; no limit below 1
  int64_t Limit(int64_t count) const { return post_max > 0 ? std::min(post_max, count) : count; }
};

// Box: UprightBox, RotatedBox or Quad. Holds the memory for lists of up to a number of boxes, which is linear in it;
// one list at a time, as many as there are one after the other.
template <class Box>
class Suppression {
 public:
  static Suppression Take(Arena& arena, int64_t most);

  // box_at(i) is box i of [0, count), the best first; any thread calls it. Writes the positions of those that stay,
  // ascending, to kept, which has room for rules.Limit(count). False if the caller's runner failed.
  template <class BoxAt>
  [[nodiscard]] bool Run(const Parallel& parallel, const SuppressionRules& rules, int64_t count, const BoxAt& box_at,
                         uint32_t* kept, SuppressionCounts* counts) const {
    return RunList(parallel, rules, count, {&ReadBy<BoxAt>, &box_at}, kept, counts);
  }

 private:
  static constexpr int64_t kBlock = 256;

  struct Reader {
    Box (*read)(const void* box_at, int64_t position);
    const void* box_at;
    Box operator()(int64_t position) const { return read(box_at, position); }
  };
  template <class BoxAt>
  static Box ReadBy(const void* box_at, int64_t position) {
    return (*static_cast<const BoxAt*>(box_at))(position);
  }

  bool RunList(const Parallel& parallel, const SuppressionRules& rules, int64_t count, const Reader& read,
               uint32_t* kept, SuppressionCounts* counts) const;
  void KeepOneWithArea(int64_t limit, int64_t count, const Reader& read, uint32_t* kept,
                       SuppressionCounts* counts) const;
  bool RunBlocks(const Parallel& parallel, double threshold, int64_t limit, int64_t count, const Reader& read,
                 uint32_t* kept, SuppressionCounts* counts) const;
  CellPlan Plan(int64_t count, const Reader& read) const;
  bool CompareWithKept(const Parallel& parallel, double threshold, int64_t begin, int64_t block, const Reader& read,
                       SuppressionKernel<Box> kernel, KeptOutlines& outlines, SuppressionCounts* counts) const;

  Box* kept_boxes_;
  KeptOutlines kept_outlines_;
  // A block.
  Box* boxes_;
  Outline* outlines_;
  uint8_t* falls_;
  KeptOutlines recent_;
  // A sample.
  Extents* sample_;
  double* spare_;
};

extern template class Suppression<UprightBox>;
extern template class Suppression<RotatedBox>;
extern template class Suppression<Quad>;

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_SUPPRESSION_SUPPRESSION_H_
