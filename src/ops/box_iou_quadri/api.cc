// The C entry point: check table, then problem, then run.
#include "boxes/pairs/check.h"
#include "core/arg_check.h"
#include "core/context.h"
#include "detops/box_iou_quadri.h"
#include "ops/box_iou_quadri/problem.h"

using namespace detops;
using namespace detops::box_iou_quadri;

mluOpStatus_t detopsBoxIouQuadri(mluOpHandle_t handle, int mode, bool aligned,
                                 const mluOpTensorDescriptor_t quads1_desc, const void* quads1,
                                 const mluOpTensorDescriptor_t quads2_desc, const void* quads2,
                                 const mluOpTensorDescriptor_t ious_desc, void* ious) {
  const Call call("detopsBoxIouQuadri", handle);
  const boxes::PairArgs args = {
      {"quads1", quads1_desc, quads1}, {"quads2", quads2_desc, quads2}, {"ious", ious_desc, ious}, aligned};
  Dim N("N"), M("M");
  ArgCheck check(call);
  check.Handle()
      .Descriptor({args.first, args.second, args.output})
      .AnyFloatingType(args.first)
      .SameType(args.second, args.first)
      .SameType(args.output, args.first)
      .Rank(args.first, 2)
      .Rank(args.second, 2);
  boxes::OutputRank(check, args).Axis(args.first, 1, 8).Axis(args.second, 1, 8);
  boxes::OutputShape(check, args, N, M)
      .Integer("mode", mode, mode == 0 || mode == 1, boxes::kModeRule)
      .Dense({args.first, args.second, args.output});
  if (check.failed()) return check.status();
  if (boxes::NoPairs(args)) return call.Succeed();
  boxes::PairData(check, args);
  if (check.failed()) return check.status();
  const Problem problem = {.type = quads1_desc->type,
                           .first_only = mode == 1,
                           .aligned = aligned,
                           .first = quads1_desc->extent(0),
                           .second = quads2_desc->extent(0),
                           .quads1 = quads1,
                           .quads2 = quads2,
                           .ious = ious};
  return call.Finish(Run(problem, boxes::ChooseMeetingKernel(), handle->parallel, handle->scratch));
}
