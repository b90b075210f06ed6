// The regular convolution with a bit for every site of the output space.
#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "core/arena.h"
#include "core/checked_math.h"
#include "ops/get_indice_pairs/get_indice_pairs_geometry.h"
#include "ops/get_indice_pairs/get_indice_pairs_lists.h"
#include "ops/get_indice_pairs/get_indice_pairs_regular.h"

namespace detops {
namespace {

constexpr int64_t kMinTaskSites = 2 << 10;
constexpr int64_t kMinTaskWords = 16 << 10;
constexpr int kMaxTasks = 64;
constexpr int64_t kMaxOffsets = 1 << 16;
constexpr int64_t kMaxCoordinate = 1 << 24;  // floats are exact up to here

int64_t OutputSpace(const GetIndicePairsProblem& problem) {
  int64_t sites = problem.batch;
  for (int axis = 0; axis < problem.dims; ++axis) sites *= problem.axes[axis].output;
  return sites;
}

int64_t WordCount(const GetIndicePairsProblem& problem) { return DivideRoundUp(OutputSpace(problem), 64); }

// The number of combinations of remainders by the strides.
int64_t ClassCount(const GetIndicePairsProblem& problem) {
  int64_t classes = 1;
  for (int axis = 0; axis < problem.dims && !problem.transposed; ++axis) {
    classes = SaturatingMultiply(classes, problem.axes[axis].stride);
  }
  return classes;
}

SiteBits TakeSiteBits(const GetIndicePairsProblem& problem, Arena& arena) {
  SiteBits bits;
  bits.words = arena.Take<uint64_t>(WordCount(problem));
  bits.ranks = arena.Take<int32_t>(WordCount(problem));
  return bits;
}

int64_t BlockNumbers(const GetIndicePairsProblem& problem) {
  RegularGeometry geometry = {};
  geometry.dims = problem.dims;
  geometry.classes = static_cast<int>(ClassCount(problem));
  return RegularBlockNumbers(geometry);
}

// The promise about memory, 64 bytes for each L and 64 MiB: what does not grow with L or the space takes less than 20
// MiB.
int64_t MostBytes(const GetIndicePairsProblem& problem) { return (int64_t{36} << 20) + 64 * problem.sites; }
int64_t NeededBytes(const GetIndicePairsProblem& problem) {
  const int64_t word_bytes = WordCount(problem) * int64_t{sizeof(uint64_t) + sizeof(int32_t)};
  return word_bytes + problem.sites / kBlockSites * BlockNumbers(problem) * int64_t{sizeof(int32_t)};
}

// What depends on the number of tasks, in the handle's scratch.
struct TaskMemory {
  TaskMemory(const GetIndicePairsProblem& problem, int tasks, int workers, Arena& arena)
      : rules(arena.Take<RegularOffset>(problem.offsets)),
        block_numbers(BlockNumbers(problem)),
        blocks(arena.Take<int32_t>(block_numbers * (problem.sites / kBlockSites + tasks))),
        counts(arena.Take<int32_t>(tasks * problem.offsets)),
        heads(arena.Take<int32_t*>(tasks * problem.offsets)),
        ends(arena.Take<int32_t*>(tasks * problem.offsets)) {
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
  int32_t* counts;  // [tasks][offsets]: pairs
  int32_t** heads;  // [tasks][offsets]: where the task's next pair goes
  int32_t** ends;   // [tasks][offsets]: where its last one has gone
  SiteBits bits = {};
  bool own_sets;
  uint64_t* sets;  // all but the first, which is the result
};

RegularGeometry MakeGeometry(const GetIndicePairsProblem& problem, const TaskMemory& memory) {
  RegularGeometry geometry = {};
  geometry.dims = problem.dims;
  geometry.transposed = problem.transposed;
  geometry.classes = static_cast<int>(ClassCount(problem));
  geometry.offset_count = static_cast<int>(problem.offsets);
  geometry.offsets = memory.rules;
  geometry.indices = problem.indices;
  int64_t pitch = 1;
  for (int a = problem.dims - 1; a >= 0; --a) {
    const SparseConvolutionAxis& rule = problem.axes[a];
    geometry.axes[a] = {
        .output = rule.output, .pad = rule.pad, .stride = rule.stride, .pitch = static_cast<uint32_t>(pitch)};
    pitch *= rule.output;
  }
  geometry.batch_pitch = static_cast<uint32_t>(pitch);
  for (int64_t k = 0; k < problem.offsets; ++k) {
    int64_t shifts[kMaxSpatialDims];
    int64_t rest = k;
    for (int a = problem.dims - 1; a >= 0; --a) {
      shifts[a] = rest % problem.axes[a].filter * problem.axes[a].dilation;
      rest /= problem.axes[a].filter;
    }
    RegularOffset& offset = memory.rules[k];
    offset = {};
    // Site numbers wrap around like the sums in the kernel; those of reached sites come out right.
    uint32_t site_step = 0;
    for (int a = 0; a < problem.dims; ++a) {
      const int64_t stride = problem.transposed ? 1 : problem.axes[a].stride;
      offset.class_id = static_cast<int32_t>(offset.class_id * stride + shifts[a] % stride);
      offset.steps[a] = static_cast<int32_t>(problem.transposed ? -shifts[a] : shifts[a] / stride);
      site_step += static_cast<uint32_t>(offset.steps[a]) * geometry.axes[a].pitch;
    }
    offset.site_step = static_cast<int32_t>(site_step);
  }
  return geometry;
}

[[nodiscard]] bool ClearWords(const Parallel& parallel, uint64_t* words, int64_t count) {
  const int parts = parallel.TaskCount(count, kMinTaskWords);
  return parallel.Run(parts, [&](int part) {
    const Range range = PieceOf(count, parts, part);
    std::fill(words + range.begin, words + range.end, 0);
  });
}

// Writes the coordinates of all sites whose bits are set in words [begin, end).
void WriteSites(const GetIndicePairsProblem& problem, const SiteBits& bits, Range words) {
  const int columns = problem.columns();
  const int last = problem.dims - 1;
  for (int64_t i = words.begin; i < words.end; ++i) {
    uint64_t word = bits.words[i];
    if (word == 0) continue;
    int32_t* out = problem.out_indices + int64_t{bits.ranks[i]} * columns;
    int32_t site[kMaxSpatialDims + 1];
    SiteCoordinates(problem, i * 64, site);
    int at = 0;  // the bit that `site` belongs to
    for (; word != 0; word &= word - 1, out += columns) {
      const int bit = std::countr_zero(word);
      site[last + 1] += bit - at;
      at = bit;
      for (int axis = last; axis >= 0 && site[axis + 1] >= problem.axes[axis].output; --axis) {
        site[axis] += site[axis + 1] / problem.axes[axis].output;
        site[axis + 1] %= problem.axes[axis].output;
      }
      if (columns == 4) {  // a copy of unknown length is a function call
        std::copy_n(site, 4, out);
      } else {
        std::copy_n(site, columns, out);
      }
    }
  }
}

// Each task's pairs of an offset follow those of the task before. Sets problem.counts.
void PlaceLists(const GetIndicePairsProblem& problem, int tasks, TaskMemory& memory) {
  for (int64_t offset = 0; offset < problem.offsets; ++offset) {
    int32_t* head = problem.pairs + offset * 2 * problem.sites;
    int32_t* const begin = head;
    for (int task = 0; task < tasks; ++task) {
      const int64_t place = task * problem.offsets + offset;
      memory.heads[place] = head;
      head += memory.counts[place];
      memory.ends[place] = head;
    }
    problem.counts[offset] = static_cast<int32_t>(head - begin);
  }
}

}  // namespace

bool DenseWayFits(const GetIndicePairsProblem& problem) {
  // The words are cleared, counted and looked through: worth it up to some hundred words per input.
  const int64_t words = WordCount(problem);
  if (OutputSpace(problem) > UINT32_MAX || words > 4096 + 128 * problem.sites) return false;
  if (problem.offsets > kMaxOffsets || ClassCount(problem) > RegularGeometry::kMaxClasses) return false;
  if (NeededBytes(problem) > MostBytes(problem)) return false;
  return std::all_of(problem.axes, problem.axes + problem.dims, [&](const SparseConvolutionAxis& axis) {
    const int64_t farthest = problem.transposed ? int64_t{axis.input} * axis.stride : int64_t{axis.input} + axis.pad;
    return farthest < kMaxCoordinate && axis.pad < kMaxCoordinate && axis.stride < kMaxCoordinate &&
           int64_t{axis.filter} * axis.dilation < kMaxCoordinate;
  });
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
  const RegularGeometry geometry = MakeGeometry(problem, memory);

  const int64_t words = WordCount(problem);
  const int parts = std::min(kMaxTasks, parallel.TaskCount(words, kMinTaskWords));
  int64_t before[kMaxTasks];
  const auto mark = [&](int task, uint64_t* set) {
    int32_t* const counts = memory.counts + task * problem.offsets;
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

  PlaceLists(problem, tasks, memory);
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
                               memory.BlocksOf(task, range.begin), bits, memory.heads + task * problem.offsets,
                               memory.ends + task * problem.offsets, problem.sites);
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
