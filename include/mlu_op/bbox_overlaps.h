/* bbox_overlaps. Part of mlu_op.h.
 * Formulas and numerics: src/ops/bbox_overlaps/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_BBOX_OVERLAPS_H_
#define DETOPS_MLU_OP_BBOX_OVERLAPS_H_

#include <stdbool.h>

#include "handle.h"
#include "linkage.h"
#include "tensor.h"

DETOPS_C_BEGIN

/** How much upright boxes have in common, for all pairs of two lists or, with aligned, for boxes of the same number.
 *
 * bbox1: [N, 4], bbox2: [M, 4] = (x1, y1, x2, y2). ious: [N, M], with aligned [N] (and M = N). mode 0: intersection
 * over union; mode 1: intersection over the area of the box of bbox1. offset 0: the sides are x2 - x1 and y2 - y1;
 * 1: one more, for corners that are pixels of the box. Types: float or half, the same for all three; with the full
 * profile also double and bfloat16.
 *
 * Values are computed in double and rounded once: in [0, 1], 1 for equal boxes, 0 for boxes that touch or are apart,
 * the same for (a, b) and (b, a) in mode 0. A box with a side that is not above 0 (x2 + offset <= x1, or in y) has
 * nothing in common with any box, itself included; its corners are not swapped. All tensors are dense and stay the
 * caller's; no workspace. The handle keeps scratch memory for its next call: 40 bytes for each box of bbox2 (of bbox1,
 * if bbox2 has fewer than 16 boxes and bbox1 has more), none with aligned.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; type is not allowed, or not the same; rank of bbox1 or bbox2 is not 2
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      mode is not 0 or 1; bbox1 or bbox2 has rows of another length than 4; offset is not 0 or 1; ious has
 *                rank 0; ious, or with aligned bbox2, has not N rows; rank of ious is not 2, or with aligned 1 (with
 *                aligned and without boxes it may be any); not aligned: ious has not M columns; aligned and no boxes:
 *                the last extent of ious is not 1 (full profile: ious may have rank 1)
 * success        there is no pair of boxes
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a data pointer is NULL; ious overlaps bbox1 or bbox2; a number in bbox1 or bbox2 is NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpBboxOverlaps(mluOpHandle_t handle, const int mode, const bool aligned,
                                              const int offset, const mluOpTensorDescriptor_t bbox1_desc,
                                              const void* bbox1, const mluOpTensorDescriptor_t bbox2_desc,
                                              const void* bbox2, const mluOpTensorDescriptor_t ious_desc, void* ious);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_BBOX_OVERLAPS_H_ */
