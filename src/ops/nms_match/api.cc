// The C entry point: check table, then problem, then run.
#include <cmath>

#include "core/arg_check.h"
#include "core/context.h"
#include "detops/nms_match.h"
#include "ops/nms_match/problem.h"

using namespace detops;
using namespace detops::nms_match;

mluOpStatus_t detopsNmsMatch(mluOpHandle_t handle, float iou_threshold, const mluOpTensorDescriptor_t boxes_desc,
                             const void* boxes, const mluOpTensorDescriptor_t scores_desc, const void* scores,
                             const mluOpTensorDescriptor_t group_desc, void* group) {
  const Call call("detopsNmsMatch", handle);
  const TensorArg in{"boxes", boxes_desc, boxes};
  const TensorArg given{"scores", scores_desc, scores};
  const OutputArg out{"group", group_desc, group};
  Dim N("N");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({in, given, out})
      .AnyFloatingType(in).AnyFloatingType(given).IndexType(out)
      .Rank(in, 2).Rank(given, 1).Rank(out, 1)
      .Shape(in,    {N, 4})
      .Shape(given, {N})
      .Shape(out,   {N})
      .Number("iou_threshold", iou_threshold, !std::isnan(iou_threshold), "a number")
      .Dense({in, given, out})
      .CountLimit({in, given, out})
      .CanNumber(out, N.value(), in);
  // clang-format on
  if (check.failed()) return check.status();
  if (N.value() == 0) return call.Succeed();
  // clang-format off
  check
      .Data({in, given, out})
      .Separate(out, {in, given})
      .Finite(in).Finite(given);
  // clang-format on
  if (check.failed()) return check.status();
  const Problem problem = {.iou_threshold = handle->ThresholdOf(iou_threshold),
                           .round = boxes::ChooseRoundKernel(),
                           .tensors = {in.desc->type, in.data, 0, given.desc->type, given.data},
                           .count = N.value(),
                           .index_type = out.desc->type,
                           .group = out.target};
  return call.Finish(Run(problem, handle->parallel, handle->scratch));
}
