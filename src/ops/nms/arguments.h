// What mluOpNms and its size function take, and what both check.
#ifndef DETOPS_OPS_NMS_ARGUMENTS_H_
#define DETOPS_OPS_NMS_ARGUMENTS_H_

#include "core/arg_check.h"
#include "ops/nms/descriptor.h"

namespace detops::nms {

struct Arguments {
  TensorArg boxes;
  TensorArg confidence;
  // What the boxes say once their shape has been checked.
  int64_t images = 1, classes = 1, count = 0;
  int numbers = 0;  // of a box: 4 or 7

  bool bev() const { return numbers == 7; }
  int count_axis(int input_layout) const { return boxes.desc->rank() - (input_layout == 0 ? 2 : 1); }
  int numbers_axis(int input_layout) const { return boxes.desc->rank() - (input_layout == 0 ? 1 : 2); }
};

// Shape of the boxes, presence and shape of the confidence. With data: whether pointers are NULL.
void CheckShapes(ArgCheck& check, int input_layout, bool with_data, Arguments& args);

}  // namespace detops::nms

#endif  // DETOPS_OPS_NMS_ARGUMENTS_H_
