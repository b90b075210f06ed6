// The overlap of two upright boxes as a formula, for references and tests; nothing shared with the library.
#ifndef DETOPS_TESTS_SUPPORT_UPRIGHT_IOU_H_
#define DETOPS_TESTS_SUPPORT_UPRIGHT_IOU_H_

#include <algorithm>
#include <cmath>

namespace detops_test {

struct UprightBox {
  double x1, y1, x2, y2;

  bool HasArea() const {
    return std::isfinite(x1) && std::isfinite(y1) && std::isfinite(x2) && std::isfinite(y2) && x2 > x1 && y2 > y1;
  }
  double Area() const { return (x2 - x1) * (y2 - y1); }
};

// 0 if one of them has no area.
inline double UprightIou(const UprightBox& a, const UprightBox& b) {
  if (!a.HasArea() || !b.HasArea()) return 0;
  const double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  if (width <= 0 || height <= 0) return 0;
  const double shared = width * height;
  return shared / (a.Area() + b.Area() - shared);
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_UPRIGHT_IOU_H_
