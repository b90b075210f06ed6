#include "ops/bbox_overlaps/reference/reference.h"

#include <algorithm>
#include <cmath>

#include "support/element.h"

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

double Value(int mode, const Box& a, const Box& b) {
  if (!a.some || !b.some) return 0;
  const long double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const long double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  if (width <= 0 || height <= 0) return 0;
  const long double overlap = width * height;
  return static_cast<double>(overlap / (mode == 0 ? a.Area() + b.Area() - overlap : a.Area()));
}

}  // namespace

std::vector<double> BboxOverlaps(mluOpDataType_t type, int mode, bool aligned, int offset, int64_t count1,
                                 const void* bbox1, int64_t count2, const void* bbox2) {
  std::vector<double> values;
  for (int64_t i = 0; i < count1; ++i) {
    const Box box = Read(type, bbox1, i, offset);
    for (int64_t j = aligned ? i : 0; j < (aligned ? i + 1 : count2); ++j) {
      values.push_back(Value(mode, box, Read(type, bbox2, j, offset)));
    }
  }
  return values;
}

}  // namespace detops_reference
