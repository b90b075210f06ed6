#include "ops/points_in_boxes/reference/reference.h"

#include <cmath>

#include "support/element.h"

namespace detops_reference {
namespace {

using detops_test::ReadElement;

// Real: the type in which is decided.
template <class Real>
bool Contains(const double box[7], const double point[3]) {
  for (int i = 0; i < 7; ++i) {
    if (!std::isfinite(box[i])) return false;
  }
  if (box[3] <= 0 || box[4] <= 0 || box[5] < 0) return false;
  // A difference of two numbers of the type, rounded to it.
  const auto from_centre = [&](int axis) { return static_cast<Real>(point[axis]) - static_cast<Real>(box[axis]); };
  const auto cosine = static_cast<Real>(std::cos(box[6])), sine = static_cast<Real>(std::sin(box[6]));
  const Real east = from_centre(0), north = from_centre(1), up = from_centre(2);
  const Real along = east * cosine + north * sine, across = north * cosine - east * sine;
  const auto margin = static_cast<double>(static_cast<Real>(1e-5));
  const auto within = [&](Real distance, double size) { return std::fabs(distance) < size / 2 + margin; };
  return std::fabs(static_cast<double>(up)) <= box[5] / 2 && within(along, box[3]) && within(across, box[4]);
}

}  // namespace

std::vector<double> PointsInBoxes(mluOpDataType_t type, int64_t batch, int64_t points, int64_t boxes,
                                  const void* point_data, const void* box_data) {
  std::vector<double> indices;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t p = 0; p < points; ++p) {
      double point[3], box[7];
      for (int i = 0; i < 3; ++i) point[i] = ReadElement(type, point_data, (b * points + p) * 3 + i);
      int64_t found = 0;
      for (; found < boxes; ++found) {
        for (int i = 0; i < 7; ++i) box[i] = ReadElement(type, box_data, (b * boxes + found) * 7 + i);
        if (type == MLUOP_DTYPE_DOUBLE ? Contains<double>(box, point) : Contains<float>(box, point)) break;
      }
      indices.push_back(found < boxes ? static_cast<double>(found) : -1);
    }
  }
  return indices;
}

}  // namespace detops_reference
