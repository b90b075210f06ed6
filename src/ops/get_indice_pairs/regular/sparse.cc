// The regular convolution with a sorted list of the words of the output space that have sites.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "core/arena.h"
#include "ops/get_indice_pairs/lists.h"
#include "ops/get_indice_pairs/regular/geometry.h"
#include "ops/get_indice_pairs/regular/pass.h"

namespace detops::get_indice_pairs {
namespace {

constexpr int64_t kMinTaskSites = 512;

struct SiteWord {
  int64_t number;  // sites [64 * number, 64 * number + 64)
  uint64_t bits;
};

// Where a word was seen last. Neighbours reach the same few words again and again.
class RecentWords {
 public:
  RecentWords() { Forget(); }
  void Forget() { std::fill_n(place_, kEntries, 0); }
  int64_t& operator[](int64_t word) {
    return place_[static_cast<uint64_t>(word) * 0x9E3779B97F4A7C15u >> (64 - kEntryBits)];
  }

 private:
  static constexpr int kEntryBits = 10;
  static constexpr int kEntries = 1 << kEntryBits;
  int64_t place_[kEntries];
};

// A growing set of sites. Words are collected in any order and more than once; when the list is full they are sorted
// and equal ones united, and only if that leaves little room the list grows. So its size follows the number of
// different words, not the number of times they are reached.
class SiteWords {
 public:
  SiteWords() = default;
  ~SiteWords() { std::free(words_); }
  SiteWords(const SiteWords&) = delete;
  SiteWords& operator=(const SiteWords&) = delete;

  // False if memory is short.
  [[nodiscard]] bool Add(int64_t site) {
    const int64_t number = site / 64;
    const uint64_t bit = uint64_t{1} << (site % 64);
    int64_t& place = recent_[number];
    if (place < count_ && words_[place].number == number) {
      words_[place].bits |= bit;
      return true;
    }
    if (count_ == capacity_ && !MakeRoom()) return false;
    place = count_;
    words_[count_++] = {number, bit};
    return true;
  }

  // Sorts and unites; then the words are final.
  void Unite() {
    std::sort(words_, words_ + count_, [](const SiteWord& a, const SiteWord& b) { return a.number < b.number; });
    int64_t kept = 0;
    for (int64_t i = 0; i < count_; ++i) {
      if (kept > 0 && words_[kept - 1].number == words_[i].number) {
        words_[kept - 1].bits |= words_[i].bits;
      } else {
        words_[kept++] = words_[i];
      }
    }
    count_ = kept;
    recent_.Forget();
  }

  const SiteWord* words() const { return words_; }
  int64_t count() const { return count_; }

 private:
  bool MakeRoom() {
    if (count_ > 0) Unite();
    if (count_ <= capacity_ / 3 * 2 && capacity_ > 0) return true;
    const int64_t wanted = std::max<int64_t>(1024, count_ / 2 * 3);
    void* grown = std::realloc(words_, static_cast<size_t>(wanted) * sizeof(SiteWord));
    if (grown == nullptr) return false;
    words_ = static_cast<SiteWord*>(grown);
    capacity_ = wanted;
    return true;
  }

  SiteWord* words_ = nullptr;
  int64_t count_ = 0;
  int64_t capacity_ = 0;
  RecentWords recent_;
};

// Output indices of sites.
class Ranks {
 public:
  Ranks(const SiteWords& words, const int32_t* before) : words_(words), before_(before) {}

  int32_t Of(int64_t site) {
    const int64_t number = site / 64;
    int64_t& place = recent_[number];
    const SiteWord* const all = words_.words();
    if (all[place].number != number) {
      place = std::lower_bound(all, all + words_.count(), number,
                               [](const SiteWord& word, int64_t wanted) { return word.number < wanted; }) -
              all;
    }
    return before_[place] + std::popcount(all[place].bits & ((uint64_t{1} << (site % 64)) - 1));
  }

