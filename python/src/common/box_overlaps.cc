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

int Mode(Call& call, const Parameter& parameter) { return call.Choice<int>(parameter, {{"iou", 0}, {"iof", 1}}); }

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

void RotatedBackward(Call& call) {
  const int mode = Mode(call, kRotatedBackward["mode"]);
  const bool aligned = call.Flag(kRotatedBackward["aligned"]);
  const View grad = call.Numbers(kRotatedBackward["grad"]);
  const View first = call.Numbers(kRotatedBackward["bboxes1"], &grad);
  const View second = call.Numbers(kRotatedBackward["bboxes2"], &grad);
  const View grad1 = call.Output(0, grad.type, first.shape());
  const View grad2 = call.Output(1, grad.type, second.shape());
  const Descriptor grad_desc(grad);
  const Descriptor first_desc(first);
  const Descriptor second_desc(second);
  const Descriptor grad1_desc(grad1);
  const Descriptor grad2_desc(grad2);
  call.Run([&](mluOpHandle_t handle) {
    return detopsBoxIouRotatedBackward(handle, mode, aligned, first_desc, first.data, second_desc, second.data,
                                       grad_desc, grad.data, grad1_desc, grad1.data, grad2_desc, grad2.data);
  });
}

template <const Schema& kSchema, auto* kFunction>
void FromAbove(Call& call) {
  const bool aligned = call.Flag(kSchema["aligned"]);
  BoxPairs(call, aligned).Run(kFunction, aligned);
}

void Iou3d(Call& call) {
  const auto z =
      call.Choice<detopsBoxZ_t>(kIou3d["z_origin"], {{"center", DETOPS_BOX_Z_CENTRE}, {"bottom", DETOPS_BOX_Z_BOTTOM}});
  const bool aligned = call.Flag(kIou3d["aligned"]);
  BoxPairs(call, aligned).Run(&detopsBoxesIou3d, aligned, z);
}

}  // namespace

constinit const std::array<Operator, 7> kBoxOverlaps = {{
    {kUpright, &Upright},
    {kRotated, &WithMode<kRotated, &mluOpBoxIouRotated>},
    {kRotatedBackward, &RotatedBackward},
    {kQuads, &WithMode<kQuads, &detopsBoxIouQuadri>},
    {kOverlapBev, &FromAbove<kOverlapBev, &detopsBoxesOverlapBev>},
    {kIouBev, &FromAbove<kIouBev, &detopsBoxesIouBev>},
    {kIou3d, &Iou3d},
}};

}  // namespace detops_binding
