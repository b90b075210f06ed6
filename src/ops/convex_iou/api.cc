// The C entry points: check table, then problem, then run.
#include "core/arg_check.h"
#include "core/context.h"
#include "detops/convex_iou.h"
#include "ops/convex_iou/problem.h"

// NOLINTBEGIN(google-build-using-namespace): entry points are glue
using namespace detops;
using namespace detops::convex_iou;
// NOLINTEND(google-build-using-namespace)

mluOpStatus_t detopsConvexIou(mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc, const void* points,
                              const mluOpTensorDescriptor_t quads_desc, const void* quads,
                              const mluOpTensorDescriptor_t ious_desc, void* ious) {
  const Call call("detopsConvexIou", handle);
  const TensorArg sets{"points", points_desc, points};
  const TensorArg polygons{"quads", quads_desc, quads};
  const OutputArg out{"ious", ious_desc, ious};
  Dim n("n"), k("k");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({sets, polygons, out})
      .AnyFloatingType(sets).SameType(polygons, sets).SameType(out, sets)
      .Rank(sets, 2).Rank(polygons, 2).Rank(out, 2)
      .Shape(sets,     {n, 18})
      .Shape(polygons, {k, 8})
      .Shape(out,      {n, k})
      .Dense({sets, polygons, out});
  // clang-format on
  if (check.failed()) return check.status();
  if (AnyEmpty({sets, polygons})) return call.Succeed();
  check.CountLimit({sets, polygons, out})
      .Data({sets, polygons, out})
      .Separate(out, {sets, polygons})
      .Finite(sets)
      .Finite(polygons);
  if (check.failed()) return check.status();
  const IouProblem problem = {sets.desc->type, n.value(), k.value(), points, quads, ious};
  return call.Finish(RunIou(problem, boxes::ChooseMeetingKernel(), handle->parallel, handle->scratch));
}

mluOpStatus_t detopsConvexGiou(mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc, const void* points,
                               const mluOpTensorDescriptor_t quads_desc, const void* quads,
                               const mluOpTensorDescriptor_t gious_desc, void* gious,
                               const mluOpTensorDescriptor_t grad_desc, void* grad) {
  const Call call("detopsConvexGiou", handle);
  const TensorArg sets{"points", points_desc, points};
  const TensorArg polygons{"quads", quads_desc, quads};
  const OutputArg values{"gious", gious_desc, gious};
  const OutputArg slopes{"grad", grad_desc, grad};
  Dim n("n");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({sets, polygons, values, slopes})
      .AnyFloatingType(sets).SameType(polygons, sets).SameType(values, sets).SameType(slopes, sets)
      .Rank(sets, 2).Rank(polygons, 2).Rank(values, 1).Rank(slopes, 2)
      .Shape(sets,     {n, 18})
      .Shape(polygons, {n, 8})
      .Shape(values,   {n})
      .Shape(slopes,   {n, 18})
      .Dense({sets, polygons, values, slopes});
  // clang-format on
  if (check.failed()) return check.status();
  if (AnyEmpty({sets})) return call.Succeed();
  check.CountLimit({sets, polygons, values, slopes})
      .Data({sets, polygons, values, slopes})
      .Separate(values, {sets, polygons})
      .Separate(slopes, {sets, polygons, values})
      .Finite(sets)
      .Finite(polygons);
  if (check.failed()) return check.status();
  const GiouProblem problem = {sets.desc->type, n.value(), points, quads, gious, grad};
  return call.Finish(RunGiou(problem, handle->parallel));
}
