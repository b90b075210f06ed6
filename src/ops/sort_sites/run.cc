// Sites are sorted by words that hold as many columns as fit, the last ones first.
#include <algorithm>
#include <cstring>

#include "core/arena.h"
#include "core/bit_sort.h"
#include "ops/sort_sites/problem.h"

namespace detops::sort_sites {
namespace {

constexpr int64_t kLeastSites = 8 << 10;  // below this one thread is done before another has started
constexpr int64_t kLeastBytes = 64 << 10;
constexpr int kMaxTasks = 64;
constexpr int kMaxColumns = 5;

int TasksFor(const Parallel& parallel, int64_t items, int64_t least) {
  return std::min(kMaxTasks, parallel.TaskCount(items, least));
}

bool Ascend(const SortProblem& problem, int64_t begin, int64_t end) {
  const int columns = problem.columns;
  for (int64_t i = std::max<int64_t>(begin, 1); i < end; ++i) {
    const int32_t* const site = problem.indices + i * columns;
    if (std::lexicographical_compare(site, site + columns, site - columns, site)) return false;
  }
  return true;
}

// The least and the largest number of each column.
struct Limits {
  int32_t least[kMaxColumns];
  int32_t most[kMaxColumns];

  void Find(const SortProblem& problem, int64_t begin, int64_t end) {
    std::copy_n(problem.indices + begin * problem.columns, problem.columns, least);
    std::copy_n(least, problem.columns, most);
    for (int64_t i = begin * problem.columns; i < end * problem.columns; i += problem.columns) {
      for (int c = 0; c < problem.columns; ++c) {
        least[c] = std::min(least[c], problem.indices[i + c]);
        most[c] = std::max(most[c], problem.indices[i + c]);
      }
    }
  }
  // How far a number is above the least of its column; with 2^32 of them there is no sign.
  uint32_t Above(int c, int32_t number) const {
    return static_cast<uint32_t>(number) - static_cast<uint32_t>(least[c]);
  }
  int Bits(int c) const { return BitsToNumber(int64_t{Above(c, most[c])} + 1); }
};

struct SortMemory {
  SortMemory(const SortProblem& problem, Arena& arena)
      : words(arena.Take<uint64_t>(problem.sites)),
        spare(arena.Take<uint64_t>(problem.sites)),
        counters(arena.Take<uint32_t>(kSortCounters)) {}
  uint64_t* words;
  uint64_t* spare;
  uint32_t* counters;
};

class Sort {
 public:
  Sort(const SortProblem& problem, const Parallel& parallel, const SortMemory& memory)
      : problem_(problem),
        parallel_(parallel),
        memory_(memory),
        tasks_(TasksFor(parallel, problem.sites, kLeastSites)),
        index_bits_(BitsToNumber(problem.sites)) {}

  [[nodiscard]] bool Run() {
    if (!FindLimits()) return false;
    bool first = true;
    for (int end = problem_.columns; end > 0;) {
      int begin = end, bits = 0;
      while (begin > 0 && index_bits_ + bits + limits_.Bits(begin - 1) <= 64) bits += limits_.Bits(--begin);
      if (!SortBy(begin, end, bits, first)) return false;
      first = false;
      end = begin;
    }
    return ForPieces([&](Range range) {
      for (int64_t i = range.begin; i < range.end; ++i) {
        std::copy_n(problem_.indices + int64_t{problem_.order[i]} * problem_.columns, problem_.columns,
                    problem_.out_indices + i * problem_.columns);
      }
    });
  }

 private:
  template <class Body>
  [[nodiscard]] bool ForPieces(const Body& body) const {
    return parallel_.Run(tasks_, [&](int task) { body(PieceOf(problem_.sites, tasks_, task)); });
  }

  [[nodiscard]] bool FindLimits() {
    Limits found[kMaxTasks];
    if (!parallel_.Run(tasks_, [&](int task) {
          const Range range = PieceOf(problem_.sites, tasks_, task);
          found[task].Find(problem_, range.begin, range.end);
        })) {
      return false;
    }
    limits_ = found[0];
    for (int task = 1; task < tasks_; ++task) {
      for (int c = 0; c < problem_.columns; ++c) {
        limits_.least[c] = std::min(limits_.least[c], found[task].least[c]);
        limits_.most[c] = std::max(limits_.most[c], found[task].most[c]);
      }
    }
    return true;
  }

