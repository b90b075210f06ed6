#include "common/box_pairs.h"
#include "common/operators.h"

namespace detops_binding {
namespace {

constexpr Schema kUpright(
    "bbox_overlaps(Tensor bboxes1, Tensor bboxes2, str mode='iou', bool aligned=False, int offset=0) -> Tensor");
constexpr Schema kRotated(
    "box_iou_rotated(Tensor bboxes1, Tensor bboxes2, str mode='iou', bool aligned=False) -> Tensor");
constexpr Schema kRotatedBackward(
    "box_iou_rotated_backward(Tensor grad, Tensor bboxes1, Tensor bboxes2, str mode='iou', bool aligned=False) -> "
    "(Tensor grad1, Tensor grad2)");
constexpr Schema kQuads("box_iou_quadri(Tensor quads1, Tensor quads2, str mode='iou', bool aligned=False) -> Tensor");
constexpr Schema kOverlapBev("boxes_overlap_bev(Tensor boxes_a, Tensor boxes_b, bool aligned=False) -> Tensor");
constexpr Schema kIouBev("boxes_iou_bev(Tensor boxes_a, Tensor boxes_b, bool aligned=False) -> Tensor");
constexpr Schema kIou3d(
    "boxes_iou3d(Tensor boxes_a, Tensor boxes_b, bool aligned=False, str z_origin='center') -> Tensor");
constexpr Schema kIou3dBackward(
    "boxes_iou3d_backward(Tensor grad, Tensor boxes_a, Tensor boxes_b, bool aligned=False, str z_origin='center') -> "
    "(Tensor grad_a, Tensor grad_b)");

constexpr Schema kPointsIn("points_in_boxes(Tensor points, Tensor boxes) -> Tensor");

int Mode(Call& call, const Parameter& parameter) { return call.Choice<int>(parameter, {{"iou", 0}, {"iof", 1}}); }
detopsBoxZ_t ZOrigin(Call& call, const Parameter& parameter) {
  return call.Choice<detopsBoxZ_t>(parameter, {{"center", DETOPS_BOX_Z_CENTRE}, {"bottom", DETOPS_BOX_Z_BOTTOM}});
}

void Upright(Call& call) {
  const int mode = Mode(call, kUpright["mode"]);
  const bool aligned = call.Flag(kUpright["aligned"]);
  BoxPairs(call, aligned).Run(&mluOpBboxOverlaps, mode, aligned, call.Int32(kUpright["offset"]));
}

template <const Schema& kSchema, auto* kFunction>
void WithMode(Call& call) {
  const int mode = Mode(call, kSchema["mode"]);
  const bool aligned = call.Flag(kSchema["aligned"]);
  BoxPairs(call, aligned).Run(kFunction, mode, aligned);
}

// Gradients of the boxes that come behind that of the result. Calls function(handle, words..., tensors).
template <typename Function, typename... Words>
void Backward(Call& call, Function* function, Words... words) {
  const std::span<const Parameter> parameters = call.schema().parameters();
  const View grad = call.Numbers(parameters[0]);
  const View first = call.Numbers(parameters[1], &grad);
  const View second = call.Numbers(parameters[2], &grad);
  const View grad1 = call.Output(0, grad.type, first.shape());
  const View grad2 = call.Output(1, grad.type, second.shape());
  call.Run([&](mluOpHandle_t handle) {
    return function(handle, words..., Descriptor(first), first.data, Descriptor(second), second.data, Descriptor(grad),
                    grad.data, Descriptor(grad1), grad1.data, Descriptor(grad2), grad2.data);
  });
}

void RotatedBackward(Call& call) {
  const Parameter mode = kRotatedBackward["mode"];
  const int value = call.Choice<int>(mode, {{"iou", 0}, {"iof", 1}, {"overlap", 2}});
  Backward(call, &detopsBoxIouRotatedBackward, value, call.Flag(kRotatedBackward["aligned"]));
}

template <const Schema& kSchema, auto* kFunction>
void FromAbove(Call& call) {
  const bool aligned = call.Flag(kSchema["aligned"]);
  BoxPairs(call, aligned).Run(kFunction, aligned);
}

void Iou3d(Call& call) {
  const detopsBoxZ_t z = ZOrigin(call, kIou3d["z_origin"]);
  const bool aligned = call.Flag(kIou3d["aligned"]);
  BoxPairs(call, aligned).Run(&detopsBoxesIou3d, aligned, z);
}

void Iou3dBackward(Call& call) {
  const detopsBoxZ_t z = ZOrigin(call, kIou3dBackward["z_origin"]);
  Backward(call, &detopsBoxesIou3dBackward, call.Flag(kIou3dBackward["aligned"]), z);
}

void PointsInBoxes(Call& call) {
  const View points = call.Numbers(kPointsIn["points"]);
  const View boxes = call.Numbers(kPointsIn["boxes"], &points);
  const View found = call.Output(0, MLUOP_DTYPE_INT32, {points.extent(0), points.extent(1)});
  call.Run([&](mluOpHandle_t handle) {
    return mluOpPointsInBoxes(handle, Descriptor(points), points.data, Descriptor(boxes), boxes.data, Descriptor(found),
                              found.data);
  });
}

}  // namespace

constinit const std::array<Operator, 9> kBoxOverlaps = {{
    {kUpright, &Upright},
    {kRotated, &WithMode<kRotated, &mluOpBoxIouRotated>},
    {kRotatedBackward, &RotatedBackward},
    {kQuads, &WithMode<kQuads, &detopsBoxIouQuadri>},
    {kOverlapBev, &FromAbove<kOverlapBev, &detopsBoxesOverlapBev>},
    {kIouBev, &FromAbove<kIouBev, &detopsBoxesIouBev>},
    {kIou3d, &Iou3d},
    {kIou3dBackward, &Iou3dBackward},
    {kPointsIn, &PointsInBoxes},
}};

}  // namespace detops_binding
