// The passes on pairs as the caller gives them, and on lists of a rulebook.
#include "core/context.h"
#include "core/simd_target.h"
#include "ops/indice_convolution/filters/pass.h"
#include "ops/indice_convolution/problem.h"
#include "ops/indice_convolution/rows/pass.h"
#include "sparse/pair_check.h"

namespace detops::indice_convolution {
namespace {

RowProductsKernels ChooseKernels(const RowProductsProblem& problem) {
  return ChooseRowProductsKernels(problem.type, problem.filter);
}
FilterGradientKernels ChooseKernels(const FilterGradientProblem& problem) {
  return ChooseFilterGradientKernels(problem.type, problem.filter);
}

template <class Pass>
void LogPass(const Call& call, const Pass& pass, const FilterMatrices& filter, const BlockedPairs& lists,
             const char* where) {
  if (call.handle()->log.sink == nullptr) return;
  const PassText text = pass.Describe();
  call.Log(DETOPS_LOG_DISPATCH, "%s; %s of %d lanes, %d threads; %lld x %lld channels, %lld pairs of %lld offsets; %s",
           text.text, TargetName(), pass.lanes(), pass.workers(), static_cast<long long>(filter.rows),
           static_cast<long long>(filter.columns), static_cast<long long>(lists.pairs),
           static_cast<long long>(lists.list_count), where);
}

// The kernels are chosen once: what is counted for one SIMD target must not be used by another.
template <class Pass, class Problem>
RunResult ConvolvePairs(const Call& call, const Problem& problem, const IndicePairs& pairs, int block_side,
                        BadIndex* bad) {
  const Parallel& parallel = call.handle()->parallel;
  const auto kernels = ChooseKernels(problem);
  struct Made {
    BlockedPairsMemory lists;
    Pass pass;
  };
  const auto make = [&](Arena& arena) {
    const BlockedPairsMemory lists(pairs, block_side, parallel, arena);
    return Made{lists, Pass(problem, kernels, BlocksOf(pairs.rows[block_side]), lists.list_count, lists.pairs, parallel,
                            arena)};
  };
  return RunPass(call.handle()->scratch, make, [&](const Made& made) {
    const auto& [memory, pass] = made;
    BlockedPairs lists;
    const RunResult result = MakeBlockedPairs(pairs, block_side, parallel, memory, &lists, bad);
    if (result != RunResult::kDone || bad->position >= 0) return result;
    LogPass(call, pass, problem.filter, lists,
            lists.copied == 0 ? "lists in order, read where they are" : "lists out of order, copied in order");
    return ResultOf(pass.Run(lists, parallel));
  });
}

template <class Pass, class Problem>
RunResult ConvolveLists(const Call& call, const Problem& problem, const BlockedPairs& lists) {
  const Parallel& parallel = call.handle()->parallel;
  const auto kernels = ChooseKernels(problem);
  const auto make = [&](Arena& arena) {
    return Pass(problem, kernels, lists.blocks, lists.list_count, lists.pairs, parallel, arena);
  };
  return RunPass(call.handle()->scratch, make, [&](const Pass& pass) {
    LogPass(call, pass, problem.filter, lists, "lists of a rulebook");
    return ResultOf(pass.Run(lists, parallel));
  });
}

template <class Pass, class Problem>
mluOpStatus_t Run(const Call& call, const Problem& problem, const ConvolutionPairs& pairs, int block_side) {
  if (pairs.by_side != nullptr) {
    BlockedPairs lists = pairs.by_side[block_side];
    if (pairs.empty) lists.list_count = lists.pairs = 0;
    return call.Finish(ConvolveLists<Pass>(call, problem, lists));
  }
  BadIndex bad;
  const RunResult result = ConvolvePairs<Pass>(call, problem, pairs.given, block_side, &bad);
  if (result == RunResult::kDone && bad.position >= 0) return FailBadIndex(call, pairs.given, bad);
  return call.Finish(result);
}

}  // namespace

mluOpStatus_t RunConvolution(const Call& call, const RowProductsProblem& problem, const ConvolutionPairs& pairs,
                             int block_side) {
  return Run<RowProducts>(call, problem, pairs, block_side);
}
mluOpStatus_t RunConvolution(const Call& call, const FilterGradientProblem& problem, const ConvolutionPairs& pairs,
                             int block_side) {
  return Run<FilterGradient>(call, problem, pairs, block_side);
}

}  // namespace detops::indice_convolution
