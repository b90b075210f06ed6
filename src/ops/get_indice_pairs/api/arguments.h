// What the entry points share: their arguments, the rules about sites and convolution, and the problem.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_API_ARGUMENTS_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_API_ARGUMENTS_H_

#include <cstdint>

#include "core/arg_check.h"
#include "core/call.h"
#include "ops/get_indice_pairs/problem.h"
#include "sparse/sparse_convolution.h"

namespace detops::get_indice_pairs {

struct Arguments {
  const mluOpSparseConvolutionStruct* conv;
  TensorArg indices;
  OutputArg pairs, out, num;
};

// The handle and the descriptors of convolution and indices.
void CheckPointers(ArgCheck& check, const Arguments& args);

// What follows are the rules about the convolution alone, each where the contract has it.
void CheckProfile(ArgCheck& check, const Arguments& args);
void CheckSites(ArgCheck& check, const Arguments& args, int64_t sites);
void CheckStrideAndDilation(ArgCheck& check, const Arguments& args);
// Spaces that 64 bits cannot number.
void CheckSpaces(ArgCheck& check, const Arguments& args, int64_t sites);
void CheckSubmanifold(ArgCheck& check, const Arguments& args);

// Without outputs and workspace.
GetIndicePairsProblem MakeProblem(const Arguments& args);

// Batch ids and coordinates lie in their spaces, unless value checks are off.
void CheckValues(ArgCheck& check, const Call& call, const GetIndicePairsProblem& problem);

// Ends a call that has found so many outputs; the rows are those of the problem.
mluOpStatus_t FailTooManyOutputs(const Call& call, const GetIndicePairsProblem& problem, int64_t outputs);

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_API_ARGUMENTS_H_
