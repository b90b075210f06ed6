// The C entry point: check table, then the suppression that all rooms of boxes share.
#include <cmath>

#include "boxes/suppression/ranked.h"
#include "core/arg_check.h"
#include "core/context.h"
#include "core/half.h"
#include "detops/nms_boxes.h"

namespace detops::nms_boxes {
namespace {

constexpr int64_t kMostRows = int64_t{1} << 31;

// The format, and how many numbers a box has; 0 columns: there is no such format.
struct Format {
  boxes::RankedFormat format;
  int64_t columns;
};

Format FormatOf(detopsBoxFormat_t format) {
  switch (format) {
    case DETOPS_BOX_FORMAT_XYXY:
      return {boxes::RankedFormat::kCorners, 4};
    case DETOPS_BOX_FORMAT_CXCYWH:
      return {boxes::RankedFormat::kCentre, 4};
    case DETOPS_BOX_FORMAT_CXCYWHA:
      return {boxes::RankedFormat::kRotated, 5};
    case DETOPS_BOX_FORMAT_QUAD:
      return {boxes::RankedFormat::kQuad, 8};
    case DETOPS_BOX_FORMAT_BEV:
      return {boxes::RankedFormat::kBev, 7};
    case DETOPS_BOX_FORMAT_BEV_UPRIGHT:
      return {boxes::RankedFormat::kBevUpright, 7};
    default:
      return {boxes::RankedFormat::kCorners, 0};
  }
}

mluOpDataType_t TypeOf(const TensorArg& tensor) { return tensor.absent() ? MLUOP_DTYPE_INVALID : tensor.desc->type; }

void CheckOutputSize(ArgCheck& check, const TensorArg& output, int64_t needed) {
  if (check.failed()) return;
  const int64_t size = output.desc->extent(0);
  check.Rule(size >= needed, MLUOP_STATUS_BAD_PARAM, "output has %lld elements, expected at least %lld.",
             static_cast<long long>(size), static_cast<long long>(needed));
}

}  // namespace
}  // namespace detops::nms_boxes

using namespace detops;
using namespace detops::nms_boxes;

mluOpStatus_t detopsNmsBoxes(mluOpHandle_t handle, detopsBoxFormat_t format, float iou_threshold, float offset,
                             int64_t pre_max, int64_t post_max, const mluOpTensorDescriptor_t boxes_desc,
                             const void* boxes, const mluOpTensorDescriptor_t scores_desc, const void* scores,
                             const mluOpTensorDescriptor_t labels_desc, const void* labels,
                             const mluOpTensorDescriptor_t output_desc, void* output, int64_t* count) {
  const Call call("detopsNmsBoxes", handle);
  const TensorArg in{"boxes", boxes_desc, boxes};
  const TensorArg ranks = Optional("scores", scores_desc, scores);
  const TensorArg classes = Optional("labels", labels_desc, labels);
  const OutputArg out{"output", output_desc, output};
  const BufferArg number("count", count, sizeof(*count));
  const Format rows = FormatOf(format);
  Dim N("N"), columns("columns of the format", rows.columns);
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({in, out})
      .Place("count", count)
      .AnyFloatingType(in).AnyFloatingType(ranks).IndexType(classes).IndexType(out)
      .Rank(in, 2).Rank(ranks, 1).Rank(classes, 1).Rank(out, 1)
      .Axis(in, 0, N)
      .Shape(ranks,   {N})
      .Shape(classes, {N});
  if (rows.columns != 0) check.Axis(in, 1, columns);
  CheckOutputSize(check, out, boxes::RankedLimit(N.value(), pre_max, post_max));
  check
      .Integer("format", static_cast<int>(format), rows.columns != 0, "a value of detopsBoxFormat_t")
      .Number("iou_threshold", iou_threshold, !std::isnan(iou_threshold), "a number")
      .Number("offset", offset, offset == 0 || offset == 1 || format != DETOPS_BOX_FORMAT_XYXY, "0 or 1")
      .Dense({in, ranks, classes, out})
      .CountLimit({in, ranks, classes, out})
      .Rule(N.value() < kMostRows, MLUOP_STATUS_NOT_SUPPORTED, "boxes has %lld rows, expected fewer than 2147483648.",
            static_cast<long long>(N.value()));
  // clang-format on
  if (check.failed()) return check.status();
  if (N.value() == 0) {
    StoreElement(count, 0, int64_t{0});
    return call.Succeed();
  }
  // clang-format off
  check
      .Data({in, out})
      .Separate(out,    {in, ranks, classes, number})
      .Separate(number, {in, ranks, classes})
      .Finite(in).Finite(UsedIf(scores != nullptr, ranks));
  // clang-format on
  if (check.failed()) return check.status();
  const boxes::RankedProblem problem = {.format = rows.format,
                                        .type = in.desc->type,
                                        .boxes = in.data,
                                        .columns = rows.columns,
                                        .offset = static_cast<double>(offset),
                                        .score_type = TypeOf(ranks),
                                        .scores = ranks.data,
                                        .label_type = TypeOf(classes),
                                        .labels = classes.data,
                                        .count = N.value(),
                                        .threshold = handle->ThresholdOf(iou_threshold),
                                        .pre_max = pre_max,
                                        .post_max = post_max,
                                        .index_type = out.desc->type,
                                        .output = output};
  boxes::SuppressionCounts counts;
  const RunResult result = SuppressRanked(problem, handle->parallel, handle->scratch, &counts);
  boxes::LogSuppression(call, problem, counts);
  if (result == RunResult::kDone) StoreElement(count, 0, counts.kept);
  return call.Finish(result);
}
