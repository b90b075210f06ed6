// The C entry points with dense results: check table, then problem, then run.
#include "core/checked_math.h"
#include "core/context.h"
#include "detops/roiaware_pool3d.h"
#include "mlu_op/roiaware_pool3d.h"
#include "ops/roiaware_pool3d/api/check.h"
#include "recording/gen_case.h"

namespace detops::roiaware_pool3d {
namespace {

constexpr int64_t kContractBoxes = 65536, kContractChannels = 65536, kContractPairs = int64_t{1} << 31;
constexpr int64_t kContractPointsFloat = 2976, kContractPointsHalf = 2944, kContractPointsBackward = 2048;

// A limit of the contract profile only: "<argument> is <value>, expected <expectation>; the full profile lifts ...".
void CheckContractLimit(ArgCheck& check, const char* argument, int64_t value, int64_t most) {
  if (check.failed()) return;
  check.Rule(value <= most || check.full(), MLUOP_STATUS_NOT_SUPPORTED, "%s is %lld, expected at most %lld%s.",
             argument, static_cast<long long>(value), static_cast<long long>(most), kFullProfileLifts);
}

struct ForwardArguments {
  BoxArguments boxes;
  int pool_method;
  int64_t boxes_num, pts_num, channels;  // as the tensors must have them
  TensorArg feature;
  OutputArg argmax;  // optional, until the method is known
  OutputArg pts_idx, pooled;
  void* workspace;
  size_t workspace_size;

