/* psroipool as torchvision computes it, and with torch's layout. Part of detops.h.
 * Formulas and the differences between the conventions: src/ops/psroipool/README.md in the source tree. */
#ifndef DETOPS_DETOPS_PSROIPOOL_H_
#define DETOPS_DETOPS_PSROIPOOL_H_

#include "../mlu_op/linkage.h"
#include "../mlu_op/psroipool.h"

DETOPS_C_BEGIN

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
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL (that of mapping_channel may be, if its data is NULL too)
 * NOT_SUPPORTED  the profile is not the full one
 * BAD_PARAM      ranks are not 4, 2, 4, 4; a type is not allowed, or not the same; convention has no such value;
 *                layout of input is not NHWC or NCHW, or not that of the others; pooled_height, pooled_width,
 *                output_dim are not those of output; pooled_height, pooled_width or output_dim is below 1;
 *                spatial_scale is not finite and above 0; rois has not 5 columns
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      output has not as many rows as rois; input has not pooled_height * pooled_width * output_dim
 *                channels; mapping_channel has not the shape of output
 * NOT_SUPPORTED  a tensor has more bytes than int64 can count
 * BAD_PARAM      input has no elements, and output overlaps rois or mapping_channel, or mapping_channel overlaps rois
 * NOT_SUPPORTED  input has no elements, mapping_channel has data, and C is 2^31 or more
 * success        input has no elements: output becomes 0 and mapping_channel is written, if they are not NULL
 * BAD_PARAM      rois has no elements; a data pointer is NULL; output or mapping_channel overlaps the other, or an
 *                input; a number in rois is NaN or Inf; a batch id is not a whole number in [0, N), or a roi's scaled
 *                coordinates or extent overflow
 * NOT_SUPPORTED  C is 2^31 or more; H or W is 2^32 or more
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsPsRoiPoolForward(mluOpHandle_t handle, detopsPsRoiPoolConvention_t convention, int pooled_height,
                                     int pooled_width, double spatial_scale, int output_dim,
                                     const mluOpTensorDescriptor_t input_desc, const void* input,
                                     const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                     const mluOpTensorDescriptor_t output_desc, void* output,
                                     const mluOpTensorDescriptor_t mapping_channel_desc, void* mapping_channel);

/** The gradient of the above with respect to input. mapping_channel may be left out (NULL descriptor and NULL data);
 * the channels are then those forward uses.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL (that of mapping_channel may be, if its data is NULL too)
 * NOT_SUPPORTED  the profile is not the full one
 * BAD_PARAM      ranks are not 4, 2, 4, 4; a type is not allowed, or not the same; convention has no such value;
 *                layout of top_grad is not NHWC or NCHW, or not that of the others; pooled_height, pooled_width,
 *                output_dim are not those of top_grad; pooled_height, pooled_width or output_dim is below 1;
 *                spatial_scale is not finite and above 0; rois has not 5 columns
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      top_grad has not as many rows as rois; bottom_grad has not pooled_height * pooled_width * output_dim
 *                channels; mapping_channel has not the shape of top_grad
 * NOT_SUPPORTED  a tensor has more bytes than int64 can count
 * BAD_PARAM      rois has no elements
 * success        top_grad, mapping_channel or bottom_grad has no elements: nothing is written
 * BAD_PARAM      a data pointer is NULL; bottom_grad overlaps another tensor; a number in rois is NaN or Inf; a batch
 *                id is not a whole number in [0, N), or a roi's scaled coordinates or extent overflow
 * NOT_SUPPORTED  C is 2^31 or more
 * BAD_PARAM      a value of mapping_channel is outside [0, C)
 * NOT_SUPPORTED  H or W is 2^32 or more
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsPsRoiPoolBackward(mluOpHandle_t handle, detopsPsRoiPoolConvention_t convention, int pooled_height,
                                      int pooled_width, double spatial_scale, int output_dim,
                                      const mluOpTensorDescriptor_t top_grad_desc, const void* top_grad,
                                      const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                      const mluOpTensorDescriptor_t mapping_channel_desc, const void* mapping_channel,
                                      const mluOpTensorDescriptor_t bottom_grad_desc, void* bottom_grad);

DETOPS_C_END

#endif /* DETOPS_DETOPS_PSROIPOOL_H_ */
