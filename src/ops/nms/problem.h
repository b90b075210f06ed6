// nms after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_NMS_PROBLEM_H_
#define DETOPS_OPS_NMS_PROBLEM_H_

#include <cstdint>

#include "boxes/shape/rotated.h"
#include "boxes/shape/upright.h"
#include "boxes/suppression/soft.h"
#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "ops/nms/descriptor.h"

namespace detops::nms {

// A box that stays.
struct Kept {
  int64_t box;
  double score;
};

struct Problem {
  cnnlNmsStruct how;
  int64_t images, classes, count;  // of boxes in an image, below 2^31
  mluOpDataType_t boxes_type, confidence_type, output_type;
  const void* boxes;       // the numbers of a box together (input_layout 0), or each number of all boxes of an image
  const void* confidence;  // [images, classes, count]; nullptr: the boxes are in order
  void* output;
  boxes::RoundKernel round;

  int64_t pairs() const { return images * classes; }
  // As many as may stay of one class.
  int64_t most() const { return how.max_output_size < count ? how.max_output_size : count; }
};

// Boxes of four numbers, and of seven. *kept is set when the output is complete.
RunResult Run(const Problem& problem, const Parallel& parallel, Scratch& scratch, int64_t* kept);
RunResult RunBev(const Problem& problem, const Parallel& parallel, Scratch& scratch, int64_t* kept);

// Box `index` of an image.
boxes::UprightBox ReadBox(const Problem& problem, int64_t image, int64_t index);
boxes::RotatedBox ReadBevBox(const Problem& problem, int64_t index);

// The boxes that stay, `kept[pair * most() + i]` with i below counts[pair] for each pair of image and class.
void Write(const Problem& problem, const Kept* kept, const int64_t* counts);
// Zeros after that many boxes, if the descriptor wants them.
void Pad(const Problem& problem, int64_t written);

}  // namespace detops::nms

#endif  // DETOPS_OPS_NMS_PROBLEM_H_
