// The C entry points: check table, then problem, then run.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/arg_check.h"
#include "core/context.h"
#include "core/value_check.h"
#include "mlu_op/voxelization.h"
#include "ops/voxelization/problem.h"
#include "recording/gen_case.h"
#include "voxels/grid_check.h"
#include "voxels/row_check.h"

namespace detops::voxelization {
namespace {

constexpr int kAxes = 3;

struct Arguments {
  TensorArg points, voxel_size, coors_range;
  int64_t max_points, max_voxels, ndim;
  bool deterministic;
  OutputArg voxels, coors, num_points, voxel_num;
};

// All that the size function checks too.
ArgCheck& CheckForm(ArgCheck& check, const Arguments& args) {
  const auto& [points, voxel_size, coors_range, most_points, most_voxels, ndim, deterministic, voxels, coors,
               num_points, voxel_num] = args;
  const TensorList all = {points, voxel_size, coors_range, voxels, coors, num_points, voxel_num};
  check.Handle().Descriptor(all).Integer("deterministic", deterministic ? 1 : 0, deterministic,
                                         "1: the other way gives other points in every run");
  if (check.failed()) return check;
  Dim max_points("max_points", most_points), max_voxels("max_voxels", most_voxels), F("F");
  // clang-format off
  check
      .Rank(points, 2).Axis(points, 1, F)
      .Rank(voxel_size, 1).Axis(voxel_size, 0, 3)
      .Rank(coors_range, 1).Axis(coors_range, 0, 6)
      .Rank(voxels, 3).Axis(voxels, 0, max_voxels).Axis(voxels, 1, max_points).Axis(voxels, 2, F)
      .Rank(coors, 2).Axis(coors, 0, max_voxels).Axis(coors, 1, 3)
      .Rank(num_points, 1).Axis(num_points, 0, max_voxels)
      .Rank(voxel_num, 1).Axis(voxel_num, 0, 1)
      .Integer("NDim", ndim, ndim == kAxes, "3")
      .Rule(F.value() >= kAxes, MLUOP_STATUS_BAD_PARAM, "points has %lld columns, expected at least 3: x, y, z.",
            static_cast<long long>(F.value()))
      .Dense(all)
      .FloatUnlessFull(points);
  // clang-format on
  for (const TensorRef& numbers : TensorList{voxel_size, coors_range}) {
    if (check.failed()) return check;
    if (numbers.tensor->desc->type != MLUOP_DTYPE_FLOAT) check.SameType(*numbers.tensor, points);
  }
  return check.SameType(voxels, points).Int32({coors, num_points, voxel_num}).CountLimit(all).NotEmpty(points);
}

// What work needs: all data, and points that can be numbered.
ArgCheck& CheckWork(ArgCheck& check, const Arguments& args) {
  check.Data(
      {args.points, args.voxel_size, args.coors_range, args.voxels, args.coors, args.num_points, args.voxel_num});
  return voxels::CheckRows(check, args.points);
}

// An output and what it must not share memory with, the outputs before it among them.
ArgCheck& CheckOverlap(ArgCheck& check, const Arguments& args, const BufferArg& workspace) {
  if (check.failed()) return check;
  const TensorArg &points = args.points, &size = args.voxel_size, &range = args.coors_range;
  return check.Separate(args.voxels, {points, size, range, workspace})
      .Separate(args.coors, {points, size, range, workspace, args.voxels})
      .Separate(args.num_points, {points, size, range, workspace, args.voxels, args.coors})
      .Separate(args.voxel_num, {points, size, range, workspace, args.voxels, args.coors, args.num_points})
      .Separate(workspace, {points, size, range});
}

// The voxels that the caller's numbers describe. Whatever the handle says about value checks: there is no voxel of
// such a size, and no grid.
ArgCheck& ReadGrid(ArgCheck& check, const Arguments& args, voxels::VoxelGrid& grid) {
  if (check.failed()) return check;
  const auto size_of = [&](int axis) {
    return ElementAsDouble(args.voxel_size.desc->type, args.voxel_size.data, axis);
  };
  const auto border = [&](int place) {
    return ElementAsDouble(args.coors_range.desc->type, args.coors_range.data, place);
  };
  for (int axis = 0; axis < kAxes; ++axis) {
    const bool is_size = std::isfinite(size_of(axis)) && size_of(axis) > 0;
    check.NoBadElement(args.voxel_size, is_size ? -1 : axis, "a finite number above 0");
  }
  for (int place = 0; place < 2 * kAxes; ++place) {
    const bool above = place < kAxes || border(place) > border(place - kAxes);
    check.NoBadElement(args.coors_range, std::isfinite(border(place)) && above ? -1 : place,
                       place < kAxes ? "a finite number" : "a finite number above the axis' first border");
  }
  grid.dims = kAxes;
  for (int axis = 0; axis < kAxes; ++axis) {
    const float count = voxels::VoxelsOnAxis(static_cast<float>(border(axis)), static_cast<float>(border(axis + kAxes)),
                                             static_cast<float>(size_of(axis)));
    voxels::CheckVoxelCount(check, axis, size_of(axis), count);
    if (check.failed()) return check;
    grid.range_min[axis] = border(axis);
    grid.voxel_size[axis] = size_of(axis);
    grid.extent[axis] = static_cast<int32_t>(count);
  }
  return check.Rule(voxels::CanNumberVoxels(kAxes, grid.extent, 1), MLUOP_STATUS_NOT_SUPPORTED,
                    "voxel_size makes too many voxels of coors_range, expected fewer than 2^63.");
}

// What is there becomes 0.
void ClearResults(const Arguments& args) {
  for (const OutputArg* output : {&args.coors, &args.num_points, &args.voxel_num}) {
    if (output->target == nullptr) continue;
    std::memset(output->target, 0, static_cast<size_t>(output->desc->byte_count()));
  }
}

voxels::PointToVoxelProblem MakePoints(const Arguments& args, const voxels::VoxelGrid& grid) {
  voxels::PointToVoxelProblem problem = {};
  problem.type = args.points.desc->type;
  problem.grid = grid;
  problem.points = args.points.desc->extent(0);
  problem.features = args.points.desc->extent(1);
  problem.rows = args.points.data;
  problem.clouds = 1;
  problem.most_points = args.max_points;
  problem.most_voxels = problem.most_rows = args.max_voxels;
  problem.voxels = args.voxels.target;
  problem.coordinates = static_cast<int32_t*>(args.coors.target);
  problem.num_points = static_cast<int32_t*>(args.num_points.target);
  problem.kernels = voxels::ChooseReduceKernels(problem.type, MLUOP_REDUCE_DMEAN);
  return problem;
}

}  // namespace
}  // namespace detops::voxelization

