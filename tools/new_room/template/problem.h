// The problem after validation: plain data.
#ifndef DETOPS_OPS_@ROOM@_PROBLEM_H_
#define DETOPS_OPS_@ROOM@_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"

namespace detops::@room@ {

struct Problem {
  mluOpDataType_t type;
  int64_t elements;
  const void* input;
  float factor;
  void* output;
};

// Elements [begin, end), by the kernel of one SIMD target. A call asks for the kernel once, so that a change of the
// target never reaches into a running call.
using Kernel = void (*)(const Problem& problem, int64_t begin, int64_t end);
Kernel ChooseKernel();

RunResult Run(const Problem& problem, Kernel kernel, const Parallel& parallel);

}  // namespace detops::@room@

#endif  // DETOPS_OPS_@ROOM@_PROBLEM_H_
