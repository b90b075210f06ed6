// What an NMS descriptor holds.
#ifndef DETOPS_OPS_NMS_DESCRIPTOR_H_
#define DETOPS_OPS_NMS_DESCRIPTOR_H_

#include "mlu_op/nms.h"

// All numbers have been checked by mluOpSetNmsDescriptor.
struct cnnlNmsStruct {
  bool set = false;  // false: the rest says nothing
  mluOpNmsBoxPointMode_t box_mode = MLUOP_NMS_BOX_DIAGONAL;
  mluOpNmsOutputMode_t output_mode = MLUOP_NMS_OUTPUT_TARGET_INDICES;
  mluOpNmsMethodMode_t method_mode = MLUOP_NMS_HARD_NMS;
  float iou_threshold = 0;
  float soft_nms_sigma = 0;
  int max_output_size = 0;
  float confidence_threshold = 0;
  float offset = 0;
  int input_layout = 0;
  bool pad_to_max_output_size = false;
};

#endif  // DETOPS_OPS_NMS_DESCRIPTOR_H_
