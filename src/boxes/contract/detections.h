// Upright boxes with scores as detectors give them, and as they should not, for the calls of functions that suppress.
#ifndef DETOPS_BOXES_CONTRACT_DETECTIONS_H_
#define DETOPS_BOXES_CONTRACT_DETECTIONS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "harness/call.h"
#include "harness/fill.h"
#include "harness/shape.h"
#include "support/upright_iou.h"

namespace detops_harness::boxes {

// "boxes", with all kinds that there are.
ShapeKey DetectionsKey();

struct Detection {
  std::array<double, 4> corners;  // x1, y1, x2, y2
  double score;                   // in (0, 1)
};

// Numbers that every floating type holds, but for the last digits. Throws ShapeError for a kind that there is not.
std::vector<Detection> MakeDetections(const Shape& shape, int64_t count, Random& random);

// Into tensors [N, 4] and [N].
void FillDetections(const Shape& shape, Tensor& boxes, Tensor& scores, uint64_t seed);

// The rows of such a tensor for references, with the offset added to the second corner.
std::vector<detops_test::UprightBox> UprightBoxes(const Tensor& boxes, double offset);

// "scores" is a type, or "same" for that of the boxes.
ShapeKey ScoresKey();
mluOpDataType_t ScoresType(const Shape& shape, mluOpDataType_t boxes);
// "index" is int32 or int64.
ShapeKey IndexKey();
mluOpDataType_t IndexType(const Shape& shape);

}  // namespace detops_harness::boxes

#endif  // DETOPS_BOXES_CONTRACT_DETECTIONS_H_
