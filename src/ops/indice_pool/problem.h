// Pooling on index pairs: what the pass works on after all checks.
//
// All methods are one pass: for every row of the block side, the side that is written, the rows of the other side that
// its pairs name are combined. Forward the block side is the output, backward the input.
#ifndef DETOPS_OPS_INDICE_POOL_PROBLEM_H_
#define DETOPS_OPS_INDICE_POOL_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "mlu_op/types.h"
#include "sparse/pair_lists.h"

namespace detops::indice_pool {

enum class PoolKind {
  kMaximumFromZero,
  kMaximumFromLowest,
  kAverage,
  kMaximumGradient,
  kAverageGradient,
};

struct PoolProblem {
  PoolKind kind;
  mluOpDataType_t type;
  int64_t channels;
  const void* source;                  // other rows: features, or output_grad
  void* target;                        // block rows: features_out, or input_grad
  const void* features = nullptr;      // gradient of a maximum: block rows
  const void* features_out = nullptr;  // gradient of a maximum: other rows
};

// The column of the pairs whose rows are written.
inline int BlockSide(PoolKind kind) {
  return kind == PoolKind::kMaximumGradient || kind == PoolKind::kAverageGradient ? 0 : 1;
}

// Runs the pass with the handle's threads and scratch memory. If an index is not a row, *bad tells the first one and
// nothing has been written.
RunResult Pool(const Call& call, const PoolProblem& problem, const IndicePairs& pairs, BadIndex* bad);

// The same on lists that have been made before, of both sides, between tensors of so many rows.
RunResult Pool(const Call& call, const PoolProblem& problem, const BlockedPairs by_side[2], const int64_t rows[2]);

}  // namespace detops::indice_pool

#endif  // DETOPS_OPS_INDICE_POOL_PROBLEM_H_
