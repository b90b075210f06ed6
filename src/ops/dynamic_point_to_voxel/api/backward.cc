// The C entry points of the backward pass: check table, then problem, then run.
#include <algorithm>

#include "core/arg_check.h"
#include "core/context.h"
#include "core/half.h"
#include "mlu_op/dynamic_point_to_voxel.h"
#include "ops/dynamic_point_to_voxel/problem.h"
#include "recording/gen_case.h"
#include "voxels/row_check.h"

namespace detops::dynamic_point_to_voxel {
namespace {

struct BackwardArguments {
  mluOpReduceMode_t mode;
  TensorArg grad, feats, voxel_feats, map, count, voxel_num;
  OutputArg result;

  // The forward pass had so many voxels, as the caller says.
  int64_t rows() const { return LoadElement<int32_t>(voxel_num.data, 0); }
};

ArgCheck& CheckForm(ArgCheck& check, const BackwardArguments& args) {
  constexpr int64_t kContractBytes = 389120;
  const auto& [mode, grad, feats, voxel_feats, map, count, voxel_num, result] = args;
  const TensorList all = {grad, feats, voxel_feats, map, count, voxel_num, result};
  const bool full = check.Handle().failed() ? false : check.full();
  Dim N("N"), V("V"), C("C");
  // clang-format off
  check
      .Descriptor(all)
      .Dense(all)
      .FloatUnlessFull(grad).SameType(feats, grad).SameType(voxel_feats, grad).SameType(result, grad)
      .Int32({map, count, voxel_num})
      .Rank(grad, 2).Rank(feats, 2).Rank(voxel_feats, 2).Rank(map, 1).Rank(count, 1).Rank(voxel_num, 1).Rank(result, 2)
      .Shape(grad, {V, C}).Axis(feats, 1, C).Shape(voxel_feats, {V, C})
      .Axis(feats, 0, N).Axis(map, 0, N).Axis(count, 0, V).Axis(voxel_num, 0, 1).Shape(result, {N, C})
      .Rule(V.value() <= N.value(), MLUOP_STATUS_BAD_PARAM,
            "grad_voxel_feats has %lld rows, expected at most N = %lld as in feats.", static_cast<long long>(V.value()),
            static_cast<long long>(N.value()))
      .Integer("reduce_type", static_cast<int>(mode),
               mode == MLUOP_REDUCE_DMAX || (full && (mode == MLUOP_REDUCE_DSUM || mode == MLUOP_REDUCE_DMEAN)),
               full ? "MLUOP_REDUCE_DSUM, MLUOP_REDUCE_DMEAN or MLUOP_REDUCE_DMAX"
               : mode == MLUOP_REDUCE_DSUM || mode == MLUOP_REDUCE_DMEAN
                   ? "MLUOP_REDUCE_DMAX; the full profile lifts this limit" : "MLUOP_REDUCE_DMAX")
      .CountLimit({grad, feats});
  // clang-format on
  if (check.failed() || check.full()) return check;
  const int64_t bytes =
      SaturatingAdd(SaturatingAdd(SaturatingMultiply(N.value(), 5), SaturatingMultiply(C.value(), 20)), 4);
  return check.Rule(bytes <= kContractBytes, MLUOP_STATUS_BAD_PARAM,
                    "feats needs %lld bytes, 5 a row and 20 a column and 4, expected at most %lld%s.",
                    static_cast<long long>(bytes), static_cast<long long>(kContractBytes), kFullProfileLifts);
}

ArgCheck& CheckValues(ArgCheck& check, const Call& call, const BackwardArguments& args) {
  if (check.failed() || !call.handle()->value_checks) return check;
  const int64_t rows = args.rows();
  check.NoBadElement(args.voxel_num, rows >= 0 && rows <= args.grad.desc->extent(0) ? -1 : 0,
                     "a number from 0 to the rows of grad_voxel_feats");
  if (check.failed()) return check;
  const auto first_bad = [](const TensorArg& tensor, int64_t count, int64_t least, int64_t most) {
    for (int64_t i = 0; i < count; ++i) {
      const auto number = LoadElement<int32_t>(tensor.data, i);
      if (number < least || number > most) return i;
    }
    return int64_t{-1};
  };
  check.NoBadElement(args.map, first_bad(args.map, args.map.desc->extent(0), -1, rows - 1),
                     "-1 or the row of a voxel, below voxel_num");
  if (args.mode != MLUOP_REDUCE_DMEAN) return check;
  return check.NoBadElement(args.count, first_bad(args.count, rows, 1, INT32_MAX), "a number above 0");
}

BackwardProblem MakeProblem(const BackwardArguments& args) {
  const mluOpDataType_t type = args.grad.desc->type;
  return {.mode = args.mode,
          .type = type,
          .points = args.feats.desc->extent(0),
          .columns = args.feats.desc->extent(1),
          .rows = std::clamp<int64_t>(args.rows(), 0, args.grad.desc->extent(0)),
          .grad_voxel_feats = args.grad.data,
          .feats = args.feats.data,
          .voxel_feats = args.voxel_feats.data,
          .point2voxel_map = args.map.data,
          .voxel_points_count = static_cast<const int32_t*>(args.count.data),
          .grad_feats = args.result.target,
          .kernels = voxels::ChooseReduceKernels(type, args.mode)};
}

}  // namespace
}  // namespace detops::dynamic_point_to_voxel

