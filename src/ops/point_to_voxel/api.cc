// The C entry points: check table, then problem, then run.
#include <algorithm>
#include <cmath>

#include "core/arg_check.h"
#include "core/context.h"
#include "core/half.h"
#include "detops/point_to_voxel.h"
#include "voxels/grid_check.h"
#include "voxels/voxelize.h"

namespace detops::point_to_voxel {
namespace {

using namespace detops::voxels;

struct Arguments {
  int ndim;
  const double* range_min;
  const double* voxel_size;
  const int* grid;
  int64_t max_points, max_voxels;
  detopsVoxelOrder_t order;
  // In the order of the arguments. All but points and coordinates may be left out.
  TensorArg points, cloud_begins;
  OutputArg voxels, means, coordinates, num_points, point_voxel;

  // No clouds at all are one without points.
  int64_t clouds() const { return cloud_begins.absent() ? 1 : std::max<int64_t>(1, cloud_begins.desc->extent(0) - 1); }
  Arithmetic arithmetic() const { return {points.desc->type == MLUOP_DTYPE_DOUBLE}; }
};

void CheckShapes(ArgCheck& check, const Arguments& args) {
  check.Rank(args.points, 2).Rank(args.cloud_begins, 1).Rank(args.voxels, 3).Rank(args.means, 2);
  check.Rank(args.coordinates, 2).Rank(args.num_points, 1).Rank(args.point_voxel, 1);
  if (check.failed()) return;
  Dim P("P"), F("F"), M("M"), T("max_points_per_voxel", args.max_points);
  const bool batched = !args.cloud_begins.absent();
  Dim columns(batched ? "1 + ndim" : "ndim", args.ndim + (batched ? 1 : 0));
  check.Shape(args.points, {P, F});
  check.Rule(F.value() >= args.ndim, MLUOP_STATUS_BAD_PARAM, "points has %lld columns, expected at least ndim = %d.",
             static_cast<long long>(F.value()), args.ndim);
  check.NotEmpty(args.cloud_begins)
      .Shape(args.coordinates, {M, columns})
      .Shape(args.voxels, {M, T, F})
      .Shape(args.means, {M, F})
      .Shape(args.num_points, {M})
      .Shape(args.point_voxel, {P});
}

void CheckTypes(ArgCheck& check, const Arguments& args) {
  check.FloatingType(args.points).Int32(args.cloud_begins);
  check.SameType(args.voxels, args.points).SameType(args.means, args.points);
  check.Int32({args.coordinates, args.num_points, args.point_voxel});
}

void CheckNumbers(ArgCheck& check, const Arguments& args) {
  if (check.failed()) return;
  CheckAxes(check, args.ndim, args.range_min, args.voxel_size, args.grid, args.arithmetic());
  const bool listed = !args.voxels.absent();
  check
      .Integer("max_points_per_voxel", args.max_points, args.max_points >= (listed ? 1 : 0),
               listed ? "a number above 0, as voxels is wanted" : "0 (no limit) or more")
      .Integer("max_voxels_per_cloud", args.max_voxels, args.max_voxels >= 0, "0 (no limit) or more")
      .Integer("order", static_cast<int>(args.order),
               args.order == DETOPS_VOXEL_ORDER_FIRST_POINT || args.order == DETOPS_VOXEL_ORDER_ASCENDING,
               "a value of detopsVoxelOrder_t");
}

void CheckLimits(ArgCheck& check, const Arguments& args) {
  const TensorList all = {args.points,      args.cloud_begins, args.voxels,     args.means,
                          args.coordinates, args.num_points,   args.point_voxel};
  check.Dense(all).CountLimit(all);
  if (check.failed()) return;
  const int64_t points = args.points.desc->extent(0), clouds = args.clouds();
  check
      .Rule(points <= kMaxCloudPoints, MLUOP_STATUS_NOT_SUPPORTED,
            "points has %lld rows, expected fewer than 2147483648.", static_cast<long long>(points))
      .Rule(clouds <= kMaxCloudPoints, MLUOP_STATUS_NOT_SUPPORTED,
            "cloud_begins describes %lld clouds, expected fewer than 2147483648.", static_cast<long long>(clouds))
      .Rule(CanNumberVoxels(args.ndim, args.grid, clouds), MLUOP_STATUS_NOT_SUPPORTED,
            "grid has too many voxels in all clouds, expected fewer than 2^63.");
}

void CheckMemory(ArgCheck& check, const Arguments& args) {
  const TensorArg tensors[] = {args.points,      args.cloud_begins, args.voxels,     args.means,
                               args.coordinates, args.num_points,   args.point_voxel};
  for (const TensorArg& tensor : tensors) check.DataUnlessEmpty({tensor});
  // Each result against all tensors before it; inputs may share memory.
  for (int later = 2; later < 7; ++later) {
    for (int before = 0; before < later; ++before) check.Separate(tensors[later], {tensors[before]});
  }
}

// The first number that does not ascend from 0 to `points`; -1 if there is none.
int64_t FirstBadBegin(const TensorArg& begins, int64_t points) {
  const int64_t count = begins.desc->extent(0);
  int32_t before = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto begin = LoadElement<int32_t>(begins.data, i);
    if (begin < before || begin > points || (i == 0 && begin != 0) || (i == count - 1 && begin != points)) return i;
    before = begin;
  }
  return -1;
}

void CheckClouds(ArgCheck& check, const Call& call, const Arguments& args) {
  if (check.failed() || args.cloud_begins.absent() || !call.handle()->value_checks) return;
  check.NoBadElement(args.cloud_begins, FirstBadBegin(args.cloud_begins, args.points.desc->extent(0)),
                     "numbers that ascend from 0 to the number of points");
}

PointToVoxelProblem MakeProblem(const Arguments& args) {
  PointToVoxelProblem problem = {};
  problem.type = args.points.desc->type;
  problem.grid = MakeGrid(args.ndim, args.range_min, args.voxel_size, args.grid);
  problem.points = args.points.desc->extent(0);
  problem.features = args.points.desc->extent(1);
  problem.rows = args.points.data;
  problem.clouds = args.clouds();
  problem.most_points = args.max_points > 0 ? args.max_points : INT64_MAX;
  problem.most_voxels = args.max_voxels > 0 ? args.max_voxels : INT64_MAX;
  problem.most_rows = args.coordinates.desc->extent(0);
  problem.ascending = args.order == DETOPS_VOXEL_ORDER_ASCENDING;
  problem.cloud_begins = static_cast<const int32_t*>(args.cloud_begins.data);
  problem.voxels = args.voxels.target;
  problem.means = args.means.target;
  problem.coordinates = static_cast<int32_t*>(args.coordinates.target);
  problem.num_points = static_cast<int32_t*>(args.num_points.target);
  problem.point_voxel = static_cast<int32_t*>(args.point_voxel.target);
  problem.kernels = ChooseReduceKernels(problem.type, MLUOP_REDUCE_DMEAN);
  return problem;
}

}  // namespace
}  // namespace detops::point_to_voxel

