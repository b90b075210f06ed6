/* psroipool (position-sensitive RoI pooling), forward and backward. Part of mlu_op.h.
 * Formulas, border rules and numerics: src/ops/psroipool/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_PSROIPOOL_H_
#define DETOPS_MLU_OP_PSROIPOOL_H_

#include "handle.h"
#include "linkage.h"
#include "tensor.h"

DETOPS_C_BEGIN

/** Cuts every region of interest into P x P bins and averages, for bin (ph, pw) and output channel d, input channel
 * c = (d * P + ph) * P + pw over the pixels of the bin; 0 if the bin holds no pixel.
 *
 * input: [N, H, W, C], output: [R, P, P, D], mapping_channel: [R, P, P, D] int32, all NHWC; C = P * P * D and
 * P = pooled_height = pooled_width = group_size, D = output_dim. rois: [R, 5] = (batch id, x1, y1, x2, y2), any layout;
 * coordinates are image pixels, both ends inside, rounded to whole pixels (half away from zero) and multiplied by
 * spatial_scale. mapping_channel gets c, also where the bin is empty. NaN and Inf in input propagate.
 * Types: float; with the full profile also half, double and bfloat16, the same for input, rois and output.
 * All tensors are dense and stay the caller's. The handle keeps scratch memory for its next call: at most 24 MiB, or
 * one plane of the map (H * W * 8 numbers) if that is more, and 8 * (P + P + 1) bytes per roi, 48 per image, 4 * C,
 * 32 KiB per thread.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; ranks are not 4, 2, 4, 4; a type is not allowed, or not the same;
 *                layout of input, output or mapping_channel is not NHWC; pooled_height, pooled_width, output_dim are
 *                not those of output; group_size is not pooled_height; output is not square; group_size or output_dim
 *                is below 1; spatial_scale is not finite and above 0; rois has not 5 columns
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      output has not as many rows as rois; input has not pooled_height * pooled_width * output_dim
 *                channels; mapping_channel has not the shape of output
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      input has no elements, and output overlaps rois or mapping_channel, or mapping_channel overlaps rois
 * NOT_SUPPORTED  input has no elements, mapping_channel has data, and C is 2^31 or more
 * success        input has no elements: output becomes 0 and mapping_channel is written, if they are not NULL
 * BAD_PARAM      rois has no elements; a data pointer is NULL; output or mapping_channel overlaps the other, or an
 *                input; a number in rois is NaN or Inf; a batch id is not a whole number in [0, N), or a roi's scaled
 *                coordinates or extent overflow
 * NOT_SUPPORTED  C is 2^31 or more; H or W is 2^32 or more
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpPsRoiPoolForward(mluOpHandle_t handle, const int pooled_height, const int pooled_width,
                                                  const float spatial_scale, const int group_size, const int output_dim,
                                                  const mluOpTensorDescriptor_t input_desc, const void* input,
                                                  const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                                  const mluOpTensorDescriptor_t output_desc, void* output,
                                                  const mluOpTensorDescriptor_t mapping_channel_desc,
                                                  void* mapping_channel);

/** The form of the design document: mluOpPsRoiPoolForward with a workspace between rois and output, which is not
 * needed: NULL with size 0 will do. A call of mluOpPsRoiPoolForward with 16 arguments comes here, in C and in C++;
 * texts name mluOpPsRoiPoolForward for both.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; ranks are not 4, 2, 4, 4; a type is not allowed, or not the same;
 *                layout of input, output or mapping_channel is not NHWC; pooled_height, pooled_width, output_dim are
 *                not those of output; group_size is not pooled_height; output is not square; group_size or output_dim
 *                is below 1; spatial_scale is not finite and above 0; rois has not 5 columns
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      output has not as many rows as rois; input has not pooled_height * pooled_width * output_dim
 *                channels; mapping_channel has not the shape of output
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      input has no elements, and output overlaps rois, mapping_channel or workspace, or mapping_channel
 *                overlaps rois or workspace
 * NOT_SUPPORTED  input has no elements, mapping_channel has data, and C is 2^31 or more
 * success        input has no elements: output becomes 0 and mapping_channel is written, if they are not NULL
 * BAD_PARAM      rois has no elements; a data pointer is NULL; workspace is NULL and workspace_size is not 0; output
 *                or mapping_channel overlaps the other, workspace or an input; workspace overlaps an input; a number
 *                in rois is NaN or Inf; a batch id is not a whole number in [0, N), or a roi's scaled coordinates or
 *                extent overflow
 * NOT_SUPPORTED  C is 2^31 or more; H or W is 2^32 or more
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpPsRoiPoolForwardWithWorkspace(
    mluOpHandle_t handle, const int pooled_height, const int pooled_width, const float spatial_scale,
    const int group_size, const int output_dim, const mluOpTensorDescriptor_t input_desc, const void* input,
    const mluOpTensorDescriptor_t rois_desc, const void* rois, void* workspace, const size_t workspace_size,
    const mluOpTensorDescriptor_t output_desc, void* output, const mluOpTensorDescriptor_t mapping_channel_desc,
    void* mapping_channel);

/** Gradient of mluOpPsRoiPoolForward with respect to its input: every pixel of a bin gets top_grad / area, in the
 * channel that mapping_channel names.
 *
 * top_grad, mapping_channel: [R, P, P, D], bottom_grad: [N, H, W, P * P * D], all NHWC; rois, spatial_scale and types
 * as forward. bottom_grad is overwritten, not added to. Scratch memory as forward, besides
 * 4 * H * W and 64 * C bytes (double: 128 * C) per thread; with channels that are not forward's 1 MiB (8 * C if that is
 * more) per thread instead of the 24 MiB.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; ranks are not 4, 2, 4, 4; a type is not allowed, or not the same;
 *                layout of top_grad, mapping_channel or bottom_grad is not NHWC; pooled_height, pooled_width,
 *                output_dim are not those of top_grad; top_grad is not square; output_dim is below 1; spatial_scale is
 *                not finite and above 0; rois has not 5 columns
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      top_grad has not as many rows as rois; bottom_grad has not pooled_height * pooled_width * output_dim
 *                channels; mapping_channel has not the shape of top_grad
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      rois has no elements
 * success        top_grad, mapping_channel or bottom_grad has no elements: nothing is written
 * BAD_PARAM      a data pointer is NULL; bottom_grad overlaps another tensor; a number in rois is NaN or Inf; a batch
 *                id is not a whole number in [0, N), or a roi's scaled coordinates or extent overflow
 * NOT_SUPPORTED  C is 2^31 or more
 * BAD_PARAM      a value of mapping_channel is outside [0, C)
 * NOT_SUPPORTED  H or W is 2^32 or more
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpPsRoiPoolBackward(mluOpHandle_t handle, const int pooled_height,
                                                   const int pooled_width, const float spatial_scale,
                                                   const int output_dim, const mluOpTensorDescriptor_t top_grad_desc,
                                                   const void* top_grad, const mluOpTensorDescriptor_t rois_desc,
                                                   const void* rois, const mluOpTensorDescriptor_t mapping_channel_desc,
                                                   const void* mapping_channel,
                                                   const mluOpTensorDescriptor_t bottom_grad_desc, void* bottom_grad);

#ifdef __cplusplus
/** The design document's form by its own name. Programs may include this file inside extern "C". */
extern "C++" {
inline mluOpStatus_t mluOpPsRoiPoolForward(mluOpHandle_t handle, const int pooled_height, const int pooled_width,
                                           const float spatial_scale, const int group_size, const int output_dim,
                                           const mluOpTensorDescriptor_t input_desc, const void* input,
                                           const mluOpTensorDescriptor_t rois_desc, const void* rois, void* workspace,
                                           const size_t workspace_size, const mluOpTensorDescriptor_t output_desc,
                                           void* output, const mluOpTensorDescriptor_t mapping_channel_desc,
                                           void* mapping_channel) {
  return mluOpPsRoiPoolForwardWithWorkspace(handle, pooled_height, pooled_width, spatial_scale, group_size, output_dim,
                                            input_desc, input, rois_desc, rois, workspace, workspace_size, output_desc,
                                            output, mapping_channel_desc, mapping_channel);
}
}
#else
/* C has no overloads: the 17th of the call's arguments followed by these names is the function that is meant. A call
 * with any other number of arguments reaches the released form, and the compiler tells how many it has. */
#define mluOpPsRoiPoolForward(...)                                                                                     \
  DETOPS_PSROIPOOL_17TH(__VA_ARGS__, mluOpPsRoiPoolForwardWithWorkspace, mluOpPsRoiPoolForward, mluOpPsRoiPoolForward, \
                        mluOpPsRoiPoolForward, mluOpPsRoiPoolForward, mluOpPsRoiPoolForward, mluOpPsRoiPoolForward,    \
                        mluOpPsRoiPoolForward, mluOpPsRoiPoolForward, mluOpPsRoiPoolForward, mluOpPsRoiPoolForward,    \
                        mluOpPsRoiPoolForward, mluOpPsRoiPoolForward, mluOpPsRoiPoolForward, mluOpPsRoiPoolForward,    \
                        mluOpPsRoiPoolForward, 0)                                                                      \
  (__VA_ARGS__)
#define DETOPS_PSROIPOOL_17TH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, form, ...) form
#endif

DETOPS_C_END

#endif /* DETOPS_MLU_OP_PSROIPOOL_H_ */
