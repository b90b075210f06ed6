#include "common/roiaware_pool3d.h"

#include <tuple>

#include "torch_ops/box.h"
#include "torch_ops/tensor.h"

namespace detops_torch {
namespace {

using detops_binding::Pool;
using detops_binding::PoolOf;

// The arguments of both forms of forward, and what keeps their memory alive.
struct Scene {
  Input rois;
  Input pts;
  Input pts_feature;
  detops_binding::RoiAwareScene plain;

  Scene(const char* function, const Tensor& rois_tensor, const Tensor& pts_tensor, const Tensor& feature_tensor,
        const Sizes& out_size, int64_t max_pts_each_voxel, const Word& pool, const Word& z_origin, double xy_margin)
      : rois(Input::Numbers(rois_tensor, {function, "rois"})),
        pts(Input::Numbers(pts_tensor, {function, "pts"}, &rois.view())),
        pts_feature(Input::Numbers(feature_tensor, {function, "pts_feature"}, &rois.view())),
        plain{.rois = rois.view(),
              .pts = pts.view(),
              .pts_feature = pts_feature.view(),
              .out_size = IntArray<3>(out_size, {function, "out_size"}),
              .max_pts_each_voxel = max_pts_each_voxel,
              .pool = PoolOf(pool, function),
              .z_origin = detops_binding::ZOriginOf(z_origin, function),
              .xy_margin = xy_margin} {}
};

std::tuple<Tensor, Tensor, Tensor> Forward(const Tensor& rois, const Tensor& pts, const Tensor& pts_feature,
                                           const Sizes& out_size, int64_t max_pts_each_voxel, const Word& pool,
                                           const Word& z_origin, double xy_margin) {
  constexpr char kFunction[] = "roiaware_pool3d_forward";
  const Scene scene(kFunction, rois, pts, pts_feature, out_size, max_pts_each_voxel, pool, z_origin, xy_margin);
  TorchCall call(kFunction);
  detops_binding::RoiAwarePool3dForward(call, scene.plain);
  return {call.Result(0), call.Result(1), call.Result(2)};
}

Tensor Backward(const Tensor& grad_out, const std::optional<Tensor>& argmax,
                const std::optional<Tensor>& pts_idx_of_voxels, int64_t pts_num, const Word& pool_name) {
  constexpr char kFunction[] = "roiaware_pool3d_backward";
  const Pool pool = PoolOf(pool_name, kFunction);
  const bool is_max = pool == Pool::kMaximum;
  const Input gradient = Input::Numbers(grad_out, {kFunction, "grad_out"});
  const Input winners = Input::IndicesIf(is_max, argmax, {kFunction, "argmax"});
  const Input lists = Input::IndicesIf(!is_max, pts_idx_of_voxels, {kFunction, "pts_idx_of_voxels"});
  TorchCall call(kFunction);
  detops_binding::RoiAwarePool3dBackward(call, pool, gradient.view(), winners.view(), lists.view(), pts_num);
  return call.Result(0);
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> CompactForward(const Tensor& rois, const Tensor& pts,
                                                                  const Tensor& pts_feature, const Sizes& out_size,
                                                                  int64_t max_pts_each_voxel, const Word& pool,
                                                                  const Word& z_origin, double xy_margin) {
  constexpr char kFunction[] = "roiaware_pool3d_compact_forward";
  const Scene scene(kFunction, rois, pts, pts_feature, out_size, max_pts_each_voxel, pool, z_origin, xy_margin);
  TorchCall call(kFunction);
  detops_binding::RoiAwarePool3dCompactForward(call, scene.plain, false);
  return {call.Result(0), call.Result(1), call.Result(2), call.Result(3), call.Result(4)};
}

Tensor CompactBackward(const Tensor& grad_out, const std::optional<Tensor>& voxel_begins,
                       const std::optional<Tensor>& pts_idx, const std::optional<Tensor>& argmax, int64_t pts_num,
                       const Word& pool_name) {
  constexpr char kFunction[] = "roiaware_pool3d_compact_backward";
  const Pool pool = PoolOf(pool_name, kFunction);
  const bool is_max = pool == Pool::kMaximum;
  const Input gradient = Input::Numbers(grad_out, {kFunction, "grad_out"});
  const Input begins = Input::IndicesIf(!is_max, voxel_begins, {kFunction, "voxel_begins"});
  const Input points = Input::IndicesIf(!is_max, pts_idx, {kFunction, "pts_idx"});
  const Input winners = Input::IndicesIf(is_max, argmax, {kFunction, "argmax"});
  TorchCall call(kFunction);
  detops_binding::RoiAwarePool3dCompactBackward(call, pool, gradient.view(), begins.view(), points.view(),
                                                winners.view(), pts_num);
  return call.Result(0);
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(detops, library) {
  Define(library,
         "roiaware_pool3d_forward(Tensor rois, Tensor pts, Tensor pts_feature, int[] out_size, "
         "int max_pts_each_voxel=128, str pool='max', str z_origin='bottom', float xy_margin=0.0) -> "
         "(Tensor pooled_features, Tensor argmax, Tensor pts_idx_of_voxels)");
  Define(library,
         "roiaware_pool3d_backward(Tensor grad_out, Tensor? argmax, Tensor? pts_idx_of_voxels, SymInt pts_num, "
         "str pool='max') -> Tensor");
  Define(library,
         "roiaware_pool3d_compact_forward(Tensor rois, Tensor pts, Tensor pts_feature, int[] out_size, "
         "int max_pts_each_voxel=128, str pool='max', str z_origin='bottom', float xy_margin=0.0) -> "
         "(Tensor voxels, Tensor voxel_begins, Tensor pts_idx, Tensor pooled_features, Tensor argmax)");
  Define(library,
         "roiaware_pool3d_compact_backward(Tensor grad_out, Tensor? voxel_begins, Tensor? pts_idx, Tensor? argmax, "
         "SymInt pts_num, str pool='max') -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(detops, CPU, library) {
  Implement<&Forward>(library, "roiaware_pool3d_forward");
  Implement<&Backward>(library, "roiaware_pool3d_backward");
  Implement<&CompactForward>(library, "roiaware_pool3d_compact_forward");
  Implement<&CompactBackward>(library, "roiaware_pool3d_compact_backward");
}

}  // namespace detops_torch
