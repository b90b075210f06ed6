// The C entry points with compact results: check table, then problem, then run.
#include "core/checked_math.h"
#include "core/context.h"
#include "detops/roiaware_pool3d.h"
#include "ops/roiaware_pool3d/api/check.h"

namespace detops::roiaware_pool3d {
namespace {

mluOpStatus_t TooShort(const Call& call, const char* tensor, int64_t rows, int64_t needed, const char* what) {
  return call.Fail(MLUOP_STATUS_BAD_PARAM, "%s has room for %lld %s, expected at least %lld.", tensor,
                   static_cast<long long>(rows), what, static_cast<long long>(needed));
}

}  // namespace
}  // namespace detops::roiaware_pool3d

using namespace detops;
using namespace detops::roiaware_pool3d;

mluOpStatus_t detopsCountRoiAwareVoxels(mluOpHandle_t handle, detopsZOrigin_t z_origin, double xy_margin,
                                        int max_pts_each_voxel, int out_x, int out_y, int out_z,
                                        const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                        const mluOpTensorDescriptor_t pts_desc, const void* pts, int64_t* voxel_num,
                                        int64_t* point_num) {
  const Call call("detopsCountRoiAwareVoxels", handle);
  if (voxel_num == nullptr) return call.NullResult("voxel_num");
  if (point_num == nullptr) return call.NullResult("point_num");
  const BoxArguments args = {
      {"rois", rois_desc, rois}, {"pts", pts_desc, pts}, z_origin, xy_margin, out_x, out_y, out_z, max_pts_each_voxel};
  Dim B("B"), P("P");
  ArgCheck check(call);
  check.Handle().Descriptor({args.rois, args.pts}).FullProfile().Rank(args.rois, 2).Rank(args.pts, 2);
  check.Shape(args.rois, {B, 7}).Shape(args.pts, {P, 3}).FloatingType(args.rois).SameType(args.pts, args.rois);
  CheckSwitches(check, args);
  CheckGridNumbers(check, args);
  check.NotEmpty({args.rois, args.pts}).Dense({args.rois, args.pts});
  CheckGridLimits(check, args);
  check.CountLimit({args.rois, args.pts}).Data({args.rois, args.pts}).Finite(args.rois);
  if (check.failed()) return check.status();
  CompactSizes sizes;
  const RunResult result = RoiAwareCount(MakeSearch(args), handle->parallel, handle->scratch, &sizes);
  if (result != RunResult::kDone) return call.Finish(result);
  *voxel_num = sizes.voxels;
  *point_num = sizes.points;
  return call.Succeed();
}

mluOpStatus_t detopsRoiAwarePool3dCompactForward(
    mluOpHandle_t handle, int pool_method, detopsZOrigin_t z_origin, double xy_margin, int max_pts_each_voxel,
    int out_x, int out_y, int out_z, const mluOpTensorDescriptor_t rois_desc, const void* rois,
    const mluOpTensorDescriptor_t pts_desc, const void* pts, const mluOpTensorDescriptor_t pts_feature_desc,
    const void* pts_feature, const mluOpTensorDescriptor_t voxels_desc, void* voxels,
    const mluOpTensorDescriptor_t voxel_begins_desc, void* voxel_begins, const mluOpTensorDescriptor_t pts_idx_desc,
    void* pts_idx, const mluOpTensorDescriptor_t argmax_desc, void* argmax,
    const mluOpTensorDescriptor_t pooled_features_desc, void* pooled_features, int64_t* voxel_num, int64_t* point_num) {
  const Call call("detopsRoiAwarePool3dCompactForward", handle);
  if (voxel_num == nullptr) return call.NullResult("voxel_num");
  if (point_num == nullptr) return call.NullResult("point_num");
  const BoxArguments args = {
      {"rois", rois_desc, rois}, {"pts", pts_desc, pts}, z_origin, xy_margin, out_x, out_y, out_z, max_pts_each_voxel};
  const TensorArg feature{"pts_feature", pts_feature_desc, pts_feature};
  const TensorArg sites{"voxels", voxels_desc, voxels}, begins{"voxel_begins", voxel_begins_desc, voxel_begins};
  const TensorArg ids{"pts_idx", pts_idx_desc, pts_idx};
  const TensorArg pooled{"pooled_features", pooled_features_desc, pooled_features};
  const TensorArg winners{"argmax", argmax_desc, argmax, pool_method != 0};
  Dim B("B"), P("P"), C("C"), V("V"), E("E");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({args.rois, args.pts, feature, sites, begins, ids, pooled})
      .FullProfile()
      .Rank(args.rois, 2).Rank(args.pts, 2).Rank(feature, 2)
      .Rank(sites, 2).Rank(begins, 1).Rank(ids, 1).Rank(pooled, 2)
      .Shape(args.rois, {B, 7})
      .Shape(args.pts,  {P, 3})
      .Shape(feature,   {P, C})
      .Shape(sites,     {V, 4});
  if (!check.failed()) {
    Dim entries("V + 1", SaturatingAdd(V.value(), 1));
    check.Shape(begins, {entries});
  }
  check
      .Shape(ids,    {E})
      .Shape(pooled, {V, C})
      .FloatingType(args.rois).SameType(args.pts, args.rois).SameType(feature, args.rois)
      .Int32({sites, begins, ids}).SameType(pooled, args.rois);
  CheckMethod(check, pool_method);
  CheckSwitches(check, args);
  CheckGridNumbers(check, args);
  check
      .NotEmpty({args.rois, args.pts, feature})
      .Dense({args.rois, args.pts, feature, sites, begins, ids, pooled});
  CheckGridLimits(check, args);
  check
      .Descriptor(winners).Rank(winners, 2).Shape(winners, {V, C}).Int32(winners).Dense(winners)
      .CountLimit({args.rois, args.pts, feature, sites, begins, ids, pooled, winners})
      .DataUnlessEmpty({args.rois, args.pts, feature, sites, begins, ids, pooled});
  if (pool_method == 0) check.DataUnlessEmpty({winners});
  check
      .Separate(sites,  {args.rois, args.pts, feature})
      .Separate(begins, {args.rois, args.pts, feature, sites})
      .Separate(ids,    {args.rois, args.pts, feature, sites, begins})
      .Separate(pooled, {args.rois, args.pts, feature, sites, begins, ids});
  if (argmax != nullptr) check.Separate(winners, {args.rois, args.pts, feature, sites, begins, ids, pooled});
  check.Finite(args.rois);
  // clang-format on
  if (check.failed()) return check.status();
  const CompactPool pool = {
      .source = {pool_method == 0 ? PoolMethod::kMax : PoolMethod::kAverage, C.value(), pts_feature},
      .most_voxels = V.value(),
      .most_points = E.value(),
      .voxels = static_cast<int32_t*>(voxels),
      .voxel_begins = static_cast<int32_t*>(voxel_begins),
      .pts_idx = static_cast<int32_t*>(pts_idx),
      .pooled = pooled_features,
      .argmax = winners.absent() ? nullptr : static_cast<int32_t*>(argmax)};
  CompactSizes sizes;
  const RunResult result = RoiAwarePoolCompact(MakeSearch(args), pool, handle->parallel, handle->scratch, &sizes);
  if (result != RunResult::kDone) return call.Finish(result);
  if (sizes.voxels > V.value()) return TooShort(call, "voxels", V.value(), sizes.voxels, "voxels");
  if (sizes.points > E.value()) return TooShort(call, "pts_idx", E.value(), sizes.points, "points");
  if (sizes.points > kMaxPoints) {
    return call.Fail(MLUOP_STATUS_NOT_SUPPORTED, "the voxels hold %lld points, expected fewer than 2147483648.",
                     static_cast<long long>(sizes.points));
  }
  *voxel_num = sizes.voxels;
  *point_num = sizes.points;
  return call.Succeed();
}

