#include "ops/boxes_iou_bev/reference/reference.h"

#include <algorithm>
#include <cmath>

#include "support/element.h"
#include "support/rotated_overlap.h"
#include "support/tolerance.h"

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

// A value, and what the roundings in double on the way to it are relative to.
struct Ratio {
  long double value = 0, magnitude = 0;
};

Ratio Of(BevValue value, const Box& a, const Box& b) {
  const long double overlap = detops_test::SharedArea(a.seen, b.seen);
  const long double magnitude = detops_test::SharedMagnitude(a.seen, b.seen);
  if (value == BevValue::kOverlap) return {overlap, magnitude};
  if (magnitude == 0) return {};
  if (value == BevValue::kIou) {
    const long double whole = a.seen.Area() + b.seen.Area() - overlap;
    return {overlap / whole, magnitude / whole};
  }
  if (a.dz <= 0 || b.dz <= 0) return {};
  // Heights relative to a's own z.
  const long double below = value == BevValue::kIou3dCentre ? 0.5L : 0;
  const long double low = std::max(-below * a.dz, b.z - a.z - below * b.dz);
  const long double high = std::min((1 - below) * a.dz, b.z - a.z + (1 - below) * b.dz);
  if (high <= low) return {};
  const long double shared = overlap * (high - low);
  const long double whole = a.seen.Area() * a.dz + b.seen.Area() * b.dz - shared;
  const long double heights = std::fabs(a.z) + std::fabs(b.z) + a.dz + b.dz;
  return {shared / whole, (magnitude * (high - low) + overlap * heights) / whole};
}

void Add(mluOpDataType_t type, const Ratio& ratio, BevValues& values) {
  values.values.push_back(static_cast<double>(ratio.value));
  values.magnitudes.push_back(static_cast<double>(ratio.value + detops_test::DoubleUnit(type) * ratio.magnitude));
}

}  // namespace

BevValues BoxesIouBev(BevValue value, mluOpDataType_t type, bool aligned, int64_t numbers, int64_t count_a,
                      const void* boxes_a, int64_t count_b, const void* boxes_b) {
  const std::vector<Box> first = Read(type, numbers, count_a, boxes_a), second = Read(type, numbers, count_b, boxes_b);
  BevValues values;
  for (size_t i = 0; i < first.size(); ++i) {
    if (aligned) {
      Add(type, Of(value, first[i], second[i]), values);
      continue;
    }
    for (const Box& other : second) Add(type, Of(value, first[i], other), values);
  }
  return values;
}

}  // namespace detops_reference
