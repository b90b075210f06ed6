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
};

template <class Real>
Real UprightRatio(const UprightBox& a, const UprightBox& b) {
  const auto length = [](Real from, Real to) { return to - from; };
  const Real width = length(std::max(a.x1, b.x1), std::min(a.x2, b.x2));
  const Real height = length(std::max(a.y1, b.y1), std::min(a.y2, b.y2));
  const Real shared = width * height;
  const auto area = [&](const UprightBox& box) { return length(box.x1, box.x2) * length(box.y1, box.y2); };
  return shared / (area(a) + area(b) - shared);
}

// 0 if one of them has no area.
inline double UprightIou(const UprightBox& a, const UprightBox& b) {
  if (!a.HasArea() || !b.HasArea()) return 0;
  if (std::min(a.x2, b.x2) <= std::max(a.x1, b.x1) || std::min(a.y2, b.y2) <= std::max(a.y1, b.y1)) return 0;
  // In double as it is defined, unless areas leave its range.
  for (const UprightBox& box : {a, b}) {
    for (const double side : {box.x2 - box.x1, box.y2 - box.y1}) {
      if (side < 0x1p-400 || side > 0x1p400) return static_cast<double>(UprightRatio<long double>(a, b));
    }
  }
  return UprightRatio<double>(a, b);
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_SUPPORT_UPRIGHT_IOU_H_
