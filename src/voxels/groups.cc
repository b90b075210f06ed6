#include "voxels/groups.h"

#include <algorithm>
#include <utility>

#include "core/bit_sort.h"
#include "voxels/point_keys.h"

namespace detops::voxels {
namespace {

constexpr int64_t kMinTaskPoints = 4 << 10;

// A table that is half full takes half a step per point beyond the first look, on average over keys that nobody chose.
// A bucket that takes so many is sorted instead, and so is one whose table no cache would hold.
constexpr int64_t kProbesPerPoint = 4;
constexpr int64_t kMaxTablePoints = 64 << 10;

// All bits of the key reach all bits of the result: its high ones choose the bucket, its low ones a place there.
// Anybody can find keys that share both, so nothing but speed may rest on it: see kProbesPerPoint.
uint64_t Hash(uint64_t key) {
  key ^= key >> 32;
  key *= 0x9E3779B97F4A7C15u;
  key ^= key >> 29;
  key *= 0xBF58476D1CE4E5B9u;
  return key ^ key >> 32;
}

template <typename Word>
class Grouping {
 public:
  Grouping(const PointToVoxelProblem& problem, const CloudRanges& clouds, const Parallel& parallel,
           const GroupScratch& scratch, VoxelGroups& groups)
      : problem_(problem),
        clouds_(clouds),
        parallel_(parallel),
        words_(static_cast<Word*>(scratch.words)),
        dealt_(static_cast<Word*>(scratch.spare)),
        counters_(scratch.counters),
        groups_(groups),
        point_bits_(PointBits(problem)),
        key_bits_(KeysOf(problem).bits()) {
    // Buckets whose table stays in the first-level cache, and counters that do.
    constexpr int64_t kBucketPoints = 128;
    bucket_bits_ = std::min(BitsToNumber(problem.points / kBucketPoints), kMaxDigitBits);
    tasks_ = std::min({parallel.TaskCount(problem.points, kMinTaskPoints), parallel.ThreadCount(), kMaxSortTasks});
  }

  bool Run() { return MakeWords() && Deal() && Group(); }

 private:
  int64_t Buckets() const { return int64_t{1} << bucket_bits_; }
  uint64_t KeyOf(Word word) const { return static_cast<uint64_t>(word >> point_bits_); }
  Word PointMask() const { return (Word{1} << point_bits_) - 1; }
  int64_t BucketOf(uint64_t hash) const { return static_cast<int64_t>(hash >> 1 >> (63 - bucket_bits_)); }
  // What a word becomes when its group is known.
  static Word Found(uint32_t group, uint32_t point) { return static_cast<Word>(uint64_t{group} << 32 | point); }
  static uint32_t GroupOf(Word found) { return static_cast<uint32_t>(static_cast<uint64_t>(found) >> 32); }
  static uint32_t PointOf(Word found) { return static_cast<uint32_t>(found); }
  Range PointsOf(int task) const { return PieceOf(problem_.points, tasks_, task); }
  uint32_t* CountersOf(int task) const { return counters_ + task * Buckets(); }

  // Each task puts its words down from its first point on, and counts them by bucket.
  bool MakeWords() {
    return parallel_.Run(tasks_, [&](int task) {
      const Range range = PointsOf(task);
      Word* const words = words_ + range.begin;
      counts_[task] =
          WithElementType(problem_.type, [&]<typename T>() { return WriteWords<T>(problem_, clouds_, range, words); });
      uint32_t* const counters = CountersOf(task);
      std::fill_n(counters, Buckets(), 0);
      for (int64_t i = 0; i < counts_[task]; ++i) ++counters[BucketOf(Hash(KeyOf(words[i])))];
      std::fill(groups_.led_group + range.begin, groups_.led_group + range.end, -1);
      if (problem_.point_voxel == nullptr) return;
      std::fill(problem_.point_voxel + range.begin, problem_.point_voxel + range.end, -1);
    });
  }

