// The C entry point of the gradient.
#include "boxes/gradient/check.h"
#include "detops/boxes_iou_bev.h"

using namespace detops;
using namespace detops::boxes;

mluOpStatus_t detopsBoxesIou3dBackward(mluOpHandle_t handle, bool aligned, detopsBoxZ_t z,
                                       const mluOpTensorDescriptor_t boxes_a_desc, const void* boxes_a,
                                       const mluOpTensorDescriptor_t boxes_b_desc, const void* boxes_b,
                                       const mluOpTensorDescriptor_t grad_desc, const void* grad,
                                       const mluOpTensorDescriptor_t grad_a_desc, void* grad_a,
                                       const mluOpTensorDescriptor_t grad_b_desc, void* grad_b) {
  const Call call("detopsBoxesIou3dBackward", handle);
  const GradientArgs args = {{"boxes_a", boxes_a_desc, boxes_a},
                             {"boxes_b", boxes_b_desc, boxes_b},
                             {"grad", grad_desc, grad},
                             OptionalOutput("grad_a", grad_a_desc, grad_a),
                             OptionalOutput("grad_b", grad_b_desc, grad_b),
                             aligned};
  ArgCheck check(call);
  GradientForms(check, args, NumbersOf(RowFormat::kBev))
      .Integer("z", static_cast<int>(z), z == DETOPS_BOX_Z_CENTRE || z == DETOPS_BOX_Z_BOTTOM,
               "a value of detopsBoxZ_t");
  return CheckAndRunGradients(
      call, check, args,
      {.value = PairValue::kIou, .format = RowFormat::kBev, .spatial = true, .z_is_bottom = z == DETOPS_BOX_Z_BOTTOM});
}
