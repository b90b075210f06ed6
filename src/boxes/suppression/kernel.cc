#include "boxes/suppression/kernel.h"

#include <type_traits>

#include "boxes/polygon/quad.h"
#include "boxes/shape/rotated.h"
#include "boxes/shape/upright.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "boxes/suppression/kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
// After foreach_target.h.
#include "boxes/shape/rotated-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::boxes {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace vectors = detops::HWY_NAMESPACE;

// An upright box's IoU follows from the overlap of the bounds, which is not above an area: one comparison less.
enum class Test { kOverlap, kOverlapAndAreas, kMeet };

// One candidate's outline in every lane.
template <Test kTest>
class Candidate {
  using D = hn::CappedTag<float, OutlineChunk::kSize>;
  using V = hn::Vec<D>;

 public:
  HWY_INLINE explicit Candidate(const Outline& outline)
      : x_min_(hn::Set(D(), outline.x_min)),
        y_min_(hn::Set(D(), outline.y_min)),
        x_max_(hn::Set(D(), outline.x_max)),
        y_max_(hn::Set(D(), outline.y_max)),
        area_(hn::Set(D(), outline.area)),
        share_(hn::Set(D(), outline.share)) {}

  // A bit for each outline of the chunk that passes.
  HWY_INLINE uint32_t Passing(const OutlineChunk& chunk) const {
    const D d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    uint32_t bits = 0;
    if (lanes * 2 <= OutlineChunk::kSize && lanes > 1) {
      // Two vectors at a time, and one question for both: hardly any outline passes.
      for (int i = 0; i < OutlineChunk::kSize; i += 2 * lanes) {
        const auto low = Passes(chunk, i), high = Passes(chunk, i + lanes);
        if (hn::AllFalse(d, hn::Or(low, high))) continue;
        bits |= Bits(low) << i | Bits(high) << (i + lanes);
      }
    } else {
      for (int i = 0; i < OutlineChunk::kSize; i += lanes) bits |= Bits(Passes(chunk, i)) << i;
    }
    return bits;
  }

 private:
  HWY_INLINE hn::Mask<D> Passes(const OutlineChunk& chunk, int i) const {
    const D d;
    const V width =
        hn::Sub(hn::Min(x_max_, hn::Load(d, chunk.x_max + i)), hn::Max(x_min_, hn::Load(d, chunk.x_min + i)));
    const V height =
        hn::Sub(hn::Min(y_max_, hn::Load(d, chunk.y_max + i)), hn::Max(y_min_, hn::Load(d, chunk.y_min + i)));
    if constexpr (kTest == Test::kMeet) return hn::Gt(hn::Min(width, height), hn::Zero(d));
    // With a width of 0 or a negative height the product is not above 0, so one of the two need not be cut at 0.
    V most = hn::Mul(hn::Max(width, hn::Zero(d)), height);
    if constexpr (kTest == Test::kOverlapAndAreas) most = hn::Min(most, hn::Min(area_, hn::Load(d, chunk.area + i)));
    return hn::Gt(most, hn::Add(share_, hn::Load(d, chunk.share + i)));
  }

  static HWY_INLINE uint32_t Bits(hn::Mask<D> mask) {
    uint8_t bytes[8] = {};
    hn::StoreMaskBits(D(), mask, bytes);
    return static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8;
  }

  V x_min_, y_min_, x_max_, y_max_, area_, share_;
};

// Pairs whose IoU is computed at once.
template <class Box>
class Pairs {
 public:
  explicit Pairs(const SuppressionSearch<Box>& search) : search_(search) {}

  HWY_INLINE void Add(int64_t candidate, uint32_t id) {
    const bool above = IouOf(search_.candidates[candidate], search_.kept[id]) > search_.threshold;
    if (above) search_.falls[candidate] = 1;
  }
  HWY_INLINE void Flush() {}

 private:
  static double IouOf(const UprightBox& a, const UprightBox& b) { return UprightValueOf(PairValue::kIou, a, b); }
  static double IouOf(const Quad& a, const Quad& b) { return QuadIou(a, b); }

  const SuppressionSearch<Box>& search_;
};

// Rotated boxes: a vector of pairs at a time. Pairs of several candidates wait together.
template <>
class Pairs<RotatedBox> {
 public:
  explicit Pairs(const SuppressionSearch<RotatedBox>& search) : search_(search) {}

  HWY_INLINE void Add(int64_t candidate, uint32_t id) {
    Set(first_, count_, search_.candidates[candidate]);
    Set(second_, count_, search_.kept[id]);
    candidate_[count_++] = candidate;
    if (count_ == kRoom) Compute();
  }
  HWY_INLINE void Flush() {
    if (count_ > 0) Compute();
  }

 private:
  using D = hn::CappedTag<double, 16>;
  static constexpr int kRoom = 16;
  // Not set before there are pairs: hardly any candidate has many.
  struct alignas(64) Side {
    double numbers[8][kRoom];
  };

  static HWY_INLINE void Set(Side& side, int i, const RotatedBox& box) {
    const double numbers[] = {box.cx, box.cy, box.w, box.h, box.cosine, box.sine, box.angle, box.area};
    for (int k = 0; k < 8; ++k) side.numbers[k][i] = numbers[k];
  }

