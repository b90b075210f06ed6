/* psroipool as torchvision computes it, and with torch's layout. Part of detops.h.
 * Formulas and the differences between the conventions: src/ops/psroipool/README.md in the source tree. */
#ifndef DETOPS_DETOPS_PSROIPOOL_H_
#define DETOPS_DETOPS_PSROIPOOL_H_

#include "../mlu_op/psroipool.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** How a roi becomes bins. */
typedef enum {
  /** mluOpPsRoiPool...: round, then scale; both ends inside; extents of at least 0.1. */
  DETOPS_PSROIPOOL_RFCN = 0,
  /** torchvision, bit by bit for float and double: scale, then round; the end outside; extents of at least 1. Forward
   * never reads the last row and column of the map, backward does write there. */
  DETOPS_PSROIPOOL_TORCHVISION = 1,
  /** As torchvision, but forward uses the whole map, as backward does: one is the other's adjoint. */
  DETOPS_PSROIPOOL_CONSISTENT = 2
} detopsPsRoiPoolConvention_t;

/** mluOpPsRoiPoolForward for all conventions, for bins that need not be as many as wide as high, and for NCHW.
 *
 * input, output and mapping_channel have all layout NHWC: [N, H, W, C], [R, PH, PW, D], or all NCHW: [N, C, H, W],
 * [R, D, PH, PW]. Input channel of output channel d at bin (ph, pw): (d * PH + ph) * PW + pw; C = D * PH * PW.
 * mapping_channel may be left out (NULL descriptor and NULL data). Types: float, half, double, bfloat16, the same for
 * input, rois and output; half and bfloat16 are added up in float. spatial_scale is rounded to float unless the type is
 * double. NCHW needs no transposed copy of
 * the input: at most 4 MiB or one plane, and 16 MiB (or 16 rois) of pooled rows.
 *
 * Checked in this order: handle, input, rois, output descriptors are not NULL (BAD_PARAM); the profile (NOT_SUPPORTED
 * in contract); then as mluOpPsRoiPoolForward, where convention is looked at behind the types, layouts are NHWC or NCHW
 * and the same for all, pooled_height and pooled_width are those of output and at least 1, there is no group_size, and
 * there is no workspace. */
mluOpStatus_t detopsPsRoiPoolForward(mluOpHandle_t handle, detopsPsRoiPoolConvention_t convention, int pooled_height,
                                     int pooled_width, double spatial_scale, int output_dim,
                                     const mluOpTensorDescriptor_t input_desc, const void* input,
                                     const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                     const mluOpTensorDescriptor_t output_desc, void* output,
                                     const mluOpTensorDescriptor_t mapping_channel_desc, void* mapping_channel);

/** The gradient of the above with respect to input. mapping_channel may be left out (NULL descriptor and NULL data);
 * the channels are then those forward uses.
 *
 * Checked in this order: handle, top_grad, rois, bottom_grad descriptors are not NULL (BAD_PARAM); the profile; then as
 * mluOpPsRoiPoolBackward with the changes of detopsPsRoiPoolForward. */
mluOpStatus_t detopsPsRoiPoolBackward(mluOpHandle_t handle, detopsPsRoiPoolConvention_t convention, int pooled_height,
                                      int pooled_width, double spatial_scale, int output_dim,
                                      const mluOpTensorDescriptor_t top_grad_desc, const void* top_grad,
                                      const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                      const mluOpTensorDescriptor_t mapping_channel_desc, const void* mapping_channel,
                                      const mluOpTensorDescriptor_t bottom_grad_desc, void* bottom_grad);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif /* DETOPS_DETOPS_PSROIPOOL_H_ */
