// The C entry points of the contract: check table, then problem, then run.
#include "mlu_op/psroipool.h"
#include "ops/psroipool/api/call.h"

using namespace detops;
using namespace detops::psroipool;

mluOpStatus_t MLUOP_WIN_API mluOpPsRoiPoolForwardWithWorkspace(
    mluOpHandle_t handle, const int pooled_height, const int pooled_width, const float spatial_scale,
    const int group_size, const int output_dim, const mluOpTensorDescriptor_t input_desc, const void* input,
    const mluOpTensorDescriptor_t rois_desc, const void* rois, void* workspace, const size_t workspace_size,
    const mluOpTensorDescriptor_t output_desc, void* output, const mluOpTensorDescriptor_t mapping_channel_desc,
    void* mapping_channel) {
  const Call call("mluOpPsRoiPoolForward", handle);
  const TensorArg in{"input", input_desc, input};
  const TensorArg boxes{"rois", rois_desc, rois};
  const TensorArg out{"output", output_desc, output};
  const TensorArg mapping{"mapping_channel", mapping_channel_desc, mapping_channel};
  const PsRoiPoolArguments args = {.rules = {DETOPS_PSROIPOOL_RFCN, false},
                                   .pooled_height = pooled_height,
                                   .pooled_width = pooled_width,
                                   .output_dim = output_dim,
                                   .spatial_scale = spatial_scale,
                                   .map = in,
                                   .rois = boxes,
                                   .pooled = out,
                                   .mapping = mapping,
                                   .target = output,
                                   .mapping_to_write = mapping_channel,
                                   .contract = true};
  Dim height("pooled_height", pooled_height), width("pooled_width", pooled_width), depth("output_dim", output_dim);
  Dim group("group_size", group_size), side("the height");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({in, boxes, out, mapping})
      .Rank(in, 4).Rank(boxes, 2).Rank(out, 4).Rank(mapping, 4)
      .FloatUnlessFull(in).SameType(boxes, in).SameType(out, in).Int32(mapping)
      .Layout(in, MLUOP_LAYOUT_NHWC).Layout(out, MLUOP_LAYOUT_NHWC).Layout(mapping, MLUOP_LAYOUT_NHWC)
      .Axis(out, 1, height).Axis(out, 2, width).Axis(out, 3, depth)
      .Axis(out, 1, group)
      .Axis(out, 1, side).Axis(out, 2, side)
      .Integer("group_size", group_size, group_size >= 1, "at least 1")
      .Integer("output_dim", output_dim, output_dim >= 1, "at least 1");
  CheckScale(check, args);
  check
      .Axis(boxes, 1, 5)
      .Dense({in, boxes, out, mapping});
  CheckRelations(check, args);
  check.CountLimit({out, in, boxes, mapping});
  // clang-format on
  return CheckValuesAndRunForward(call, check, args, workspace, workspace_size);
}

mluOpStatus_t MLUOP_WIN_API mluOpPsRoiPoolForward(mluOpHandle_t handle, const int pooled_height, const int pooled_width,
                                                  const float spatial_scale, const int group_size, const int output_dim,
                                                  const mluOpTensorDescriptor_t input_desc, const void* input,
                                                  const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                                  const mluOpTensorDescriptor_t output_desc, void* output,
                                                  const mluOpTensorDescriptor_t mapping_channel_desc,
                                                  void* mapping_channel) {
  return mluOpPsRoiPoolForwardWithWorkspace(handle, pooled_height, pooled_width, spatial_scale, group_size, output_dim,
                                            input_desc, input, rois_desc, rois, nullptr, 0, output_desc, output,
                                            mapping_channel_desc, mapping_channel);
}

mluOpStatus_t MLUOP_WIN_API mluOpPsRoiPoolBackward(mluOpHandle_t handle, const int pooled_height,
                                                   const int pooled_width, const float spatial_scale,
                                                   const int output_dim, const mluOpTensorDescriptor_t top_grad_desc,
                                                   const void* top_grad, const mluOpTensorDescriptor_t rois_desc,
                                                   const void* rois, const mluOpTensorDescriptor_t mapping_channel_desc,
                                                   const void* mapping_channel,
                                                   const mluOpTensorDescriptor_t bottom_grad_desc, void* bottom_grad) {
  const Call call("mluOpPsRoiPoolBackward", handle);
  const TensorArg top{"top_grad", top_grad_desc, top_grad};
  const TensorArg boxes{"rois", rois_desc, rois};
  const TensorArg mapping{"mapping_channel", mapping_channel_desc, mapping_channel};
  const TensorArg bottom{"bottom_grad", bottom_grad_desc, bottom_grad};
  const PsRoiPoolArguments args = {.rules = {DETOPS_PSROIPOOL_RFCN, true},
                                   .pooled_height = pooled_height,
                                   .pooled_width = pooled_width,
                                   .output_dim = output_dim,
                                   .spatial_scale = spatial_scale,
                                   .map = bottom,
                                   .rois = boxes,
                                   .pooled = top,
                                   .mapping = mapping,
                                   .target = bottom_grad,
                                   .contract = true};
  Dim height("pooled_height", pooled_height), width("pooled_width", pooled_width), depth("output_dim", output_dim);
  Dim side("the height");
  ArgCheck check(call);
  // clang-format off
  check
      .Handle()
      .Descriptor({top, boxes, mapping, bottom})
      .Rank(top, 4).Rank(boxes, 2).Rank(mapping, 4).Rank(bottom, 4)
      .FloatUnlessFull(top).SameType(boxes, top).Int32(mapping).SameType(bottom, top)
      .Layout(top, MLUOP_LAYOUT_NHWC).Layout(mapping, MLUOP_LAYOUT_NHWC).Layout(bottom, MLUOP_LAYOUT_NHWC)
      .Axis(top, 1, height).Axis(top, 2, width).Axis(top, 3, depth)
      .Axis(top, 1, side).Axis(top, 2, side)
      .Integer("output_dim", output_dim, output_dim >= 1, "at least 1");
  CheckScale(check, args);
  check
      .Axis(boxes, 1, 5)
      .Dense({top, boxes, mapping, bottom});
  CheckRelations(check, args);
  check.CountLimit({top, bottom, boxes, mapping});
  // clang-format on
  return CheckValuesAndRunBackward(call, check, args);
}
