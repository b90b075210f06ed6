#include "ops/point_to_voxel/reference/reference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "support/element.h"

namespace detops_reference {
namespace {

using detops_test::ReadElement;

// The voxel on one axis, -1 if there is none.
template <class Real>
int64_t VoxelOnAxis(double coordinate, double range_min, double voxel_size, int grid) {
  const Real distance = static_cast<Real>(coordinate) - static_cast<Real>(range_min);
  const Real ratio = distance / static_cast<Real>(voxel_size);
  const double voxel = std::floor(static_cast<double>(ratio));
  return voxel >= 0 && voxel < grid ? static_cast<int64_t>(voxel) : -1;
}

// cloud, ..., z, y, x; empty for a point outside.
std::vector<int64_t> SiteOf(mluOpDataType_t type, const VoxelRules& rules, int64_t cloud, const void* rows,
                            int64_t first_element) {
  std::vector<int64_t> site = {cloud};
  for (size_t axis = rules.grid.size(); axis-- > 0;) {
    const double coordinate = ReadElement(type, rows, first_element + static_cast<int64_t>(axis));
    const auto on_axis = type == MLUOP_DTYPE_DOUBLE ? VoxelOnAxis<double> : VoxelOnAxis<float>;
    const int64_t voxel = on_axis(coordinate, rules.range_min[axis], rules.voxel_size[axis], rules.grid[axis]);
    if (voxel < 0) return {};
    site.push_back(voxel);
  }
  return site;
}

// Voxels by their sites; the numbers of points' voxels follow.
void SortBySite(PointVoxels& result) {
  std::vector<int64_t> order(result.voxels.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  const auto site = [&](int64_t voxel) -> const auto& { return result.voxels[static_cast<size_t>(voxel)].site; };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return site(a) < site(b); });
  std::vector<PointVoxel> sorted;
  std::vector<int64_t> place(order.size());
  for (const int64_t voxel : order) {
    place[static_cast<size_t>(voxel)] = static_cast<int64_t>(sorted.size());
    sorted.push_back(result.voxels[static_cast<size_t>(voxel)]);
  }
  result.voxels = sorted;
  for (int64_t& voxel : result.voxel_of_point) voxel = voxel < 0 ? -1 : place[static_cast<size_t>(voxel)];
}

}  // namespace

PointVoxels PointsToVoxels(mluOpDataType_t type, const VoxelRules& rules, int64_t points, int64_t features,
                           const void* rows, const std::vector<int64_t>& cloud_begins) {
  PointVoxels result;
  result.voxel_of_point.assign(static_cast<size_t>(points), -1);
  for (size_t cloud = 0; cloud + 1 < cloud_begins.size(); ++cloud) {
    std::map<std::vector<int64_t>, size_t> seen;
    for (int64_t point = cloud_begins[cloud]; point < cloud_begins[cloud + 1]; ++point) {
      const std::vector<int64_t> site = SiteOf(type, rules, static_cast<int64_t>(cloud), rows, point * features);
      if (site.empty()) continue;
      auto at = seen.find(site);
      if (at == seen.end()) {
        const bool cloud_full = rules.max_voxels > 0 && static_cast<int64_t>(seen.size()) == rules.max_voxels;
        if (cloud_full || static_cast<int64_t>(result.voxels.size()) == rules.room) continue;
        at = seen.emplace(site, result.voxels.size()).first;
        result.voxels.push_back({site, {}});
      }
      result.voxel_of_point[static_cast<size_t>(point)] = static_cast<int64_t>(at->second);
      std::vector<int64_t>& kept = result.voxels[at->second].kept;
      if (rules.max_points == 0 || static_cast<int64_t>(kept.size()) < rules.max_points) kept.push_back(point);
    }
  }
  if (rules.ascending) SortBySite(result);
  return result;
}

std::vector<double> VoxelMeans(mluOpDataType_t type, const PointVoxels& voxels, int64_t features, const void* rows) {
  std::vector<double> means;
  for (const PointVoxel& voxel : voxels.voxels) {
    for (int64_t f = 0; f < features; ++f) {
      long double sum = 0;  // a running double sum of many doubles would be no better than the library's
      for (const int64_t point : voxel.kept) sum += ReadElement(type, rows, point * features + f);
      means.push_back(static_cast<double>(sum / static_cast<long double>(voxel.kept.size())));
    }
  }
  return means;
}

}  // namespace detops_reference