using namespace detops;
using namespace detops::voxelization;

mluOpStatus_t MLUOP_WIN_API mluOpGetVoxelizationWorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc, const mluOpTensorDescriptor_t voxel_size_desc,
    const mluOpTensorDescriptor_t coors_range_desc, const int32_t max_points, const int32_t max_voxels,
    const int32_t NDim, const bool deterministic, const mluOpTensorDescriptor_t voxels_desc,
    const mluOpTensorDescriptor_t coors_desc, const mluOpTensorDescriptor_t num_points_per_voxel_desc,
    const mluOpTensorDescriptor_t voxel_num_desc, size_t* size) {
  const Call call("mluOpGetVoxelizationWorkspaceSize", handle);
  const Arguments args = {.points = {"points", points_desc, nullptr},
                          .voxel_size = {"voxel_size", voxel_size_desc, nullptr},
                          .coors_range = {"coors_range", coors_range_desc, nullptr},
                          .max_points = max_points,
                          .max_voxels = max_voxels,
                          .ndim = NDim,
                          .deterministic = deterministic,
                          .voxels = {"voxels", voxels_desc, nullptr},
                          .coors = {"coors", coors_desc, nullptr},
                          .num_points = {"num_points_per_voxel", num_points_per_voxel_desc, nullptr},
                          .voxel_num = {"voxel_num", voxel_num_desc, nullptr}};
  ArgCheck check(call);
  check.Place("size", size);
  if (CheckForm(check, args).failed()) return check.status();
  *size = 0;
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpVoxelization(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc, const void* points,
    const mluOpTensorDescriptor_t voxel_size_desc, const void* voxel_size,
    const mluOpTensorDescriptor_t coors_range_desc, const void* coors_range, const int32_t max_points,
    const int32_t max_voxels, const int32_t NDim, const bool deterministic, void* workspace, size_t workspace_size,
    const mluOpTensorDescriptor_t voxels_desc, void* voxels, const mluOpTensorDescriptor_t coors_desc, void* coors,
    const mluOpTensorDescriptor_t num_points_per_voxel_desc, void* num_points_per_voxel,
    const mluOpTensorDescriptor_t voxel_num_desc, void* voxel_num) {
  const Call call("mluOpVoxelization", handle);
  const Arguments args = {.points = {"points", points_desc, points},
                          .voxel_size = {"voxel_size", voxel_size_desc, voxel_size},
                          .coors_range = {"coors_range", coors_range_desc, coors_range},
                          .max_points = max_points,
                          .max_voxels = max_voxels,
                          .ndim = NDim,
                          .deterministic = deterministic,
                          .voxels = {"voxels", voxels_desc, voxels},
                          .coors = {"coors", coors_desc, coors},
                          .num_points = {"num_points_per_voxel", num_points_per_voxel_desc, num_points_per_voxel},
                          .voxel_num = {"voxel_num", voxel_num_desc, voxel_num}};
  const BufferArg space("workspace", workspace, workspace_size);
  ArgCheck check(call);
  CheckForm(check, args).WorkspacePointer(workspace, workspace_size);
  const bool has_room = max_points != 0 && max_voxels != 0;
  if (has_room) CheckWork(check, args);
  if (CheckOverlap(check, args, space).failed()) return check.status();
  const auto describe = [&](GenCase& record) {
    record.RealInput(args.points);
    record.RealInput(args.voxel_size);
    record.RealInput(args.coors_range);
    for (const OutputArg* output : {&args.voxels, &args.coors, &args.num_points, &args.voxel_num}) {
      record.Output(*output);
    }
    record.Param("max_points", int64_t{max_points});
    record.Param("max_voxels", int64_t{max_voxels});
    record.Param("ndim", int64_t{NDim});
    record.Param("deterministic", int64_t{deterministic});
  };
  constexpr char kCaseName[] = "voxelization";
  if (!has_room) {
    return RunRecorded(call, kCaseName, describe, [&] {
      ClearResults(args);
      return call.Succeed();
    });
  }
  voxels::VoxelGrid grid;
  if (ReadGrid(check, args, grid).failed()) return check.status();
  const Problem problem = {MakePoints(args, grid), static_cast<int32_t*>(voxel_num)};
  return RunRecorded(call, kCaseName, describe,
                     [&] { return call.Finish(Run(problem, handle->parallel, handle->scratch)); });
}
