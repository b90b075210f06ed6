// The C entry points: check table, then the suppression that all rooms of boxes share.
#include "boxes/suppression/ranked.h"
#include "core/arg_check.h"
#include "core/checked_math.h"
#include "core/context.h"
#include "core/data_type.h"
#include "core/half.h"
#include "mlu_op/nms_rotated.h"
#include "recording/gen_case.h"

namespace detops::nms_rotated {
namespace {

constexpr int64_t kMostRows = int64_t{1} << 31;

// A copy of boxes and scores, on the accelerator; programs that allocate it themselves know the formula. The largest
// int64 if that is not representable. `boxes` has rank 2.
int64_t WorkspaceBytes(const mluOpTensorStruct& boxes) {
  const int64_t numbers = SaturatingAdd(SaturatingMultiply(boxes.extent(0), boxes.extent(1)), boxes.extent(0));
  return SaturatingMultiply(numbers, static_cast<int64_t>(SizeOfType(boxes.type)));
}

void CheckColumns(ArgCheck& check, const TensorArg& boxes) {
  if (check.failed()) return;
  const int64_t columns = boxes.desc->extent(1);
  check.Rule(columns == 5 || columns == 6, MLUOP_STATUS_BAD_PARAM, "boxes has %lld columns, expected 5 or 6.",
             static_cast<long long>(columns));
}

// The call as a case file. `number` describes result_num.
void Describe(const TensorArg& boxes, const TensorArg& scores, const TensorArg& output, const TensorArg& number,
              float iou_threshold, GenCase& record) {
  record.RealInput(boxes);
  record.RealInput(scores);
  record.Output(output);
  record.Output(number);
  record.Param("iou_threshold", iou_threshold);
  record.Exact();
}

}  // namespace
}  // namespace detops::nms_rotated

using namespace detops;
using namespace detops::nms_rotated;

mluOpStatus_t MLUOP_WIN_API mluOpGetNmsRotatedWorkspaceSize(mluOpHandle_t handle,
                                                            const mluOpTensorDescriptor_t boxes_desc,
                                                            size_t* workspace_size) {
  const Call call("mluOpGetNmsRotatedWorkspaceSize", handle);
  const TensorArg in{"boxes", boxes_desc, nullptr};
  ArgCheck check(call);
  check.Place("workspace_size", workspace_size).Handle().Descriptor(in).Rank(in, 2);
  CheckColumns(check, in);
  if (check.failed()) return check.status();
  const int64_t bytes = WorkspaceBytes(*boxes_desc);
  check.Rule(bytes != kMaxInt64, MLUOP_STATUS_NOT_SUPPORTED,
             "boxes has %lld rows, expected a workspace of fewer than 2^63 bytes.",
             static_cast<long long>(boxes_desc->extent(0)));
  if (check.failed()) return check.status();
  *workspace_size = static_cast<size_t>(bytes);
  return call.Succeed();
}

mluOpStatus_t MLUOP_WIN_API mluOpNmsRotated(mluOpHandle_t handle, const float iou_threshold,
                                            const mluOpTensorDescriptor_t boxes_desc, const void* boxes,
                                            const mluOpTensorDescriptor_t scores_desc, const void* scores,
                                            void* workspace, size_t workspace_size,
                                            const mluOpTensorDescriptor_t output_desc, void* output,
                                            int32_t* result_num) {
  const Call call("mluOpNmsRotated", handle);
  const TensorArg in{"boxes", boxes_desc, boxes};
  const TensorArg ranks{"scores", scores_desc, scores};
  const OutputArg out{"output", output_desc, output};
  const BufferArg space("workspace", workspace, workspace_size);
  const BufferArg number("result_num", result_num, sizeof(*result_num));
  Dim N("N");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({in, ranks, out})
      .FloatUnlessFull(in).FloatUnlessFull(ranks).Int32UnlessFull(out)
      .Rank(in, 2).Rank(ranks, 1).Rank(out, 1)
      .Dense({in, ranks, out})
      .Axis(in, 0, N)
      .Shape(ranks, {N})
      .Shape(out,   {N});
  CheckColumns(check, in);
  check
      .CountLimit(in)
      .Rule(N.value() < kMostRows, MLUOP_STATUS_NOT_SUPPORTED, "boxes has %lld rows, expected fewer than 2147483648.",
            static_cast<long long>(N.value()));
  // clang-format on
  if (check.failed()) return check.status();
  mluOpTensorStruct one;
  const int64_t extent = 1;
  one.SetShape(1, &extent, static_cast<const int64_t*>(nullptr));
  one.type = MLUOP_DTYPE_INT32;
  const TensorArg kept{"result_num", &one, result_num};
  const auto describe = [&](GenCase& record) { Describe(in, ranks, out, kept, iou_threshold, record); };
  constexpr char kCaseName[] = "nms_rotated";
  if (N.value() == 0) {
    return RunRecorded(call, kCaseName, describe, [&] {
      if (result_num != nullptr) StoreElement(result_num, 0, int32_t{0});
      return call.Succeed();
    });
  }
  // clang-format off
  check
      .Data({in, ranks, out})
      .Place("result_num", result_num)
      .WorkspacePointer(workspace, workspace_size)
      .WorkspaceSize(workspace_size, WorkspaceBytes(*boxes_desc))
      .Separate(out,    {in, ranks, space, number})
      .Separate(number, {in, ranks, space})
      .Separate(space,  {in, ranks})
      .Finite(in).Finite(ranks);
  // clang-format on
  if (check.failed()) return check.status();
  const boxes::RankedProblem problem = {.format = boxes::RankedFormat::kRotated,
                                        .type = in.desc->type,
                                        .boxes = in.data,
                                        .columns = in.desc->extent(1),
                                        .offset = 0,
                                        .score_type = ranks.desc->type,
                                        .scores = ranks.data,
                                        .label_type = MLUOP_DTYPE_INVALID,
                                        .labels = nullptr,
                                        .count = N.value(),
                                        .threshold = static_cast<double>(iou_threshold),
                                        .pre_max = 0,
                                        .post_max = 0,
                                        .index_type = out.desc->type,
                                        .output = output};
  return RunRecorded(call, kCaseName, describe, [&] {
    boxes::SuppressionCounts counts;
    const RunResult result = SuppressRanked(problem, handle->parallel, handle->scratch, &counts);
    boxes::LogSuppression(call, problem, counts);
    if (result == RunResult::kDone) StoreElement(result_num, 0, static_cast<int32_t>(counts.kept));
    return call.Finish(result);
  });
}
