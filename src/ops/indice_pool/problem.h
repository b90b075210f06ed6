// Pooling on index pairs: what the pass works on after all checks.
//
// All methods are one pass: for every row of the near side, the side that is written, the rows of the far side that its
// pairs name are combined. Forward the near side is the output, backward the input.
#ifndef DETOPS_OPS_INDICE_POOL_PROBLEM_H_
#define DETOPS_OPS_INDICE_POOL_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "detops.h"
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
  const void* source;                  // far rows: features, or output_grad
  void* target;                        // near rows: features_out, or input_grad
  const void* features = nullptr;      // gradient of a maximum: near rows
  const void* features_out = nullptr;  // gradient of a maximum: far rows
};

// The column of the pairs whose rows are written.
inline int NearSide(PoolKind kind) {
  return kind == PoolKind::kMaximumGradient || kind == PoolKind::kAverageGradient ? 0 : 1;
}

// Runs the pass with the handle's threads and scratch memory. If an index is not a row, *bad tells the first one and
// nothing has been written.
RunResult Pool(const Call& call, const PoolProblem& problem, const IndicePairs& pairs, BadIndex* bad);

// The same on lists that have been made before, of both sides, between tensors of so many rows.
RunResult Pool(const Call& call, const PoolProblem& problem, const PairLists by_side[2], const int64_t rows[2]);

}  // namespace detops::indice_pool

#endif  // DETOPS_OPS_INDICE_POOL_PROBLEM_H_
