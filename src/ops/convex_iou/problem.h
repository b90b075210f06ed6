// The problems after validation: plain data.
#ifndef DETOPS_OPS_CONVEX_IOU_PROBLEM_H_
#define DETOPS_OPS_CONVEX_IOU_PROBLEM_H_

#include <cstdint>

#include "boxes/pairs/meeting.h"
#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"

namespace detops::convex_iou {

struct IouProblem {
  mluOpDataType_t type;
  int64_t sets, quads;  // rows
  const void* points;
  const void* quad_rows;
  void* ious;
};
RunResult RunIou(const IouProblem& problem, boxes::MeetingKernel meeting, const Parallel& parallel, Scratch& scratch);

struct GiouProblem {
  mluOpDataType_t type;
  int64_t rows;
  const void* points;
  const void* quads;
  void* gious;
  void* grad;
};
RunResult RunGiou(const GiouProblem& problem, const Parallel& parallel);

}  // namespace detops::convex_iou

#endif  // DETOPS_OPS_CONVEX_IOU_PROBLEM_H_
