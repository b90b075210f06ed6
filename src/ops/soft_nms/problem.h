// soft_nms after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_SOFT_NMS_PROBLEM_H_
#define DETOPS_OPS_SOFT_NMS_PROBLEM_H_

#include <cstdint>

#include "boxes/suppression/soft.h"
#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"

namespace detops::soft_nms {

struct Problem {
  boxes::SoftRules rules;
  boxes::RoundKernel round;
  boxes::BoxTensors tensors;
  int64_t count;
  mluOpDataType_t index_type;
  void* new_scores;  // [count], type of the scores
  void* output;      // [count], index_type
};

// *emitted is set when the outputs are complete.
RunResult Run(const Problem& problem, const Parallel& parallel, Scratch& scratch, int64_t* emitted);

}  // namespace detops::soft_nms

#endif  // DETOPS_OPS_SOFT_NMS_PROBLEM_H_
