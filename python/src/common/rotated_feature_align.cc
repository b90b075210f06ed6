#include "common/rotated_feature_align.h"

namespace detops_binding {
namespace {

using Pass = mluOpStatus_t (*)(mluOpHandle_t, mluOpTensorDescriptor_t, const void*, mluOpTensorDescriptor_t,
                               const void*, float, int, mluOpTensorDescriptor_t, void*);

// Both passes have the same arguments: a map, boxes, and a map of the same shape as the result.
void Align(Binding& binding, Pass pass, const View& map, const View& boxes, double spatial_scale, int points) {
  const View result = binding.Output(0, map.type, map.shape());
  // The library refuses empty tensors, as its contract says. An empty map with boxes that fit has an empty result.
  const bool boxes_fit = map.rank == 4 && boxes.rank == 4 && boxes.extent(0) == map.extent(0) &&
                         boxes.extent(1) == map.extent(1) && boxes.extent(2) == map.extent(2) && boxes.extent(3) == 5;
  if (map.elements() == 0 && boxes_fit) return;
  const Descriptor map_desc(map, MLUOP_LAYOUT_NHWC);
  const Descriptor boxes_desc(boxes);
  binding.Run([&](mluOpHandle_t handle) {
    return pass(handle, map_desc, map.data, boxes_desc, boxes.data, static_cast<float>(spatial_scale), points, map_desc,
                result.data);
  });
}

}  // namespace

void RotatedFeatureAlignForward(Binding& binding, const View& map, const View& boxes, double spatial_scale,
                                int points) {
  Align(binding, &mluOpRotatedFeatureAlignForward, map, boxes, spatial_scale, points);
}

void RotatedFeatureAlignBackward(Binding& binding, const View& map, const View& boxes, double spatial_scale,
                                 int points) {
  Align(binding, &mluOpRotatedFeatureAlignBackward, map, boxes, spatial_scale, points);
}

}  // namespace detops_binding