  // Counts become places: by bucket, and in a bucket by task, so that points stay in order.
  bool Deal() {
    uint32_t place = 0;
    for (int64_t bucket = 0; bucket < Buckets(); ++bucket) {
      for (int task = 0; task < tasks_; ++task) place += std::exchange(CountersOf(task)[bucket], place);
    }
    return parallel_.Run(tasks_, [&](int task) {
      const Word* const words = words_ + PointsOf(task).begin;
      uint32_t* const places = CountersOf(task);
      for (int64_t i = 0; i < counts_[task]; ++i) dealt_[places[BucketOf(Hash(KeyOf(words[i])))]++] = words[i];
    });
  }

  // After Deal each counter of the last task is the end of its bucket.
  int64_t BucketEnd(int64_t bucket) const { return bucket < 0 ? 0 : CountersOf(tasks_ - 1)[bucket]; }

  bool Group() {
    constexpr int kMaxPieces = 256;
    const int wanted = std::min(parallel_.TaskCount(BucketEnd(Buckets() - 1), kMinTaskPoints), kMaxPieces);
    const auto pieces = static_cast<int>(std::min<int64_t>(wanted, Buckets()));
    int64_t found[kMaxPieces];
    const bool done = parallel_.Run(pieces, [&](int piece) {
      const Range buckets = PieceOf(Buckets(), pieces, piece);
      // There are not more groups than points before them, so no other piece uses these.
      const int64_t first = BucketEnd(buckets.begin - 1);
      int64_t next = first;
      for (int64_t bucket = buckets.begin; bucket < buckets.end; ++bucket) {
        next += GroupBucket({BucketEnd(bucket - 1), BucketEnd(bucket)}, next);
      }
      found[piece] = next - first;
    });
    if (!done) return false;
    groups_.count = 0;
    for (int piece = 0; piece < pieces; ++piece) groups_.count += found[piece];
    return true;
  }

  // Finds the groups of a bucket and numbers them from `first` on; gives their number.
  int64_t GroupBucket(Range range, int64_t first) {
    VoxelGroup* const groups = groups_.groups + first;
    Word* const words = dealt_ + range.begin;
    const int64_t count = range.end - range.begin;
    int64_t found = count <= kMaxTablePoints ? FindGroups(range, first, groups) : -1;
    if (found < 0) found = SortGroups(range, first, groups);
    int64_t begin = range.begin;
    for (int64_t g = 0; g < found; ++g) {
      groups[g].begin = static_cast<int32_t>(begin);
      begin += groups[g].count;
    }
    for (int64_t i = 0; i < count; ++i) {
      VoxelGroup& group = groups[GroupOf(words[i])];
      groups_.points[group.begin++] = static_cast<int32_t>(PointOf(words[i]));
    }
    for (int64_t g = 0; g < found; ++g) groups[g].begin -= groups[g].count;
    return found;
  }

  // Keys and counts of the groups. The words become their group above their point. -1 if too many keys want the same
  // places of the table: then the words are as they were.
  int64_t FindGroups(Range range, int64_t first, VoxelGroup* groups) {
    Word* const words = dealt_ + range.begin;
    const int64_t count = range.end - range.begin;
    // The words before they were dealt out are of no use any more: twice as many 32-bit numbers fit there.
    auto* const table = reinterpret_cast<uint32_t*>(words_ + range.begin);
    const auto slots = static_cast<uint64_t>(2 * count);
    std::fill_n(table, slots, 0);
    // Members would be read again for every point, as far as the compiler can tell.
    const Word point_mask = PointMask();
    const int point_bits = point_bits_;
    int32_t* const led_group = groups_.led_group;
    int64_t probes = kProbesPerPoint * count;
    uint32_t found = 0;
    for (int64_t i = 0; i < count; ++i) {
      const auto key = static_cast<uint64_t>(words[i] >> point_bits);
      const auto point = static_cast<uint32_t>(words[i] & point_mask);
      uint64_t slot = (Hash(key) & UINT32_MAX) * slots >> 32;
      // Whether a voxel is new is a coin toss, so there is no branch on it: the next free group gets the key in any
      // case, and an empty slot, which is 0 and becomes the largest number here, stands for it.
      groups[found] = {key, 0, 0};
      uint32_t group = std::min(table[slot] - 1, found);
      while (groups[group].key != key) {
        slot = slot + 1 == slots ? 0 : slot + 1;
        group = std::min(table[slot] - 1, found);
        if (--probes < 0) [[unlikely]] {
          TakeBack(words, i, groups);
          return -1;
        }
      }
      const uint32_t is_new = group == found ? 1 : 0;
      table[slot] = group + 1;
      led_group[point] = static_cast<int32_t>(static_cast<uint32_t>(first + found) | (is_new - 1));  // or -1
      found += is_new;
      ++groups[group].count;
      words[i] = Found(group, point);
    }
    return found;
  }

