#include "ops/bbox_overlaps/reference/reference.h"

#include <algorithm>
#include <cmath>

#include "support/element.h"
#include "support/tolerance.h"

namespace detops_reference {
namespace {

struct Box {
  long double x1, y1, x2, y2;
  bool some;
  long double Area() const { return some ? (x2 - x1) * (y2 - y1) : 0; }
};

Box Read(mluOpDataType_t type, const void* boxes, int64_t row, int offset) {
  const auto number = [&](int64_t k) -> long double { return detops_test::ReadElement(type, boxes, row * 4 + k); };
  Box box = {number(0), number(1), number(2) + offset, number(3) + offset, false};
  const bool finite = std::isfinite(box.x1) && std::isfinite(box.y1) && std::isfinite(box.x2) && std::isfinite(box.y2);
  box.some = finite && box.x2 > box.x1 && box.y2 > box.y1;
  return box;
}

void Add(mluOpDataType_t type, int mode, int offset, const Box& a, const Box& b, BoxRatios& ratios) {
  const long double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const long double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  long double ratio = 0, magnitude = 0;
  if (a.some && b.some && width > 0 && height > 0) {
    const auto farther = [](long double p, long double q) { return std::max(std::fabs(p), std::fabs(q)); };
    const long double overlap = width * height, whole = mode == 0 ? a.Area() + b.Area() - overlap : a.Area();
    ratio = overlap / whole;
    // With the offset corners are rounded to double, and what is shared may be slim.
    magnitude = offset * (farther(a.x2, b.x2) * height + farther(a.y2, b.y2) * width) / whole;
  }
  ratios.values.push_back(static_cast<double>(ratio));
  ratios.magnitudes.push_back(static_cast<double>(ratio + detops_test::DoubleUnit(type) * magnitude));
}

}  // namespace

BoxRatios BboxOverlaps(mluOpDataType_t type, int mode, bool aligned, int offset, int64_t count1, const void* bbox1,
                       int64_t count2, const void* bbox2) {
  BoxRatios ratios;
  for (int64_t i = 0; i < count1; ++i) {
    const Box box = Read(type, bbox1, i, offset);
    for (int64_t j = aligned ? i : 0; j < (aligned ? i + 1 : count2); ++j) {
      Add(type, mode, offset, box, Read(type, bbox2, j, offset), ratios);
    }
  }
  return ratios;
}

}  // namespace detops_reference
