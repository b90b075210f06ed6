// The regular convolution, one group of batches after the other. Sites of different batches never meet, so each thread
// takes a group by itself, with a bit for every site of that group only: nothing is shared between threads, and the
// bits stay in the caches instead of growing with the number of batches. In between the words that are not 0 are kept
// as a list, in the place where the words of all sites would be.
#include <algorithm>
#include <atomic>
#include <utility>

#include "core/arena.h"
#include "core/dynamic_tasks.h"
#include "ops/get_indice_pairs/lists.h"
#include "ops/get_indice_pairs/regular/bits.h"
#include "ops/get_indice_pairs/regular/pass.h"

namespace detops::get_indice_pairs {
namespace {

// What should stay in the second- or third-level cache.
constexpr int64_t kCachedWords = 1 << 18;  // 2 MiB

int64_t BatchesOfGroup(const GetIndicePairsProblem& problem, int threads) {
  const int64_t words = DivideRoundUp(SitesOfBatch(problem), 64);
  const int64_t fit = std::max<int64_t>(1, kCachedWords / words);
  // Enough groups that threads that finish early find something to do, but not too many.
  const int64_t even = std::max<int64_t>(1, problem.batch / (int64_t{4} * threads));
  const int64_t most_groups = PairListBuilder::TaskLimit(problem, static_cast<int>(kMaxBatchGroups));
  return std::max(std::min(fit, even), DivideRoundUp(problem.batch, most_groups));
}

// A group of batches, as far as it is known.
struct Group {
  Range inputs;
  int64_t word_begin, word_end;  // of the sites of all batches
  int64_t outputs;               // then those of the groups before
  int64_t used_words;
};

class BatchGroups {
 public:
  BatchGroups(const GetIndicePairsProblem& problem, const Parallel& parallel) : problem_(problem), parallel_(parallel) {
    const int threads = parallel.ThreadCount();
    batches_ = BatchesOfGroup(problem, threads);
    count_ = static_cast<int>(DivideRoundUp(problem.batch, batches_));
    workers_ = std::min(count_, threads);
    // Batches may begin inside a word.
    group_words_ = DivideRoundUp(batches_ * SitesOfBatch(problem), 64) + 1;
  }

  // Not if the words of all batches fit the caches together, nor if groups are so few that threads would be without
  // work; and the memory of the workers must be there.
  bool AreWorthIt() const {
    const int64_t threads = parallel_.ThreadCount();
    if (WordCount(problem_) < kCachedWords / 4 || count_ < 2 * threads) return false;
    const int64_t own_bytes = workers_ * group_words_ * int64_t{sizeof(uint64_t) + sizeof(int32_t)} +
                              count_ * RegularPieces::BytesOfPiece(problem_);
    return MoreBytesFit(problem_, own_bytes);
  }

  // *can_be_done becomes false if the inputs are not in order, or too uneven.
  RunResult Run(Scratch& scratch, bool count_only, int64_t* outputs, bool* can_be_done) {
    if (!TakeFromScratch(scratch, [&](Arena& arena) { Take(arena); })) return RunResult::kNoMemory;
    if (problem_.workspace != nullptr) {
      Arena arena(problem_.workspace);
      kept_ = TakeSiteBits(problem_, arena);
    }
    pieces_.Prepare();
    *can_be_done = FindGroups();
    if (!*can_be_done) return RunResult::kDone;
    std::atomic<bool> in_order{true};
    if (!RunDynamic(parallel_, workers_, count_, [&](int worker, int64_t group) {
          if (in_order.load(std::memory_order_relaxed) && !Mark(worker, static_cast<int>(group))) in_order = false;
        })) {
      return RunResult::kRunnerFailed;
    }
    *can_be_done = in_order;
    if (!in_order) return RunResult::kDone;
    *outputs = 0;
    for (int group = 0; group < count_; ++group) *outputs += std::exchange(groups_[group].outputs, *outputs);
    if (count_only || !OutputsFit(problem_, *outputs)) return RunResult::kDone;
    if (!pieces_.Place(*outputs)) return RunResult::kNoMemory;
    // Appending computes, filling waits for memory: side by side they take less time than one after the other.
    const int64_t items = count_ + problem_.offsets;
    const bool done = RunDynamic(parallel_, workers_, items,
                                 [&](int worker, int64_t item) {
                                   const int64_t groups_before = item * count_ / items;
                                   if ((item + 1) * count_ / items > groups_before) {
                                     Append(worker, static_cast<int>(groups_before));
                                   } else {
                                     FillTail(problem_, item - groups_before);
                                   }
                                 }) &&
                      FillUnusedRows(problem_, parallel_, *outputs);
    return ResultOf(done);
  }

