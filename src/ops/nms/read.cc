// Boxes from their tensor.
#include <cmath>
#include <utility>

#include "core/element_type.h"
#include "ops/nms/problem.h"

namespace detops::nms {
namespace {

template <int kNumbers>
struct Numbers {
  double of[kNumbers];
};

template <int kNumbers>
Numbers<kNumbers> ReadNumbers(const Problem& problem, int64_t image, int64_t index) {
  const bool planar = problem.how.input_layout == 1;
  const int64_t first = image * kNumbers * problem.count + (planar ? index : index * kNumbers);
  const int64_t step = planar ? problem.count : 1;
  return WithElementType(problem.boxes_type, [&]<typename T>() {
    Numbers<kNumbers> numbers;
    for (int64_t k = 0; k < kNumbers; ++k) {
      numbers.of[k] = static_cast<double>(LoadReal<T>(problem.boxes, first + k * step));
    }
    return numbers;
  });
}

}  // namespace

boxes::UprightBox ReadBox(const Problem& problem, int64_t image, int64_t index) {
  auto [a, b, c, d] = ReadNumbers<4>(problem, image, index).of;
  const auto offset = static_cast<double>(problem.how.offset);
  if (problem.how.box_mode == MLUOP_NMS_BOX_CENTER) {
    // No area, whatever the offset.
    if (!(c > 0) || !(d > 0)) return boxes::MakeUprightBox(0, 0, 0, 0, 0);
    const double x = a - c / 2;
    const double y = b - d / 2;
    return boxes::MakeUprightBox(x, y, x + c, y + d, offset);
  }
  if (a > c) std::swap(a, c);
  if (b > d) std::swap(b, d);
  return boxes::MakeUprightBox(a, b, c, d, offset);
}

boxes::RotatedBox ReadBevBox(const Problem& problem, int64_t index) {
  const auto [x, y, z, dx, dy, dz, heading] = ReadNumbers<7>(problem, 0, index).of;
  // A box is as finite as all its numbers, also those that do not count.
  const bool finite = std::isfinite(z) && std::isfinite(dz);
  return boxes::MakeRotatedBox(x, y, finite ? dx : 0, dy, heading);
}

}  // namespace detops::nms