using namespace detops;
using namespace detops::dynamic_point_to_voxel;

mluOpStatus_t MLUOP_WIN_API mluOpGetDynamicPointToVoxelBackwardWorkspaceSize(
    const mluOpHandle_t handle, const mluOpReduceMode_t /*reduce_type*/,
    const mluOpTensorDescriptor_t grad_voxel_feats_desc, const mluOpTensorDescriptor_t feats_desc,
    const mluOpTensorDescriptor_t voxel_feats_desc, const mluOpTensorDescriptor_t point2voxel_map_desc,
    const mluOpTensorDescriptor_t voxel_points_count_desc, const mluOpTensorDescriptor_t voxel_num_desc,
    size_t* workspace_size) {
  const Call call("mluOpGetDynamicPointToVoxelBackwardWorkspaceSize", handle);
  const TensorArg tensors[] = {{"grad_voxel_feats", grad_voxel_feats_desc, nullptr},
                               {"feats", feats_desc, nullptr},
                               {"voxel_feats", voxel_feats_desc, nullptr},
                               {"point2voxel_map", point2voxel_map_desc, nullptr},
                               {"voxel_points_count", voxel_points_count_desc, nullptr},
                               {"voxel_num", voxel_num_desc, nullptr}};
  ArgCheck check(call);
  check.Place("workspace_size", workspace_size).Handle();
  for (const TensorArg& tensor : tensors) check.Descriptor(tensor);
  if (check.failed()) return check.status();
  *workspace_size = 0;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpDynamicPointToVoxelBackward(
    const mluOpHandle_t handle, const mluOpReduceMode_t reduce_type,
    const mluOpTensorDescriptor_t grad_voxel_feats_desc, const void* grad_voxel_feats,
    const mluOpTensorDescriptor_t feats_desc, const void* feats, const mluOpTensorDescriptor_t voxel_feats_desc,
    const void* voxel_feats, const mluOpTensorDescriptor_t point2voxel_map_desc, const void* point2voxel_map,
    const mluOpTensorDescriptor_t voxel_points_count_desc, const void* voxel_points_count,
    const mluOpTensorDescriptor_t voxel_num_desc, const void* voxel_num, void* workspace, const size_t workspace_size,
    const mluOpTensorDescriptor_t grad_feats_desc, void* grad_feats) {
  const Call call("mluOpDynamicPointToVoxelBackward", handle);
  const BackwardArguments args = {.mode = reduce_type,
                                  .grad = {"grad_voxel_feats", grad_voxel_feats_desc, grad_voxel_feats},
                                  .feats = {"feats", feats_desc, feats},
                                  .voxel_feats = {"voxel_feats", voxel_feats_desc, voxel_feats},
                                  .map = {"point2voxel_map", point2voxel_map_desc, point2voxel_map},
                                  .count = {"voxel_points_count", voxel_points_count_desc, voxel_points_count},
                                  .voxel_num = {"voxel_num", voxel_num_desc, voxel_num},
                                  .result = {"grad_feats", grad_feats_desc, grad_feats}};
  const auto& [mode, grad, features, voxel_features, map, count, number, result] = args;
  const BufferArg space("workspace", workspace, workspace_size);
  ArgCheck check(call);
  if (CheckForm(check, args).failed()) return check.status();
  const auto describe = [&](GenCase& record) {
    for (const TensorRef& input : TensorList{grad, features, voxel_features, map, count, number}) {
      record.RealInput(*input.tensor);
    }
    record.Output(result);
    record.Param("reduce_type", int64_t{reduce_type});
  };
  constexpr char kCaseName[] = "dynamic_point_to_voxel_backward";
  if (result.desc->element_count() == 0) {
    return RunRecorded(call, kCaseName, describe, [&] { return call.Succeed(); });
  }
  check.DataUnlessEmpty({grad})
      .Data(features)
      .DataUnlessEmpty({voxel_features})
      .Data(map)
      .DataUnlessEmpty({count})
      .Data({number, result})
      .WorkspacePointer(workspace, workspace_size);
  if (!check.failed()) {
    // The others are a gather.
    if (mode == MLUOP_REDUCE_DMAX) voxels::CheckRows(check, features);
    check.Separate(result, {grad, features, voxel_features, map, count, number, space})
        .Separate(space, {grad, features, voxel_features, map, count, number});
  }
  if (CheckValues(check, call, args).failed()) return check.status();
  const BackwardProblem problem = MakeProblem(args);
  return RunRecorded(call, kCaseName, describe,
                     [&] { return call.Finish(Backward(problem, handle->parallel, handle->scratch)); });
}
