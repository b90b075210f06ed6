#include "common/point_to_voxel.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "numpy/arguments.h"
#include "numpy/array.h"
#include "numpy/call.h"
#include "numpy/operators.h"

namespace detops_python {
namespace {

nb::tuple PointToVoxel(nb::handle points, std::vector<double> voxel_size, std::vector<double> range_min,
                       nb::handle grid, int64_t max_points_per_voxel, int64_t max_voxels_per_cloud,
                       nb::handle cloud_begins, const std::string& order, bool voxels, bool means) {
  constexpr char kFunction[] = "point_to_voxel";
  const detops_binding::VoxelGrid where = {
      .range_min = std::move(range_min),
      .voxel_size = std::move(voxel_size),
      .grid = Sizes(grid, static_cast<int>(Shape(grid, {kFunction, "grid"}).size()), {kFunction, "grid"}),
      .max_points_per_voxel = max_points_per_voxel,
      .max_voxels_per_cloud = max_voxels_per_cloud,
      .order = detops_binding::VoxelOrderOf(order),
      .wants_voxels = voxels,
      .wants_means = means};
  const Array cloud = Array::Numbers(points, {kFunction, "points"});
  const Array begins = cloud_begins.is_none() ? Array() : Array::Indices(cloud_begins, {kFunction, "cloud_begins"});
  NumpyCall call(kFunction, nb::none(), 5);
  const int64_t found = detops_binding::PointToVoxel(call, where, cloud.view(), begins.view());
  return nb::make_tuple(call.FirstRows(0, found), call.FirstRows(1, found), call.FirstRows(2, found),
                        call.FirstRows(3, found), call.Result(4));
}

}  // namespace

void AddPointToVoxel(nb::module_& module) {
  module.def("point_to_voxel", &PointToVoxel, nb::arg("points").none(), nb::arg("voxel_size"), nb::arg("range_min"),
             nb::arg("grid").none(), nb::arg("max_points_per_voxel"), nb::arg("max_voxels_per_cloud"),
             nb::arg("cloud_begins").none(), nb::arg("order"), nb::arg("voxels"), nb::arg("means"));
}

}  // namespace detops_python
