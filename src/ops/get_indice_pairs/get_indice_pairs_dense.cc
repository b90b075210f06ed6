// The regular convolution with a bit for every site of the output space.
#include <algorithm>
#include <atomic>
#include <utility>

#include "core/arena.h"
#include "ops/get_indice_pairs/get_indice_pairs_bits.h"
#include "ops/get_indice_pairs/get_indice_pairs_lists.h"
#include "ops/get_indice_pairs/get_indice_pairs_regular.h"

namespace detops {
namespace {

constexpr int64_t kMinTaskSites = 2 << 10;
constexpr int64_t kMinTaskWords = 16 << 10;
constexpr int kMaxTasks = 64;

// What depends on the number of tasks, in the handle's scratch.
struct TaskMemory {
  TaskMemory(const GetIndicePairsProblem& problem, int tasks, int workers, Arena& arena)
      : rules(arena.Take<RegularOffset>(problem.offsets)),
        block_numbers(BlockNumbersOf(problem)),
        blocks(arena.Take<int32_t>(block_numbers * (problem.sites / kBlockSites + tasks))),
        lists(problem, tasks, arena) {
    if (problem.workspace == nullptr) bits = TakeSiteBits(problem, arena);
    // With sets of their own workers mark without atomic access; where that takes too much memory they share one.
    const int64_t more_words = (workers - 1) * WordCount(problem);
    own_sets = NeededBytes(problem) + more_words * int64_t{sizeof(uint64_t)} <= MostBytes(problem) + (int64_t{8} << 20);
    sets = arena.Take<uint64_t>(own_sets ? more_words : 0);
  }
  // The blocks of a task whose inputs begin at `begin`: each may have one that is not full.
  int32_t* BlocksOf(int task, int64_t begin) const { return blocks + (begin / kBlockSites + task) * block_numbers; }
  uint64_t* SetOf(int worker, const SiteBits& all, int64_t words) const {
    return worker == 0 || !own_sets ? all.words : sets + (worker - 1) * words;
  }

  RegularOffset* rules;
  int64_t block_numbers;
  int32_t* blocks;
  ListPieces lists;
  SiteBits bits = {};
  bool own_sets;
  uint64_t* sets;  // all but the first, which is the result
};

[[nodiscard]] bool ClearWords(const Parallel& parallel, uint64_t* words, int64_t count) {
  const int parts = parallel.TaskCount(count, kMinTaskWords);
  return parallel.Run(parts, [&](int part) {
    const Range range = PieceOf(count, parts, part);
    std::fill(words + range.begin, words + range.end, 0);
  });
}

void WriteSites(const GetIndicePairsProblem& problem, const SiteBits& bits, Range words) {
  for (int64_t i = words.begin; i < words.end; ++i) {
    if (bits.words[i] == 0) continue;
    WriteSitesOfWord(problem, i * 64, bits.words[i], problem.out_indices + int64_t{bits.ranks[i]} * problem.columns());
  }
}

}  // namespace

bool DenseWayFits(const GetIndicePairsProblem& problem) {
  // The words are cleared, counted and looked through: worth it up to some hundred words per input.
  return RegularKernelsFit(problem) && WordCount(problem) <= 4096 + 128 * problem.sites &&
         NeededBytes(problem) <= MostBytes(problem);
}

int64_t DenseWorkspaceBytes(const GetIndicePairsProblem& problem) {
  Arena arena;
  (void)TakeSiteBits(problem, arena);
  return arena.NeededBytes();
}

RunResult GetRegularPairsDense(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch,
                               bool count_only, int64_t* outputs) {
  const IndicePairsKernels& kernels = problem.kernels;
  const int tasks =
      PairLists::TaskLimit(problem, std::min(kMaxTasks, parallel.TaskCount(problem.sites, kMinTaskSites)));
  const int workers = std::min(tasks, parallel.ThreadCount());
  Arena counting;
  const TaskMemory counted(problem, tasks, workers, counting);
  void* const block = scratch.Reserve(static_cast<size_t>(counting.NeededBytes()));
  if (block == nullptr) return RunResult::kNoMemory;
  Arena task_arena(block);
  TaskMemory memory(problem, tasks, workers, task_arena);
  Arena arena(problem.workspace);
  const SiteBits bits = problem.workspace == nullptr ? memory.bits : TakeSiteBits(problem, arena);
  const RegularGeometry geometry = MakeRegularGeometry(problem, memory.rules);

  const int64_t words = WordCount(problem);
  const int parts = std::min(kMaxTasks, parallel.TaskCount(words, kMinTaskWords));
  int64_t before[kMaxTasks];
  const auto mark = [&](int task, uint64_t* set) {
    int32_t* const counts = memory.lists.counts + task * problem.offsets;
    std::fill_n(counts, problem.offsets, 0);
    const Range range = PieceOf(problem.sites, tasks, task);
    kernels.mark_reached(geometry, range.begin, range.end, memory.BlocksOf(task, range.begin), set, !memory.own_sets,
                         counts);
  };
  std::atomic<int> next_task{0};
  const auto clear_and_mark = [&](int worker) {
    uint64_t* const set = memory.SetOf(worker, bits, words);
    if (memory.own_sets) std::fill_n(set, words, 0);
    for (int task; (task = next_task.fetch_add(1, std::memory_order_relaxed)) < tasks;) mark(task, set);
  };
  const auto unite_and_count = [&](int part) {
    const Range range = PieceOf(words, parts, part);
    for (int worker = 1; worker < workers && memory.own_sets; ++worker) {
      const uint64_t* const set = memory.SetOf(worker, bits, words);
      for (int64_t i = range.begin; i < range.end; ++i) bits.words[i] |= set[i];
    }
    before[part] = kernels.count_bits(bits.words, range.begin, range.end, 0, nullptr);
  };
  if (!(memory.own_sets || ClearWords(parallel, bits.words, words)) || !parallel.Run(workers, clear_and_mark) ||
      !parallel.Run(parts, unite_and_count)) {
    return RunResult::kRunnerFailed;
  }
  *outputs = 0;
  for (int part = 0; part < parts; ++part) *outputs += std::exchange(before[part], *outputs);
  if (count_only || !OutputsFit(problem, *outputs)) return RunResult::kDone;

  memory.lists.Place(problem, tasks);
  const auto number_sites = [&](int part) {
    const Range range = PieceOf(words, parts, part);
    kernels.count_bits(bits.words, range.begin, range.end, before[part], bits.ranks);
  };
  // Appending computes, filling waits for memory: side by side they take less time than one after the other.
  const auto append_or_fill = [&](int item) {
    const int task = item / 3;
    const Range range = PieceOf(problem.sites, tasks, task);
    switch (item % 3) {
      case 0:
        kernels.append_reached(geometry, DivideRoundUp(range.end - range.begin, kBlockSites),
                               memory.BlocksOf(task, range.begin), bits, memory.lists.heads + task * problem.offsets,
                               memory.lists.ends + task * problem.offsets, problem.sites);
        break;
      case 1:
        for (int64_t offset = task; offset < problem.offsets; offset += tasks) FillTail(problem, offset);
        break;
      default:
        WriteSites(problem, bits, PieceOf(words, tasks, task));
    }
  };
  const bool done = parallel.Run(parts, number_sites) && parallel.Run(3 * tasks, append_or_fill) &&
                    FillUnusedRows(problem, parallel, *outputs);
  return done ? RunResult::kDone : RunResult::kRunnerFailed;
}

}  // namespace detops
