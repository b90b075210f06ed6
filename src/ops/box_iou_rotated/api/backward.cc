// The C entry point of the gradient.
#include "boxes/gradient/check.h"
#include "detops/box_iou_rotated.h"

using namespace detops;
using namespace detops::boxes;

mluOpStatus_t detopsBoxIouRotatedBackward(mluOpHandle_t handle, int mode, bool aligned,
                                          const mluOpTensorDescriptor_t bbox1_desc, const void* bbox1,
                                          const mluOpTensorDescriptor_t bbox2_desc, const void* bbox2,
                                          const mluOpTensorDescriptor_t grad_desc, const void* grad,
                                          const mluOpTensorDescriptor_t grad1_desc, void* grad1,
                                          const mluOpTensorDescriptor_t grad2_desc, void* grad2) {
  const Call call("detopsBoxIouRotatedBackward", handle);
  const GradientArgs args = {{"bbox1", bbox1_desc, bbox1},
                             {"bbox2", bbox2_desc, bbox2},
                             {"grad", grad_desc, grad},
                             OptionalOutput("grad1", grad1_desc, grad1),
                             OptionalOutput("grad2", grad2_desc, grad2),
                             aligned};
  ArgCheck check(call);
  GradientForms(check, args, NumbersOf(RowFormat::kRotated))
      .Integer("mode", mode, mode >= 0 && mode <= 2, "0 (over union), 1 (over the first box) or 2 (overlap)");
  constexpr PairValue kValues[] = {PairValue::kIou, PairValue::kIofFirst, PairValue::kOverlap};
  const PairValue value = check.failed() ? PairValue::kIou : kValues[mode];
  return CheckAndRunGradients(call, check, args,
                              {.value = value, .format = RowFormat::kRotated, .spatial = false, .z_is_bottom = false});
}
