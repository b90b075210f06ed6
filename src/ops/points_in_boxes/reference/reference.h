// points_in_boxes as its page words it, for tests: every point against every box, nothing shared with the library.
#ifndef DETOPS_OPS_POINTS_IN_BOXES_REFERENCE_REFERENCE_H_
#define DETOPS_OPS_POINTS_IN_BOXES_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mlu_op.h"

namespace detops_reference {

// points: [batch, points, 3], boxes: [batch, boxes, 7], both of the type. Gives [batch, points].
std::vector<double> PointsInBoxes(mluOpDataType_t type, int64_t batch, int64_t points, int64_t boxes,
                                  const void* point_data, const void* box_data);

}  // namespace detops_reference

#endif  // DETOPS_OPS_POINTS_IN_BOXES_REFERENCE_REFERENCE_H_
