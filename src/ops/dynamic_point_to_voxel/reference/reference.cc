#include "ops/dynamic_point_to_voxel/reference/reference.h"

#include <cmath>
#include <limits>
#include <map>

namespace detops_reference {

ScatteredPoints ScatterPoints(const std::vector<double>& coors) {
  std::map<std::array<int64_t, 3>, std::vector<int64_t>> voxels;
  ScatteredPoints result;
  for (size_t point = 0; point < coors.size() / 3; ++point) {
    std::array<int64_t, 3> voxel{};
    bool inside = true;
    for (size_t axis = 0; axis < 3; ++axis) {
      voxel[axis] = static_cast<int64_t>(coors[3 * point + axis]);
      inside = inside && voxel[axis] >= 0;
    }
    if (inside) voxels[voxel].push_back(static_cast<int64_t>(point));
  }
  result.map.assign(coors.size() / 3, -1);
  for (const auto& [voxel, points] : voxels) {
    for (const int64_t point : points) result.map[static_cast<size_t>(point)] = std::ssize(result.voxels);
    result.voxels.push_back(voxel);
    result.points.push_back(points);
  }
  return result;
}

double ReduceColumn(mluOpReduceMode_t mode, const std::vector<double>& feats, int64_t columns, int64_t column,
                    const std::vector<int64_t>& points, double no_maximum, double* magnitude) {
  double most = -std::numeric_limits<double>::infinity();
  long double sum = 0, size = 0;
  for (const int64_t point : points) {
    const double number = feats[static_cast<size_t>(point * columns + column)];
    if (number > most) most = number;
    sum += static_cast<long double>(number);
    size += static_cast<long double>(std::abs(number));
  }
  const auto count = static_cast<long double>(points.size());
  const bool is_mean = mode == MLUOP_REDUCE_DMEAN;
  *magnitude = static_cast<double>(is_mean ? size / count : size);
  if (mode == MLUOP_REDUCE_DMAX) return std::isinf(most) && most < 0 ? no_maximum : most;
  return static_cast<double>(is_mean ? sum / count : sum);
}

std::vector<double> DynamicPointToVoxelGradient(const DynamicGradient& given) {
  std::vector<double> result(static_cast<size_t>(given.points * given.columns));
  for (int64_t column = 0; column < given.columns; ++column) {
    std::vector<bool> taken(static_cast<size_t>(given.rows));
    for (int64_t point = 0; point < given.points; ++point) {
      const auto voxel = static_cast<int64_t>(given.map[static_cast<size_t>(point)]);
      if (voxel < 0 || voxel >= given.rows) continue;
      const auto from = static_cast<size_t>(voxel * given.columns + column);
      const auto to = static_cast<size_t>(point * given.columns + column);
      const auto row = static_cast<size_t>(voxel);
      if (given.mode == MLUOP_REDUCE_DSUM) result[to] = given.grad[from];
      if (given.mode == MLUOP_REDUCE_DMEAN) result[to] = given.grad[from] / given.count[row];
      const bool is_maximum = given.voxel_feats[from] > -std::numeric_limits<double>::infinity();
      if (given.mode == MLUOP_REDUCE_DMAX && is_maximum && !taken[row] && given.feats[to] == given.voxel_feats[from]) {
        result[to] = given.grad[from];
        taken[row] = true;
      }
    }
  }
  return result;
}

}  // namespace detops_reference
