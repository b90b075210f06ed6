#include "common/rotated_feature_align.h"

#include <nanobind/nanobind.h>

#include "numpy/array.h"
#include "numpy/call.h"
#include "numpy/operators.h"

namespace detops_python {
namespace {

using Pass = void (*)(Binding&, const View&, const View&, double, int);

nb::object Align(const char* function, const char* source_name, Pass pass, nb::handle source, nb::handle bboxes,
                 double spatial_scale, int points, nb::handle out) {
  const Array map = Array::Numbers(source, {function, source_name});
  const Array boxes = Array::Numbers(bboxes, {function, "bboxes"}, &map.view());
  NumpyCall call(function, out);
  pass(call, map.view(), boxes.view(), spatial_scale, points);
  return call.Result(0);
}

}  // namespace

void AddRotatedFeatureAlign(nb::module_& module) {
  module.def(
      "rotated_feature_align_forward",
      [](nb::handle input, nb::handle bboxes, double spatial_scale, int points, nb::handle out) {
        return Align("rotated_feature_align_forward", "input", &detops_binding::RotatedFeatureAlignForward, input,
                     bboxes, spatial_scale, points, out);
      },
      nb::arg("input").none(), nb::arg("bboxes").none(), nb::arg("spatial_scale"), nb::arg("points"),
      nb::arg("out").none());
  module.def(
      "rotated_feature_align_backward",
      [](nb::handle top_output, nb::handle bboxes, double spatial_scale, int points, nb::handle out) {
        return Align("rotated_feature_align_backward", "top_output", &detops_binding::RotatedFeatureAlignBackward,
                     top_output, bboxes, spatial_scale, points, out);
      },
      nb::arg("top_output").none(), nb::arg("bboxes").none(), nb::arg("spatial_scale"), nb::arg("points"),
      nb::arg("out").none());
}

}  // namespace detops_python