mluOpStatus_t detopsRoiAwarePool3dCompactBackward(mluOpHandle_t handle, int pool_method, int64_t voxel_num,
                                                  const mluOpTensorDescriptor_t voxel_begins_desc,
                                                  const void* voxel_begins, const mluOpTensorDescriptor_t pts_idx_desc,
                                                  const void* pts_idx, const mluOpTensorDescriptor_t argmax_desc,
                                                  const void* argmax, const mluOpTensorDescriptor_t grad_out_desc,
                                                  const void* grad_out, const mluOpTensorDescriptor_t grad_in_desc,
                                                  void* grad_in) {
  const Call call("detopsRoiAwarePool3dCompactBackward", handle);
  const bool max = pool_method == 0, average = pool_method == 1;
  const TensorArg begins = UsedIf(average, {"voxel_begins", voxel_begins_desc, voxel_begins});
  const TensorArg ids = UsedIf(average, {"pts_idx", pts_idx_desc, pts_idx});
  const TensorArg winners = UsedIf(max, {"argmax", argmax_desc, argmax});
  const TensorArg top{"grad_out", grad_out_desc, grad_out}, bottom{"grad_in", grad_in_desc, grad_in};
  Dim V("V"), C("C");
  ArgCheck check(call);
  check.Handle().Descriptor({begins, ids, winners, top, bottom}).FullProfile();
  CheckMethod(check, pool_method);
  check.Rank(begins, 1).Rank(ids, 1).Rank(winners, 2).Rank(top, 2).Rank(bottom, 2);
  check.Int32({begins, ids, winners}).FloatingType(top).SameType(bottom, top);
  if (check.failed()) return check.status();
  check.Integer("voxel_num", voxel_num, voxel_num >= 0 && voxel_num <= grad_out_desc->extent(0),
                "a number of rows that grad_out has");
  if (average) {
    const int64_t entries = voxel_begins_desc->extent(0);
    check.Rule(entries > voxel_num, MLUOP_STATUS_BAD_PARAM, "voxel_begins has %lld entries, expected more than %lld.",
               static_cast<long long>(entries), static_cast<long long>(voxel_num));
  }
  check.Shape(top, {V, C}).Shape(winners, {V, C}).Axis(bottom, 1, C).NotEmpty(bottom);
  check.Dense({begins, ids, winners, top, bottom}).CountLimit({begins, ids, winners, top, bottom});
  check.DataUnlessEmpty({begins, ids, winners, top, bottom})
      .Separate(bottom, {begins, ids, winners, top})
      .Supported(check.failed() || grad_in_desc->extent(0) <= kMaxPoints,
                 "grad_in has too many rows, expected fewer than 2^31.");
  if (check.failed()) return check.status();
  const GradientProblem problem = {.type = grad_out_desc->type,
                                   .method = max ? PoolMethod::kMax : PoolMethod::kAverage,
                                   .voxels = voxel_num,
                                   .points = grad_in_desc->extent(0),
                                   .channels = C.value(),
                                   .grad_out = grad_out,
                                   .grad_in = grad_in,
                                   .argmax = static_cast<const int32_t*>(winners.data),
                                   .pts_idx = static_cast<const int32_t*>(ids.data),
                                   .begins = static_cast<const int32_t*>(begins.data),
                                   .max_points = 0,
                                   .listed_points = average ? pts_idx_desc->element_count() : 0,
                                   .kernels = ChooseRoiAwareKernels(grad_out_desc->type)};
  return RunBackward(call, check, problem, winners, ids, begins);
}
