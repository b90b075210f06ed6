// The C entry points: check table, then problem, then run.
#include "boxes/pairs/check.h"
#include "core/arg_check.h"
#include "core/context.h"
#include "detops/convex_iou.h"
#include "ops/convex_iou/problem.h"

using namespace detops;
using namespace detops::convex_iou;

mluOpStatus_t detopsConvexIou(mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc, const void* points,
                              const mluOpTensorDescriptor_t quads_desc, const void* quads,
                              const mluOpTensorDescriptor_t ious_desc, void* ious) {
  const Call call("detopsConvexIou", handle);
  const boxes::PairArgs args = {
      {"points", points_desc, points}, {"quads", quads_desc, quads}, {"ious", ious_desc, ious}, false};
  ArgCheck check(call);
  if (boxes::MatrixForm(check, args, {"n", 18}, {"k", 8}).failed()) return check.status();
  if (boxes::NoPairs(args)) return call.Succeed();
  if (boxes::PairData(check, args).failed()) return check.status();
  const IouProblem problem = {points_desc->type, points_desc->extent(0), quads_desc->extent(0), points, quads, ious};
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
