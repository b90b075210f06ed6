// points_in_boxes after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_POINTS_IN_BOXES_PROBLEM_H_
#define DETOPS_OPS_POINTS_IN_BOXES_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "mlu_op/types.h"
#include "ops/points_in_boxes/kernel.h"

namespace detops::points_in_boxes {

struct Problem {
  mluOpDataType_t type;        // of points and boxes
  mluOpDataType_t index_type;  // int32 or int64
  int64_t batch, points, boxes;
  const void* points_data;  // [batch, points, 3]
  const void* boxes_data;   // [batch, boxes, 7]
  void* indices;            // [batch, points]
  Kernels kernels;
};

RunResult Run(const Problem& problem, const Parallel& parallel, Scratch& scratch);

// No point lies in a box: all indices become -1.
void FillOutside(mluOpDataType_t index_type, void* indices, int64_t count);

}  // namespace detops::points_in_boxes

#endif  // DETOPS_OPS_POINTS_IN_BOXES_PROBLEM_H_
