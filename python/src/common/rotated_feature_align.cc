#include "common/operators.h"

namespace detops_binding {
namespace {

constexpr Schema kForward(
    "rotated_feature_align_forward(Tensor input, Tensor bboxes, float spatial_scale=1.0, int points=1) -> Tensor");
constexpr Schema kBackward(
    "rotated_feature_align_backward(Tensor top_output, Tensor bboxes, float spatial_scale=1.0, int points=1) -> "
    "Tensor");

// Both passes have the same arguments: a map, boxes, and a map of the same shape as the result.
template <const Schema& kSchema, auto kPass>
void Align(Call& call) {
  const View map = call.Numbers(kSchema.parameters()[0]);
  const View boxes = call.Numbers(kSchema["bboxes"], &map);
  const auto scale = static_cast<float>(call.Real(kSchema["spatial_scale"]));
  const int points = call.Int32(kSchema["points"]);
  const View result = call.Output(0, map.type, map.shape());
  // The library refuses empty tensors, as its contract says. An empty map with boxes that fit has an empty result.
  const bool boxes_fit = map.rank == 4 && boxes.rank == 4 && boxes.extent(0) == map.extent(0) &&
                         boxes.extent(1) == map.extent(1) && boxes.extent(2) == map.extent(2) && boxes.extent(3) == 5;
  if (map.elements() == 0 && boxes_fit) return;
  const Descriptor map_desc(map, MLUOP_LAYOUT_NHWC);
  call.Run([&](mluOpHandle_t handle) {
    return kPass(handle, map_desc, map.data, Descriptor(boxes), boxes.data, scale, points, map_desc, result.data);
  });
}

}  // namespace

constinit const std::array<Operator, 2> kRotatedFeatureAlign = {{
    {kForward, &Align<kForward, &mluOpRotatedFeatureAlignForward>},
    {kBackward, &Align<kBackward, &mluOpRotatedFeatureAlignBackward>},
}};

}  // namespace detops_binding
