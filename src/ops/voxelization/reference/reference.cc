#include "ops/voxelization/reference/reference.h"

#include <cmath>
#include <map>

#include "support/element.h"

namespace detops_reference {
namespace {

template <class Real>
double Cell(double coordinate, double lowest, double size) {
  const Real distance = static_cast<Real>(coordinate) - static_cast<Real>(lowest);
  return std::floor(static_cast<double>(distance / static_cast<Real>(size)));
}

}  // namespace

std::array<float, 3> VoxelsOfRange(const std::vector<double>& voxel_size, const std::vector<double>& range) {
  std::array<float, 3> count{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const float length = static_cast<float>(range[3 + axis]) - static_cast<float>(range[axis]);
    count[axis] = std::round(length / static_cast<float>(voxel_size[axis]));
  }
  return count;
}

std::vector<HardVoxel> HardVoxels(mluOpDataType_t type, const void* rows, int64_t points, int64_t features,
                                  const std::vector<double>& voxel_size, const std::vector<double>& range,
                                  int64_t max_points, int64_t max_voxels) {
  const std::array<float, 3> grid = VoxelsOfRange(voxel_size, range);
  std::vector<HardVoxel> voxels;
  std::map<std::array<int64_t, 3>, size_t> places;
  for (int64_t point = 0; point < points; ++point) {
    std::array<int64_t, 3> zyx{};
    bool inside = true;
    for (size_t axis = 0; axis < 3; ++axis) {
      const double at = detops_test::ReadElement(type, rows, point * features + static_cast<int64_t>(axis));
      const auto cell_of = type == MLUOP_DTYPE_DOUBLE ? Cell<double> : Cell<float>;
      const double cell = cell_of(at, range[axis], voxel_size[axis]);
      inside = inside && cell >= 0 && cell < static_cast<double>(grid[axis]);
      if (inside) zyx[2 - axis] = static_cast<int64_t>(cell);
    }
    if (!inside) continue;
    const auto place = places.find(zyx);
    if (place != places.end()) {
      std::vector<int64_t>& kept = voxels[place->second].points;
      if (static_cast<int64_t>(kept.size()) < max_points) kept.push_back(point);
    } else if (static_cast<int64_t>(voxels.size()) < max_voxels) {
      places[zyx] = voxels.size();
      voxels.push_back({zyx, {point}});
    }
  }
  return voxels;
}

}  // namespace detops_reference
