// The vector part of suppression: which candidates of a block fall by boxes that stay already.
#ifndef DETOPS_BOXES_SUPPRESSION_KERNEL_H_
#define DETOPS_BOXES_SUPPRESSION_KERNEL_H_

#include <cstdint>

#include "boxes/suppression/kept_outlines.h"
#include "boxes/suppression/outline.h"

namespace detops::boxes {

struct SuppressionCounts {
  int64_t kept = 0;
  int64_t tested = 0;    // pairs whose upright bounds were compared
  int64_t computed = 0;  // of these, pairs whose IoU was computed
};

// Candidates [first, last) of a block against the boxes that `outlines` hold.
template <class Box>
struct SuppressionSearch {
  double threshold;  // in [0, 1)
  const KeptOutlines* outlines;
  const Box* kept;  // by the ids of the outlines
  const Box* candidates;
  const Outline* candidate_outlines;
  int64_t first, last;
  // 1: falls. Not looked at any further if it is 1 before; boxes without area have 0 and no outline.
  uint8_t* falls;
};

template <class Box>
using SuppressionKernel = void (*)(const SuppressionSearch<Box>& search, SuppressionCounts* counts);

// The kernel of the SIMD target in use. A call asks once, at its start, and stays with the answer.
template <class Box>
SuppressionKernel<Box> ChooseSuppressionKernel();

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_SUPPRESSION_KERNEL_H_
