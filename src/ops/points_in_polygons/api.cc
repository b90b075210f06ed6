// The C entry point: check table, then problem, then run.
#include "boxes/pairs/check.h"
#include "core/arg_check.h"
#include "core/context.h"
#include "detops/points_in_polygons.h"
#include "ops/points_in_polygons/problem.h"

using namespace detops;
using namespace detops::points_in_polygons;

mluOpStatus_t detopsPointsInPolygons(mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc,
                                     const void* points, const mluOpTensorDescriptor_t quads_desc, const void* quads,
                                     const mluOpTensorDescriptor_t inside_desc, void* inside) {
  const Call call("detopsPointsInPolygons", handle);
  const boxes::PairArgs args = {
      {"points", points_desc, points}, {"quads", quads_desc, quads}, {"inside", inside_desc, inside}, false};
  ArgCheck check(call);
  if (boxes::MatrixForm(check, args, {"b", 2}, {"m", 8}).failed()) return check.status();
  if (boxes::NoPairs(args)) return call.Succeed();
  if (boxes::PairData(check, args).failed()) return check.status();
  const Problem problem = {points_desc->type, points_desc->extent(0), quads_desc->extent(0), points, quads, inside};
  return call.Finish(Run(problem, ChooseKernel(), handle->parallel, handle->scratch));
}
