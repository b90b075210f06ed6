// What the dense and the compact form of roiaware_pool3d share.
#ifndef DETOPS_PYTHON_SRC_ROIAWARE_POOL3D_H_
#define DETOPS_PYTHON_SRC_ROIAWARE_POOL3D_H_

#include <string>

#include "arguments.h"
#include "array.h"
#include "detops.h"

namespace detops_python {

inline constexpr int kMaximum = 0;
inline constexpr int kAverage = 1;

inline int PoolOf(const std::string& word, const char* function) {
  return Choice<int>(word, {{"max", kMaximum}, {"avg", kAverage}}, {function, "pool"});
}

inline detopsZOrigin_t ZOriginOf(const std::string& word, const char* function) {
  return Choice<detopsZOrigin_t>(word, {{"bottom", DETOPS_Z_BOTTOM}, {"center", DETOPS_Z_CENTER}},
                                 {function, "z_origin"});
}

// Boxes, points and features, with shapes that agree: so much is needed to know the results of empty inputs.
struct Scene {
  Array rois;
  Array pts;
  Array pts_feature;

  Scene(nb::handle rois_source, nb::handle pts_source, nb::handle feature_source, const char* function)
      : rois(Array::Numbers(rois_source, {function, "rois"})),
        pts(Array::Numbers(pts_source, {function, "pts"}, &rois)),
        pts_feature(Array::Numbers(feature_source, {function, "pts_feature"}, &rois)) {
    Require(rois.rank() == 2 && rois.extent(1) == 7, {function, "rois"}, "has not the shape (B, 7).");
    Require(pts.rank() == 2 && pts.extent(1) == 3, {function, "pts"}, "has not the shape (P, 3).");
    Require(pts_feature.rank() == 2 && pts_feature.extent(0) == pts.extent(0), {function, "pts_feature"},
            "has not the shape (P, C) with P as in pts.");
  }

  bool is_empty() const { return rois.extent(0) == 0 || pts.extent(0) == 0; }

 private:
  static void Require(bool holds, const Argument& argument, const char* sentence) {
    if (!holds) throw nb::value_error(argument.Text(sentence).c_str());
  }
};

}  // namespace detops_python

#endif  // DETOPS_PYTHON_SRC_ROIAWARE_POOL3D_H_
