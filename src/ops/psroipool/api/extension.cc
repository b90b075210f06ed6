// The C entry points for all conventions and layouts: check table, then problem, then run.
#include "core/data_type.h"
#include "detops/psroipool.h"
#include "ops/psroipool/api/call.h"

namespace detops::psroipool {
namespace {

void CheckLayouts(ArgCheck& check, TensorList tensors) {
  if (check.failed()) return;
  const TensorArg& first = *tensors.begin()->tensor;
  const mluOpTensorLayout_t layout = first.desc->layout;
  check.Rule(layout == MLUOP_LAYOUT_NHWC || layout == MLUOP_LAYOUT_NCHW, MLUOP_STATUS_BAD_PARAM,
             "%s has layout %s, expected NHWC or NCHW.", first.name, LayoutName(layout));
  for (const TensorRef& each : tensors) check.Layout(*each.tensor, layout);
}

void CheckPooledShape(ArgCheck& check, const PsRoiPoolArguments& args) {
  if (check.failed()) return;
  const PsRoiPoolAxes axes{args.map.desc->layout == MLUOP_LAYOUT_NCHW};
  Dim height("pooled_height", args.pooled_height), width("pooled_width", args.pooled_width);
  Dim depth("output_dim", args.output_dim);
  check.Axis(args.pooled, axes.pooled_height(), height)
      .Axis(args.pooled, axes.pooled_width(), width)
      .Axis(args.pooled, axes.pooled_channels(), depth)
      .Integer("pooled_height", args.pooled_height, args.pooled_height >= 1, "at least 1")
      .Integer("pooled_width", args.pooled_width, args.pooled_width >= 1, "at least 1")
      .Integer("output_dim", args.output_dim, args.output_dim >= 1, "at least 1");
  CheckScale(check, args);
  check.Axis(args.rois, 1, 5);
}

// Everything up to the count limits. `source` and `target` are map and pooled tensor in the order of the arguments;
// mapping_channel comes before the last one in a backward pass, after it in a forward pass.
void CheckShapes(ArgCheck& check, const PsRoiPoolArguments& args) {
  const bool backward = args.rules.backward;
  const TensorArg& source = backward ? args.pooled : args.map;
  const TensorArg& target = backward ? args.map : args.pooled;
  const TensorArg& third = backward ? args.mapping : target;
  const TensorArg& fourth = backward ? target : args.mapping;
  check.Handle().Descriptor({source, args.rois, third, fourth}).FullProfile();
  check.Rank(source, 4).Rank(args.rois, 2).Rank(third, 4).Rank(fourth, 4);
  check.FloatingType(source).SameType(args.rois, source);
  if (backward) {
    check.Int32(args.mapping).SameType(target, source);
  } else {
    check.SameType(target, source).Int32(args.mapping);
  }
  const detopsPsRoiPoolConvention_t convention = args.rules.convention;
  check.Integer("convention", static_cast<int>(convention),
                convention >= DETOPS_PSROIPOOL_RFCN && convention <= DETOPS_PSROIPOOL_CONSISTENT,
                "a value of detopsPsRoiPoolConvention_t");
  CheckLayouts(check, {source, third, fourth});
  CheckPooledShape(check, args);
  check.Dense({source, args.rois, third, fourth});
  CheckRelations(check, args);
  check.CountLimit({args.pooled, args.map, args.rois, args.mapping});
}

// Left out if there is neither descriptor nor data.
TensorArg OptionalMapping(const mluOpTensorStruct* desc, const void* data) {
  return {"mapping_channel", desc, data, data == nullptr};
}

}  // namespace
}  // namespace detops::psroipool

using namespace detops;
using namespace detops::psroipool;

mluOpStatus_t detopsPsRoiPoolForward(mluOpHandle_t handle, detopsPsRoiPoolConvention_t convention, int pooled_height,
                                     int pooled_width, double spatial_scale, int output_dim,
                                     const mluOpTensorDescriptor_t input_desc, const void* input,
                                     const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                     const mluOpTensorDescriptor_t output_desc, void* output,
                                     const mluOpTensorDescriptor_t mapping_channel_desc, void* mapping_channel) {
  const Call call("detopsPsRoiPoolForward", handle);
  const PsRoiPoolArguments args = {.rules = {convention, false},
                                   .pooled_height = pooled_height,
                                   .pooled_width = pooled_width,
                                   .output_dim = output_dim,
                                   .spatial_scale = spatial_scale,
                                   .map = {"input", input_desc, input},
                                   .rois = {"rois", rois_desc, rois},
                                   .pooled = {"output", output_desc, output},
                                   .mapping = OptionalMapping(mapping_channel_desc, mapping_channel),
                                   .target = output,
                                   .mapping_to_write = mapping_channel};
  ArgCheck check(call);
  CheckShapes(check, args);
  return CheckValuesAndRunForward(call, check, args, nullptr, 0);
}

mluOpStatus_t detopsPsRoiPoolBackward(mluOpHandle_t handle, detopsPsRoiPoolConvention_t convention, int pooled_height,
                                      int pooled_width, double spatial_scale, int output_dim,
                                      const mluOpTensorDescriptor_t top_grad_desc, const void* top_grad,
                                      const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                      const mluOpTensorDescriptor_t mapping_channel_desc, const void* mapping_channel,
                                      const mluOpTensorDescriptor_t bottom_grad_desc, void* bottom_grad) {
  const Call call("detopsPsRoiPoolBackward", handle);
  const PsRoiPoolArguments args = {.rules = {convention, true},
                                   .pooled_height = pooled_height,
                                   .pooled_width = pooled_width,
                                   .output_dim = output_dim,
                                   .spatial_scale = spatial_scale,
                                   .map = {"bottom_grad", bottom_grad_desc, bottom_grad},
                                   .rois = {"rois", rois_desc, rois},
                                   .pooled = {"top_grad", top_grad_desc, top_grad},
                                   .mapping = OptionalMapping(mapping_channel_desc, mapping_channel),
                                   .target = bottom_grad};
  ArgCheck check(call);
  CheckShapes(check, args);
  return CheckValuesAndRunBackward(call, check, args);
}
