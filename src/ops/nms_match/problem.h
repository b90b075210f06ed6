// nms_match after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_NMS_MATCH_PROBLEM_H_
#define DETOPS_OPS_NMS_MATCH_PROBLEM_H_

#include <cstdint>

#include "boxes/suppression/soft.h"
#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"

namespace detops::nms_match {

struct Problem {
  double iou_threshold;
  boxes::RoundKernel round;
  boxes::BoxTensors tensors;
  int64_t count;
  mluOpDataType_t index_type;
  void* group;  // [count], index_type
};

RunResult Run(const Problem& problem, const Parallel& parallel, Scratch& scratch);

}  // namespace detops::nms_match

#endif  // DETOPS_OPS_NMS_MATCH_PROBLEM_H_
