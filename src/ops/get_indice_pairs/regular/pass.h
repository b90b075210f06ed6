// The regular and the transposed convolution: the output sites are those that some input reaches.
//
// Both algorithms keep the reached sites as bits of 64-bit words, so that the number of bits set in front of a site is
// its rank, which is its output index: sorted and unique without sorting.
#ifndef DETOPS_OPS_GET_INDICE_PAIRS_REGULAR_PASS_H_
#define DETOPS_OPS_GET_INDICE_PAIRS_REGULAR_PASS_H_

#include "ops/get_indice_pairs/problem.h"

namespace detops::get_indice_pairs {

// The dense algorithm has a bit for every site of the output space and works with vectors of 32-bit numbers. It is for
// spaces that are not too large compared with the number of inputs; true if this is one.
bool FitsBitmap(const GetIndicePairsProblem& problem);
int64_t DenseWorkspaceBytes(const GetIndicePairsProblem& problem);

// The sparse algorithm has a sorted list of the words that are not 0, and 64-bit numbers throughout.

// Both: *outputs becomes the number of reached sites; pairs and outputs are written if they fit and `count_only` is
// false.
RunResult GetRegularPairsDense(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch,
                               bool count_only, int64_t* outputs);
RunResult GetRegularPairsSparse(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch,
                                bool count_only, int64_t* outputs);

// The dense algorithm by groups of batches, if there are many, of about the same size, and the inputs of each follow
// each other; otherwise it returns false, and nothing has been written.
bool GetRegularPairsByBatch(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch,
                            bool count_only, int64_t* outputs, RunResult* result);

}  // namespace detops::get_indice_pairs

#endif  // DETOPS_OPS_GET_INDICE_PAIRS_REGULAR_PASS_H_
