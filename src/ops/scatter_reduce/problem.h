// scatter_reduce after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_SCATTER_REDUCE_PROBLEM_H_
#define DETOPS_OPS_SCATTER_REDUCE_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "voxels/reduce.h"

namespace detops::scatter_reduce {

// A tensor of int32 or int64; nullptr: not wanted, or not looked at.
struct Integers {
  mluOpDataType_t type;
  void* data;
};
struct GivenIntegers {
  mluOpDataType_t type;
  const void* data;
};

struct ForwardProblem {
  mluOpReduceMode_t mode;
  mluOpDataType_t type;
  int64_t rows, columns, groups;
  const void* src;      // [N, C]
  GivenIntegers index;  // [N]
  void* out;            // [V, C]
  Integers count;       // [V]
  Integers argmax;      // [V, C]
  voxels::ReduceKernels kernels;
};

RunResult Forward(const ForwardProblem& problem, const Parallel& parallel, Scratch& scratch);

struct BackwardProblem {
  mluOpReduceMode_t mode;
  mluOpDataType_t type;
  int64_t rows, columns, groups;
  const void* grad_out;  // [V, C]
  GivenIntegers index;   // [N]
  GivenIntegers count;   // [V], of a mean
  GivenIntegers argmax;  // [V, C], of a maximum
  void* grad_src;        // [N, C]
  voxels::ReduceKernels kernels;
};

RunResult Backward(const BackwardProblem& problem, const Parallel& parallel);

}  // namespace detops::scatter_reduce

#endif  // DETOPS_OPS_SCATTER_REDUCE_PROBLEM_H_
