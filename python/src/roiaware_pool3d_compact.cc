#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <string>
#include <vector>

#include "call.h"
#include "operators.h"
#include "roiaware_pool3d.h"

namespace detops_python {
namespace {

constexpr int32_t kNoPoints = 0;

// The first rows of what the caller has passed as room.
nb::object FirstRows(const Array& array, int64_t rows) {
  if (array.extent(0) == rows) return array.object();
  return nb::object(array.object()[nb::slice(nb::int_(0), nb::int_(rows), nb::int_(1))]);
}

nb::tuple Forward(nb::handle rois, nb::handle pts, nb::handle pts_feature, nb::handle out_size, int max_pts_each_voxel,
                  const std::string& pool, const std::string& z_origin, double xy_margin, nb::handle out) {
  constexpr char kFunction[] = "roiaware_pool3d_compact_forward";
  const int method = PoolOf(pool, kFunction);
  const detopsZOrigin_t origin = ZOriginOf(z_origin, kFunction);
  const Scene scene(rois, pts, pts_feature, kFunction);
  const std::vector<int> size = Sizes(out_size, 3, {kFunction, "out_size"});
  const OutTuple outs(out, 5, {kFunction, "out"});
  const Descriptor rois_desc(scene.rois);
  const Descriptor pts_desc(scene.pts);
  int64_t voxel_num = 0;
  int64_t point_num = 0;
  if (!scene.is_empty() && !outs.given()) {
    Run([&](mluOpHandle_t handle) {
      return detopsCountRoiAwareVoxels(handle, origin, xy_margin, max_pts_each_voxel, size[0], size[1], size[2],
                                       rois_desc, scene.rois.data(), pts_desc, scene.pts.data(), &voxel_num,
                                       &point_num);
    });
  }
  const int64_t channels = scene.pts_feature.extent(1);
  const std::array<int64_t, 2> voxels_shape = {voxel_num, 4};
  const std::array<int64_t, 1> begins_shape = {voxel_num + 1};
  const std::array<int64_t, 1> pts_idx_shape = {point_num};
  const std::array<int64_t, 2> pooled_shape = {voxel_num, channels};
  const Array voxels = Array::Room(outs[0], {kFunction, "out[0]"}, MLUOP_DTYPE_INT32, voxels_shape);
  const Array begins = Array::Room(outs[1], {kFunction, "out[1]"}, MLUOP_DTYPE_INT32, begins_shape);
  const Array pts_idx = Array::Room(outs[2], {kFunction, "out[2]"}, MLUOP_DTYPE_INT32, pts_idx_shape);
  const Array pooled = Array::Room(outs[3], {kFunction, "out[3]"}, scene.rois.type(), pooled_shape);
  const bool has_argmax = method == kMaximum || !outs[4].is_none();
  const Array argmax =
      has_argmax ? Array::Room(outs[4], {kFunction, "out[4]"}, MLUOP_DTYPE_INT32, pooled_shape) : Array();
  if (scene.is_empty()) {
    if (begins.rank() != 1 || begins.extent(0) < 1) {
      throw nb::value_error(Argument{kFunction, "out[1]"}.Text("has no room for one number.").c_str());
    }
    *static_cast<int32_t*>(begins.data()) = kNoPoints;
  } else {
    const Descriptor feature_desc(scene.pts_feature);
    const Descriptor voxels_desc(voxels);
    const Descriptor begins_desc(begins);
    const Descriptor pts_idx_desc(pts_idx);
    const Descriptor pooled_desc(pooled);
    const Descriptor argmax_desc(argmax);
    Run([&](mluOpHandle_t handle) {
      return detopsRoiAwarePool3dCompactForward(handle, method, origin, xy_margin, max_pts_each_voxel, size[0], size[1],
                                                size[2], rois_desc, scene.rois.data(), pts_desc, scene.pts.data(),
                                                feature_desc, scene.pts_feature.data(), voxels_desc, voxels.data(),
                                                begins_desc, begins.data(), pts_idx_desc, pts_idx.data(), argmax_desc,
                                                argmax.data(), pooled_desc, pooled.data(), &voxel_num, &point_num);
    });
  }
  const nb::object argmax_object = has_argmax ? FirstRows(argmax, voxel_num) : nb::none();
  return nb::make_tuple(FirstRows(voxels, voxel_num), FirstRows(begins, voxel_num + 1), FirstRows(pts_idx, point_num),
                        FirstRows(pooled, voxel_num), argmax_object);
}

nb::object Backward(nb::handle grad_out, nb::handle voxel_begins, nb::handle pts_idx, nb::handle argmax,
                    int64_t pts_num, const std::string& pool, nb::handle out) {
  constexpr char kFunction[] = "roiaware_pool3d_compact_backward";
  const int method = PoolOf(pool, kFunction);
  const bool is_max = method == kMaximum;
  const Array gradient = Array::Numbers(grad_out, {kFunction, "grad_out"});
  const auto needed_if = [&](bool needed, nb::handle source, const char* name) {
    if (!needed) return Array();
    if (!source.is_none()) return Array::Indices(source, {kFunction, name});
    throw nb::type_error(Argument{kFunction, name}.Text("is None, but pool='" + pool + "' needs it.").c_str());
  };
  const Array begins = needed_if(!is_max, voxel_begins, "voxel_begins");
  const Array points = needed_if(!is_max, pts_idx, "pts_idx");
  const Array winners = needed_if(is_max, argmax, "argmax");
  if (pts_num < 0) throw nb::value_error(Argument{kFunction, "pts_num"}.Text("is negative.").c_str());
  const std::array<int64_t, 2> shape = {pts_num, gradient.extent(1)};
  const Array result = Array::Output(out, {kFunction, "out"}, gradient.type(), shape);
  if (gradient.rank() == 2 && result.elements() == 0) return result.object();
  const Descriptor gradient_desc(gradient);
  const Descriptor begins_desc(begins);
  const Descriptor points_desc(points);
  const Descriptor winners_desc(winners);
  const Descriptor result_desc(result);
  Run([&](mluOpHandle_t handle) {
    return detopsRoiAwarePool3dCompactBackward(handle, method, gradient.extent(0), begins_desc, begins.data(),
                                               points_desc, points.data(), winners_desc, winners.data(), gradient_desc,
                                               gradient.data(), result_desc, result.data());
  });
  return result.object();
}

}  // namespace

void AddRoiAwarePool3dCompact(nb::module_& module) {
  module.def("roiaware_pool3d_compact_forward", &Forward, nb::arg("rois").none(), nb::arg("pts").none(),
             nb::arg("pts_feature").none(), nb::arg("out_size").none(), nb::arg("max_pts_each_voxel"), nb::arg("pool"),
             nb::arg("z_origin"), nb::arg("xy_margin"), nb::arg("out").none());
  module.def("roiaware_pool3d_compact_backward", &Backward, nb::arg("grad_out").none(), nb::arg("voxel_begins").none(),
             nb::arg("pts_idx").none(), nb::arg("argmax").none(), nb::arg("pts_num"), nb::arg("pool"),
             nb::arg("out").none());
}

}  // namespace detops_python
