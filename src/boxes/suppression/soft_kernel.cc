// The rounds of a contest.
#include <cstdint>
#include <limits>

#include "boxes/suppression/soft.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "boxes/suppression/soft_kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
// After foreach_target.h.
#include "boxes/shape/upright-inl.h"
#include "simd/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::boxes {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace here = detops::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;
using V = hn::Vec<Tag>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

int64_t LanesOf(Tag d) { return static_cast<int64_t>(hn::Lanes(d)); }

// The best score of a block, and its lowest index.
void Refresh(Tag d, const Contest& contest, int64_t block) {
  const int64_t begin = block * Contest::kBlock;
  V best = hn::Set(d, -kInfinity);
  for (int64_t i = begin; i < begin + Contest::kBlock; i += LanesOf(d)) {
    best = hn::Max(best, hn::LoadU(d, contest.score + i));
  }
  best = hn::MaxOfLanes(d, best);
  V index = hn::Set(d, kInfinity);
  for (int64_t i = begin; i < begin + Contest::kBlock; i += LanesOf(d)) {
    const auto equal = hn::Eq(hn::LoadU(d, contest.score + i), best);
    index = hn::Min(index, hn::IfThenElse(equal, hn::LoadU(d, contest.index + i), hn::Set(d, kInfinity)));
  }
  contest.best[block] = hn::GetLane(best);
  contest.best_index[block] = hn::GetLane(hn::MinOfLanes(d, index));
}

// Everything below the least score is out.
void RefreshAll(Tag d, const Contest& contest, double least_score) {
  const V least = hn::Set(d, least_score);
  for (int64_t i = 0; i < contest.blocks * Contest::kBlock; i += LanesOf(d)) {
    const V score = hn::LoadU(d, contest.score + i);
    hn::StoreU(hn::IfThenElse(hn::Ge(score, least), score, hn::Set(d, -kInfinity)), d, contest.score + i);
  }
  for (int64_t block = 0; block < contest.blocks; ++block) Refresh(d, contest, block);
}

// +Inf of which nothing is left is 0; -Inf, a box that is out, stays out as -Inf or NaN.
V Times(Tag d, V score, V weight) {
  const V product = hn::Mul(score, weight);
  return hn::IfThenZeroElse(hn::And(hn::IsNaN(product), hn::Gt(score, hn::Zero(d))), product);
}

template <Weakening kWeakening>
V Weakened(Tag d, const SoftRules& rules, V score, V iou) {
  switch (kWeakening) {
    case Weakening::kLinear:
      return Times(d, score, hn::Sub(hn::Set(d, 1.0), iou));
    case Weakening::kGaussian: {
      const V exponent = hn::Div(hn::Neg(hn::Mul(iou, iou)), hn::Set(d, rules.sigma));
      return Times(d, score, here::ExpNotAboveZero(d, exponent));
    }
    case Weakening::kToZero:
      return Times(d, score, hn::Zero(d));
    default:
      return hn::Set(d, -kInfinity);
  }
}

// What the winner does to one block. `everybody`: an IoU of 0 counts too, if both boxes have an area.
template <Weakening kWeakening>
void WeakenBlock(Tag d, const Contest& contest, const SoftRules& rules, const here::UprightLanes<Tag>& winner,
                 double winner_index, bool everybody, int64_t block) {
  const int64_t begin = block * Contest::kBlock;
  const V least = hn::Set(d, rules.least_score);
  bool changed = false;
  for (int64_t i = begin; i < begin + Contest::kBlock; i += LanesOf(d)) {
    const auto boxes = here::LoadUpright(d, contest.boxes, i);
    auto counts = everybody ? hn::Ne(boxes.area, hn::Zero(d)) : here::DoMeet(d, winner, boxes);
    if (hn::AllFalse(d, counts)) continue;
    const V iou = here::UprightValue<PairValue::kIou>(d, winner, boxes);
    if (kWeakening != Weakening::kGaussian) counts = hn::And(counts, hn::Ge(iou, hn::Set(d, rules.least_iou)));
    const V score = hn::LoadU(d, contest.score + i);
    const V weakened = Weakened<kWeakening>(d, rules, score, iou);
    const V kept = hn::IfThenElse(hn::Ge(weakened, least), weakened, hn::Set(d, -kInfinity));
    if (kWeakening == Weakening::kJoin) {
      const auto joins = hn::And(counts, hn::Gt(score, hn::Set(d, -kInfinity)));
      const V owner = hn::LoadU(d, contest.owner + i);
      hn::StoreU(hn::IfThenElse(joins, hn::Set(d, winner_index), owner), d, contest.owner + i);
    }
    hn::StoreU(hn::IfThenElse(counts, kept, score), d, contest.score + i);
    changed = true;
  }
  if (changed) Refresh(d, contest, block);
}

