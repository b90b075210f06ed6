// Boxes of all formats with scores, for the calls of functions that suppress.
#ifndef DETOPS_BOXES_CONTRACT_RANKED_ROWS_H_
#define DETOPS_BOXES_CONTRACT_RANKED_ROWS_H_

#include <cstdint>
#include <vector>

#include "detops.h"
#include "harness/call.h"
#include "harness/fill.h"
#include "harness/shape.h"
#include "support/greedy_suppression.h"

namespace detops_harness::boxes {

// How many numbers a row has; 0 if there is no such format.
int64_t ColumnsOf(int64_t format);

// Detections ("boxes" and "turned" of the shape) as rows of the format, in a tensor [N, columns or more], and their
// scores in one [N]. A column more holds a number that nobody may use.
void FillRankedRows(const Shape& shape, detopsBoxFormat_t format, Tensor& boxes, Tensor& scores, uint64_t seed);
// "turned": 0, all upright, or 1.
ShapeKey TurnedKey();

// The rows of such a tensor for references.
std::vector<detops_test::PolygonBox> PolygonBoxes(detopsBoxFormat_t format, const Tensor& boxes, double offset);

}  // namespace detops_harness::boxes

#endif  // DETOPS_BOXES_CONTRACT_RANKED_ROWS_H_
