#include "common/roiaware_pool3d.h"

#include <nanobind/nanobind.h>

#include "numpy/arguments.h"
#include "numpy/array.h"
#include "numpy/call.h"
#include "numpy/operators.h"

namespace detops_python {
namespace {

using detops_binding::Pool;
using detops_binding::PoolOf;

// The arguments of both forms of forward, and what keeps their memory alive.
struct Scene {
  Array rois;
  Array pts;
  Array pts_feature;
  detops_binding::RoiAwareScene plain;

  Scene(const char* function, nb::handle rois_source, nb::handle pts_source, nb::handle feature_source,
        nb::handle out_size, nb::handle max_pts_each_voxel, nb::handle pool, nb::handle z_origin, nb::handle xy_margin)
      : rois(Array::Numbers(rois_source, {function, "rois"})),
        pts(Array::Numbers(pts_source, {function, "pts"}, &rois.view())),
        pts_feature(Array::Numbers(feature_source, {function, "pts_feature"}, &rois.view())),
        plain{.rois = rois.view(),
              .pts = pts.view(),
              .pts_feature = pts_feature.view(),
              .out_size = SizesArray<3>(out_size, {function, "out_size"}),
              .max_pts_each_voxel = Int32Of(max_pts_each_voxel, {function, "max_pts_each_voxel"}),
              .pool = PoolOf(WordOf(pool, {function, "pool"}), function),
              .z_origin = detops_binding::ZOriginOf(WordOf(z_origin, {function, "z_origin"}), function),
              .xy_margin = DoubleOf(xy_margin, {function, "xy_margin"})} {}
};

nb::tuple Forward(nb::handle rois, nb::handle pts, nb::handle pts_feature, nb::handle out_size,
                  nb::handle max_pts_each_voxel, nb::handle pool, nb::handle z_origin, nb::handle xy_margin,
                  nb::handle out) {
  constexpr char kFunction[] = "roiaware_pool3d_forward";
  const Scene scene(kFunction, rois, pts, pts_feature, out_size, max_pts_each_voxel, pool, z_origin, xy_margin);
  NumpyCall call(kFunction, out, 3);
  detops_binding::RoiAwarePool3dForward(call, scene.plain);
  return nb::make_tuple(call.Result(0), call.Result(1), call.Result(2));
}

// An argument that only one kind of pooling reads: the other leaves it alone.
Array IndicesIf(bool needed, nb::handle source, const Argument& argument) {
  return needed && !source.is_none() ? Array::Indices(source, argument) : Array();
}

nb::object Backward(nb::handle grad_out, nb::handle argmax, nb::handle pts_idx_of_voxels, nb::handle pts_num,
                    nb::handle pool_name, nb::handle out) {
  constexpr char kFunction[] = "roiaware_pool3d_backward";
  const Pool pool = PoolOf(WordOf(pool_name, {kFunction, "pool"}), kFunction);
  const bool is_max = pool == Pool::kMaximum;
  const Array gradient = Array::Numbers(grad_out, {kFunction, "grad_out"});
  const Array winners = IndicesIf(is_max, argmax, {kFunction, "argmax"});
  const Array lists = IndicesIf(!is_max, pts_idx_of_voxels, {kFunction, "pts_idx_of_voxels"});
  NumpyCall call(kFunction, out);
  detops_binding::RoiAwarePool3dBackward(call, pool, gradient.view(), winners.view(), lists.view(),
                                         Int64Of(pts_num, {kFunction, "pts_num"}));
  return call.Result(0);
}

nb::tuple CompactForward(nb::handle rois, nb::handle pts, nb::handle pts_feature, nb::handle out_size,
                         nb::handle max_pts_each_voxel, nb::handle pool, nb::handle z_origin, nb::handle xy_margin,
                         nb::handle out) {
  constexpr char kFunction[] = "roiaware_pool3d_compact_forward";
  const Scene scene(kFunction, rois, pts, pts_feature, out_size, max_pts_each_voxel, pool, z_origin, xy_margin);
  NumpyCall call(kFunction, out, 5);
  const detops_binding::CompactSize used =
      detops_binding::RoiAwarePool3dCompactForward(call, scene.plain, !out.is_none());
  return nb::make_tuple(call.FirstRows(0, used.voxels), call.FirstRows(1, used.voxels + 1),
                        call.FirstRows(2, used.points), call.FirstRows(3, used.voxels), call.FirstRows(4, used.voxels));
}

nb::object CompactBackward(nb::handle grad_out, nb::handle voxel_begins, nb::handle pts_idx, nb::handle argmax,
                           nb::handle pts_num, nb::handle pool_name, nb::handle out) {
  constexpr char kFunction[] = "roiaware_pool3d_compact_backward";
  const Pool pool = PoolOf(WordOf(pool_name, {kFunction, "pool"}), kFunction);
  const bool is_max = pool == Pool::kMaximum;
  const Array gradient = Array::Numbers(grad_out, {kFunction, "grad_out"});
  const Array begins = IndicesIf(!is_max, voxel_begins, {kFunction, "voxel_begins"});
  const Array points = IndicesIf(!is_max, pts_idx, {kFunction, "pts_idx"});
  const Array winners = IndicesIf(is_max, argmax, {kFunction, "argmax"});
  NumpyCall call(kFunction, out);
  detops_binding::RoiAwarePool3dCompactBackward(call, pool, gradient.view(), begins.view(), points.view(),
                                                winners.view(), Int64Of(pts_num, {kFunction, "pts_num"}));
  return call.Result(0);
}

}  // namespace

void AddRoiAwarePool3d(nb::module_& module) {
  module.def("roiaware_pool3d_forward", &Forward, nb::arg("rois").none(), nb::arg("pts").none(),
             nb::arg("pts_feature").none(), nb::arg("out_size").none(), nb::arg("max_pts_each_voxel").none(),
             nb::arg("pool").none(), nb::arg("z_origin").none(), nb::arg("xy_margin").none(), nb::arg("out").none());
  module.def("roiaware_pool3d_backward", &Backward, nb::arg("grad_out").none(), nb::arg("argmax").none(),
             nb::arg("pts_idx_of_voxels").none(), nb::arg("pts_num").none(), nb::arg("pool").none(),
             nb::arg("out").none());
  module.def("roiaware_pool3d_compact_forward", &CompactForward, nb::arg("rois").none(), nb::arg("pts").none(),
             nb::arg("pts_feature").none(), nb::arg("out_size").none(), nb::arg("max_pts_each_voxel").none(),
             nb::arg("pool").none(), nb::arg("z_origin").none(), nb::arg("xy_margin").none(), nb::arg("out").none());
  module.def("roiaware_pool3d_compact_backward", &CompactBackward, nb::arg("grad_out").none(),
             nb::arg("voxel_begins").none(), nb::arg("pts_idx").none(), nb::arg("argmax").none(),
             nb::arg("pts_num").none(), nb::arg("pool").none(), nb::arg("out").none());
}

}  // namespace detops_python