  // Words that became their group become themselves again.
  [[gnu::noinline]] void TakeBack(Word* words, int64_t count, const VoxelGroup* groups) const {
    for (int64_t i = 0; i < count; ++i) {
      words[i] = static_cast<Word>(groups[GroupOf(words[i])].key) << point_bits_ | PointOf(words[i]);
    }
  }

  // What FindGroups does, by a sort, which takes the same time whatever the keys are.
  [[gnu::noinline]] int64_t SortGroups(Range range, int64_t first, VoxelGroup* groups) {
    Word* const words = dealt_ + range.begin;
    const int64_t count = range.end - range.begin;
    uint32_t counters[1 << kMaxDigitBits];
    Word* sorted = nullptr;
    // The runner of one thread cannot fail.
    static_cast<void>(SortByBits(Parallel(1), words, words_ + range.begin, count, point_bits_, point_bits_ + key_bits_,
                                 counters, &sorted));
    const Word point_mask = PointMask();
    int64_t found = 0;
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t key = KeyOf(sorted[i]);
      const auto point = static_cast<uint32_t>(sorted[i] & point_mask);
      const bool is_new = found == 0 || key != groups[found - 1].key;
      if (is_new) groups[found++] = {key, 0, 0};
      groups_.led_group[point] = is_new ? static_cast<int32_t>(first + found - 1) : -1;
      ++groups[found - 1].count;
      words[i] = Found(static_cast<uint32_t>(found - 1), point);
    }
    return found;
  }

  const PointToVoxelProblem& problem_;
  const CloudRanges& clouds_;
  const Parallel& parallel_;
  Word* words_;
  Word* dealt_;
  uint32_t* counters_;
  VoxelGroups& groups_;
  const int point_bits_, key_bits_;
  int bucket_bits_;
  int tasks_;
  int64_t counts_[kMaxSortTasks] = {};
};

}  // namespace

void CloudRanges::Set(const PointToVoxelProblem& problem) {
  int64_t begin = 0;
  for (int64_t cloud = 0; cloud < problem.clouds; ++cloud) {
    if (cloud > 0) begin = std::clamp<int64_t>(problem.cloud_begins[cloud], begin, problem.points);
    begins[cloud] = begin;
  }
  begins[problem.clouds] = problem.points;
}

bool WordsOf64Bits(const PointToVoxelProblem& problem) { return KeysOf(problem).bits() + PointBits(problem) <= 64; }

void GroupScratch::Take(const PointToVoxelProblem& problem, Arena& arena) {
  const int64_t word_bytes = WordsOf64Bits(problem) ? 8 : 16;
  words = arena.Take<char>(problem.points * word_bytes);
  spare = arena.Take<char>(problem.points * word_bytes);
  counters = arena.Take<uint32_t>(kSortCounters);
}

void TakeGroups(const PointToVoxelProblem& problem, Arena& arena, VoxelGroups& groups) {
  groups.groups = arena.Take<VoxelGroup>(problem.points);
  groups.points = arena.Take<int32_t>(problem.points);
  groups.led_group = arena.Take<int32_t>(problem.points);
}

bool GroupPoints(const PointToVoxelProblem& problem, const CloudRanges& clouds, const Parallel& parallel,
                 const GroupScratch& scratch, VoxelGroups& groups) {
  return WordsOf64Bits(problem) ? Grouping<uint64_t>(problem, clouds, parallel, scratch, groups).Run()
                                : Grouping<unsigned __int128>(problem, clouds, parallel, scratch, groups).Run();
}

}  // namespace detops::voxels
