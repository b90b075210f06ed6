#include "boxes/suppression/suppression.h"

#include <numeric>

namespace detops::boxes {

namespace {

constexpr int kMaxSearchTasks = 64;
// Fewer pairs than these are not worth a second thread. A box counts as some, because it has to be read.
constexpr int64_t kPairsOfATask = 32 << 10;
constexpr int64_t kPairsOfABox = 256;

}  // namespace

template <class Box>
Suppression<Box> Suppression<Box>::Take(Arena& arena, int64_t most) {
  Suppression taken = {};
  const int64_t block = std::min(most, kBlock);
  taken.kept_boxes_ = arena.Take<Box>(most);
  taken.kept_outlines_ = KeptOutlines::Take(arena, most);
  taken.boxes_ = arena.Take<Box>(block);
  taken.outlines_ = arena.Take<Outline>(block);
  taken.falls_ = arena.Take<uint8_t>(block);
  taken.recent_ = KeptOutlines::Take(arena, block);
  const int64_t sample = most < kLeastForCells ? 0 : kCellSample;
  taken.sample_ = arena.Take<Extents>(sample);
  taken.spare_ = arena.Take<double>(sample);
  return taken;
}

template <class Box>
bool Suppression<Box>::RunList(const Parallel& parallel, const SuppressionRules& rules, int64_t count,
                               const Reader& read, uint32_t* kept, SuppressionCounts* counts) const {
  *counts = {};
  const int64_t limit = rules.Limit(count);
  if (rules.threshold < 0) {
    KeepOneWithArea(limit, count, read, kept, counts);
    return true;
  }
  if (rules.threshold < 1) return RunBlocks(parallel, rules.threshold, limit, count, read, kept, counts);
  // No IoU is above such a threshold, or above NaN.
  std::iota(kept, kept + limit, 0);
  counts->kept = limit;
  return true;
}

// Every IoU is above the threshold, but a box without area has none.
template <class Box>
void Suppression<Box>::KeepOneWithArea(int64_t limit, int64_t count, const Reader& read, uint32_t* kept,
                                       SuppressionCounts* counts) const {
  bool one = false;
  for (int64_t i = 0; i < count && counts->kept < limit; ++i) {
    const bool has_area = read(i).area != 0;
    if (has_area && one) continue;
    one = one || has_area;
    kept[counts->kept++] = static_cast<uint32_t>(i);
  }
}

template <class Box>
CellPlan Suppression<Box>::Plan(int64_t count, const Reader& read) const {
  const int64_t sample = count < kLeastForCells ? 0 : kCellSample;
  for (int64_t i = 0; i < sample; ++i) sample_[i] = ExtentsOf(read(i * (count / kCellSample)));
  return PlanCells(count, sample_, sample, spare_);
}

template <class Box>
bool Suppression<Box>::CompareWithKept(const Parallel& parallel, double threshold, int64_t begin, int64_t block,
                                       const Reader& read, SuppressionKernel<Box> kernel, KeptOutlines& outlines,
                                       SuppressionCounts* counts) const {
  const int64_t pairs = counts->kept / outlines.plan().cells() + kPairsOfABox;
  const int tasks = std::min(parallel.TaskCount(block, kPairsOfATask / pairs), kMaxSearchTasks);
  SuppressionCounts of_task[kMaxSearchTasks];
  const bool ran = parallel.Run(tasks, [&](int task) {
    const Range range = PieceOf(block, tasks, task);
    for (int64_t i = range.begin; i < range.end; ++i) {
      boxes_[i] = read(begin + i);
      falls_[i] = 0;
      if (boxes_[i].area != 0) outlines_[i] = OutlineOf(boxes_[i], threshold);
    }
    kernel({threshold, &outlines, kept_boxes_, boxes_, outlines_, range.begin, range.end, falls_}, &of_task[task]);
  });
  for (int task = 0; task < tasks; ++task) {
    counts->tested += of_task[task].tested;
    counts->computed += of_task[task].computed;
  }
  return ran;
}

template <class Box>
bool Suppression<Box>::RunBlocks(const Parallel& parallel, double threshold, int64_t limit, int64_t count,
                                 const Reader& read, uint32_t* kept, SuppressionCounts* counts) const {
  const SuppressionKernel<Box> kernel = ChooseSuppressionKernel<Box>();
  KeptOutlines outlines = kept_outlines_;
  KeptOutlines recent = recent_;
  outlines.Reset(Plan(count, read));
  for (int64_t begin = 0; begin < count && counts->kept < limit; begin += kBlock) {
    const int64_t block = std::min(kBlock, count - begin);
    if (!CompareWithKept(parallel, threshold, begin, block, read, kernel, outlines, counts)) return false;
    recent.Reset(CellPlan());
    for (int64_t i = 0; i < block && counts->kept < limit; ++i) {
      kernel({threshold, &recent, kept_boxes_, boxes_, outlines_, i, i + 1, falls_}, counts);
      if (falls_[i] != 0) continue;
      const auto id = static_cast<uint32_t>(counts->kept++);
      kept[id] = static_cast<uint32_t>(begin + i);
      if (boxes_[i].area == 0) continue;
      kept_boxes_[id] = boxes_[i];
      const Extents extents = ExtentsOf(boxes_[i]);
      recent.Add(outlines_[i], extents, id);
      outlines.Add(outlines_[i], extents, id);
    }
  }
  return true;
}

template class Suppression<UprightBox>;
template class Suppression<RotatedBox>;
template class Suppression<Quad>;

}  // namespace detops::boxes
