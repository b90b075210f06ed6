// The problem after validation: plain data.
#ifndef DETOPS_OPS_BOX_IOU_QUADRI_PROBLEM_H_
#define DETOPS_OPS_BOX_IOU_QUADRI_PROBLEM_H_

#include <cstdint>

#include "boxes/pairs/meeting.h"
#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"

namespace detops::box_iou_quadri {

struct Problem {
  mluOpDataType_t type;
  bool first_only;  // overlap / area of the first, not / area of both
  bool aligned;
  int64_t first, second;  // rows; equal if aligned
  const void* quads1;
  const void* quads2;
  void* ious;
};

RunResult Run(const Problem& problem, boxes::MeetingKernel meeting, const Parallel& parallel, Scratch& scratch);

}  // namespace detops::box_iou_quadri

#endif  // DETOPS_OPS_BOX_IOU_QUADRI_PROBLEM_H_
