// convex_iou as its page words it, for tests: strips and walks along sides in long double, nothing shared with the
// library.
#ifndef DETOPS_OPS_CONVEX_IOU_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_CONVEX_IOU_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

// Not rounded to the tensors' type.
std::vector<double> ConvexIou(mluOpDataType_t type, int64_t sets, int64_t quads, const void* points,
                              const void* quad_rows);

struct GiouResult {
  std::vector<double> values, gradient;
  // For each derivative the sum of the magnitudes of its terms.
  std::vector<double> magnitudes;
};
GiouResult ConvexGiou(mluOpDataType_t type, int64_t rows, const void* points, const void* quads);

}  // namespace detops_reference

#endif  // DETOPS_OPS_CONVEX_IOU_REFERENCE_REFERENCE_H_
