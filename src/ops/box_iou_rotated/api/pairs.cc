// The C entry point: check table, then problem, then run.
#include "boxes/pairs/check.h"
#include "boxes/pairs/matrix.h"
#include "core/arg_check.h"
#include "core/context.h"
#include "mlu_op/box_iou_rotated.h"
#include "recording/gen_case.h"

using namespace detops;
using namespace detops::boxes;

mluOpStatus_t MLUOP_WIN_API mluOpBoxIouRotated(mluOpHandle_t handle, const int mode, const bool aligned,
                                               const mluOpTensorDescriptor_t bbox1_desc, const void* bbox1,
                                               const mluOpTensorDescriptor_t bbox2_desc, const void* bbox2,
                                               const mluOpTensorDescriptor_t ious_desc, void* ious) {
  const Call call("mluOpBoxIouRotated", handle);
  const PairArgs args = {
      {"bbox1", bbox1_desc, bbox1}, {"bbox2", bbox2_desc, bbox2}, {"ious", ious_desc, ious}, aligned};
  const TensorArg &first = args.first, &second = args.second;
  const OutputArg& output = args.output;
  Dim N("N"), M("M");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({first, second, output})
      .FloatUnlessFull(first).SameType(second, first).SameType(output, first)
      .Integer("mode", mode, mode == 0 || mode == 1, kModeRule)
      .Rank(first, 2).Rank(second, 2);
  // clang-format on
  RowLength(check, first, 5);
  RowLength(check, second, 5);
  OutputRank(check, args);
  OutputShape(check, args, N, M).Dense({first, second, output});
  if (check.failed()) return check.status();
  if (NoPairs(args)) return call.Succeed();
  if (PairData(check, args).failed()) return check.status();
  const PairQuestion question = {.kind = PairQuestion::Kind::kRotated,
                                 .value = mode == 0 ? PairValue::kIou : PairValue::kIofFirst,
                                 .offset = 0,
                                 .format = RowFormat::kRotated,
                                 .z_is_bottom = false};
  const PairProblem problem = MakePairProblem(question, args);
  return RunRecorded(
      call, "box_iou_rotated",
      [&](GenCase& record) {
        record.RealInput(first);
        record.RealInput(second);
        record.Output(output);
        record.Param("mode", int64_t{mode});
        record.Param("aligned", int64_t{aligned});
      },
      [&] { return call.Finish(RunPairs(problem, handle->parallel, handle->scratch)); });
}
