// The problem after validation: plain data.
#ifndef DETOPS_OPS_POLY_NMS_PROBLEM_H_
#define DETOPS_OPS_POLY_NMS_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "mlu_op/types.h"

namespace detops::poly_nms {

// Numbers of a row: a quadrilateral and its score.
inline constexpr int64_t kColumns = 9;

struct Problem {
  mluOpDataType_t type;
  mluOpDataType_t index_type;  // int32 or int64
  int64_t count;               // at least 1, below 2^31
  double threshold;
  const void* boxes;
  void* output;
};

// *kept becomes the number of indices written.
RunResult Run(const Problem& problem, const Parallel& parallel, Scratch& scratch, int64_t* kept);

}  // namespace detops::poly_nms

#endif  // DETOPS_OPS_POLY_NMS_PROBLEM_H_
