// The regular convolution with a bit for every site of the output space.
#include <algorithm>
#include <utility>

#include "core/arena.h"
#include "core/dynamic_tasks.h"
#include "ops/get_indice_pairs/lists.h"
#include "ops/get_indice_pairs/regular/bits.h"
#include "ops/get_indice_pairs/regular/pass.h"

namespace detops::get_indice_pairs {
namespace {

constexpr int64_t kMinTaskSites = 2 << 10;
constexpr int64_t kMinTaskWords = 16 << 10;
constexpr int kMaxTasks = 64;

// What depends on the number of tasks, in the handle's scratch.
struct TaskMemory {
  TaskMemory(const GetIndicePairsProblem& problem, int tasks, int workers, Arena& arena)
      : pieces(problem, tasks, arena) {
    if (problem.workspace == nullptr) bits = TakeSiteBits(problem, arena);
    // With sets of their own workers mark without atomic access; where that takes too much memory they share one.
    const int64_t more_words = (workers - 1) * WordCount(problem);
    own_sets = MoreBytesFit(problem, more_words * int64_t{sizeof(uint64_t)});
    sets = arena.Take<uint64_t>(own_sets ? more_words : 0);
  }
  uint64_t* SetOf(int worker, const SiteBits& all, int64_t words) const {
    return worker == 0 || !own_sets ? all.words : sets + (worker - 1) * words;
  }

  RegularPieces pieces;
  SiteBits bits = {};
  bool own_sets;
  uint64_t* sets;  // all but the first, which is the result
};

[[nodiscard]] bool ClearWords(const Parallel& parallel, uint64_t* words, int64_t count) {
  return parallel.RunItems(count, kMinTaskWords,
                           [&](Range range) { std::fill(words + range.begin, words + range.end, 0); });
}

void WriteSites(const GetIndicePairsProblem& problem, const SiteBits& bits, Range words) {
  for (int64_t i = words.begin; i < words.end; ++i) {
    if (bits.words[i] == 0) continue;
    WriteSitesOfWord(problem, i * 64, bits.words[i], problem.out_indices + int64_t{bits.ranks[i]} * problem.columns());
  }
}

// One call, in the memory of its tasks.
RunResult MarkAndAppend(const GetIndicePairsProblem& problem, const Parallel& parallel, int tasks, int workers,
                        TaskMemory& memory, bool count_only, int64_t* outputs) {
  const IndicePairsKernels& kernels = problem.kernels;
  Arena arena(problem.workspace);
  const SiteBits bits = problem.workspace == nullptr ? memory.bits : TakeSiteBits(problem, arena);
  memory.pieces.Prepare();

  const int64_t words = WordCount(problem);
  const int parts = std::min(kMaxTasks, parallel.TaskCount(words, kMinTaskWords));
  int64_t before[kMaxTasks];
  const auto clear = [&](int worker) {
    if (memory.own_sets) std::fill_n(memory.SetOf(worker, bits, words), words, 0);
  };
  const auto mark = [&](int worker, int64_t item) {
    const auto task = static_cast<int>(item);
    memory.pieces.Mark(task, PieceOf(problem.sites, tasks, task), memory.SetOf(worker, bits, words), !memory.own_sets);
  };
  const auto unite_and_count = [&](int part) {
    const Range range = PieceOf(words, parts, part);
    for (int worker = 1; worker < workers && memory.own_sets; ++worker) {
      const uint64_t* const set = memory.SetOf(worker, bits, words);
      for (int64_t i = range.begin; i < range.end; ++i) bits.words[i] |= set[i];
    }
    before[part] = kernels.count_bits(bits.words, range.begin, range.end, 0, nullptr);
  };
  if (!(memory.own_sets || ClearWords(parallel, bits.words, words)) ||
      !RunDynamic(parallel, workers, tasks, clear, mark) || !parallel.Run(parts, unite_and_count)) {
    return RunResult::kRunnerFailed;
  }
  *outputs = 0;
  for (int part = 0; part < parts; ++part) *outputs += std::exchange(before[part], *outputs);
  if (count_only || !OutputsFit(problem, *outputs)) return RunResult::kDone;

  if (!memory.pieces.Place(*outputs)) return RunResult::kNoMemory;
  const auto number_sites = [&](int part) {
    const Range range = PieceOf(words, parts, part);
    kernels.count_bits(bits.words, range.begin, range.end, before[part], bits.ranks);
  };
  // Appending computes, filling waits for memory: side by side they take less time than one after the other.
  const auto append_or_fill = [&](int item) {
    const int task = item / 3;
    switch (item % 3) {
      case 0:
        memory.pieces.Append(task, PieceOf(problem.sites, tasks, task), bits);
        break;
      case 1:
        for (int64_t offset = task; offset < problem.offsets; offset += tasks) FillTail(problem, offset);
        break;
      default:
        WriteSites(problem, bits, PieceOf(words, tasks, task));
    }
  };
  return ResultOf(parallel.Run(parts, number_sites) && parallel.Run(3 * tasks, append_or_fill) &&
                  FillUnusedRows(problem, parallel, *outputs));
}

}  // namespace

bool FitsBitmap(const GetIndicePairsProblem& problem) {
  // The words are cleared, counted and looked through: worth it up to some hundred words per input.
  return RegularKernelsFit(problem) && WordCount(problem) <= 4096 + 128 * problem.sites && BitsFit(problem);
}

int64_t DenseWorkspaceBytes(const GetIndicePairsProblem& problem) {
  Arena arena;
  (void)TakeSiteBits(problem, arena);
  return arena.NeededBytes();
}

RunResult GetRegularPairsDense(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch,
                               bool count_only, int64_t* outputs) {
  const int tasks =
      PairListBuilder::TaskLimit(problem, std::min(kMaxTasks, parallel.TaskCount(problem.sites, kMinTaskSites)));
  const int workers = std::min(tasks, parallel.ThreadCount());
  const auto make = [&](Arena& arena) { return TaskMemory(problem, tasks, workers, arena); };
  return RunPass(scratch, make, [&](TaskMemory& memory) {
    return MarkAndAppend(problem, parallel, tasks, workers, memory, count_only, outputs);
  });
}

}  // namespace detops::get_indice_pairs
