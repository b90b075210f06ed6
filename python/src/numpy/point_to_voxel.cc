#include "common/point_to_voxel.h"

#include <nanobind/nanobind.h>

#include "numpy/arguments.h"
#include "numpy/array.h"
#include "numpy/call.h"
#include "numpy/operators.h"

namespace detops_python {
namespace {

nb::tuple PointToVoxel(nb::handle points, nb::handle voxel_size, nb::handle range_min, nb::handle grid,
                       nb::handle max_points_per_voxel, nb::handle max_voxels_per_cloud, nb::handle cloud_begins,
                       nb::handle order, nb::handle voxels, nb::handle means) {
  constexpr char kFunction[] = "point_to_voxel";
  const detops_binding::VoxelGrid where = {
      .range_min = Doubles(range_min, {kFunction, "range_min"}),
      .voxel_size = Doubles(voxel_size, {kFunction, "voxel_size"}),
      .grid = Sizes(grid, {kFunction, "grid"}),
      .max_points_per_voxel = Int64Of(max_points_per_voxel, {kFunction, "max_points_per_voxel"}),
      .max_voxels_per_cloud = Int64Of(max_voxels_per_cloud, {kFunction, "max_voxels_per_cloud"}),
      .order = detops_binding::VoxelOrderOf(WordOf(order, {kFunction, "order"})),
      .wants_voxels = BoolOf(voxels, {kFunction, "voxels"}),
      .wants_means = BoolOf(means, {kFunction, "means"})};
  const Array cloud = Array::Numbers(points, {kFunction, "points"});
  const Array begins = cloud_begins.is_none() ? Array() : Array::Indices(cloud_begins, {kFunction, "cloud_begins"});
  NumpyCall call(kFunction, nb::none(), 5);
  const int64_t found = detops_binding::PointToVoxel(call, where, cloud.view(), begins.view());
  return nb::make_tuple(call.FirstRows(0, found), call.FirstRows(1, found), call.FirstRows(2, found),
                        call.FirstRows(3, found), call.Result(4));
}

}  // namespace

void AddPointToVoxel(nb::module_& module) {
  module.def("point_to_voxel", &PointToVoxel, nb::arg("points").none(), nb::arg("voxel_size").none(),
             nb::arg("range_min").none(), nb::arg("grid").none(), nb::arg("max_points_per_voxel").none(),
             nb::arg("max_voxels_per_cloud").none(), nb::arg("cloud_begins").none(), nb::arg("order").none(),
             nb::arg("voxels").none(), nb::arg("means").none());
}

}  // namespace detops_python
