// box_iou_rotated as its page words it, for tests: boxes are cut along each other's sides in long double.
#ifndef DETOPS_OPS_BOX_IOU_ROTATED_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_BOX_IOU_ROTATED_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

struct RotatedIous {
  std::vector<double> values;      // not rounded to the tensors' type
  std::vector<double> magnitudes;  // what rounding errors are relative to
};

// mode 0: over the union, 1: over the first box.
RotatedIous BoxIouRotated(mluOpDataType_t type, int mode, bool aligned, int64_t count1, const void* bbox1,
                          int64_t count2, const void* bbox2);

}  // namespace detops_reference

#endif  // DETOPS_OPS_BOX_IOU_ROTATED_REFERENCE_REFERENCE_H_
