// Suppression of the rows of a tensor: ranked by their scores, cut, suppressed, cut again.
#ifndef DETOPS_BOXES_SUPPRESSION_RANKED_H_
#define DETOPS_BOXES_SUPPRESSION_RANKED_H_

#include <cstdint>

#include "boxes/suppression/kernel.h"
#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "mlu_op/types.h"

namespace detops::boxes {

// What the numbers of a row are.
enum class RankedFormat {
  kCorners,     // x1, y1, x2, y2
  kCentre,      // cx, cy, w, h
  kRotated,     // cx, cy, w, h, angle
  kQuad,        // x1, y1 .. x4, y4
  kBev,         // x, y, z, dx, dy, dz, heading, from above
  kBevUpright,  // the same with heading 0
};

struct RankedProblem {
  RankedFormat format;
  mluOpDataType_t type;
  const void* boxes;
  int64_t columns;  // of a row, which may have more numbers than the format
  double offset;    // added to x2 and y2 of corners
  mluOpDataType_t score_type;
  const void* scores;  // nullptr: the rows are ranked already
  mluOpDataType_t label_type;
  const void* labels;  // nullptr: one class; else int32 or int64, and only equal labels suppress
  int64_t count;       // below 2^31
  double threshold;
  int64_t pre_max, post_max;  // no limit below 1
  mluOpDataType_t index_type;
  void* output;
};

// How many indices the output has at most.
int64_t RankedLimit(int64_t count, int64_t pre_max, int64_t post_max);

// Writes the indices of the rows that stay, best first, and how many there are.
RunResult SuppressRanked(const RankedProblem& problem, const Parallel& parallel, Scratch& scratch,
                         SuppressionCounts* counts);

// What was done, as a line of the handle's log.
void LogSuppression(const Call& call, const RankedProblem& problem, const SuppressionCounts& counts);

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_SUPPRESSION_RANKED_H_
