#include "common/point_to_voxel.h"

#include <algorithm>
#include <array>
#include <string>

namespace detops_binding {
namespace {

constexpr char kFunction[] = "point_to_voxel";

// No more voxels than points, and than the clouds may have.
int64_t MostVoxels(const VoxelGrid& grid, const View& points, const View& cloud_begins) {
  const int64_t clouds = cloud_begins.given ? std::max<int64_t>(cloud_begins.extent(0) - 1, 0) : 1;
  int64_t most = 0;
  if (grid.max_voxels_per_cloud <= 0 || __builtin_mul_overflow(grid.max_voxels_per_cloud, clouds, &most)) {
    return points.extent(0);
  }
  return std::min(most, points.extent(0));
}

}  // namespace

void VoxelGrid::Require() const {
  if (voxel_size.size() != range_min.size() || grid.size() != range_min.size()) {
    Argument{kFunction, "range_min"}.Refuse("has " + std::to_string(range_min.size()) + " numbers, voxel_size " +
                                            std::to_string(voxel_size.size()) + " and grid " +
                                            std::to_string(grid.size()) + ", expected as many of each.");
  }
}

detopsVoxelOrder_t VoxelOrderOf(std::string_view word) {
  return Choice<detopsVoxelOrder_t>(
      word, {{"first_point", DETOPS_VOXEL_ORDER_FIRST_POINT}, {"ascending", DETOPS_VOXEL_ORDER_ASCENDING}},
      {kFunction, "order"});
}

int64_t PointToVoxel(Binding& binding, const VoxelGrid& grid, const View& points, const View& cloud_begins) {
  grid.Require();
  const auto ndim = static_cast<int64_t>(grid.grid.size());
  const int64_t rows = MostVoxels(grid, points, cloud_begins);
  const int64_t columns = points.extent(1);
  const std::array<int64_t, 3> voxels_shape = {rows, std::max<int64_t>(grid.max_points_per_voxel, 0), columns};
  const std::array<int64_t, 2> means_shape = {rows, columns};
  const std::array<int64_t, 2> coordinates_shape = {rows, ndim + (cloud_begins.given ? 1 : 0)};
  const std::array<int64_t, 1> counts_shape = {rows};
  const std::array<int64_t, 1> points_shape = {points.extent(0)};
  const View voxels = grid.wants_voxels ? binding.Output(0, points.type, voxels_shape) : View();
  const View means = grid.wants_means ? binding.Output(1, points.type, means_shape) : View();
  const View coordinates = binding.Output(2, MLUOP_DTYPE_INT32, coordinates_shape);
  const View counts = binding.Output(3, MLUOP_DTYPE_INT32, counts_shape);
  const View point_voxel = binding.Output(4, MLUOP_DTYPE_INT32, points_shape);
  const Descriptor points_desc(points);
  const Descriptor begins_desc(cloud_begins);
  const Descriptor voxels_desc(voxels);
  const Descriptor means_desc(means);
  const Descriptor coordinates_desc(coordinates);
  const Descriptor counts_desc(counts);
  const Descriptor point_voxel_desc(point_voxel);
  int64_t found = 0;
  binding.Run([&](mluOpHandle_t handle) {
    return detopsPointToVoxel(handle, static_cast<int>(ndim), grid.range_min.data(), grid.voxel_size.data(),
                              grid.grid.data(), grid.max_points_per_voxel, grid.max_voxels_per_cloud, grid.order,
                              points_desc, points.data, begins_desc, cloud_begins.data, voxels_desc, voxels.data,
                              means_desc, means.data, coordinates_desc, coordinates.data, counts_desc, counts.data,
                              point_voxel_desc, point_voxel.data, &found);
  });
  return found;
}

}  // namespace detops_binding
