// boxes_iou_bev as its page words it, for tests: boxes are cut along each other's sides in long double.
#ifndef DETOPS_OPS_BOXES_IOU_BEV_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_BOXES_IOU_BEV_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

enum class BevValue { kOverlap, kIou, kIou3dCentre, kIou3dBottom };

struct BevValues {
  std::vector<double> values;      // not rounded to the tensors' type
  std::vector<double> magnitudes;  // what rounding errors are relative to
};

// Rows of `numbers` numbers.
BevValues BoxesIouBev(BevValue value, mluOpDataType_t type, bool aligned, int64_t numbers, int64_t count_a,
                      const void* boxes_a, int64_t count_b, const void* boxes_b);

}  // namespace detops_reference

#endif  // DETOPS_OPS_BOXES_IOU_BEV_REFERENCE_REFERENCE_H_
