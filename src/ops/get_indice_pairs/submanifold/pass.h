// The submanifold convolution: outputs are the inputs, a pair exists where both sites are active.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_PASS_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_PASS_H_

#include "ops/get_indice_pairs/problem.h"

namespace detops::get_indice_pairs {

int64_t SubmanifoldWorkspaceBytes(const GetIndicePairsProblem& problem);
RunResult GetSubmanifoldPairs(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch);

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_SUBMANIFOLD_PASS_H_
