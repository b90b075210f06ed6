// The gradient of the IoU of volumes for the catalogue.
#ifndef DETOPS_OPS_BOXES_IOU_BEV_CONTRACT_BACKWARD_H_
#define DETOPS_OPS_BOXES_IOU_BEV_CONTRACT_BACKWARD_H_

#include <memory>

#include "harness/function.h"

namespace detops_harness::boxes_iou_bev {

std::unique_ptr<Function> MakeBackward();

}  // namespace detops_harness::boxes_iou_bev

#endif  // DETOPS_OPS_BOXES_IOU_BEV_CONTRACT_BACKWARD_H_
