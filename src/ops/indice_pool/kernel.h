// The vector part of indice_pool.
#ifndef DETOPS_OPS_INDICE_POOL_KERNEL_H_
#define DETOPS_OPS_INDICE_POOL_KERNEL_H_

#include <cstdint>

#include "ops/indice_pool/problem.h"

namespace detops::indice_pool {

// Consecutive rows of the block side with the other rows of their pairs, row after row.
struct PoolRows {
  const PoolProblem* problem;
  const void* shares;     // gradient of an average: [other rows] 1 / the number of pairs, in the type of sums
  int64_t first;          // row
  int64_t rows;           // how many
  const int64_t* begins;  // [rows + 1]: where the list of each begins
  const int32_t* other_rows;
};

// Writes the rows of the block side.
using PoolKernel = void (*)(const PoolRows& rows);

// For the present SIMD target.
PoolKernel ChoosePoolKernel(PoolKind kind, mluOpDataType_t type);

}  // namespace detops::indice_pool

#endif  // DETOPS_OPS_INDICE_POOL_KERNEL_H_
