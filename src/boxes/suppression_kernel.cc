#include "boxes/suppression_kernel.h"

#include <type_traits>

#include "boxes/polygon.h"
#include "boxes/rotated.h"
#include "boxes/upright.h"
#include "core/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "boxes/suppression_kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
// After foreach_target.h.
#include "boxes/rotated-inl.h"

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
    Set(first_, search_.candidates[candidate]);
    Set(second_, search_.kept[id]);
    candidate_[count_++] = candidate;
    if (count_ == kRoom) Compute();
  }
  HWY_INLINE void Flush() {
    if (count_ > 0) Compute();
  }

 private:
  using D = hn::CappedTag<double, 16>;
  static constexpr int kRoom = 16;
  struct alignas(64) Side {
    double cx[kRoom] = {}, cy[kRoom] = {}, w[kRoom] = {}, h[kRoom] = {};
    double cosine[kRoom] = {}, sine[kRoom] = {}, angle[kRoom] = {}, area[kRoom] = {};
  };

  HWY_INLINE void Set(Side& side, const RotatedBox& box) {
    side.cx[count_] = box.cx;
    side.cy[count_] = box.cy;
    side.w[count_] = box.w;
    side.h[count_] = box.h;
    side.cosine[count_] = box.cosine;
    side.sine[count_] = box.sine;
    side.angle[count_] = box.angle;
    side.area[count_] = box.area;
  }

  static HWY_INLINE vectors::RotatedLanes<D> Lanes(const Side& side, int i) {
    const D d;
    return {hn::Load(d, side.cx + i),    hn::Load(d, side.cy + i),     hn::Load(d, side.w + i),
            hn::Load(d, side.h + i),     hn::Load(d, side.cosine + i), hn::Load(d, side.sine + i),
            hn::Load(d, side.angle + i), hn::Load(d, side.area + i)};
  }

  HWY_NOINLINE void Compute() {
    const D d;
    alignas(64) double iou[kRoom];
    for (int i = 0; i < count_; i += static_cast<int>(hn::Lanes(d))) {
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
  explicit Walker(const SuppressionSearch<Box>& search) : search_(search), pairs_(search) {}

  HWY_INLINE void Walk(int64_t candidate) {
    const KeptOutlines& outlines = *search_.outlines;
    const Candidate<kTest> outline(search_.candidate_outlines[candidate]);
    if (WalkChain(candidate, outline, outlines.LongHead())) return;
    const CellPlan::Rectangle cells = outlines.plan().Around(ExtentsOf(search_.candidates[candidate]));
    for (int64_t y = cells.y.first; y <= cells.y.last; ++y) {
      for (int64_t x = cells.x.first; x <= cells.x.last; ++x) {
        if (WalkChain(candidate, outline, outlines.CellHead(x, y))) return;
      }
    }
  }

  void Finish(SuppressionCounts* counts) {
    pairs_.Flush();
    counts->tested += tested_;
    counts->computed += computed_;
  }

 private:
  // True if the candidate has fallen.
  HWY_INLINE bool WalkChain(int64_t candidate, const Candidate<kTest>& outline, uint32_t chunk) {
    const KeptOutlines& outlines = *search_.outlines;
    while (chunk != KeptOutlines::kEnd) {
      uint32_t passing = outline.Passing(outlines.chunk(chunk));
      tested_ += outlines.link(chunk).used;
      if (HWY_UNLIKELY(passing != 0)) {
        for (; passing != 0; passing &= passing - 1) {
          ++computed_;
          pairs_.Add(candidate, outlines.chunk(chunk).id[__builtin_ctz(passing)]);
        }
        if (search_.falls[candidate] != 0) return true;
      }
      chunk = outlines.link(chunk).next;
    }
    return false;
  }

  const SuppressionSearch<Box>& search_;
  Pairs<Box> pairs_;
  int64_t tested_ = 0, computed_ = 0;
};

template <Test kTest, class Box>
void SearchWith(const SuppressionSearch<Box>& search, SuppressionCounts* counts) {
  Walker<kTest, Box> walker(search);
  for (int64_t i = search.first; i < search.last; ++i) {
    if (search.falls[i] == 0 && search.candidates[i].area != 0) walker.Walk(i);
  }
  walker.Finish(counts);
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
