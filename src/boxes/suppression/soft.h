// Suppression round by round: the box with the highest score comes out, and those that overlap with it lose score. What
// soft suppression and matching share; plain suppression, which never looks at a score again, is suppression.h.
//
// Boxes lie in blocks of 64 neighbours, each with the rectangle that holds them and the best score among them:
//
//    +-----------+  +-------+        a round  1. finds the best of the blocks' best scores
//    | .9 .3  .8 |  | .7 .7 |                 2. weakens boxes in the blocks whose rectangle the winner meets
//    |   .5 .1   |  |  .2   |                 3. looks for the best scores of these blocks anew
//    +-----------+  +-------+
//       best .9       best .7
//
// so that a round takes a few blocks instead of all boxes. Where boxes lie has no influence on the result: of equal
// scores the lower index wins, and a box loses score to the winners one after the other.
#ifndef DETOPS_BOXES_SUPPRESSION_SOFT_H_
#define DETOPS_BOXES_SUPPRESSION_SOFT_H_

#include <cstdint>

#include "boxes/shape/upright.h"
#include "core/arena.h"
#include "core/parallel.h"
#include "mlu_op/types.h"

namespace detops::boxes {

// What becomes of the score of a box that overlaps with the winner.
enum class Weakening {
  kToZero,    // 0 from least_iou on
  kLinear,    // score * (1 - IoU) from least_iou on
  kGaussian,  // score * exp(-IoU^2 / sigma)
  kJoin,      // from least_iou on the box is out, and belongs to the winner
};

struct SoftRules {
  Weakening weakening;
  double least_iou;
  double sigma;
  double least_score;  // a box below it is out
  // The first winner comes out whatever its score is.
  bool first_counts_always;
};

// Boxes of one contest, in blocks.
struct Contest {
  static constexpr int64_t kBlock = 64;

  UprightPlanes boxes;
  double* score;  // -infinity: out
  double* index;  // of the caller
  double* owner;  // kJoin: the index of the winner it belongs to
  UprightPlanes bounds;
  double* best;        // of a block
  double* best_index;  // the lowest that has this score
  uint64_t* order;
  int64_t count, blocks;
  bool begun;

  // Memory for that many boxes, about 75 bytes each.
  static Contest Take(Arena& arena, int64_t most);

  struct Winner {
    int64_t index;  // -1: nobody is left
    double score;
  };
};

// One round.
using RoundKernel = Contest::Winner (*)(Contest&, const SoftRules&);
RoundKernel ChooseRoundKernel();

// Boxes [first, first + count) of the planes with their scores; the indices begin with 0. NaN never takes part.
void Begin(Contest& contest, const UprightPlanes& boxes, int64_t first, int64_t count, const double* scores,
           const SoftRules& rules);

// Elements [first, first + count) of a tensor of half, bfloat16, float or double numbers.
void ReadScores(mluOpDataType_t type, const void* data, int64_t first, int64_t count, double* scores);

// Rows x1, y1, x2, y2 and their scores, as tensors.
struct BoxTensors {
  mluOpDataType_t boxes_type;
  const void* boxes;
  double offset;
  mluOpDataType_t scores_type;
  const void* scores;
};

// The same as a contest takes them.
struct ScoredBoxes {
  UprightPlanes boxes;
  double* scores;
  Contest contest;

  static ScoredBoxes Take(Arena& arena, int64_t count);
  // False if the caller's runner failed.
  [[nodiscard]] bool Read(const BoxTensors& tensors, const Parallel& parallel) const;
};

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_SUPPRESSION_SOFT_H_