template <Weakening kWeakening>
void Weaken(Tag d, const Contest& contest, const SoftRules& rules, const UprightBox& box, double winner_index) {
  constexpr bool kWithZero = kWeakening == Weakening::kToZero || kWeakening == Weakening::kJoin;
  const bool everybody = kWithZero && rules.least_iou <= 0 && box.area != 0;
  const auto winner = here::SetUpright(d, box);
  for (int64_t block = 0; block < contest.blocks; block += LanesOf(d)) {
    const auto some = hn::Gt(hn::LoadU(d, contest.best + block), hn::Set(d, -kInfinity));
    const auto bounds = here::LoadUpright(d, contest.bounds, block);
    const auto touched = everybody ? some : hn::And(some, here::DoMeet(d, winner, bounds));
    if (hn::AllFalse(d, touched)) continue;
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, touched, bits);
    for (int64_t lane = 0; lane < LanesOf(d); ++lane) {
      if ((bits[0] >> lane & 1) == 0) continue;
      WeakenBlock<kWeakening>(d, contest, rules, winner, winner_index, everybody, block + lane);
    }
  }
}

// The block with the best score, of equal scores that with the lowest index; -1 if all boxes are out.
int64_t BestBlock(Tag d, const Contest& contest) {
  V best = hn::Set(d, -kInfinity);
  for (int64_t i = 0; i < contest.blocks; i += LanesOf(d)) best = hn::Max(best, hn::LoadU(d, contest.best + i));
  const double score = hn::GetLane(hn::MaxOfLanes(d, best));
  if (!(score > -kInfinity)) return -1;
  int64_t found = -1;
  for (int64_t i = 0; i < contest.blocks; ++i) {
    if (contest.best[i] != score) continue;
    if (found < 0 || contest.best_index[i] < contest.best_index[found]) found = i;
  }
  return found;
}

}  // namespace

Contest::Winner PlayRound(Contest& contest, const SoftRules& rules) {
  const Tag d;
  if (!contest.begun) RefreshAll(d, contest, -kInfinity);
  const int64_t block = BestBlock(d, contest);
  if (block < 0) return {-1, 0};
  int64_t place = block * Contest::kBlock;
  while (contest.index[place] != contest.best_index[block]) ++place;
  const double index = contest.index[place];
  const Contest::Winner winner = {static_cast<int64_t>(index), contest.score[place]};
  const UprightBox box = contest.boxes.Get(place);
  contest.score[place] = -kInfinity;
  Refresh(d, contest, block);
  switch (rules.weakening) {
    case Weakening::kToZero:
      Weaken<Weakening::kToZero>(d, contest, rules, box, index);
      break;
    case Weakening::kLinear:
      Weaken<Weakening::kLinear>(d, contest, rules, box, index);
      break;
    case Weakening::kGaussian:
      Weaken<Weakening::kGaussian>(d, contest, rules, box, index);
      break;
    default:
      Weaken<Weakening::kJoin>(d, contest, rules, box, index);
      break;
  }
  // Those that the first winner has not met; a negative score may have become 0 by then.
  if (!contest.begun) RefreshAll(d, contest, rules.least_score);
  contest.begun = true;
  return winner;
}

}  // namespace HWY_NAMESPACE
}  // namespace detops::boxes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::boxes {

HWY_EXPORT(PlayRound);

RoundKernel ChooseRoundKernel() { return &DETOPS_DISPATCH(PlayRound); }

}  // namespace detops::boxes
#endif  // HWY_ONCE
