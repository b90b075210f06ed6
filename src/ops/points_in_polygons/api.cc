// The C entry point: check table, then problem, then run.
#include "core/arg_check.h"
#include "core/context.h"
#include "detops/points_in_polygons.h"
#include "ops/points_in_polygons/problem.h"

// NOLINTBEGIN(google-build-using-namespace): entry points are glue
using namespace detops;
using namespace detops::points_in_polygons;
// NOLINTEND(google-build-using-namespace)

mluOpStatus_t detopsPointsInPolygons(mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc,
                                     const void* points, const mluOpTensorDescriptor_t quads_desc, const void* quads,
                                     const mluOpTensorDescriptor_t inside_desc, void* inside) {
  const Call call("detopsPointsInPolygons", handle);
  const TensorArg places{"points", points_desc, points};
  const TensorArg polygons{"quads", quads_desc, quads};
  const OutputArg out{"inside", inside_desc, inside};
  Dim b("b"), m("m");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({places, polygons, out})
      .AnyFloatingType(places).SameType(polygons, places).SameType(out, places)
      .Rank(places, 2).Rank(polygons, 2).Rank(out, 2)
      .Shape(places,   {b, 2})
      .Shape(polygons, {m, 8})
      .Shape(out,      {b, m})
      .Dense({places, polygons, out});
  // clang-format on
  if (check.failed()) return check.status();
  if (AnyEmpty({places, polygons})) return call.Succeed();
  check.CountLimit({places, polygons, out})
      .Data({places, polygons, out})
      .Separate(out, {places, polygons})
      .Finite(places)
      .Finite(polygons);
  if (check.failed()) return check.status();
  const Problem problem = {places.desc->type, b.value(), m.value(), points, quads, inside};
  return call.Finish(Run(problem, ChooseKernel(), handle->parallel, handle->scratch));
}
