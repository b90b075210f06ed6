#include "common/point_to_voxel.h"

#include <tuple>
#include <utility>

#include "torch_ops/box.h"
#include "torch_ops/tensor.h"

namespace detops_torch {
namespace {

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> PointToVoxel(const Tensor& points, std::vector<double> voxel_size,
                                                                std::vector<double> range_min, const Sizes& grid,
                                                                int64_t max_points_per_voxel,
                                                                int64_t max_voxels_per_cloud,
                                                                const std::optional<Tensor>& cloud_begins,
                                                                const Word& order, bool voxels, bool means) {
  constexpr char kFunction[] = "point_to_voxel";
  std::vector<int> cells(grid.size());
  PutInts(grid, cells, {kFunction, "grid"});
  const detops_binding::VoxelGrid where = {.range_min = std::move(range_min),
                                           .voxel_size = std::move(voxel_size),
                                           .grid = std::move(cells),
                                           .max_points_per_voxel = max_points_per_voxel,
                                           .max_voxels_per_cloud = max_voxels_per_cloud,
                                           .order = detops_binding::VoxelOrderOf(order),
                                           .wants_voxels = voxels,
                                           .wants_means = means};
  const Input cloud = Input::Numbers(points, {kFunction, "points"});
  const Input begins = Input::IndicesIf(true, cloud_begins, {kFunction, "cloud_begins"});
  TorchCall call(kFunction);
  const int64_t found = detops_binding::PointToVoxel(call, where, cloud.view(), begins.view());
  return {call.FirstRows(0, voxels ? found : 0), call.FirstRows(1, means ? found : 0), call.FirstRows(2, found),
          call.FirstRows(3, found), call.Result(4)};
}

// The same with fewer lists and arguments, for each of which torch takes its time. Numbers: how many of the measures
// are voxel_size (those behind are range_min), max_points_per_voxel, max_voxels_per_cloud, voxels + 2 * means, grid.
std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> PointToVoxelPacked(const Tensor& points,
                                                                      const std::vector<double>& measures,
                                                                      const Sizes& numbers, const Word& order,
                                                                      const std::optional<Tensor>& cloud_begins) {
  constexpr size_t kBeforeGrid = 4;
  if (numbers.size() < kBeforeGrid || numbers[0] < 0 || numbers[0] > static_cast<int64_t>(measures.size())) {
    Argument{"_point_to_voxel", "numbers"}.Refuse("does not fit measures.");
  }
  const auto range_begin = measures.begin() + numbers[0];
  const Sizes grid(numbers.begin() + kBeforeGrid, numbers.end());
  return PointToVoxel(points, {measures.begin(), range_begin}, {range_begin, measures.end()}, grid, numbers[1],
                      numbers[2], cloud_begins, order, (numbers[3] & 1) != 0, (numbers[3] & 2) != 0);
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(detops, library) {
  library.def(
      "point_to_voxel(Tensor points, float[] voxel_size, float[] range_min, int[] grid, "
      "int max_points_per_voxel=0, int max_voxels_per_cloud=0, Tensor? cloud_begins=None, str order='first_point', "
      "bool voxels=True, bool means=False) -> "
      "(Tensor voxels, Tensor means, Tensor coordinates, Tensor num_points, Tensor point_voxel)");
  // For calls from Python without a tracer.
  library.def(
      "_point_to_voxel(Tensor points, float[] measures, int[] numbers, str order='first_point', "
      "Tensor? cloud_begins=None) -> "
      "(Tensor voxels, Tensor means, Tensor coordinates, Tensor num_points, Tensor point_voxel)");
}

STABLE_TORCH_LIBRARY_IMPL(detops, CPU, library) {
  library.impl("point_to_voxel", &Box<&PointToVoxel>::Call);
  library.impl("_point_to_voxel", &Box<&PointToVoxelPacked>::Call);
}

}  // namespace detops_torch