 private:
  const SiteWords& words_;
  const int32_t* before_;
  RecentWords recent_;
};

// Writes the coordinates of all sites of words [begin, end).
void WriteSites(const GetIndicePairsProblem& problem, const SiteWords& words, const int32_t* before, Range range) {
  const int columns = problem.columns();
  for (int64_t i = range.begin; i < range.end; ++i) {
    int32_t* out = problem.out_indices + int64_t{before[i]} * columns;
    for (uint64_t bits = words.words()[i].bits; bits != 0; bits &= bits - 1, out += columns) {
      SiteCoordinates(problem, words.words()[i].number * 64 + std::countr_zero(bits), out);
    }
  }
}

// All outputs, once the words are known: `before` becomes the number of sites in the words before each.
RunResult WritePairs(const GetIndicePairsProblem& problem, const Parallel& parallel, const SiteWords& words, int tasks,
                     int32_t* before, PairListBuilder& lists, int64_t outputs) {
  int32_t rank = 0;
  for (int64_t i = 0; i < words.count(); ++i) {
    before[i] = rank;
    rank += std::popcount(words.words()[i].bits);
  }
  const int parts = parallel.TaskCount(words.count(), kMinTaskSites);
  const auto write_sites = [&](int part) { WriteSites(problem, words, before, PieceOf(words.count(), parts, part)); };
  const auto append_pairs = [&](int task) {
    const Range range = PieceOf(problem.sites, tasks, task);
    lists.Start(task, range.begin);
    int32_t* const list = lists.begin(task);
    int32_t* const counts = lists.counts(task);
    Ranks ranks(words, before);
    int32_t index = 0;
    const auto append = [&](int64_t offset, int64_t site) {
      int32_t* const head = list + offset * 2 * problem.sites + counts[offset]++;
      head[0] = index;
      head[problem.sites] = ranks.Of(site);
    };
    ReachedSites reached_here(problem, append);
    for (int64_t i = range.begin; i < range.end; ++i) {
      index = static_cast<int32_t>(i);
      reached_here.Of(problem.indices + i * problem.columns());
    }
  };
  if (!parallel.Run(tasks, append_pairs)) return RunResult::kRunnerFailed;
  // This may need memory, and then nothing has been written.
  const RunResult finished = problem.rulebook != nullptr ? lists.FinishRulebook(parallel, false, outputs)
                                                         : ResultOf(lists.Finish(parallel, false, {}));
  if (finished != RunResult::kDone) return finished;
  return ResultOf(parallel.Run(parts, write_sites) && FillUnusedRows(problem, parallel, outputs));
}

}  // namespace

RunResult GetRegularPairsSparse(const GetIndicePairsProblem& given, const Parallel& parallel, Scratch& scratch,
                                bool count_only, int64_t* outputs) {
  GetIndicePairsProblem problem = given;
  SiteWords words;
  bool enough = true;
  const auto add = [&](int64_t, int64_t site) { enough = enough && words.Add(site); };
  ReachedSites reached(problem, add);
  for (int64_t i = 0; i < problem.sites && enough; ++i) reached.Of(problem.indices + i * problem.columns());
  if (!enough) return RunResult::kNoMemory;
  words.Unite();
  *outputs = 0;
  for (int64_t i = 0; i < words.count(); ++i) *outputs += std::popcount(words.words()[i].bits);
  if (count_only || !OutputsFit(problem, *outputs)) return RunResult::kDone;

  const int tasks = PairListBuilder::TaskLimit(problem, parallel.TaskCount(problem.sites, kMinTaskSites));
  const auto make = [&](Arena& arena) {
    auto* const before = arena.Take<int32_t>(words.count());
    if (problem.rulebook != nullptr) problem.pairs = TakePairs(problem, arena);
    return std::pair(before, PairListBuilder(problem, tasks, arena));
  };
  return RunPass(scratch, make, [&](std::pair<int32_t*, PairListBuilder>& made) {
    auto& [before, lists] = made;
    return WritePairs(problem, parallel, words, tasks, before, lists, *outputs);
  });
}

}  // namespace detops::get_indice_pairs