  bool max() const { return pool_method == 0; }
  // With average, argmax is written only if it is there, and then as its descriptor says.
  bool fills_argmax() const { return !max() && !argmax.absent() && argmax.data != nullptr; }
};

// Extents that several tensors have: scalar arguments, or, in the extension, those of the first tensor.
struct ForwardDims {
  ForwardDims() : B("B"), P("P"), C("C"), X("X"), Y("Y"), Z("Z"), M("M") {}
  explicit ForwardDims(const ForwardArguments& args)
      : B("boxes_num", args.boxes_num),
        P("pts_num", args.pts_num),
        C("channels", args.channels),
        X("out_x", args.boxes.out_x),
        Y("out_y", args.boxes.out_y),
        Z("out_z", args.boxes.out_z),
        M("max_pts_each_voxel", args.boxes.max_points) {}
  Dim B, P, C, X, Y, Z, M;
};

void CheckForwardShapes(ArgCheck& check, const ForwardArguments& args, ForwardDims& n) {
  check.Shape(args.boxes.rois, {n.B, 7})
      .Shape(args.boxes.pts, {n.P, 3})
      .Shape(args.feature, {n.P, n.C})
      .Shape(args.pts_idx, {n.B, n.X, n.Y, n.Z, n.M})
      .Shape(args.pooled, {n.B, n.X, n.Y, n.Z, n.C});
}

void CheckForwardSizes(ArgCheck& check, const ForwardArguments& args, bool extension) {
  if (extension) {
    check.NotEmpty({args.boxes.rois, args.boxes.pts, args.feature, args.pts_idx});
    return;
  }
  check.Integer("boxes_num", args.boxes_num, args.boxes_num > 0, "a number above 0")
      .Integer("pts_num", args.pts_num, args.pts_num > 0, "a number above 0")
      .Integer("channels", args.channels, args.channels > 0, "a number above 0");
  CheckGridNumbers(check, args.boxes);
}

void CheckForwardTypes(ArgCheck& check, const ForwardArguments& args) {
  check.FloatingType(args.boxes.rois)
      .SameType(args.boxes.pts, args.boxes.rois)
      .SameType(args.feature, args.boxes.rois)
      .Int32(args.pts_idx)
      .SameType(args.pooled, args.boxes.rois);
}

void CheckContractLimits(ArgCheck& check, const ForwardArguments& args) {
  if (check.failed()) return;
  CheckContractLimit(check, "boxes_num", args.boxes_num, kContractBoxes - 1);
  CheckContractLimit(check, "channels", args.channels, kContractChannels - 1);
  const bool half = args.boxes.rois.desc->type == MLUOP_DTYPE_HALF;
  CheckContractLimit(check, "max_pts_each_voxel", args.boxes.max_points,
                     half ? kContractPointsHalf : kContractPointsFloat);
  check.CountLimit({args.boxes.rois, args.boxes.pts, args.feature, args.pts_idx, args.pooled});
  CheckContractLimit(check, "boxes_num * pts_num", SaturatingMultiply(args.boxes_num, args.pts_num),
                     kContractPairs - 1);
}

// The maximum needs argmax; with average it may be anything, as long as its bytes can be counted.
void CheckArgmax(ArgCheck& check, const ForwardArguments& args, ForwardDims& n) {
  if (!args.max()) {
    if (args.fills_argmax()) {
      check.Supported(check.failed() || args.argmax.desc->byte_count() != kMaxInt64,
                      "argmax is too large, expected fewer than 2^63 bytes.");
    }
    return;
  }
  TensorArg argmax = args.argmax;
  argmax.optional = false;
  check.Descriptor(argmax).Rank(argmax, 5).Shape(argmax, {n.B, n.X, n.Y, n.Z, n.C});
  check.Int32(argmax).CountLimit(argmax).Data(argmax);
}

void CheckForwardOverlap(ArgCheck& check, const ForwardArguments& args) {
  const BufferArg space("workspace", args.workspace, args.workspace_size);
  const TensorArg &rois = args.boxes.rois, &pts = args.boxes.pts;
  check.Separate(args.pts_idx, {rois, pts, args.feature, space})
      .Separate(args.pooled, {rois, pts, args.feature, args.pts_idx, space});
  if (args.max() || args.fills_argmax()) {
    check.Separate(args.argmax, {rois, pts, args.feature, args.pts_idx, args.pooled, space});
  }
  if (args.workspace != nullptr) check.Separate(space, {rois, pts, args.feature});
}

// The call as a case file.
void Describe(const ForwardArguments& args, GenCase& record) {
  record.RealInput(args.boxes.rois);
  record.RealInput(args.boxes.pts);
  record.RandomInput(args.feature);
  if (args.argmax.absent()) {
    record.MissingOutput(args.argmax.name, *args.pooled.desc);
  } else {
    record.Output(args.argmax);
  }
  record.Output(args.pts_idx);
  record.Output(args.pooled);
  record.Param("pool_method", int64_t{args.pool_method});
  record.Param("boxes_num", args.boxes_num);
  record.Param("pts_num", args.pts_num);
  record.Param("channels", args.channels);
  record.Param("max_pts_each_voxel", args.boxes.max_points);
  record.Param("out_x", args.boxes.out_x);
  record.Param("out_y", args.boxes.out_y);
  record.Param("out_z", args.boxes.out_z);
}

mluOpStatus_t RunForward(const Call& call, ArgCheck& check, const ForwardArguments& args, bool extension) {
  const TensorArg &rois = args.boxes.rois, &pts = args.boxes.pts;
  check.Handle().Descriptor({rois, pts, args.feature, args.pts_idx, args.pooled});
  if (extension) check.FullProfile();
  check.Rank(rois, 2).Rank(pts, 2).Rank(args.feature, 2).Rank(args.pts_idx, 5).Rank(args.pooled, 5);
  if (check.failed()) return check.status();
  ForwardArguments sized = args;
  if (extension) {
    sized.boxes_num = rois.desc->extent(0);
    sized.pts_num = pts.desc->extent(0);
    sized.channels = args.feature.desc->extent(1);
    sized.boxes.out_x = args.pts_idx.desc->extent(1);
    sized.boxes.out_y = args.pts_idx.desc->extent(2);
    sized.boxes.out_z = args.pts_idx.desc->extent(3);
    sized.boxes.max_points = args.pts_idx.desc->extent(4);
  }
  ForwardDims dims = extension ? ForwardDims() : ForwardDims(sized);
  CheckForwardShapes(check, sized, dims);
  CheckForwardTypes(check, sized);
  CheckMethod(check, sized.pool_method);
  if (extension) CheckSwitches(check, sized.boxes);
  CheckForwardSizes(check, sized, extension);
  check.Dense({rois, pts, sized.feature, sized.argmax, sized.pts_idx, sized.pooled});
  CheckContractLimits(check, sized);
  check.WorkspacePointer(sized.workspace, sized.workspace_size);
  check.Data({rois, pts, sized.feature, sized.pts_idx, sized.pooled});
  CheckArgmax(check, sized, dims);
  CheckForwardOverlap(check, sized);
  check.Finite(rois);
  CheckGridLimits(check, sized.boxes);
  if (check.failed()) return check.status();
  const BoxSearchProblem search = MakeSearch(sized.boxes);
  const DensePool pool = {
      .source = {sized.max() ? PoolMethod::kMax : PoolMethod::kAverage, sized.channels, sized.feature.data},
      .max_points = sized.boxes.max_points,
      .pts_idx = static_cast<int32_t*>(sized.pts_idx.target),
      .pooled = sized.pooled.target,
      .argmax = static_cast<int32_t*>(sized.argmax.target),
      .argmax_zeros_bytes = sized.fills_argmax() ? sized.argmax.desc->byte_count() : 0};
  return RunRecorded(
      call, extension ? nullptr : "roiaware_pool3d_forward", [&](GenCase& record) { Describe(sized, record); },
      [&] { return call.Finish(RoiAwarePoolDense(search, pool, call.handle()->parallel, call.handle()->scratch)); });
}

}  // namespace
}  // namespace detops::roiaware_pool3d

