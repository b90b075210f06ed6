#include "ops/boxes_iou_bev/reference/reference.h"

#include <algorithm>
#include <cmath>

#include "support/element.h"
#include "support/rotated_overlap.h"

namespace detops_reference {
namespace {

struct Box {
  detops_test::RotatedRectangle<long double> seen;  // from above
  long double z = 0, dz = 0;
};

std::vector<Box> Read(mluOpDataType_t type, int64_t numbers, int64_t count, const void* boxes) {
  std::vector<Box> result;
  for (int64_t i = 0; i < count; ++i) {
    const auto number = [&](int64_t k) { return detops_test::ReadElement(type, boxes, i * numbers + k); };
    const int64_t sizes = numbers == 7 ? 3 : 2;
    Box box;
    box.seen = detops_test::MakeRectangle(number(0), number(1), number(sizes), number(sizes + 1), number(numbers - 1));
    if (numbers == 7) {
      box.z = number(2);
      box.dz = number(5);
      if (!std::isfinite(box.z) || !std::isfinite(box.dz)) box.seen = {};
    }
    result.push_back(box);
  }
  return result;
}

double Value(BevValue value, const Box& a, const Box& b) {
  const long double overlap = detops_test::RectangleOverlap(a.seen, b.seen);
  if (value == BevValue::kOverlap) return static_cast<double>(overlap);
  if (value == BevValue::kIou) return static_cast<double>(detops_test::RectangleIou(a.seen, b.seen));
  if (a.dz <= 0 || b.dz <= 0) return 0;
  // Heights relative to a's own z.
  const long double below = value == BevValue::kIou3dCentre ? 0.5L : 0;
  const long double low = std::max(-below * a.dz, b.z - a.z - below * b.dz);
  const long double high = std::min((1 - below) * a.dz, b.z - a.z + (1 - below) * b.dz);
  if (high <= low || overlap <= 0) return 0;
  const long double shared = overlap * (high - low);
  return static_cast<double>(shared / (a.seen.Area() * a.dz + b.seen.Area() * b.dz - shared));
}

}  // namespace

std::vector<double> BoxesIouBev(BevValue value, mluOpDataType_t type, bool aligned, int64_t numbers, int64_t count_a,
                                const void* boxes_a, int64_t count_b, const void* boxes_b) {
  const std::vector<Box> first = Read(type, numbers, count_a, boxes_a), second = Read(type, numbers, count_b, boxes_b);
  std::vector<double> values;
  for (size_t i = 0; i < first.size(); ++i) {
    if (aligned) {
      values.push_back(Value(value, first[i], second[i]));
      continue;
    }
    for (const Box& other : second) values.push_back(Value(value, first[i], other));
  }
  return values;
}

}  // namespace detops_reference
