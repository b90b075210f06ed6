#include <algorithm>
#include <string>
#include <vector>

#include "common/operators.h"

namespace detops_binding {
namespace {

constexpr Schema kSchema(
    "point_to_voxel(Tensor points, float[] voxel_size, float[] range_min, int[] grid, int max_points_per_voxel=0, "
    "int max_voxels_per_cloud=0, Tensor? cloud_begins=None, str order='first_point', bool voxels=True, "
    "bool means=False) -> (Tensor voxels, Tensor means, Tensor coordinates, Tensor num_points, Tensor point_voxel)");

// No more voxels than points, and than the clouds may have.
int64_t MostVoxels(int64_t max_voxels_per_cloud, const View& points, const View& cloud_begins) {
  const int64_t clouds = cloud_begins.given ? std::max<int64_t>(cloud_begins.extent(0) - 1, 0) : 1;
  int64_t most = 0;
  if (max_voxels_per_cloud <= 0 || __builtin_mul_overflow(max_voxels_per_cloud, clouds, &most)) {
    return points.extent(0);
  }
  return std::min(most, points.extent(0));
}

void PointToVoxel(Call& call) {
  const std::vector<double> range_min = call.Reals(kSchema["range_min"]);
  const std::vector<double> voxel_size = call.Reals(kSchema["voxel_size"]);
  const std::vector<int> grid = call.Ints(kSchema["grid"]);
  const int64_t max_points = call.Int64(kSchema["max_points_per_voxel"]);
  const int64_t max_voxels = call.Int64(kSchema["max_voxels_per_cloud"]);
  const auto order = call.Choice<detopsVoxelOrder_t>(
      kSchema["order"], {{"first_point", DETOPS_VOXEL_ORDER_FIRST_POINT}, {"ascending", DETOPS_VOXEL_ORDER_ASCENDING}});
  const bool wants_voxels = call.Flag(kSchema["voxels"]);
  const bool wants_means = call.Flag(kSchema["means"]);
  const View points = call.Numbers(kSchema["points"]);
  const View begins = call.IndicesIf(true, kSchema["cloud_begins"]);
  const auto ndim = static_cast<int64_t>(grid.size());
  if (voxel_size.size() != range_min.size() || grid.size() != range_min.size()) {
    call.At(kSchema["range_min"])
        .Refuse("has " + std::to_string(range_min.size()) + " numbers, voxel_size " +
                std::to_string(voxel_size.size()) + " and grid " + std::to_string(ndim) +
                ", expected as many of each.");
  }
  const int64_t rows = MostVoxels(max_voxels, points, begins);
  const int64_t columns = points.extent(1);
  const int64_t most_points = std::max<int64_t>(max_points, 0);
  const View voxels = wants_voxels ? call.Output(0, points.type, {rows, most_points, columns}) : View();
  const View means = wants_means ? call.Output(1, points.type, {rows, columns}) : View();
  const View coordinates = call.Output(2, MLUOP_DTYPE_INT32, {rows, ndim + (begins.given ? 1 : 0)});
  const View counts = call.Output(3, MLUOP_DTYPE_INT32, {rows});
  const View point_voxel = call.Output(4, MLUOP_DTYPE_INT32, {points.extent(0)});
  int64_t found = 0;
  call.Run([&](mluOpHandle_t handle) {
    return detopsPointToVoxel(handle, static_cast<int>(ndim), range_min.data(), voxel_size.data(), grid.data(),
                              max_points, max_voxels, order, Descriptor(points), points.data, Descriptor(begins),
                              begins.data, Descriptor(voxels), voxels.data, Descriptor(means), means.data,
                              Descriptor(coordinates), coordinates.data, Descriptor(counts), counts.data,
                              Descriptor(point_voxel), point_voxel.data, &found);
  });
  for (const int result : {0, 1, 2, 3}) call.KeepRows(result, found);
}

}  // namespace

constinit const std::array<Operator, 1> kPointToVoxel = {{{kSchema, &PointToVoxel}}};

}  // namespace detops_binding
