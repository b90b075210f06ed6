// The C entry points of the forward pass: check table, then problem, then run.
#include "core/arg_check.h"
#include "core/context.h"
#include "mlu_op/dynamic_point_to_voxel.h"
#include "ops/dynamic_point_to_voxel/problem.h"
#include "recording/gen_case.h"
#include "voxels/row_check.h"

namespace detops::dynamic_point_to_voxel {
namespace {

struct ForwardArguments {
  mluOpReduceMode_t mode;
  TensorArg feats, coors;
  OutputArg voxel_feats, voxel_coors, map, count, voxel_num;
};

ArgCheck& CheckForm(ArgCheck& check, const ForwardArguments& args) {
  const auto& [mode, feats, coors, voxel_feats, voxel_coors, map, count, voxel_num] = args;
  const TensorList all = {feats, coors, voxel_feats, voxel_coors, map, count, voxel_num};
  const bool full = check.Handle().failed() ? false : check.full();
  Dim N("N"), V("V"), C("C"), K("K");
  // clang-format off
  check
      .Descriptor(all)
      .Rank(feats, 2).Rank(coors, 2).Rank(voxel_feats, 2).Rank(voxel_coors, 2)
      .Rank(map, 1).Rank(count, 1).Rank(voxel_num, 1)
      .Dense(all)
      .FloatUnlessFull(feats).Int32(coors).Int32(map)
      .SameType(voxel_feats, feats).SameType(voxel_coors, coors).SameType(count, map).SameType(voxel_num, map)
      .Integer("reduce_type", static_cast<int>(mode),
               mode == MLUOP_REDUCE_DMAX || mode == MLUOP_REDUCE_DMEAN || (full && mode == MLUOP_REDUCE_DSUM),
               full ? "MLUOP_REDUCE_DSUM, MLUOP_REDUCE_DMEAN or MLUOP_REDUCE_DMAX"
               : mode == MLUOP_REDUCE_DSUM ? "MLUOP_REDUCE_DMEAN or MLUOP_REDUCE_DMAX; the full profile lifts this limit"
                                           : "MLUOP_REDUCE_DMEAN or MLUOP_REDUCE_DMAX")
      .Axis(feats, 0, N).Axis(coors, 0, N).Axis(map, 0, N)
      .Axis(voxel_feats, 0, V).Axis(voxel_coors, 0, V).Axis(count, 0, V)
      .Axis(voxel_num, 0, 1)
      .Axis(feats, 1, C).Axis(voxel_feats, 1, C)
      .Axis(coors, 1, K).Axis(voxel_coors, 1, K).Axis(coors, 1, kAxes)
      .Rule(V.value() <= N.value(), MLUOP_STATUS_BAD_PARAM,
            "voxel_feats has %lld rows, expected at most N = %lld as in feats.", static_cast<long long>(V.value()),
            static_cast<long long>(N.value()))
      .CountLimit({feats, coors});
  // clang-format on
  return check;
}

// Each result against what comes before it.
ArgCheck& CheckOverlap(ArgCheck& check, const ForwardArguments& args, const BufferArg& space) {
  if (check.failed()) return check;
  const auto& [mode, feats, coors, voxel_feats, voxel_coors, map, count, voxel_num] = args;
  return check.Separate(voxel_feats, {feats, coors, space})
      .Separate(voxel_coors, {feats, coors, space, voxel_feats})
      .Separate(map, {feats, coors, space, voxel_feats, voxel_coors})
      .Separate(count, {feats, coors, space, voxel_feats, voxel_coors, map})
      .Separate(voxel_num, {feats, coors, space, voxel_feats, voxel_coors, map, count})
      .Separate(space, {feats, coors});
}

ForwardProblem MakeProblem(const ForwardArguments& args) {
  const mluOpDataType_t type = args.feats.desc->type;
  return {.mode = args.mode,
          .type = type,
          .points = args.feats.desc->extent(0),
          .columns = args.feats.desc->extent(1),
          .most_rows = args.voxel_feats.desc->extent(0),
          .feats = args.feats.data,
          .coors = args.coors.data,
          .voxel_feats = args.voxel_feats.target,
          .voxel_coors = static_cast<int32_t*>(args.voxel_coors.target),
          .point2voxel_map = static_cast<int32_t*>(args.map.target),
          .voxel_points_count = static_cast<int32_t*>(args.count.target),
          .voxel_num = args.voxel_num.target,
          .kernels = voxels::ChooseReduceKernels(type, args.mode)};
}

mluOpStatus_t RunForward(const Call& call, const ForwardArguments& args) {
  const auto describe = [&](GenCase& record) {
    record.RealInput(args.feats);
    record.RealInput(args.coors);
    for (const OutputArg* output : {&args.voxel_feats, &args.voxel_coors, &args.map, &args.count, &args.voxel_num}) {
      record.Output(*output);
    }
    record.Param("reduce_type", int64_t{args.mode});
  };
  const ForwardProblem problem = MakeProblem(args);
  return RunRecorded(call, "dynamic_point_to_voxel_forward", describe, [&] {
    int64_t needed = 0;
    const RunResult result = Forward(problem, call.handle()->parallel, call.handle()->scratch, &needed);
    if (result != RunResult::kDone || needed <= problem.most_rows) return call.Finish(result);
    return call.Fail(MLUOP_STATUS_BAD_PARAM, "voxel_feats has %lld rows, expected at least %lld, one per voxel.",
                     static_cast<long long>(problem.most_rows), static_cast<long long>(needed));
  });
}

}  // namespace
}  // namespace detops::dynamic_point_to_voxel

