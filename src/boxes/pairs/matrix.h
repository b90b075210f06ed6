// Values of all pairs of two lists of boxes, or of the boxes with the same number.
//
//            columns (second boxes)          The columns' boxes stand in planes. A tile is some lines by up to
//          +-----------+-----------+--       2048 columns; tiles are what threads share out. In a line of a
//    lines |   tile    |   tile    |         tile the upright bounds of all columns are compared first, in float:
//  (first  |           |           |         what is disjoint stays 0. Where most columns are left they are
//   boxes) +-----------+-----------+--       computed as they stand, otherwise pairs of all lines are collected
//          |           |           |         and computed a full vector at a time.
//
// A value depends on its two boxes alone, so it has the same bits wherever and however it is computed.
#ifndef DETOPS_BOXES_PAIRS_MATRIX_H_
#define DETOPS_BOXES_PAIRS_MATRIX_H_

#include <cstdint>

#include "boxes/shape/rotated.h"
#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "mlu_op/types.h"

namespace detops::boxes {

// What two boxes are, and what is asked of them.
struct PairQuestion {
  enum class Kind {
    kUpright,  // x1, y1, x2, y2
    kRotated,  // rows of `format`
    kSpatial,  // rows of `format` with a height: the value is the IoU of volumes
  };
  Kind kind;
  PairValue value;
  double offset;     // kUpright: see MakeUprightBox
  RowFormat format;  // of the other kinds
  bool z_is_bottom;  // kSpatial: the third number is the bottom, not the centre
  int64_t Numbers() const { return kind == Kind::kUpright ? 4 : NumbersOf(format); }
};

// Dense tensors of one floating type.
struct PairProblem {
  PairQuestion question;
  mluOpDataType_t type;
  bool aligned;  // the counts are equal, and so many values are written; otherwise [first_count, second_count]
  int64_t first_count, second_count;
  const void* first;
  const void* second;
  void* output;
};

// Scratch: at most 96 bytes for each box of a matrix's columns, which are the second boxes unless these are few.
RunResult RunPairs(const PairProblem& problem, const Parallel& parallel, Scratch& scratch);

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_PAIRS_MATRIX_H_
