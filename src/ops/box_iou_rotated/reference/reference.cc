#include "ops/box_iou_rotated/reference/reference.h"

#include "support/element.h"
#include "support/rotated_overlap.h"
#include "support/tolerance.h"

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

void Add(mluOpDataType_t type, int mode, const Rectangle& a, const Rectangle& b, RotatedIous& ious) {
  const long double overlap = detops_test::SharedArea(a, b);
  const long double whole = mode == 0 ? a.Area() + b.Area() - overlap : a.Area();
  const auto over_whole = [&](long double area) { return area > 0 ? static_cast<double>(area / whole) : 0; };
  const double value = over_whole(overlap);
  ious.values.push_back(value);
  ious.magnitudes.push_back(value + detops_test::DoubleUnit(type) * over_whole(detops_test::SharedMagnitude(a, b)));
}

}  // namespace

RotatedIous BoxIouRotated(mluOpDataType_t type, int mode, bool aligned, int64_t count1, const void* bbox1,
                          int64_t count2, const void* bbox2) {
  const std::vector<Rectangle> first = Read(type, count1, bbox1), second = Read(type, count2, bbox2);
  RotatedIous ious;
  for (size_t i = 0; i < first.size(); ++i) {
    if (aligned) {
      Add(type, mode, first[i], second[i], ious);
      continue;
    }
    for (const Rectangle& other : second) Add(type, mode, first[i], other, ious);
  }
  return ious;
}

}  // namespace detops_reference