using namespace detops;
using namespace detops::dynamic_point_to_voxel;

mluOpStatus_t MLUOP_WIN_API mluOpGetDynamicPointToVoxelForwardWorkspaceSize(mluOpHandle_t handle,
                                                                            const mluOpTensorDescriptor_t feats_desc,
                                                                            const mluOpTensorDescriptor_t coors_desc,
                                                                            size_t* workspace_size) {
  const Call call("mluOpGetDynamicPointToVoxelForwardWorkspaceSize", handle);
  const TensorArg feats{"feats", feats_desc, nullptr}, coors{"coors", coors_desc, nullptr};
  ArgCheck check(call);
  check.Place("workspace_size", workspace_size).Handle().Descriptor({feats, coors});
  if (check.failed()) return check.status();
  *workspace_size = 0;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpDynamicPointToVoxelForward(
    const mluOpHandle_t handle, const mluOpReduceMode_t reduce_type, const mluOpTensorDescriptor_t feats_desc,
    const void* feats, const mluOpTensorDescriptor_t coors_desc, void* coors, void* workspace,
    const size_t workspace_size, const mluOpTensorDescriptor_t voxel_feats_desc, void* voxel_feats,
    const mluOpTensorDescriptor_t voxel_coors_desc, void* voxel_coors,
    const mluOpTensorDescriptor_t point2voxel_map_desc, void* point2voxel_map,
    const mluOpTensorDescriptor_t voxel_points_count_desc, void* voxel_points_count,
    const mluOpTensorDescriptor_t voxel_num_desc, void* voxel_num) {
  const Call call("mluOpDynamicPointToVoxelForward", handle);
  const ForwardArguments args = {.mode = reduce_type,
                                 .feats = {"feats", feats_desc, feats},
                                 .coors = {"coors", coors_desc, coors},
                                 .voxel_feats = {"voxel_feats", voxel_feats_desc, voxel_feats},
                                 .voxel_coors = {"voxel_coors", voxel_coors_desc, voxel_coors},
                                 .map = {"point2voxel_map", point2voxel_map_desc, point2voxel_map},
                                 .count = {"voxel_points_count", voxel_points_count_desc, voxel_points_count},
                                 .voxel_num = {"voxel_num", voxel_num_desc, voxel_num}};
  const BufferArg space("workspace", workspace, workspace_size);
  ArgCheck check(call);
  CheckForm(check, args);
  if (!check.failed() && !AnyEmpty({args.feats, args.coors})) {
    check.WorkspacePointer(workspace, workspace_size)
        .Data({args.feats, args.coors, args.voxel_feats, args.voxel_coors, args.map, args.count, args.voxel_num});
  }
  voxels::CheckRows(check, args.feats);
  if (CheckOverlap(check, args, space).failed()) return check.status();
  return RunForward(call, args);
}
