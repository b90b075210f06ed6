// A vector of points against a box: only single additions, multiplications and comparisons, in the order of
// BoxInterior::Contains, so that every target decides alike. Included once per target; docs/architecture.md explains
// the pattern.
#if defined(DETOPS_BOXES_POINTS_INTERIOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETOPS_BOXES_POINTS_INTERIOR_INL_H_
#undef DETOPS_BOXES_POINTS_INTERIOR_INL_H_
#else
#define DETOPS_BOXES_POINTS_INTERIOR_INL_H_
#endif

#include "boxes/points/interior.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detops::boxes {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
class BoxInteriorVectors {
 public:
  using V = hn::Vec<D>;

  HWY_INLINE BoxInteriorVectors(D d, const BoxInterior<hn::TFromD<D>>& box)
      : cx_(hn::Set(d, box.cx)),
        cy_(hn::Set(d, box.cy)),
        cosine_(hn::Set(d, box.cosine)),
        sine_(hn::Set(d, box.sine)),
        z_center_(hn::Set(d, box.z_center)),
        z_reach_(hn::Set(d, box.z_reach)),
        x_reach_(hn::Set(d, box.x_reach)),
        y_reach_(hn::Set(d, box.y_reach)) {}

  // In the box's own directions, from its centre.
  struct Local {
    V x, y;
  };
  HWY_INLINE Local LocalOf(V x, V y) const {
    const V dx = hn::Sub(x, cx_), dy = hn::Sub(y, cy_);
    return {hn::Sub(hn::Mul(dx, cosine_), hn::Mul(dy, sine_)), hn::Add(hn::Mul(dx, sine_), hn::Mul(dy, cosine_))};
  }

  // Every comparison with NaN is false.
  HWY_INLINE hn::Mask<D> Contains(const Local& local, V z) const {
    return hn::And(hn::Le(hn::Abs(hn::Sub(z, z_center_)), z_reach_),
                   hn::And(hn::Lt(hn::Abs(local.x), x_reach_), hn::Lt(hn::Abs(local.y), y_reach_)));
  }

 private:
  V cx_, cy_, cosine_, sine_, z_center_, z_reach_, x_reach_, y_reach_;
};

}  // namespace HWY_NAMESPACE
}  // namespace detops::boxes
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
