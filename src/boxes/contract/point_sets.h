// Sets of nine points of every kind, for the calls of functions that take them.
#ifndef DETOPS_BOXES_CONTRACT_POINT_SETS_H_
#define DETOPS_BOXES_CONTRACT_POINT_SETS_H_

#include <cstddef>

#include "harness/call.h"
#include "harness/fill.h"
#include "harness/shape.h"

namespace detops_harness::boxes {

// "sets", with all kinds that there are.
ShapeKey PointSetsKey();
// Which of them; throws ShapeError for any other word.
size_t PointSetsOf(const Shape& shape);

// Fills a tensor [rows, 18]. `field`: how far from 0 the sets are placed.
void FillPointSets(Tensor& tensor, size_t kind, double field, Random& random);

}  // namespace detops_harness::boxes

#endif  // DETOPS_BOXES_CONTRACT_POINT_SETS_H_
