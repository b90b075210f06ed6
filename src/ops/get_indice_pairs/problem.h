// get_indice_pairs after validation: plain data, no descriptors.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_PROBLEM_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_PROBLEM_H_

#include <cstdint>

#include "core/call.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "ops/get_indice_pairs/kernel/kernel.h"
#include "sparse/rulebook.h"
#include "sparse/sparse_convolution.h"

namespace detops::get_indice_pairs {

struct GetIndicePairsProblem {
  int dims;  // spatial dimensions
  int64_t batch;
  SparseConvolutionAxis axes[kMaxSpatialDims];  // slowest first
  bool submanifold;
  bool transposed;

  int64_t sites;           // L
  int64_t offsets;         // K
  const int32_t* indices;  // [L, dims + 1]
  int32_t* pairs;          // [K, 2, L]
  int32_t* out_indices;    // [out_rows, dims + 1]; submanifold: nullptr if nobody wants them
  int64_t out_rows;
  int32_t* counts;  // [K]
  void* workspace;  // GetIndicePairsWorkspaceBytes, any alignment; nullptr: the scratch serves instead
  IndicePairsKernels kernels;
  RulebookBuilder* rulebook = nullptr;  // then pairs go there, without gaps, not to `pairs`; there is no workspace

  int columns() const { return dims + 1; }
};

// For the log: which algorithm, and why.
const char* AlgorithmName(const GetIndicePairsProblem& problem);

// Depends on geometry and L only, not on threads or data.
int64_t GetIndicePairsWorkspaceBytes(const GetIndicePairsProblem& problem);

// *outputs becomes the number of output sites. If they do not fit out_rows or int32, nothing is written.
RunResult GetIndicePairs(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch,
                         int64_t* outputs);

// The number of output sites alone; `pairs`, `out_indices`, `counts` and `workspace` are not used.
RunResult CountIndicePairOutputs(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch,
                                 int64_t* outputs);

// True if so many output sites can be numbered and stored.
inline bool OutputsFit(const GetIndicePairsProblem& problem, int64_t outputs) {
  return outputs <= problem.out_rows && outputs <= INT32_MAX;
}

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_PROBLEM_H_
