/* diff_iou_rotated_sort_vertices: the corners of what two rotated boxes share, in order. Part of mlu_op.h.
 * Definition, decisions and examples: src/ops/diff_iou_rotated_sort_vertices/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_DIFF_IOU_ROTATED_SORT_VERTICES_H_
#define DETOPS_MLU_OP_DIFF_IOU_ROTATED_SORT_VERTICES_H_

#include "handle.h"
#include "linkage.h"
#include "tensor.h"

DETOPS_C_BEGIN

/** Puts the valid ones of the 24 vertices of every pair of boxes into anticlockwise order.
 *
 * vertices: [B, N, 24, 2] = (x, y), relative to a point inside of what the boxes share: slots 0 to 3 are the corners of
 * the first box, 4 to 7 those of the second, 8 to 23 the crossings of their edges. mask: [B, N, 24] bool, which of them
 * are valid. num_valid: [B, N] int32, how many that are. idx: [B, N, 9], slots.
 * With fewer than three valid vertices idx is nine times the pad. Else it is the slots of the valid vertices by their
 * angle in [0, 2 pi), of equal angles the lower slot first, then the first of them again, then pads. A vertex that is
 * closer than 1e-8 in both coordinates to one already taken is left out. (0, 0) has the angle 0. The pad is the first
 * slot of 8 to 23 that is not valid, 0 if there is none.
 * Types: vertices float, idx int32; with the full profile vertices also half, bfloat16 or double, and idx also int64.
 * Tensors are dense, of any layout, and stay the caller's; no workspace and no scratch memory.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; ranks of vertices, mask, num_valid, idx are not 4, 3, 2, 3
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      type of vertices is not float (full profile: nor half, double or bfloat16), of mask not bool, of
 *                num_valid not int32, of idx not int32 (full profile: nor int64); B or N is not the same in all
 *                tensors; vertices and mask have not the same slots, or not 24; vertices has not 2 coordinates, or idx
 *                not 9 slots
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * success        N is 0
 * BAD_PARAM      B is 0; a data pointer is NULL; idx overlaps another tensor; a number in num_valid is not that of the
 *                true elements of mask; a coordinate of a valid vertex is NaN; more than 8 valid vertices are distinct
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpDiffIouRotatedSortVerticesForward(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t vertices_desc, const void* vertices,
    const mluOpTensorDescriptor_t mask_desc, const void* mask, const mluOpTensorDescriptor_t num_valid_desc,
    const void* num_valid, const mluOpTensorDescriptor_t idx_desc, void* idx);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_DIFF_IOU_ROTATED_SORT_VERTICES_H_ */
