#include "roiaware_pool3d.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "call.h"
#include "operators.h"

namespace detops_python {
namespace {

nb::tuple Forward(nb::handle rois, nb::handle pts, nb::handle pts_feature, nb::handle out_size, int max_pts_each_voxel,
                  const std::string& pool, const std::string& z_origin, double xy_margin, nb::handle out) {
  constexpr char kFunction[] = "roiaware_pool3d_forward";
  const int method = PoolOf(pool, kFunction);
  const detopsZOrigin_t origin = ZOriginOf(z_origin, kFunction);
  const Scene scene(rois, pts, pts_feature, kFunction);
  const std::vector<int> size = Sizes(out_size, 3, {kFunction, "out_size"});
  const OutTuple outs(out, 3, {kFunction, "out"});
  if (size[0] < 1 || size[1] < 1 || size[2] < 1 || max_pts_each_voxel < 1) {
    throw nb::value_error("roiaware_pool3d_forward: out_size and max_pts_each_voxel must be above 0.");
  }
  const std::array<int64_t, 5> shape = {scene.rois.extent(0), size[0], size[1], size[2], scene.pts_feature.extent(1)};
  const std::array<int64_t, 5> lists = {shape[0], shape[1], shape[2], shape[3], max_pts_each_voxel};
  const Array pooled = Array::Output(outs[0], {kFunction, "out[0]"}, scene.rois.type(), shape);
  // The average has no argmax. Who passes memory for it gets zeros, as the contract says.
  const bool has_argmax = method == kMaximum || !outs[1].is_none();
  const Array argmax = has_argmax ? Array::Output(outs[1], {kFunction, "out[1]"}, MLUOP_DTYPE_INT32, shape) : Array();
  const Array pts_idx = Array::Output(outs[2], {kFunction, "out[2]"}, MLUOP_DTYPE_INT32, lists);
  if (scene.is_empty()) {
    pooled.Fill(0);
    pts_idx.Fill(0);
    if (has_argmax) argmax.Fill(method == kMaximum ? 0xFF : 0);
  } else {
    const Descriptor rois_desc(scene.rois);
    const Descriptor pts_desc(scene.pts);
    const Descriptor feature_desc(scene.pts_feature);
    const Descriptor argmax_desc(argmax);
    const Descriptor pts_idx_desc(pts_idx);
    const Descriptor pooled_desc(pooled);
    Run([&](mluOpHandle_t handle) {
      return detopsRoiAwarePool3dForward(handle, method, origin, xy_margin, rois_desc, scene.rois.data(), pts_desc,
                                         scene.pts.data(), feature_desc, scene.pts_feature.data(), argmax_desc,
                                         argmax.data(), pts_idx_desc, pts_idx.data(), pooled_desc, pooled.data());
    });
  }
  const nb::object argmax_object = has_argmax ? argmax.object() : nb::none();
  return nb::make_tuple(pooled.object(), argmax_object, pts_idx.object());
}

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

nb::object Backward(nb::handle grad_out, nb::handle argmax, nb::handle pts_idx_of_voxels, int64_t pts_num,
                    const std::string& pool, nb::handle out) {
  constexpr char kFunction[] = "roiaware_pool3d_backward";
  const int method = PoolOf(pool, kFunction);
  const char* needed_name = method == kMaximum ? "argmax" : "pts_idx_of_voxels";
  const nb::handle needed_source = method == kMaximum ? argmax : pts_idx_of_voxels;
  const Array gradient = Array::Numbers(grad_out, {kFunction, "grad_out"});
  if (needed_source.is_none()) {
    throw nb::type_error(Argument{kFunction, needed_name}.Text("is None, but pool='" + pool + "' needs it.").c_str());
  }
  const Array needed = Array::Indices(needed_source, {kFunction, needed_name});
  if (gradient.rank() != 5) throw nb::value_error(Argument{kFunction, "grad_out"}.Text("has not rank 5.").c_str());
  if (needed.rank() != 5) throw nb::value_error(Argument{kFunction, needed_name}.Text("has not rank 5.").c_str());
  if (pts_num < 0) throw nb::value_error(Argument{kFunction, "pts_num"}.Text("is negative.").c_str());
  const std::array<int64_t, 2> shape = {pts_num, gradient.extent(4)};
  const Array result = Array::Output(out, {kFunction, "out"}, gradient.type(), shape);
  if (gradient.extent(0) == 0 || pts_num == 0) {
    result.Fill(0);
    return result.object();
  }
  // The contract asks for both tensors and reads one. The other is memory that nobody touches, which costs nothing.
  std::array<int64_t, 5> other_shape = {gradient.extent(0), gradient.extent(1), gradient.extent(2), gradient.extent(3),
                                        method == kMaximum ? 1 : gradient.extent(4)};
  size_t other_bytes = 4;
  for (const int64_t extent : other_shape) other_bytes *= static_cast<size_t>(extent);
  const std::unique_ptr<void, FreeMemory> other(std::malloc(other_bytes + 1));
  if (other == nullptr) throw std::bad_alloc();
  const Descriptor gradient_desc(gradient);
  const Descriptor needed_desc(needed);
  const Descriptor other_desc(MLUOP_DTYPE_INT32, MLUOP_LAYOUT_ARRAY, other_shape);
  const Descriptor result_desc(result);
  const bool is_max = method == kMaximum;
  const mluOpTensorDescriptor_t lists_desc = is_max ? other_desc : needed_desc;
  const mluOpTensorDescriptor_t argmax_desc = is_max ? needed_desc : other_desc;
  const auto list_length = static_cast<int>(is_max ? 1 : needed.extent(4));
  Run([&](mluOpHandle_t handle) {
    return mluOpRoiAwarePool3dBackward(
        handle, method, static_cast<int>(gradient.extent(0)), static_cast<int>(gradient.extent(1)),
        static_cast<int>(gradient.extent(2)), static_cast<int>(gradient.extent(3)),
        static_cast<int>(gradient.extent(4)), list_length, lists_desc, is_max ? other.get() : needed.data(),
        argmax_desc, is_max ? needed.data() : other.get(), gradient_desc, gradient.data(), result_desc, result.data());
  });
  return result.object();
}

}  // namespace

void AddRoiAwarePool3d(nb::module_& module) {
  module.def("roiaware_pool3d_forward", &Forward, nb::arg("rois").none(), nb::arg("pts").none(),
             nb::arg("pts_feature").none(), nb::arg("out_size").none(), nb::arg("max_pts_each_voxel"), nb::arg("pool"),
             nb::arg("z_origin"), nb::arg("xy_margin"), nb::arg("out").none());
  module.def("roiaware_pool3d_backward", &Backward, nb::arg("grad_out").none(), nb::arg("argmax").none(),
             nb::arg("pts_idx_of_voxels").none(), nb::arg("pts_num"), nb::arg("pool"), nb::arg("out").none());
}

}  // namespace detops_python
