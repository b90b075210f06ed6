#include "common/rotated_feature_align.h"

#include <nanobind/nanobind.h>

#include "numpy/arguments.h"
#include "numpy/array.h"
#include "numpy/call.h"
#include "numpy/operators.h"

namespace detops_python {
namespace {

using Pass = void (*)(Binding&, const View&, const View&, double, int);

nb::object Align(const char* function, const char* source_name, Pass pass, nb::handle source, nb::handle bboxes,
                 nb::handle spatial_scale, nb::handle points, nb::handle out) {
  const Array map = Array::Numbers(source, {function, source_name});
  const Array boxes = Array::Numbers(bboxes, {function, "bboxes"}, &map.view());
  NumpyCall call(function, out);
  pass(call, map.view(), boxes.view(), DoubleOf(spatial_scale, {function, "spatial_scale"}),
       Int32Of(points, {function, "points"}));
  return call.Result(0);
}

}  // namespace

void AddRotatedFeatureAlign(nb::module_& module) {
  module.def(
      "rotated_feature_align_forward",
      [](nb::handle input, nb::handle bboxes, nb::handle spatial_scale, nb::handle points, nb::handle out) {
        return Align("rotated_feature_align_forward", "input", &detops_binding::RotatedFeatureAlignForward, input,
                     bboxes, spatial_scale, points, out);
      },
      nb::arg("input").none(), nb::arg("bboxes").none(), nb::arg("spatial_scale").none(), nb::arg("points").none(),
      nb::arg("out").none());
  module.def(
      "rotated_feature_align_backward",
      [](nb::handle top_output, nb::handle bboxes, nb::handle spatial_scale, nb::handle points, nb::handle out) {
        return Align("rotated_feature_align_backward", "top_output", &detops_binding::RotatedFeatureAlignBackward,
                     top_output, bboxes, spatial_scale, points, out);
      },
      nb::arg("top_output").none(), nb::arg("bboxes").none(), nb::arg("spatial_scale").none(), nb::arg("points").none(),
      nb::arg("out").none());
}

}  // namespace detops_python
