#include "boxes/suppression/soft.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/checked_math.h"
#include "core/element_type.h"

namespace detops::boxes {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 32 bits that ascend with the number.
uint32_t Ascending(double number) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(std::clamp(number, -1e38, 1e38)));
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

uint64_t Key(double number, uint64_t index) { return uint64_t{Ascending(number)} << 32 | (index & 0xffffffff); }

// Where a box lies along an axis. Boxes without area come last.
double Middle(const double* low, const double* high, int64_t at) {
  return low[at] < high[at] ? low[at] / 2 + high[at] / 2 : kInfinity;
}

// Orders the indices [0, count) of candidates, which stand in `order`, so that neighbours in the list are neighbours in
// the plane: in strips of boxes of about the same height, and by x within a strip.
void Arrange(const UprightPlanes& boxes, int64_t first, uint64_t* order, int64_t count) {
  const int64_t blocks = DivideRoundUp(count, Contest::kBlock);
  // Few boxes need no order; more than 32 bits can number have none.
  if (blocks <= 2 || boxes.count > int64_t{UINT32_MAX}) return;
  const auto by = [&](const double* low, const double* high, uint64_t* begin, uint64_t* end) {
    for (uint64_t* each = begin; each != end; ++each) {
      const uint64_t index = *each & 0xffffffff;
      *each = Key(Middle(low, high, first + static_cast<int64_t>(index)), index);
    }
    std::sort(begin, end);
  };
  by(boxes.y_min, boxes.y_max, order, order + count);
  const auto strips = static_cast<int64_t>(std::sqrt(static_cast<double>(blocks)));
  const int64_t length = DivideRoundUp(blocks, strips) * Contest::kBlock;
  for (int64_t begin = 0; begin < count; begin += length) {
    by(boxes.x_min, boxes.x_max, order + begin, order + std::min(begin + length, count));
  }
  for (int64_t i = 0; i < count; ++i) order[i] &= 0xffffffff;
}

}  // namespace

Contest Contest::Take(Arena& arena, int64_t most) {
  const int64_t padded = SaturatingAdd(most, kBlock);
  const int64_t blocks = padded / kBlock;
  const int64_t padded_blocks = SaturatingAdd(blocks, kPlanePadding);
  Contest contest = {};
  contest.boxes = UprightPlanes::Take(arena, padded);
  for (double** plane : {&contest.score, &contest.index, &contest.owner}) *plane = arena.Take<double>(padded);
  contest.bounds = UprightPlanes::Take(arena, blocks);
  for (double** plane : {&contest.best, &contest.best_index}) *plane = arena.Take<double>(padded_blocks);
  contest.order = arena.Take<uint64_t>(most);
  return contest;
}

void Begin(Contest& contest, const UprightPlanes& boxes, int64_t first, int64_t count, const double* scores,
           const SoftRules& rules) {
  int64_t candidates = 0;
  for (int64_t i = 0; i < count; ++i) {
    const bool takes_part = rules.first_counts_always ? scores[i] > -kInfinity : scores[i] >= rules.least_score;
    if (takes_part) contest.order[candidates++] = static_cast<uint64_t>(i);
  }
  Arrange(boxes, first, contest.order, candidates);
  const UprightBox none = MakeUprightBox(0, 0, 0, 0, 0);
  contest.count = candidates;
  contest.blocks = DivideRoundUp(candidates, Contest::kBlock);
  contest.begun = false;
  for (int64_t i = 0; i < contest.blocks * Contest::kBlock; ++i) {
    const bool filled = i < candidates;
    const int64_t index = filled ? static_cast<int64_t>(contest.order[i]) : 0;
    contest.boxes.Set(i, filled ? boxes.Get(first + index) : none);
    contest.score[i] = filled ? scores[index] : -kInfinity;
    contest.index[i] = filled ? static_cast<double>(index) : kInfinity;
    contest.owner[i] = contest.index[i];
  }
  contest.bounds.count = contest.blocks;
  for (int64_t block = 0; block < contest.blocks; ++block) {
    UprightBox bounds = none;
    for (int64_t i = block * Contest::kBlock; i < (block + 1) * Contest::kBlock; ++i) {
      const UprightBox box = contest.boxes.Get(i);
      bounds = {std::min(bounds.x_min, box.x_min), std::min(bounds.y_min, box.y_min), std::max(bounds.x_max, box.x_max),
                std::max(bounds.y_max, box.y_max), 0};
    }
    contest.bounds.Set(block, bounds);
  }
  contest.bounds.Pad();
  std::fill_n(contest.best + contest.blocks, kPlanePadding, -kInfinity);
  std::fill_n(contest.best_index + contest.blocks, kPlanePadding, kInfinity);
}

void ReadScores(mluOpDataType_t type, const void* data, int64_t first, int64_t count, double* scores) {
  WithElementType(type, [&]<typename T>() {
    for (int64_t i = 0; i < count; ++i) scores[i] = static_cast<double>(LoadReal<T>(data, first + i));
  });
}

ScoredBoxes ScoredBoxes::Take(Arena& arena, int64_t count) {
  return {UprightPlanes::Take(arena, count), arena.Take<double>(count), Contest::Take(arena, count)};
}

bool ScoredBoxes::Read(const BoxTensors& tensors, const Parallel& parallel) const {
  constexpr int64_t kLeastBoxes = 4096;  // below this one thread is done before another has started
  boxes.Pad();
  return parallel.RunItems(boxes.count, kLeastBoxes, [&](Range piece) {
    FillUpright(boxes, tensors.boxes_type, tensors.boxes, tensors.offset, piece.begin, piece.end);
    ReadScores(tensors.scores_type, tensors.scores, piece.begin, piece.end - piece.begin, scores + piece.begin);
  });
}

}  // namespace detops::boxes