using namespace detops;
using namespace detops::point_to_voxel;

mluOpStatus_t detopsGetVoxelGrid(int ndim, const double range_min[], const double range_max[],
                                 const double voxel_size[], int grid[]) {
  const Call call("detopsGetVoxelGrid", nullptr);
  ArgCheck check(call);
  CheckDims(check, ndim);
  if (check.failed()) return check.status();
  if (range_min == nullptr) return call.NullArgument("range_min", "an array of ndim numbers");
  if (range_max == nullptr) return call.NullArgument("range_max", "an array of ndim numbers");
  if (voxel_size == nullptr) return call.NullArgument("voxel_size", "an array of ndim numbers");
  if (grid == nullptr) return call.NullResult("grid");
  const Arithmetic arithmetic = {false};
  int voxels[kMaxVoxelDims];
  for (int axis = 0; axis < ndim; ++axis) {
    CheckRangeMin(check, axis, range_min[axis], arithmetic);
    const auto low = static_cast<float>(range_min[axis]), high = static_cast<float>(range_max[axis]);
    CheckElement(check, {"range_max", axis, range_max[axis]}, std::isfinite(high) && high > low, " above range_min",
                 arithmetic);
    CheckVoxelSize(check, axis, voxel_size[axis], arithmetic);
    const float count = VoxelsOnAxis(low, high, static_cast<float>(voxel_size[axis]));
    CheckVoxelCount(check, axis, voxel_size[axis], count);
    if (check.failed()) return check.status();
    voxels[axis] = static_cast<int>(count);
  }
  for (int axis = 0; axis < ndim; ++axis) grid[axis] = voxels[axis];
  return call.Succeed();
}

mluOpStatus_t detopsPointToVoxel(mluOpHandle_t handle, int ndim, const double range_min[], const double voxel_size[],
                                 const int grid[], int64_t max_points_per_voxel, int64_t max_voxels_per_cloud,
                                 detopsVoxelOrder_t order, const mluOpTensorDescriptor_t points_desc,
                                 const void* points, const mluOpTensorDescriptor_t cloud_begins_desc,
                                 const void* cloud_begins, const mluOpTensorDescriptor_t voxels_desc, void* voxels,
                                 const mluOpTensorDescriptor_t means_desc, void* means,
                                 const mluOpTensorDescriptor_t coordinates_desc, void* coordinates,
                                 const mluOpTensorDescriptor_t num_points_desc, void* num_points,
                                 const mluOpTensorDescriptor_t point_voxel_desc, void* point_voxel,
                                 int64_t* voxel_num) {
  const Call call("detopsPointToVoxel", handle);
  if (voxel_num == nullptr) return call.NullResult("voxel_num");
  const Arguments args = {.ndim = ndim,
                          .range_min = range_min,
                          .voxel_size = voxel_size,
                          .grid = grid,
                          .max_points = max_points_per_voxel,
                          .max_voxels = max_voxels_per_cloud,
                          .order = order,
                          .points = {"points", points_desc, points},
                          .cloud_begins = Optional("cloud_begins", cloud_begins_desc, cloud_begins),
                          .voxels = OptionalOutput("voxels", voxels_desc, voxels),
                          .means = OptionalOutput("means", means_desc, means),
                          .coordinates = {"coordinates", coordinates_desc, coordinates},
                          .num_points = OptionalOutput("num_points", num_points_desc, num_points),
                          .point_voxel = OptionalOutput("point_voxel", point_voxel_desc, point_voxel)};
  ArgCheck check(call);
  check.Handle().Descriptor({args.points, args.coordinates});
  if (check.failed()) return check.status();
  if (range_min == nullptr) return call.NullArgument("range_min", "an array of ndim numbers");
  if (voxel_size == nullptr) return call.NullArgument("voxel_size", "an array of ndim numbers");
  if (grid == nullptr) return call.NullArgument("grid", "an array of ndim numbers");
  check.FullProfile();
  CheckDims(check, ndim);
  CheckShapes(check, args);
  CheckTypes(check, args);
  CheckNumbers(check, args);
  CheckLimits(check, args);
  CheckMemory(check, args);
  CheckClouds(check, call, args);
  if (check.failed()) return check.status();
  int64_t rows = 0;
  const RunResult result = PointToVoxel(MakeProblem(args), handle->parallel, handle->scratch, &rows);
  if (result == RunResult::kDone) *voxel_num = rows;
  return call.Finish(result);
}
