// The gradient of box_iou_rotated for the catalogue.
#ifndef DETOPS_OPS_BOX_IOU_ROTATED_CONTRACT_BACKWARD_H_
#define DETOPS_OPS_BOX_IOU_ROTATED_CONTRACT_BACKWARD_H_

#include <memory>

#include "harness/function.h"

namespace detops_harness::box_iou_rotated {

std::unique_ptr<Function> MakeBackward();

}  // namespace detops_harness::box_iou_rotated

#endif  // DETOPS_OPS_BOX_IOU_ROTATED_CONTRACT_BACKWARD_H_
