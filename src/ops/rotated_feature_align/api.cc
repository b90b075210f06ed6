// The C entry points: check table, then problem, then run.
#include <cmath>

#include "core/arg_check.h"
#include "core/context.h"
#include "mlu_op/rotated_feature_align.h"
#include "ops/rotated_feature_align/problem.h"
#include "recording/gen_case.h"

namespace detops::rotated_feature_align {
namespace {

constexpr char kPointsRule[] = "1 or 5";
constexpr char kScaleRule[] = "a finite number above 0";

bool PointsOk(int points) { return points == 1 || points == 5; }
bool ScaleOk(float scale) { return std::isfinite(scale) && scale > 0.0f; }

RotatedFeatureAlignProblem MakeProblem(const TensorArg& source, const TensorArg& boxes, void* target,
                                       float spatial_scale, int points, RowSumsKernel sum_rows) {
  const mluOpTensorStruct& shape = *source.desc;
  return {.type = shape.type,
          .batch = shape.extent(0),
          .height = shape.extent(1),
          .width = shape.extent(2),
          .channels = shape.extent(3),
          .spatial_scale = spatial_scale,
          .points = points,
          .source = source.data,
          .boxes = boxes.data,
          .target = target,
          .sum_rows = sum_rows};
}

// The call as a case file.
void Describe(const TensorArg& source, const TensorArg& boxes, const TensorArg& target, float spatial_scale, int points,
              GenCase& record) {
  record.RandomInput(source);
  record.RealInput(boxes);
  record.Output(target);
  record.Param("spatial_scale", spatial_scale);
  record.Param("points", int64_t{points});
}

}  // namespace
}  // namespace detops::rotated_feature_align

using namespace detops;
using namespace detops::rotated_feature_align;

mluOpStatus_t MLUOP_WIN_API mluOpRotatedFeatureAlignForward(const mluOpHandle_t handle,
                                                            const mluOpTensorDescriptor_t input_desc, const void* input,
                                                            const mluOpTensorDescriptor_t bboxes_desc,
                                                            const void* bboxes, const float spatial_scale,
                                                            const int points, const mluOpTensorDescriptor_t output_desc,
                                                            void* output) {
  const Call call("mluOpRotatedFeatureAlignForward", handle);
  const RowSumsKernel sum_rows = ChooseRowSumsKernel();
  const TensorArg in{"input", input_desc, input};
  const TensorArg boxes{"bboxes", bboxes_desc, bboxes};
  const TensorArg out{"output", output_desc, output};
  Dim N("N"), H("H"), W("W"), C("C");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({in, boxes, out})
      .Rank(in, 4).Rank(boxes, 4).Rank(out, 4)
      .FloatingType(in).SameType(boxes, in).SameType(out, in)
      .Layout(in, MLUOP_LAYOUT_NHWC).Layout(out, MLUOP_LAYOUT_NHWC)
      .Dense({in, boxes, out})
      .Shape(in,    {N, H, W, C})
      .Shape(out,   {N, H, W, C})
      .Shape(boxes, {N, H, W, 5})
      .CountLimit({in, out, boxes})
      .NotEmpty({in, out, boxes})
      .Integer("points", points, PointsOk(points), kPointsRule)
      .Number("spatial_scale", spatial_scale, ScaleOk(spatial_scale), kScaleRule)
      .Data({in, boxes, out})
      .Separate(out, {in, boxes})
      .Finite(boxes)
      .Supported(check.failed() || RotatedFeatureAlignForwardFits(H.value(), W.value()),
                 "input has too many pixels in one image, expected fewer than 2^32.");
  // clang-format on
  if (check.failed()) return check.status();
  const RotatedFeatureAlignProblem problem = MakeProblem(in, boxes, output, spatial_scale, points, sum_rows);
  return RunRecorded(
      call, "rotated_feature_align_forward",
      [&](GenCase& record) { Describe(in, boxes, out, spatial_scale, points, record); },
      [&] { return call.Finish(RotatedFeatureAlignForward(problem, handle->parallel)); });
}

mluOpStatus_t MLUOP_WIN_API mluOpRotatedFeatureAlignBackward(
    const mluOpHandle_t handle, const mluOpTensorDescriptor_t top_output_desc, const void* top_output,
    const mluOpTensorDescriptor_t bboxes_desc, const void* bboxes, const float spatial_scale, const int points,
    const mluOpTensorDescriptor_t bottom_input_desc, void* bottom_input) {
  const Call call("mluOpRotatedFeatureAlignBackward", handle);
  const RowSumsKernel sum_rows = ChooseRowSumsKernel();
  const TensorArg top{"top_output", top_output_desc, top_output};
  const TensorArg boxes{"bboxes", bboxes_desc, bboxes};
  const TensorArg bottom{"bottom_input", bottom_input_desc, bottom_input};
  Dim N("N"), H("H"), W("W"), C("C");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({top, boxes, bottom})
      .Rank(top, 4).Rank(boxes, 4).Rank(bottom, 4)
      .FloatingType(top).SameType(boxes, top).SameType(bottom, top)
      .Layout(top, MLUOP_LAYOUT_NHWC).Layout(bottom, MLUOP_LAYOUT_NHWC)
      .Dense({top, boxes, bottom})
      .Shape(top,    {N, H, W, C})
      .Shape(bottom, {N, H, W, C})
      .Shape(boxes,  {N, H, W, 5})
      .Integer("points", points, PointsOk(points), kPointsRule)
      .Number("spatial_scale", spatial_scale, ScaleOk(spatial_scale), kScaleRule)
      .CountLimit({top, bottom, boxes})
      .NotEmpty({top, bottom, boxes})
      .Data({top, boxes, bottom})
      .Separate(bottom, {top, boxes})
      .Finite(boxes)
      .Supported(check.failed() || RotatedFeatureAlignBackwardFits(H.value(), W.value(), points),
                 "top_output has too many pixels in one image, expected fewer than 2^32 / (4 * points).");
  // clang-format on
  if (check.failed()) return check.status();
  const RotatedFeatureAlignProblem problem = MakeProblem(top, boxes, bottom_input, spatial_scale, points, sum_rows);
  return RunRecorded(
      call, "rotated_feature_align_backward",
      [&](GenCase& record) { Describe(top, boxes, bottom, spatial_scale, points, record); },
      [&] { return call.Finish(RotatedFeatureAlignBackward(problem, handle->parallel, handle->scratch)); });
}