 private:
  void Take(Arena& arena) {
    pieces_ = RegularPieces(problem_, count_, arena);
    groups_ = arena.Take<Group>(count_);
    own_.words = arena.Take<uint64_t>(workers_ * group_words_);
    own_.ranks = arena.Take<int32_t>(workers_ * group_words_);
    if (problem_.workspace == nullptr) kept_ = TakeSiteBits(problem_, arena);
  }

  int32_t BatchOf(int64_t input) const { return problem_.indices[input * problem_.columns()]; }

  // If the batches ascend: where each group begins. False if they obviously do not, or if one group has more than a
  // thread's share of the inputs.
  bool FindGroups() {
    int64_t begin = 0, largest = 0;
    const int64_t sites = SitesOfBatch(problem_);
    for (int g = 0; g < count_; ++g) {
      const int64_t first = g * batches_, last = std::min(first + batches_, problem_.batch);
      int64_t low = begin, high = problem_.sites;
      while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (BatchOf(middle) < last) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      groups_[g] = {{begin, low}, first * sites / 64, DivideRoundUp(last * sites, 64), 0, 0};
      largest = std::max(largest, low - begin);
      begin = low;
    }
    return begin == problem_.sites && largest <= DivideRoundUp(problem_.sites, parallel_.ThreadCount());
  }

  // A group's list of words in `kept_`; it shares a word with the group before and one with the next.
  int64_t KeptBegin(int group) const { return groups_[group].word_begin + group; }

  // Marks what the inputs of a group reach. False if some are not of its batches.
  bool Mark(int worker, int number) {
    Group& group = groups_[number];
    const int64_t first = number * batches_, last = first + batches_;
    bool belong = true;
    for (int64_t i = group.inputs.begin; i < group.inputs.end; ++i) belong &= BatchOf(i) >= first && BatchOf(i) < last;
    if (!belong) return false;
    const int64_t words = group.word_end - group.word_begin;
    uint64_t* const own = own_.words + worker * group_words_;
    std::fill_n(own, words, 0);
    pieces_.Mark(number, group.inputs, own - group.word_begin, false);
    const int64_t kept = KeptBegin(number);
    group.used_words = problem_.kernels.keep_words(own, words, kept_.words + kept, kept_.ranks + kept, &group.outputs);
    return true;
  }

  void Append(int worker, int number) {
    const Group& group = groups_[number];
    const SiteBits own = {own_.words + worker * group_words_, own_.ranks + worker * group_words_};
    const uint64_t* const words = kept_.words + KeptBegin(number);
    const int32_t* const places = kept_.ranks + KeptBegin(number);
    // What is not in the list is not asked for either.
    int32_t* out = problem_.out_indices + group.outputs * problem_.columns();
    for (int64_t i = 0; i < group.used_words; ++i) {
      own.words[places[i]] = words[i];
      own.ranks[places[i]] = static_cast<int32_t>((out - problem_.out_indices) / problem_.columns());
      out = WriteSitesOfWord(problem_, (group.word_begin + places[i]) * 64, words[i], out);
    }
    pieces_.Append(number, group.inputs, {own.words - group.word_begin, own.ranks - group.word_begin});
  }

  const GetIndicePairsProblem& problem_;
  const Parallel& parallel_;
  int64_t batches_;  // of a group
  int count_;
  int workers_;
  int64_t group_words_;
  RegularPieces pieces_;  // one per group
  Group* groups_ = nullptr;
  SiteBits own_ = {};   // [workers][group_words]
  SiteBits kept_ = {};  // words that are not 0, and their places in their group
};

}  // namespace

bool GetRegularPairsByBatch(const GetIndicePairsProblem& problem, const Parallel& parallel, Scratch& scratch,
                            bool count_only, int64_t* outputs, RunResult* result) {
  BatchGroups groups(problem, parallel);
  if (!groups.AreWorthIt()) return false;
  bool can_be_done = false;
  *result = groups.Run(scratch, count_only, outputs, &can_be_done);
  // Where memory is short the other algorithm may need less.
  return *result == RunResult::kDone ? can_be_done : *result != RunResult::kNoMemory;
}

}  // namespace detops::get_indice_pairs
