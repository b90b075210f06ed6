/* box_iou_rotated. Part of mlu_op.h.
 * Formulas and numerics: src/ops/box_iou_rotated/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_BOX_IOU_ROTATED_H_
#define DETOPS_MLU_OP_BOX_IOU_ROTATED_H_

#include <stdbool.h>

#include "handle.h"
#include "linkage.h"
#include "tensor.h"

DETOPS_C_BEGIN

/** How much rotated boxes have in common, for all pairs of two lists or, with aligned, for boxes of the same number.
 *
 * bbox1: [N, 5], bbox2: [M, 5] = (centre x, centre y, width, height, angle in radians from +x towards +y).
 * ious: [N, M], with aligned [N] (and M = N). mode 0: intersection over union; mode 1: intersection over the area of
 * the box of bbox1. Types: float; with the full profile also half, double and bfloat16, the same for all three.
 *
 * Values are those of exact geometry, computed in double and rounded once: in [0, 1], 1 for equal boxes, 0 for boxes
 * that touch or are apart, the same for (a, b) and (b, a) in mode 0. A box with width <= 0 or height <= 0 has nothing
 * in common with any box, itself included. All tensors are dense and stay the caller's; no workspace. The handle keeps
 * scratch memory for its next call: 80 bytes for each box of bbox2 (of bbox1, if bbox2 has fewer than 16 boxes and
 * bbox1 has more), none with aligned.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; type is not allowed, or not the same; mode is not 0 or 1; rank of
 *                bbox1 or bbox2 is not 2; bbox1 or bbox2 has rows of another length than 5; rank of ious is not 2, or
 *                with aligned 1; ious has not the shape that bbox1 and bbox2 give it
 * NOT_SUPPORTED  a tensor is not dense
 * success        there is no pair of boxes
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a data pointer is NULL; ious overlaps bbox1 or bbox2; a number in bbox1 or bbox2 is NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpBoxIouRotated(mluOpHandle_t handle, const int mode, const bool aligned,
                                               const mluOpTensorDescriptor_t bbox1_desc, const void* bbox1,
                                               const mluOpTensorDescriptor_t bbox2_desc, const void* bbox2,
                                               const mluOpTensorDescriptor_t ious_desc, void* ious);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_BOX_IOU_ROTATED_H_ */
