// Blocks of rows are handed out to threads one by one; a block is listed row by row and then combined. What a row
// becomes depends on its own pairs in their order alone, so not on threads.
#include <algorithm>
#include <optional>

#include "core/arena.h"
#include "core/context.h"
#include "core/dynamic_tasks.h"
#include "ops/indice_pool/kernel.h"
#include "ops/indice_pool/problem.h"
#include "ops/indice_pool/rows.h"

namespace detops::indice_pool {
namespace {

// A block of a 3x3x3 kernel without repeated pairs fits; what a worker lists stays in its L1 cache.
constexpr int64_t kListPairs = 8192;
// Each has memory of its own, and the library has no more threads.
constexpr int64_t kMaxWorkers = 256;
// Below this many numbers a second thread costs more than it brings.
constexpr int64_t kMinNumbers = 64 << 10;

class PoolPass {
 public:
  PoolPass(const PoolProblem& problem, PoolKernel kernel, const int64_t rows[2], int64_t pairs,
           const Parallel& parallel, Arena& arena)
      : problem_(problem), kernel_(kernel), block_rows_(rows[BlockSide(problem.kind)]), pairs_(pairs) {
    const int64_t blocks = BlocksOf(block_rows_);
    // A pair costs something without channels too.
    const int64_t row_work = SaturatingAdd(problem.channels, 4);
    const int64_t work = SaturatingMultiply(SaturatingAdd(pairs, block_rows_), row_work);
    workers_ = static_cast<int>(std::min<int64_t>(
        {parallel.TaskCount(work, kMinNumbers), parallel.ThreadCount(), kMaxWorkers, std::max<int64_t>(blocks, 1)}));
    begins_ = arena.Take<int64_t>(workers_ * (kBlockRows + 1));
    listed_ = arena.Take<int32_t>(workers_ * kListPairs);
    if (pairs > kListPairs) overflow_ = arena.Take<int32_t>(pairs);
    if (problem.kind != PoolKind::kAverageGradient) return;
    other_rows_ = rows[1];
    shares_ = arena.Take<std::byte>(SaturatingMultiply(other_rows_, problem.type == MLUOP_DTYPE_DOUBLE ? 8 : 4));
  }

  // `by_output` is read for the gradient of an average only. False if the caller's runner failed.
  bool Run(const BlockedPairs& by_block, const BlockedPairs& by_output, const Parallel& parallel) const {
    if (problem_.kind == PoolKind::kAverageGradient && !FillShares(by_output, parallel)) return false;
    return RunDynamic(parallel, workers_, by_block.blocks,
                      [&](int worker, int64_t block) { PoolBlock(by_block, block, worker); });
  }

 private:
  void PoolBlock(const BlockedPairs& lists, int64_t block, int worker) const {
    const int64_t first = block * kBlockRows;
    const int64_t rows = std::min(kBlockRows, block_rows_ - first);
    int64_t* const begins = begins_ + worker * (kBlockRows + 1);
    const int64_t before = PairsBefore(lists, block);
    const bool fits = PairsBefore(lists, block + 1) - before <= kListPairs;
    int32_t* const other_rows = fits ? listed_ + worker * kListPairs : overflow_ + before;
    ListByRows(lists, block, begins, other_rows);
    kernel_({&problem_, shares_, first, rows, begins, other_rows});
  }

  bool FillShares(const BlockedPairs& by_output, const Parallel& parallel) const {
    const int tasks = parallel.TaskCount(SaturatingMultiply(SaturatingAdd(pairs_, other_rows_), 4), kMinNumbers);
    return parallel.RunPieces(tasks, by_output.blocks, [&](Range range) {
      for (int64_t block = range.begin; block < range.end; ++block) {
        if (problem_.type == MLUOP_DTYPE_DOUBLE) {
          FillSharesOf(by_output, block, reinterpret_cast<double*>(shares_));
        } else {
          FillSharesOf(by_output, block, reinterpret_cast<float*>(shares_));
        }
      }
    });
  }

  // Of rows without pairs the share is infinite; no pair asks for it.
  template <typename Real>
  void FillSharesOf(const BlockedPairs& by_output, int64_t block, Real* shares) const {
    int64_t counts[kBlockRows];
    CountRowPairs(by_output, block, counts);
    const int64_t first = block * kBlockRows;
    const int64_t rows = std::min(kBlockRows, other_rows_ - first);
    for (int64_t r = 0; r < rows; ++r) shares[first + r] = Real{1} / static_cast<Real>(counts[r]);
  }

  PoolProblem problem_;
  PoolKernel kernel_;
  int64_t block_rows_;
  int64_t pairs_;
  int64_t other_rows_ = 0;
  int workers_ = 1;
  int64_t* begins_ = nullptr;    // [workers][block rows + 1]
  int32_t* listed_ = nullptr;    // [workers][kListPairs]
  int32_t* overflow_ = nullptr;  // [pairs], touched only by blocks with more pairs than that
  std::byte* shares_ = nullptr;  // [other rows]
};

}  // namespace

RunResult Pool(const Call& call, const PoolProblem& problem, const IndicePairs& pairs, BadIndex* bad) {
  const Parallel& parallel = call.handle()->parallel;
  const int side = BlockSide(problem.kind);
  const bool counts_outputs = problem.kind == PoolKind::kAverageGradient;
  const PoolKernel kernel = ChoosePoolKernel(problem.kind, problem.type);
  bad->position = -1;
  struct Memory {
    BlockedPairsMemory by_block;
    std::optional<BlockedPairsMemory> by_output;
    PoolPass pass;
  };
  const auto make = [&](Arena& arena) {
    const BlockedPairsMemory by_block(pairs, side, parallel, arena);
    std::optional<BlockedPairsMemory> by_output;
    if (counts_outputs) by_output.emplace(pairs, 1, parallel, arena);
    return Memory{by_block, by_output, PoolPass(problem, kernel, pairs.rows, by_block.pairs, parallel, arena)};
  };
  return RunPass(call.handle()->scratch, make, [&](const Memory& memory) {
    BlockedPairs by_block, by_output = {};
    RunResult made = MakeBlockedPairs(pairs, side, parallel, memory.by_block, &by_block, bad);
    if (made != RunResult::kDone || bad->position >= 0) return made;
    if (counts_outputs) made = MakeBlockedPairs(pairs, 1, parallel, *memory.by_output, &by_output, bad);
    if (made != RunResult::kDone) return made;
    return ResultOf(memory.pass.Run(by_block, by_output, parallel));
  });
}

RunResult Pool(const Call& call, const PoolProblem& problem, const BlockedPairs by_side[2], const int64_t rows[2]) {
  const Parallel& parallel = call.handle()->parallel;
  const PoolKernel kernel = ChoosePoolKernel(problem.kind, problem.type);
  const BlockedPairs& by_block = by_side[BlockSide(problem.kind)];
  const auto make = [&](Arena& arena) { return PoolPass(problem, kernel, rows, by_block.pairs, parallel, arena); };
  return RunPass(call.handle()->scratch, make,
                 [&](const PoolPass& pass) { return ResultOf(pass.Run(by_block, by_side[1], parallel)); });
}

}  // namespace detops::indice_pool