  static HWY_INLINE vectors::RotatedLanes<D> Lanes(const Side& side, int i) {
    const D d;
    const auto number = [&](int k) HWY_ATTR { return hn::Load(d, side.numbers[k] + i); };
    return {number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7)};
  }

  HWY_NOINLINE void Compute() {
    const D d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    // The last vector is filled up with its last pair.
    for (int i = count_; i % lanes != 0; ++i) {
      for (int k = 0; k < 8; ++k) {
        first_.numbers[k][i] = first_.numbers[k][count_ - 1];
        second_.numbers[k][i] = second_.numbers[k][count_ - 1];
      }
    }
    alignas(64) double iou[kRoom];
    for (int i = 0; i < count_; i += lanes) {
      hn::Store(vectors::RotatedIou(d, Lanes(first_, i), Lanes(second_, i)), d, iou + i);
    }
    for (int i = 0; i < count_; ++i) {
      if (iou[i] > search_.threshold) search_.falls[candidate_[i]] = 1;
    }
    count_ = 0;
  }

  const SuppressionSearch<RotatedBox>& search_;
  int count_ = 0;
  Side first_, second_;
  int64_t candidate_[kRoom];
};

template <Test kTest, class Box>
class Walker {
 public:
  Walker(const SuppressionSearch<Box>& search, SuppressionCounts* counts)
      : search_(search), counts_(counts), pairs_(search) {}

  // One cell: all candidates with some chunks, which stay in the first-level cache meanwhile, then with the next ones.
  void WalkAll() {
    constexpr uint32_t kTogether = 48;
    const uint32_t chunks = search_.outlines->chunks();
    for (uint32_t first = 0; first < chunks; first += kTogether) {
      const uint32_t last = chunks - first < kTogether ? chunks : first + kTogether;
      ForEachCandidate([&](int64_t i) HWY_ATTR {
        const Candidate<kTest> outline(search_.candidate_outlines[i]);
        for (uint32_t chunk = first; chunk < last; ++chunk) {
          if (Meet(i, outline, chunk)) return;
        }
      });
      pairs_.Flush();
    }
  }

  void WalkCells() {
    const KeptOutlines& outlines = *search_.outlines;
    ForEachCandidate([&](int64_t i) HWY_ATTR {
      const Candidate<kTest> outline(search_.candidate_outlines[i]);
      if (WalkChain(i, outline, outlines.LongHead())) return;
      const CellPlan::Rectangle cells = outlines.plan().Around(ExtentsOf(search_.candidates[i]));
      for (int64_t y = cells.y.first; y <= cells.y.last; ++y) {
        for (int64_t x = cells.x.first; x <= cells.x.last; ++x) {
          if (WalkChain(i, outline, outlines.CellHead(x, y))) return;
        }
      }
    });
    pairs_.Flush();
  }

 private:
  template <class Walk>
  HWY_INLINE void ForEachCandidate(const Walk& walk) {
    for (int64_t i = search_.first; i < search_.last; ++i) {
      if (search_.falls[i] == 0 && search_.candidates[i].area != 0) walk(i);
    }
  }

  // True if the candidate has fallen.
  HWY_INLINE bool WalkChain(int64_t candidate, const Candidate<kTest>& outline, uint32_t chunk) {
    for (; chunk != KeptOutlines::kEnd; chunk = search_.outlines->link(chunk).next) {
      if (Meet(candidate, outline, chunk)) return true;
    }
    return false;
  }

  HWY_INLINE bool Meet(int64_t candidate, const Candidate<kTest>& outline, uint32_t index) {
    const OutlineChunk& chunk = search_.outlines->chunk(index);
    uint32_t passing = outline.Passing(chunk);
    counts_->tested += search_.outlines->link(index).used;
    if (HWY_LIKELY(passing == 0)) return false;
    for (; passing != 0; passing &= passing - 1) {
      ++counts_->computed;
      pairs_.Add(candidate, chunk.id[__builtin_ctz(passing)]);
    }
    return search_.falls[candidate] != 0;
  }

  const SuppressionSearch<Box>& search_;
  SuppressionCounts* counts_;
  Pairs<Box> pairs_;
};

template <Test kTest, class Box>
void SearchWith(const SuppressionSearch<Box>& search, SuppressionCounts* counts) {
  Walker<kTest, Box> walker(search, counts);
  if (search.outlines->plan().cells() == 1) return walker.WalkAll();
  walker.WalkCells();
}

template <class Box>
void Search(const SuppressionSearch<Box>& search, SuppressionCounts* counts) {
  constexpr Test kUsual = std::is_same_v<Box, UprightBox> ? Test::kOverlap : Test::kOverlapAndAreas;
  if (search.threshold < kLeastShared) return SearchWith<Test::kMeet>(search, counts);
  SearchWith<kUsual>(search, counts);
}

}  // namespace

void SearchUpright(const SuppressionSearch<UprightBox>& search, SuppressionCounts* counts) { Search(search, counts); }
void SearchRotated(const SuppressionSearch<RotatedBox>& search, SuppressionCounts* counts) { Search(search, counts); }
void SearchQuads(const SuppressionSearch<Quad>& search, SuppressionCounts* counts) { Search(search, counts); }

}  // namespace HWY_NAMESPACE
}  // namespace detops::boxes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detops::boxes {

HWY_EXPORT(SearchUpright);
HWY_EXPORT(SearchRotated);
HWY_EXPORT(SearchQuads);

template <>
SuppressionKernel<UprightBox> ChooseSuppressionKernel<UprightBox>() {
  return &DETOPS_DISPATCH(SearchUpright);
}
template <>
SuppressionKernel<RotatedBox> ChooseSuppressionKernel<RotatedBox>() {
  return &DETOPS_DISPATCH(SearchRotated);
}
template <>
SuppressionKernel<Quad> ChooseSuppressionKernel<Quad>() {
  return &DETOPS_DISPATCH(SearchQuads);
}

}  // namespace detops::boxes
#endif
