// convex_iou as its page words it, for tests: strips and walks along sides in long double, nothing shared with the
// library.
#ifndef DETOPS_OPS_CONVEX_IOU_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_CONVEX_IOU_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

// Not rounded to the tensors' type. For each value the magnitude that rounding errors are relative to.
struct ConvexIouResult {
  std::vector<double> values, magnitudes;
};
ConvexIouResult ConvexIou(mluOpDataType_t type, int64_t sets, int64_t quads, const void* points, const void* quad_rows);

struct GiouResult {
  std::vector<double> values, value_magnitudes, gradient, magnitudes;
};
GiouResult ConvexGiou(mluOpDataType_t type, int64_t rows, const void* points, const void* quads);

}  // namespace detops_reference

#endif  // DETOPS_OPS_CONVEX_IOU_REFERENCE_REFERENCE_H_
