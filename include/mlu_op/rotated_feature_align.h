/* rotated_feature_align, forward and backward. Part of mlu_op.h.
 * Formulas, border rules and numerics: src/ops/rotated_feature_align/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_ROTATED_FEATURE_ALIGN_H_
#define DETOPS_MLU_OP_ROTATED_FEATURE_ALIGN_H_

#include "handle.h"
#include "linkage.h"
#include "tensor.h"

DETOPS_C_BEGIN

/** Adds to every feature pixel the bilinear samples at the centre (points = 1), or at the centre and the
 * four corners (points = 5), of that pixel's rotated box.
 *
 * input, output: [N, H, W, C], layout NHWC. bboxes: [N, H, W, 5] = (y, x, w, h, angle), any layout; y, x, w, h
 * in image pixels, multiplied by spatial_scale to give feature pixels; angle in radians, not multiplied.
 * Types: float or half, the same for all three; with the full profile also double and bfloat16.
 * NaN and Inf in input propagate. All tensors are dense and stay the caller's; no workspace. No scratch memory
 * grows with the tensors.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; rank is not 4; type is not allowed, or not the same; layout of
 *                input or output is not NHWC
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      output has not the shape of input; bboxes is not [N, H, W, 5]
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a tensor has no elements; points is not 1 or 5; spatial_scale is not finite and above 0; a data
 *                pointer is NULL; output overlaps input or bboxes; a number in bboxes is NaN or Inf
 * NOT_SUPPORTED  one image has 2^32 pixels or more
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpRotatedFeatureAlignForward(const mluOpHandle_t handle,
                                                            const mluOpTensorDescriptor_t input_desc, const void* input,
                                                            const mluOpTensorDescriptor_t bboxes_desc,
                                                            const void* bboxes, const float spatial_scale,
                                                            const int points, const mluOpTensorDescriptor_t output_desc,
                                                            void* output);

/** Gradient of mluOpRotatedFeatureAlignForward with respect to its input.
 *
 * top_output: gradient of the forward output, bottom_input: gradient of the forward input, both [N, H, W, C],
 * NHWC. bboxes, spatial_scale, points, types: as forward. bottom_input is overwritten, not added to. The boxes get
 * no gradient. The handle keeps scratch memory for its next call: for each pixel of the images that are worked on
 * together (one, or as many as fit into 64 MiB) 48 * points + 64 bytes (double: 88 * points + 64).
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; rank is not 4; type is not allowed, or not the same; layout of
 *                top_output or bottom_input is not NHWC
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      bottom_input has not the shape of top_output; bboxes is not [N, H, W, 5]; points is not 1 or 5;
 *                spatial_scale is not finite and above 0
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a tensor has no elements; a data pointer is NULL; bottom_input overlaps top_output or bboxes; a
 *                number in bboxes is NaN or Inf
 * NOT_SUPPORTED  one image has 2^32 / (4 * points) pixels or more
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpRotatedFeatureAlignBackward(
    const mluOpHandle_t handle, const mluOpTensorDescriptor_t top_output_desc, const void* top_output,
    const mluOpTensorDescriptor_t bboxes_desc, const void* bboxes, const float spatial_scale, const int points,
    const mluOpTensorDescriptor_t bottom_input_desc, void* bottom_input);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_ROTATED_FEATURE_ALIGN_H_ */
