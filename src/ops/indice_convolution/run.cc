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
OuterProductsKernels ChooseKernels(const OuterProductsProblem& problem) {
  return ChooseOuterProductsKernels(problem.type, problem.filter);
}

// The kernels are chosen once: what is counted for one SIMD target must not be used by another.
RowProducts MakePass(const RowProductsProblem& problem, const RowProductsKernels& kernels, int64_t blocks,
                     int64_t lists, int64_t pairs, const Parallel& parallel, Arena& arena) {
  return {problem, kernels, blocks, lists, pairs, parallel, arena};
}
OuterProducts MakePass(const OuterProductsProblem& problem, const OuterProductsKernels& kernels, int64_t blocks,
                       int64_t lists, int64_t pairs, const Parallel& parallel, Arena& arena) {
  return {problem, kernels, blocks, lists, pairs, parallel, arena};
}

template <class Pass>
void LogPass(const Call& call, const Pass& pass, const FilterMatrices& filter, const PairLists& lists,
             const char* where) {
  if (call.handle()->log.sink == nullptr) return;
  const PassText text = pass.Describe();
  call.Log(DETOPS_LOG_DISPATCH, "%s; %s of %d lanes, %d threads; %lld x %lld channels, %lld pairs of %lld offsets; %s",
           text.text, TargetName(), pass.lanes(), pass.workers(), static_cast<long long>(filter.rows),
           static_cast<long long>(filter.columns), static_cast<long long>(lists.pairs),
           static_cast<long long>(lists.lists), where);
}

template <class Problem>
RunResult ConvolvePairs(const Call& call, const Problem& problem, const IndicePairs& pairs, int near_side,
                        BadIndex* bad) {
  const Parallel& parallel = call.handle()->parallel;
  const int64_t blocks = BlocksOf(pairs.rows[near_side]);
  Arena count;
  const PairListsMemory counted(pairs, near_side, parallel, count);
  const auto kernels = ChooseKernels(problem);
  MakePass(problem, kernels, blocks, counted.lists, counted.pairs, parallel, count);
  if (count.NeededBytes() == kMaxInt64) return RunResult::kNoMemory;
  void* const block = call.handle()->scratch.Reserve(static_cast<size_t>(count.NeededBytes()));
  if (block == nullptr) return RunResult::kNoMemory;
  Arena arena(block);
  const PairListsMemory memory(pairs, near_side, parallel, arena);
  const auto pass = MakePass(problem, kernels, blocks, memory.lists, memory.pairs, parallel, arena);
  PairLists lists;
  const RunResult made = MakePairLists(pairs, near_side, parallel, memory, &lists, bad);
  if (made != RunResult::kDone || bad->position >= 0) return made;
  LogPass(call, pass, problem.filter, lists,
          lists.copied == 0 ? "lists in order, read where they are" : "lists out of order, copied in order");
  return pass.Run(lists, parallel) ? RunResult::kDone : RunResult::kRunnerFailed;
}

template <class Problem>
RunResult ConvolveLists(const Call& call, const Problem& problem, const PairLists& lists) {
  const Parallel& parallel = call.handle()->parallel;
  Arena count;
  const auto kernels = ChooseKernels(problem);
  MakePass(problem, kernels, lists.blocks, lists.lists, lists.pairs, parallel, count);
  if (count.NeededBytes() == kMaxInt64) return RunResult::kNoMemory;
  void* const block = call.handle()->scratch.Reserve(static_cast<size_t>(count.NeededBytes()));
  if (block == nullptr) return RunResult::kNoMemory;
  Arena arena(block);
  const auto pass = MakePass(problem, kernels, lists.blocks, lists.lists, lists.pairs, parallel, arena);
  LogPass(call, pass, problem.filter, lists, "lists of a rulebook");
  return pass.Run(lists, parallel) ? RunResult::kDone : RunResult::kRunnerFailed;
}

template <class Problem>
mluOpStatus_t Run(const Call& call, const Problem& problem, const ConvolutionPairs& pairs, int near_side) {
  if (pairs.by_side != nullptr) {
    PairLists lists = pairs.by_side[near_side];
    if (pairs.empty) lists.lists = lists.pairs = 0;
    return call.Finish(ConvolveLists(call, problem, lists));
  }
  BadIndex bad;
  const RunResult result = ConvolvePairs(call, problem, pairs.given, near_side, &bad);
  if (result == RunResult::kDone && bad.position >= 0) return FailBadIndex(call, pairs.given, bad);
  return call.Finish(result);
}

}  // namespace

mluOpStatus_t RunConvolution(const Call& call, const RowProductsProblem& problem, const ConvolutionPairs& pairs,
                             int near_side) {
  return Run(call, problem, pairs, near_side);
}
mluOpStatus_t RunConvolution(const Call& call, const OuterProductsProblem& problem, const ConvolutionPairs& pairs,
                             int near_side) {
  return Run(call, problem, pairs, near_side);
}

}  // namespace detops::indice_convolution
