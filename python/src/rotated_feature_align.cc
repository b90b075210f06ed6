#include <nanobind/nanobind.h>

#include "array.h"
#include "call.h"
#include "detops.h"
#include "operators.h"

namespace detops_python {
namespace {

using Pass = mluOpStatus_t (*)(mluOpHandle_t, mluOpTensorDescriptor_t, const void*, mluOpTensorDescriptor_t,
                               const void*, float, int, mluOpTensorDescriptor_t, void*);

// Both passes have the same arguments: a map, boxes, and a map of the same shape as the result.
nb::object Align(const char* function, const char* source_name, Pass pass, nb::handle source, nb::handle bboxes,
                 double spatial_scale, int points, nb::handle out) {
  const Array map = Array::Numbers(source, {function, source_name});
  const Array boxes = Array::Numbers(bboxes, {function, "bboxes"}, &map);
  const Array result = Array::Output(out, {function, "out"}, map.type(), map.shape());
  // The library refuses empty tensors, as its contract says. An empty map with boxes that fit has an empty result.
  const bool boxes_fit = map.rank() == 4 && boxes.rank() == 4 && boxes.extent(0) == map.extent(0) &&
                         boxes.extent(1) == map.extent(1) && boxes.extent(2) == map.extent(2) && boxes.extent(3) == 5;
  if (map.elements() == 0 && boxes_fit) return result.object();
  const Descriptor map_desc(map, MLUOP_LAYOUT_NHWC);
  const Descriptor boxes_desc(boxes);
  Run([&](mluOpHandle_t handle) {
    return pass(handle, map_desc, map.data(), boxes_desc, boxes.data(), static_cast<float>(spatial_scale), points,
                map_desc, result.data());
  });
  return result.object();
}

}  // namespace

void AddRotatedFeatureAlign(nb::module_& module) {
  module.def(
      "rotated_feature_align_forward",
      [](nb::handle input, nb::handle bboxes, double spatial_scale, int points, nb::handle out) {
        return Align("rotated_feature_align_forward", "input", &mluOpRotatedFeatureAlignForward, input, bboxes,
                     spatial_scale, points, out);
      },
      nb::arg("input").none(), nb::arg("bboxes").none(), nb::arg("spatial_scale"), nb::arg("points"),
      nb::arg("out").none());
  module.def(
      "rotated_feature_align_backward",
      [](nb::handle top_output, nb::handle bboxes, double spatial_scale, int points, nb::handle out) {
        return Align("rotated_feature_align_backward", "top_output", &mluOpRotatedFeatureAlignBackward, top_output,
                     bboxes, spatial_scale, points, out);
      },
      nb::arg("top_output").none(), nb::arg("bboxes").none(), nb::arg("spatial_scale"), nb::arg("points"),
      nb::arg("out").none());
}

}  // namespace detops_python