using namespace detops;
using namespace detops::roiaware_pool3d;

mluOpStatus_t MLUOP_WIN_API mluOpGetRoiAwarePool3dForwardWorkspaceSize(mluOpHandle_t handle,
                                                                       const mluOpTensorDescriptor_t /*rois_desc*/,
                                                                       const mluOpTensorDescriptor_t /*pts_desc*/,
                                                                       const mluOpTensorDescriptor_t pts_feature_desc,
                                                                       size_t* workspace_size) {
  const Call call("mluOpGetRoiAwarePool3dForwardWorkspaceSize", handle);
  if (workspace_size == nullptr) return call.NullResult("workspace_size");
  ArgCheck check(call);
  check.Handle().Descriptor({"pts_feature", pts_feature_desc, nullptr});
  if (check.failed()) return check.status();
  *workspace_size = 0;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpRoiAwarePool3dForward(
    mluOpHandle_t handle, const int pool_method, const int boxes_num, const int pts_num, const int channels,
    const mluOpTensorDescriptor_t rois_desc, const void* rois, const mluOpTensorDescriptor_t pts_desc, const void* pts,
    const mluOpTensorDescriptor_t pts_feature_desc, const void* pts_feature, void* workspace, size_t workspace_size,
    const int max_pts_each_voxel, const int out_x, const int out_y, const int out_z,
    const mluOpTensorDescriptor_t argmax_desc, void* argmax, const mluOpTensorDescriptor_t pts_idx_of_voxels_desc,
    void* pts_idx_of_voxels, const mluOpTensorDescriptor_t pooled_features_desc, void* pooled_features) {
  const Call call("mluOpRoiAwarePool3dForward", handle);
  ArgCheck check(call);
  const ForwardArguments args = {.boxes = {.rois = {"rois", rois_desc, rois},
                                           .pts = {"pts", pts_desc, pts},
                                           .z_origin = DETOPS_Z_BOTTOM,
                                           .xy_margin = 0,
                                           .out_x = out_x,
                                           .out_y = out_y,
                                           .out_z = out_z,
                                           .max_points = max_pts_each_voxel},
                                 .pool_method = pool_method,
                                 .boxes_num = boxes_num,
                                 .pts_num = pts_num,
                                 .channels = channels,
                                 .feature = {"pts_feature", pts_feature_desc, pts_feature},
                                 .argmax = {"argmax", argmax_desc, argmax, true},
                                 .pts_idx = {"pts_idx_of_voxels", pts_idx_of_voxels_desc, pts_idx_of_voxels},
                                 .pooled = {"pooled_features", pooled_features_desc, pooled_features},
                                 .workspace = workspace,
                                 .workspace_size = workspace_size};
  return RunForward(call, check, args, false);
}

mluOpStatus_t detopsRoiAwarePool3dForward(mluOpHandle_t handle, int pool_method, detopsZOrigin_t z_origin,
                                          double xy_margin, const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                          const mluOpTensorDescriptor_t pts_desc, const void* pts,
                                          const mluOpTensorDescriptor_t pts_feature_desc, const void* pts_feature,
                                          const mluOpTensorDescriptor_t argmax_desc, void* argmax,
                                          const mluOpTensorDescriptor_t pts_idx_of_voxels_desc, void* pts_idx_of_voxels,
                                          const mluOpTensorDescriptor_t pooled_features_desc, void* pooled_features) {
  const Call call("detopsRoiAwarePool3dForward", handle);
  ArgCheck check(call);
  const ForwardArguments args = {.boxes = {.rois = {"rois", rois_desc, rois},
                                           .pts = {"pts", pts_desc, pts},
                                           .z_origin = z_origin,
                                           .xy_margin = xy_margin,
                                           .out_x = 0,
                                           .out_y = 0,
                                           .out_z = 0,
                                           .max_points = 0},
                                 .pool_method = pool_method,
                                 .boxes_num = 0,
                                 .pts_num = 0,
                                 .channels = 0,
                                 .feature = {"pts_feature", pts_feature_desc, pts_feature},
                                 .argmax = {"argmax", argmax_desc, argmax, true},
                                 .pts_idx = {"pts_idx_of_voxels", pts_idx_of_voxels_desc, pts_idx_of_voxels},
                                 .pooled = {"pooled_features", pooled_features_desc, pooled_features},
                                 .workspace = nullptr,
                                 .workspace_size = 0};
  return RunForward(call, check, args, true);
}

mluOpStatus_t MLUOP_WIN_API mluOpRoiAwarePool3dBackward(
    mluOpHandle_t handle, const int pool_method, const int boxes_num, const int out_x, const int out_y, const int out_z,
    const int channels, const int max_pts_each_voxel, const mluOpTensorDescriptor_t pts_idx_of_voxels_desc,
    const void* pts_idx_of_voxels, const mluOpTensorDescriptor_t argmax_desc, const void* argmax,
    const mluOpTensorDescriptor_t grad_out_desc, const void* grad_out, const mluOpTensorDescriptor_t grad_in_desc,
    void* grad_in) {
  const Call call("mluOpRoiAwarePool3dBackward", handle);
  const TensorArg lists{"pts_idx_of_voxels", pts_idx_of_voxels_desc, pts_idx_of_voxels};
  const TensorArg winners{"argmax", argmax_desc, argmax};
  const TensorArg top{"grad_out", grad_out_desc, grad_out};
  const TensorArg bottom{"grad_in", grad_in_desc, grad_in};
  Dim B("boxes_num", boxes_num), X("out_x", out_x), Y("out_y", out_y), Z("out_z", out_z), C("channels", channels);
  Dim M("max_pts_each_voxel", max_pts_each_voxel);
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({lists, winners, top, bottom})
      .Rank(lists, 5).Rank(winners, 5).Rank(top, 5).Rank(bottom, 2)
      .Shape(lists,   {B, X, Y, Z, M})
      .Shape(winners, {B, X, Y, Z, C})
      .Shape(top,     {B, X, Y, Z, C})
      .Axis(bottom, 1, C)
      .Int32(lists).Int32(winners).FloatingType(top).SameType(bottom, top);
  CheckMethod(check, pool_method);
  check.Integer("boxes_num", boxes_num, boxes_num > 0, "a number above 0");
  if (!check.failed()) {
    const int64_t points = grad_in_desc->extent(0);
    check.Rule(points > 0, MLUOP_STATUS_BAD_PARAM, "grad_in has %lld rows, expected at least 1.",
               static_cast<long long>(points));
  }
  check
      .Integer("channels", channels, channels > 0, "a number above 0")
      .Integer("max_pts_each_voxel", max_pts_each_voxel, max_pts_each_voxel > 0, "a number above 0")
      .Integer("out_x", out_x, out_x > 0, "a number above 0")
      .Integer("out_y", out_y, out_y > 0, "a number above 0")
      .Integer("out_z", out_z, out_z > 0, "a number above 0")
      .Dense({lists, winners, top, bottom});
  CheckContractLimit(check, "boxes_num", boxes_num, kContractBoxes - 1);
  CheckContractLimit(check, "channels", channels, kContractChannels - 1);
  CheckContractLimit(check, "max_pts_each_voxel", max_pts_each_voxel, kContractPointsBackward);
  check
      .CountLimit({lists, winners, top, bottom})
      .Data({lists, winners, top, bottom})
      .Separate(bottom, {lists, winners, top})
      .Supported(check.failed() || grad_in_desc->extent(0) <= kMaxPoints,
                 "grad_in has too many rows, expected fewer than 2^31.");
  // clang-format on
  if (check.failed()) return check.status();
  const bool max = pool_method == 0;
  const GradientProblem problem = {.type = grad_out_desc->type,
                                   .method = max ? PoolMethod::kMax : PoolMethod::kAverage,
                                   .voxels = int64_t{boxes_num} * out_x * out_y * out_z,
                                   .points = grad_in_desc->extent(0),
                                   .channels = channels,
                                   .grad_out = grad_out,
                                   .grad_in = grad_in,
                                   .argmax = max ? static_cast<const int32_t*>(argmax) : nullptr,
                                   .pts_idx = max ? nullptr : static_cast<const int32_t*>(pts_idx_of_voxels),
                                   .begins = nullptr,
                                   .max_points = max_pts_each_voxel,
                                   .listed_points = 0,
                                   .kernels = ChooseRoiAwareKernels(grad_out_desc->type)};
  const auto describe = [&](GenCase& record) {
    record.RealInput(lists);
    record.RealInput(winners);
    record.RandomInput(top);
    record.Output(bottom);
    record.Param("pool_method", int64_t{pool_method});
    record.Param("boxes_num", int64_t{boxes_num});
    record.Param("out_x", int64_t{out_x});
    record.Param("out_y", int64_t{out_y});
    record.Param("out_z", int64_t{out_z});
    record.Param("channels", int64_t{channels});
    record.Param("max_pts_each_voxel", int64_t{max_pts_each_voxel});
  };
  return RunRecorded(call, "roiaware_pool3d_backward", describe,
                     [&] { return RunBackward(call, check, problem, winners, lists, {}); });
}

mluOpStatus_t MLUOP_WIN_API mluOpGetRoiawarePool3dForwardWorkspaceSize(mluOpHandle_t handle,
                                                                       const mluOpTensorDescriptor_t rois_desc,
                                                                       const mluOpTensorDescriptor_t pts_desc,
                                                                       const mluOpTensorDescriptor_t pts_feature_desc,
                                                                       size_t* workspace_size) {
  return mluOpGetRoiAwarePool3dForwardWorkspaceSize(handle, rois_desc, pts_desc, pts_feature_desc, workspace_size);
}

mluOpStatus_t MLUOP_WIN_API mluOpRoiawarePool3dForward(
    mluOpHandle_t handle, const int pool_method, const int boxes_num, const int pts_num, const int channels,
    const mluOpTensorDescriptor_t rois_desc, const void* rois, const mluOpTensorDescriptor_t pts_desc, const void* pts,
    const mluOpTensorDescriptor_t pts_feature_desc, const void* pts_feature, void* workspace, size_t workspace_size,
    const int max_pts_each_voxel, const int out_x, const int out_y, const int out_z,
    const mluOpTensorDescriptor_t argmax_desc, void* argmax, const mluOpTensorDescriptor_t pts_idx_of_voxels_desc,
    void* pts_idx_of_voxels, const mluOpTensorDescriptor_t pooled_features_desc, void* pooled_features) {
  return mluOpRoiAwarePool3dForward(handle, pool_method, boxes_num, pts_num, channels, rois_desc, rois, pts_desc, pts,
                                    pts_feature_desc, pts_feature, workspace, workspace_size, max_pts_each_voxel, out_x,
                                    out_y, out_z, argmax_desc, argmax, pts_idx_of_voxels_desc, pts_idx_of_voxels,
                                    pooled_features_desc, pooled_features);
}

mluOpStatus_t MLUOP_WIN_API mluOpRoiawarePool3dBackward(
    mluOpHandle_t handle, const int pool_method, const int boxes_num, const int out_x, const int out_y, const int out_z,
    const int channels, const int max_pts_each_voxel, const mluOpTensorDescriptor_t pts_idx_of_voxels_desc,
    const void* pts_idx_of_voxels, const mluOpTensorDescriptor_t argmax_desc, const void* argmax,
    const mluOpTensorDescriptor_t grad_out_desc, const void* grad_out, const mluOpTensorDescriptor_t grad_in_desc,
    void* grad_in) {
  return mluOpRoiAwarePool3dBackward(handle, pool_method, boxes_num, out_x, out_y, out_z, channels, max_pts_each_voxel,
                                     pts_idx_of_voxels_desc, pts_idx_of_voxels, argmax_desc, argmax, grad_out_desc,
                                     grad_out, grad_in_desc, grad_in);
}
