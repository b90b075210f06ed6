// The C entry point: check table, then problem, then run.
#include "core/arg_check.h"
#include "core/context.h"
#include "detops/voxel_coordinates.h"
#include "ops/voxel_coordinates/problem.h"
#include "voxels/grid_check.h"

using namespace detops;
using namespace detops::voxel_coordinates;

mluOpStatus_t detopsVoxelCoordinates(mluOpHandle_t handle, int ndim, const double range_min[],
                                     const double voxel_size[], const int grid[],
                                     const mluOpTensorDescriptor_t points_desc, const void* points,
                                     const mluOpTensorDescriptor_t coordinates_desc, void* coordinates) {
  const Call call("detopsVoxelCoordinates", handle);
  const TensorArg pts{"points", points_desc, points};
  const OutputArg out{"coordinates", coordinates_desc, coordinates};
  ArgCheck check(call);
  check.Handle().Descriptor({pts, out});
  if (check.failed()) return check.status();
  if (range_min == nullptr) return call.NullArgument("range_min", "an array of ndim numbers");
  if (voxel_size == nullptr) return call.NullArgument("voxel_size", "an array of ndim numbers");
  if (grid == nullptr) return call.NullArgument("grid", "an array of ndim numbers");
  check.FullProfile();
  voxels::CheckDims(check, ndim);
  voxels::CheckAxes(check, ndim, range_min, voxel_size, grid, {pts.desc->type == MLUOP_DTYPE_DOUBLE});
  Dim P("P"), F("F");
  // clang-format off
  check
      .Rank(pts, 2).Rank(out, 2)
      .Shape(pts, {P, F})
      .Rule(F.value() >= ndim, MLUOP_STATUS_BAD_PARAM, "points has %lld columns, expected at least ndim = %d.",
            static_cast<long long>(F.value()), ndim);
  Dim columns("ndim", ndim);
  check
      .Shape(out, {P, columns})
      .FloatingType(pts).Int32(out)
      .Dense({pts, out})
      .CountLimit({pts, out})
      .DataUnlessEmpty({pts, out})
      .Separate(out, {pts});
  // clang-format on
  if (check.failed()) return check.status();
  const Problem problem = {.type = pts.desc->type,
                           .grid = voxels::MakeGrid(ndim, range_min, voxel_size, grid),
                           .points = P.value(),
                           .features = F.value(),
                           .rows = points,
                           .coordinates = static_cast<int32_t*>(coordinates)};
  return call.Finish(Run(problem, handle->parallel));
}
