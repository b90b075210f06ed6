// Gradients of what pairs of boxes have in common: of all pairs of two lists, or of the boxes with the same number.
//
// Each list's gradient is a sum over its boxes' pairs,
//   first_grad[i]  = sum over j of grad[i, j] * (slopes of value(i, j) by the numbers of box i),
//   second_grad[j] = sum over i of grad[i, j] * (slopes of value(i, j) by the numbers of box j),
// added up in double in the order of the other list's boxes and rounded once. So the bits depend on nothing but the
// numbers: not on threads, not on the SIMD target. Pairs that share no area have no slope, whatever their grad is.
#ifndef DETOPS_BOXES_GRADIENT_GRADIENT_H_
#define DETOPS_BOXES_GRADIENT_GRADIENT_H_

#include <cstdint>

#include "boxes/shape/rotated.h"
#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "mlu_op/types.h"

namespace detops::boxes {

// Dense tensors of one floating type.
struct GradientProblem {
  PairValue value;   // of areas; with `spatial` kIou, of volumes
  RowFormat format;  // kRotated, or kBev
  bool spatial;      // rows of kBev, of which also the third number and the height count
  bool z_is_bottom;  // spatial: the third number is the bottom, not the centre
  mluOpDataType_t type;
  bool aligned;  // as many second boxes as first ones, and one number of grad for each
  int64_t first_count, second_count;
  const void* first;
  const void* second;
  const void* grad;   // [first_count, second_count], or [first_count]
  void* first_grad;   // of the shape of `first`; nullptr: not asked for
  void* second_grad;  // likewise
};

// Scratch: for each box of the longer list 120 bytes; none with `aligned`.
RunResult RunPairGradients(const GradientProblem& problem, const Parallel& parallel, Scratch& scratch);

// ---- the vector part ----

// Pairs of two boxes of which the first moves, as planes: centre, sides, cosine, sine, angle, area.
struct SlopeBlock {
  static constexpr int64_t kPairs = 64;
  static constexpr int kFields = 8, kSlopes = 5;
  double self[kFields][kPairs];
  double other[kFields][kPairs];
  // The area that they share, and how it changes with the centre, the sides and the angle of the first. Of pairs with
  // a wide box they mean nothing.
  double overlap[kPairs];
  double slopes[kSlopes][kPairs];
};
// The first `count` pairs of a block; all numbers of the block are there.
using SlopesKernel = void (*)(SlopeBlock& block, int64_t count);
SlopesKernel ChooseSlopesKernel();

}  // namespace detops::boxes

#endif  // DETOPS_BOXES_GRADIENT_GRADIENT_H_
