// The choice between the algorithms.
#include "ops/get_indice_pairs/problem.h"
#include "ops/get_indice_pairs/regular/pass.h"
#include "ops/get_indice_pairs/submanifold/pass.h"

namespace detops::get_indice_pairs {
namespace {

RunResult GetRegularPairs(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch,
                          bool count_only, int64_t* outputs) {
  if (!FitsBitmap(problem)) return GetRegularPairsSparse(problem, parallel, scratch, count_only, outputs);
  RunResult result = RunResult::kDone;
  if (GetRegularPairsByBatch(problem, parallel, scratch, count_only, outputs, &result)) return result;
  return GetRegularPairsDense(problem, parallel, scratch, count_only, outputs);
}

}  // namespace

const char* AlgorithmName(const GetIndicePairsProblem& problem) {
  if (problem.submanifold) return "submanifold: neighbours searched among the sorted sites";
  return FitsBitmap(problem) ? "regular: outputs marked in a bit map of the space"
                             : "regular: outputs sorted by key, as the space is too large for a bit map";
}

int64_t GetIndicePairsWorkspaceBytes(const GetIndicePairsProblem& problem) {
  if (problem.submanifold) return SubmanifoldWorkspaceBytes(problem);
  return FitsBitmap(problem) ? DenseWorkspaceBytes(problem) : 0;
}

RunResult GetIndicePairs(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch,
                         int64_t* outputs) {
  if (problem.submanifold) {
    *outputs = problem.sites;
    return OutputsFit(problem, *outputs) ? GetSubmanifoldPairs(problem, parallel, scratch) : RunResult::kDone;
  }
  return GetRegularPairs(problem, parallel, scratch, false, outputs);
}

RunResult CountIndicePairOutputs(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch,
                                 int64_t* outputs) {
  if (problem.submanifold) {
    *outputs = problem.sites;
    return RunResult::kDone;
  }
  return GetRegularPairs(problem, parallel, scratch, true, outputs);
}

}  // namespace detops::get_indice_pairs
