// poly_nms as its page words it, for tests: strips in long double, nothing shared with the library.
#ifndef DETOPS_OPS_POLY_NMS_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_POLY_NMS_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

// The indices that are kept, ascending.
std::vector<double> PolyNms(mluOpDataType_t type, int64_t count, const void* boxes, float iou_threshold);
// Whether these may be left where rounding in double leaves decisions open.
bool MayBePolyNms(mluOpDataType_t type, int64_t count, const void* boxes, float iou_threshold,
                  const std::vector<size_t>& kept);

}  // namespace detops_reference

#endif  // DETOPS_OPS_POLY_NMS_REFERENCE_REFERENCE_H_
