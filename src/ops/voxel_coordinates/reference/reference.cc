#include "ops/voxel_coordinates/reference/reference.h"

#include <cmath>

namespace detops_reference {
namespace {

template <class Real>
double Cell(double coordinate, double range_min, double voxel_size) {
  const Real ratio = (static_cast<Real>(coordinate) - static_cast<Real>(range_min)) / static_cast<Real>(voxel_size);
  return std::floor(static_cast<double>(ratio));
}

}  // namespace

std::vector<double> VoxelOfPoint(mluOpDataType_t type, const std::vector<double>& point,
                                 const std::vector<double>& range_min, const std::vector<double>& voxel_size,
                                 const std::vector<int64_t>& grid) {
  std::vector<double> voxel;
  for (size_t axis = point.size(); axis-- > 0;) {
    const auto cell_of = type == MLUOP_DTYPE_DOUBLE ? Cell<double> : Cell<float>;
    const double cell = cell_of(point[axis], range_min[axis], voxel_size[axis]);
    if (!(cell >= 0 && cell < static_cast<double>(grid[axis]))) return std::vector<double>(point.size(), -1);
    voxel.push_back(cell);
  }
  return voxel;
}

}  // namespace detops_reference
