// The C entry point: check table, then problem, then run.
#include "core/arg_check.h"
#include "core/context.h"
#include "detops/min_area_polygons.h"
#include "ops/min_area_polygons/problem.h"

using namespace detops;
using namespace detops::min_area_polygons;

mluOpStatus_t detopsMinAreaPolygons(mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc, const void* points,
                                    const mluOpTensorDescriptor_t quads_desc, void* quads) {
  const Call call("detopsMinAreaPolygons", handle);
  const TensorArg sets{"points", points_desc, points};
  const OutputArg out{"quads", quads_desc, quads};
  Dim n("n");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({sets, out})
      .AnyFloatingType(sets).SameType(out, sets)
      .Rank(sets, 2).Rank(out, 2)
      .Shape(sets, {n, 18})
      .Shape(out,  {n, 8})
      .Dense({sets, out});
  // clang-format on
  if (check.failed()) return check.status();
  if (AnyEmpty({sets})) return call.Succeed();
  check.CountLimit({sets, out}).Data({sets, out}).Separate(out, {sets}).Finite(sets);
  if (check.failed()) return check.status();
  const Problem problem = {sets.desc->type, n.value(), points, quads};
  return call.Finish(Run(problem, handle->parallel));
}
