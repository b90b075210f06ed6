#include "ops/box_iou_rotated/reference/reference.h"

#include "support/element.h"
#include "support/rotated_overlap.h"

namespace detops_reference {
namespace {

using Rectangle = detops_test::RotatedRectangle<long double>;

std::vector<Rectangle> Read(mluOpDataType_t type, int64_t count, const void* boxes) {
  std::vector<Rectangle> rectangles;
  for (int64_t i = 0; i < count; ++i) {
    const auto number = [&](int64_t k) { return detops_test::ReadElement(type, boxes, i * 5 + k); };
    rectangles.push_back(detops_test::MakeRectangle(number(0), number(1), number(2), number(3), number(4)));
  }
  return rectangles;
}

double Value(int mode, const Rectangle& a, const Rectangle& b) {
  if (mode == 0) return static_cast<double>(detops_test::RectangleIou(a, b));
  const long double overlap = detops_test::RectangleOverlap(a, b);
  return overlap > 0 ? static_cast<double>(overlap / a.Area()) : 0;
}

}  // namespace

std::vector<double> BoxIouRotated(mluOpDataType_t type, int mode, bool aligned, int64_t count1, const void* bbox1,
                                  int64_t count2, const void* bbox2) {
  const std::vector<Rectangle> first = Read(type, count1, bbox1), second = Read(type, count2, bbox2);
  std::vector<double> values;
  for (size_t i = 0; i < first.size(); ++i) {
    if (aligned) {
      values.push_back(Value(mode, first[i], second[i]));
      continue;
    }
    for (const Rectangle& other : second) values.push_back(Value(mode, first[i], other));
  }
  return values;
}

}  // namespace detops_reference
