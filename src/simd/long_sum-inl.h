// Sums of so many terms that rounding would add up: pieces of kLongSum terms in the type of the vectors, and the pieces
// in double.
//
// Included once per target; docs/architecture.md explains the pattern.
#if defined(DETOPS_SIMD_LONG_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_SIMD_LONG_SUM_INL_H_
#undef DETOPS_SIMD_LONG_SUM_INL_H_
#else
#define DETOPS_SIMD_LONG_SUM_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "core/long_sum.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detops {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The sums of kVectors vectors.
template <class D, int kVectors = 1>
class LongSums {
 public:
  // To vector `which`, the sum of a piece.
  HWY_INLINE void Add(int which, hn::Vec<D> piece) {
    alignas(64) hn::TFromD<D> terms[hn::MaxLanes(D())];
    hn::Store(piece, D(), terms);
    for (size_t i = 0; i < hn::Lanes(D()); ++i) total_[which][i] += static_cast<double>(terms[i]);
  }

  HWY_INLINE hn::Vec<D> Get(int which) const {
    alignas(64) hn::TFromD<D> sums[hn::MaxLanes(D())] = {};
    for (size_t i = 0; i < hn::Lanes(D()); ++i) sums[i] = static_cast<hn::TFromD<D>>(total_[which][i]);
    return hn::Load(D(), sums);
  }

 private:
  double total_[kVectors][hn::MaxLanes(D())] = {};
};

// Of `count` terms; sum(begin, end) gives the sum of a piece.
template <class D, class Sum>
HWY_INLINE hn::Vec<D> SumInPieces(D /*d*/, int64_t count, const Sum& sum) {
  LongSums<D> sums;
  for (int64_t begin = 0; begin < count; begin += kLongSum) {
    sums.Add(0, sum(begin, std::min(begin + kLongSum, count)));
  }
  return sums.Get(0);
}

}  // namespace HWY_NAMESPACE
}  // namespace detops
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
