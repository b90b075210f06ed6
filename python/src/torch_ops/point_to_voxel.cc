#include "common/point_to_voxel.h"

#include <tuple>

#include "torch_ops/box.h"
#include "torch_ops/tensor.h"

namespace detops_torch {
namespace {

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> PointToVoxel(
    const Tensor& points, const std::vector<double>& voxel_size, const std::vector<double>& range_min,
    const Sizes& grid, int64_t max_points_per_voxel, int64_t max_voxels_per_cloud,
    const std::optional<Tensor>& cloud_begins, const Word& order, bool voxels, bool means) {
  constexpr char kFunction[] = "point_to_voxel";
  std::vector<int> cells(grid.size());
  PutInts(grid, cells, {kFunction, "grid"});
  const detops_binding::VoxelGrid where = {.range_min = range_min,
                                           .voxel_size = voxel_size,
                                           .grid = std::move(cells),
                                           .max_points_per_voxel = max_points_per_voxel,
                                           .max_voxels_per_cloud = max_voxels_per_cloud,
                                           .order = detops_binding::VoxelOrderOf(order),
                                           .wants_voxels = voxels,
                                           .wants_means = means};
  const Input cloud = Input::Numbers(points, {kFunction, "points"});
  const Input begins = Input::IndicesIf(true, cloud_begins, {kFunction, "cloud_begins"});
  TorchCall call;
  const int64_t found = detops_binding::PointToVoxel(call, where, cloud.view(), begins.view());
  return {call.FirstRows(0, voxels ? found : 0), call.FirstRows(1, means ? found : 0), call.FirstRows(2, found),
          call.FirstRows(3, found), call.Result(4)};
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(detops, library) {
  Define(library,
         "point_to_voxel(Tensor points, float[] voxel_size, float[] range_min, int[] grid, "
         "int max_points_per_voxel=0, int max_voxels_per_cloud=0, Tensor? cloud_begins=None, str order='first_point', "
         "bool voxels=True, bool means=False) -> "
         "(Tensor voxels, Tensor means, Tensor coordinates, Tensor num_points, Tensor point_voxel)");
}

STABLE_TORCH_LIBRARY_IMPL(detops, CPU, library) { Implement<&PointToVoxel>(library, "point_to_voxel"); }

}  // namespace detops_torch
