// The C entry point: check table, then problem, then run.
#include <cmath>

#include "core/arg_check.h"
#include "core/context.h"
#include "detops/soft_nms.h"
#include "ops/soft_nms/problem.h"

namespace detops::soft_nms {
namespace {

boxes::Weakening WeakeningOf(int method) {
  if (method == DETOPS_SOFT_NMS_NAIVE) return boxes::Weakening::kToZero;
  return method == DETOPS_SOFT_NMS_LINEAR ? boxes::Weakening::kLinear : boxes::Weakening::kGaussian;
}

}  // namespace
}  // namespace detops::soft_nms

using namespace detops;
using namespace detops::soft_nms;

mluOpStatus_t detopsSoftNms(mluOpHandle_t handle, int method, float iou_threshold, float sigma, float min_score,
                            float offset, const mluOpTensorDescriptor_t boxes_desc, const void* boxes,
                            const mluOpTensorDescriptor_t scores_desc, const void* scores,
                            const mluOpTensorDescriptor_t new_scores_desc, void* new_scores,
                            const mluOpTensorDescriptor_t output_desc, void* output, int64_t* count) {
  const Call call("detopsSoftNms", handle);
  const TensorArg in{"boxes", boxes_desc, boxes};
  const TensorArg given{"scores", scores_desc, scores};
  const OutputArg decayed{"new_scores", new_scores_desc, new_scores};
  const OutputArg out{"output", output_desc, output};
  const BufferArg number("count", count, sizeof(*count));
  const bool gaussian = method == DETOPS_SOFT_NMS_GAUSSIAN;
  Dim N("N");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({in, given, decayed, out})
      .Place("count", count)
      .AnyFloatingType(in).AnyFloatingType(given).SameType(decayed, given).IndexType(out)
      .Rank(in, 2).Rank(given, 1).Rank(decayed, 1).Rank(out, 1)
      .Shape(in,      {N, 4})
      .Shape(given,   {N})
      .Shape(decayed, {N})
      .Shape(out,     {N})
      .Integer("method", method, method >= DETOPS_SOFT_NMS_NAIVE && method <= DETOPS_SOFT_NMS_GAUSSIAN,
               "a value of detopsSoftNmsMethod_t")
      .Number("iou_threshold", iou_threshold, !std::isnan(iou_threshold), "a number")
      .Number("sigma", sigma, !gaussian || (std::isfinite(sigma) && sigma > 0), "a finite number above 0")
      .Number("min_score", min_score, std::isfinite(min_score), "a finite number")
      .Number("offset", offset, offset == 0 || offset == 1, "0 or 1")
      .Dense({in, given, decayed, out})
      .CountLimit({in, given, decayed, out})
      .CanNumber(out, N.value(), in);
  // clang-format on
  if (check.failed()) return check.status();
  if (N.value() == 0) {
    *count = 0;
    return call.Succeed();
  }
  // clang-format off
  check
      .Data({in, given, decayed, out})
      .Separate(decayed, {in, given, out, number})
      .Separate(out,     {in, given, number})
      .Separate(number,  {in, given})
      .Finite(in).Finite(given);
  // clang-format on
  if (check.failed()) return check.status();
  const Problem problem = {
      .rules = {.weakening = WeakeningOf(method),
                .least_iou = handle->ThresholdOf(iou_threshold),
                .sigma = static_cast<double>(sigma),
                .least_score = static_cast<double>(min_score),
                .first_counts_always = true},
      .round = boxes::ChooseRoundKernel(),
      .tensors = {in.desc->type, in.data, static_cast<double>(offset), given.desc->type, given.data},
      .count = N.value(),
      .index_type = out.desc->type,
      .new_scores = new_scores,
      .output = output};
  int64_t emitted = 0;
  const RunResult result = Run(problem, handle->parallel, handle->scratch, &emitted);
  if (result == RunResult::kDone) *count = emitted;
  return call.Finish(result);
}
