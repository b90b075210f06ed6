// How a pair is added to what its row has become so far.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_OPS_INDICE_POOL_COMBINE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_OPS_INDICE_POOL_COMBINE_INL_H_
#undef DETOPS_OPS_INDICE_POOL_COMBINE_INL_H_
#else
#define DETOPS_OPS_INDICE_POOL_COMBINE_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/element_type.h"
#include "hwy/highway.h"
#include "ops/indice_pool/kernel.h"
#include "simd/element-inl.h"
#include "simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detops::indice_pool {
namespace HWY_NAMESPACE {

using namespace detops::HWY_NAMESPACE;  // hn and vectors of simd/
namespace {

constexpr int64_t kLineBytes = 64;
// Pairs between the one that is worked on and the one whose rows are fetched.
constexpr int64_t kAhead = 48;
// Of a longer row the processor fetches the rest by itself.
constexpr int64_t kFetchedBytes = 512;

constexpr bool IsMaximum(PoolKind kind) {
  return kind == PoolKind::kMaximumFromZero || kind == PoolKind::kMaximumFromLowest;
}

// How the pairs of a row are combined, a vector of channels at a time. kWhole: there are as many as lanes, else
// `left` of them. Only comparisons, single additions, multiplications and divisions: the same bits on every target.
template <PoolKind kKind, typename T>
class Combine {
 public:
  using Real = Accumulator<T>;
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;

  Combine(const PoolProblem& problem, const void* shares)
      : channels_(problem.channels),
        fetched_bytes_(std::min(problem.channels * static_cast<int64_t>(sizeof(T)), kFetchedBytes)),
        source_(static_cast<const T*>(problem.source)),
        features_(static_cast<const T*>(problem.features)),
        features_out_(static_cast<const T*>(problem.features_out)),
        shares_(static_cast<const Real*>(shares)) {}

  HWY_INLINE V Start() const {
    const D d;
    if constexpr (kKind == PoolKind::kMaximumFromLowest) return hn::Set(d, -std::numeric_limits<Real>::infinity());
    return hn::Zero(d);
  }

  // What the gradient of a maximum compares with.
  template <bool kWhole>
  HWY_INLINE V Own(int64_t block_row, int64_t c, int64_t left) const {
    if constexpr (kKind == PoolKind::kMaximumGradient) return Load<kWhole>(features_ + block_row * channels_ + c, left);
    return hn::Zero(D());
  }

  template <bool kWhole>
  HWY_INLINE V Add(V before, V own, int64_t other_row, int64_t c, int64_t left) const {
    const D d;
    const int64_t place = other_row * channels_ + c;
    const V x = Load<kWhole>(source_ + place, left);
    if constexpr (IsMaximum(kKind)) {
      return hn::IfThenElse(hn::Gt(x, before), x, before);
    } else if constexpr (kKind == PoolKind::kMaximumGradient) {
      const V pooled = Load<kWhole>(features_out_ + place, left);
      return hn::Add(before, hn::IfThenElseZero(hn::Eq(own, pooled), x));
    } else if constexpr (kKind == PoolKind::kAverageGradient) {
      return hn::Add(before, hn::Mul(x, hn::Set(d, shares_[other_row])));
    } else {
      return hn::Add(before, x);
    }
  }

  // The combination of all `count` > 0 pairs as it is stored, but for what Doubtful finds.
  HWY_INLINE V Finish(V all, int64_t count) const {
    if constexpr (kKind == PoolKind::kAverage) return hn::Div(all, hn::Set(D(), static_cast<Real>(count)));
    return all;
  }

  // A maximum of -Inf is either that of an input or nobody's, because all are NaN.
  HWY_INLINE bool Doubtful(V all) const {
    return kKind == PoolKind::kMaximumFromLowest && !hn::AllFalse(D(), hn::Eq(all, Start()));
  }

  // Looks at the pairs again: nobody's becomes 0.
  template <bool kWhole>
  HWY_NOINLINE V Settle(V all, const int32_t* other_rows, int64_t count, int64_t c, int64_t left) const {
    const V lowest = Start();
    V found = hn::Zero(D());
    for (int64_t i = 0; i < count; ++i) {
      const V x = Load<kWhole>(source_ + other_rows[i] * channels_ + c, left);
      found = hn::IfThenElse(hn::Eq(x, lowest), x, found);
    }
    return hn::IfThenElse(hn::Eq(all, lowest), found, all);
  }

  // What pair i + kAhead of `count` will need.
  HWY_INLINE void FetchAhead(const int32_t* other_rows, int64_t i, int64_t count) const {
    const int64_t place = other_rows[std::min(i + kAhead, count - 1)] * channels_;
    for (int64_t byte = 0; byte < fetched_bytes_; byte += kLineBytes) {
      __builtin_prefetch(reinterpret_cast<const char*>(source_ + place) + byte);
      if constexpr (kKind == PoolKind::kMaximumGradient) {
        __builtin_prefetch(reinterpret_cast<const char*>(features_out_ + place) + byte);
      }
    }
  }

 private:
  template <bool kWhole>
  static HWY_INLINE V Load(const T* from, int64_t left) {
    if constexpr (kWhole) return LoadElements(D(), from);
    return LoadFirst(D(), from, left);
  }

  int64_t channels_;
  int64_t fetched_bytes_;
  const T* source_;
  const T* features_;
  const T* features_out_;
  const Real* shares_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detops::indice_pool
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