  // Sorts the order so far by the columns [begin, end); equal ones stay in it.
  [[nodiscard]] bool SortBy(int begin, int end, int bits, bool first) {
    const bool packed = ForPieces([&](Range range) {
      for (int64_t i = range.begin; i < range.end; ++i) {
        const int64_t index = first ? i : problem_.order[i];
        const int32_t* const site = problem_.indices + index * problem_.columns;
        uint64_t key = 0;
        for (int c = begin; c < end; ++c) key = key << limits_.Bits(c) | limits_.Above(c, site[c]);
        memory_.words[i] = key << index_bits_ | static_cast<uint64_t>(index);
      }
    });
    uint64_t* sorted = nullptr;
    if (!packed || !SortByBits(parallel_, memory_.words, memory_.spare, problem_.sites, index_bits_, index_bits_ + bits,
                               memory_.counters, &sorted)) {
      return false;
    }
    const uint64_t mask = (uint64_t{1} << index_bits_) - 1;
    return ForPieces([&](Range range) {
      for (int64_t i = range.begin; i < range.end; ++i) problem_.order[i] = static_cast<int32_t>(sorted[i] & mask);
    });
  }

  const SortProblem& problem_;
  const Parallel& parallel_;
  const SortMemory& memory_;
  int tasks_;
  int index_bits_;
  Limits limits_ = {};
};

}  // namespace

RunResult SortSites(const SortProblem& problem, const Parallel& parallel, Scratch& scratch) {
  const int tasks = TasksFor(parallel, problem.sites, kLeastSites);
  bool ascending[kMaxTasks];
  if (!parallel.Run(tasks, [&](int task) {
        const Range range = PieceOf(problem.sites, tasks, task);
        ascending[task] = Ascend(problem, range.begin, range.end);
      })) {
    return RunResult::kRunnerFailed;
  }
  if (std::find(ascending, ascending + tasks, false) == ascending + tasks) {
    return ResultOf(parallel.RunPieces(tasks, problem.sites, [&](Range range) {
      for (int64_t i = range.begin; i < range.end; ++i) problem.order[i] = static_cast<int32_t>(i);
      std::copy(problem.indices + range.begin * problem.columns, problem.indices + range.end * problem.columns,
                problem.out_indices + range.begin * problem.columns);
    }));
  }
  const auto make = [&](Arena& arena) { return SortMemory(problem, arena); };
  return RunPass(scratch, make,
                 [&](const SortMemory& memory) { return ResultOf(Sort(problem, parallel, memory).Run()); });
}

bool FindOutside(const int32_t* numbers, int64_t count, int64_t end, const Parallel& parallel, int64_t* bad) {
  const int tasks = TasksFor(parallel, count, 16 * kLeastSites);
  int64_t found[kMaxTasks];
  const bool looked = parallel.Run(tasks, [&](int task) {
    const Range range = PieceOf(count, tasks, task);
    const int32_t* const place = std::find_if(numbers + range.begin, numbers + range.end,
                                              [=](int32_t number) { return number < 0 || number >= end; });
    found[task] = place == numbers + range.end ? -1 : place - numbers;
  });
  *bad = -1;
  for (int task = tasks - 1; looked && task >= 0; --task) *bad = found[task] >= 0 ? found[task] : *bad;
  return looked;
}

RunResult GatherRows(const GatherProblem& problem, const Parallel& parallel) {
  const auto bytes = static_cast<int64_t>(problem.row_bytes);
  const int tasks = static_cast<int>(
      std::min<int64_t>(parallel.TaskCount(problem.rows * bytes, kLeastBytes), std::max<int64_t>(problem.rows, 1)));
  return ResultOf(parallel.RunPieces(tasks, problem.rows, [&](Range range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      std::memcpy(static_cast<std::byte*>(problem.output) + i * bytes,
                  static_cast<const std::byte*>(problem.input) + int64_t{problem.order[i]} * bytes, problem.row_bytes);
    }
  }));
}

}  // namespace detops::sort_sites
