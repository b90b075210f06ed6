/* Suppression of quadrilaterals. Part of mlu_op.h.
 * Rules and numerics: src/ops/poly_nms/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_POLY_NMS_H_
#define DETOPS_MLU_OP_POLY_NMS_H_

#include "handle.h"
#include "linkage.h"
#include "tensor.h"

DETOPS_C_BEGIN

/** The workspace mluOpPolyNms needs for these boxes, in bytes: 4 * N * ceil(N / 32) + 8 * N, as on the accelerator. Its
 * contents are not touched here: the handle has the memory.
 *
 * Checked in this order:
 * BAD_PARAM      workspace_size is NULL; handle or boxes_desc is NULL; rank of boxes is not 2; boxes is not [N, 9]
 * NOT_SUPPORTED  the workspace has more bytes than int64 can count */
mluOpStatus_t MLUOP_WIN_API mluOpGetPolyNmsWorkspaceSize(mluOpHandle_t handle, const mluOpTensorDescriptor_t boxes_desc,
                                                         size_t* workspace_size);

/** Greedy suppression of quadrilaterals: in the order of their scores, the first of equal ones first, each is kept
 * unless its IoU with one that was kept before is above iou_threshold.
 *
 * boxes: [N, 9], layout ARRAY: x1, y1, ..., x4, y4 in the order of the boundary, in either direction, then the score.
 * output: [N]; the indices of those that are kept come first, ascending; what is behind them is not written.
 * output_size: one int32, how many they are, written last. Types: boxes float, output int32; with the full profile
 * boxes also half, bfloat16 or double and output also int64.
 *
 * The IoU is that of detopsBoxIouQuadri before it is rounded: exact geometry, no margin. It is compared as a double
 * with the float that is given. At thresholds from 1 on, and NaN, nothing is suppressed; below 0 everything that has an
 * area is, behind the first. A quadrilateral without area is kept and suppresses nothing.
 *
 * The handle keeps scratch memory for its next call, linear in N. The same result for any number of threads and on any
 * SIMD target. With value checks off a quadrilateral with a NaN or Inf has no area, and NaN scores come last.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; output_size is NULL; a type is not allowed; layout of boxes is not
 *                ARRAY; rank of boxes is not 2; boxes is not [N, 9]; rank of output is not 1; output is not [N]
 * NOT_SUPPORTED  a tensor is not dense
 * success        N is 0: output_size becomes 0
 * BAD_PARAM      a data pointer is NULL; workspace is NULL but workspace_size is not 0
 * NOT_SUPPORTED  N is 9770 or more (full profile: 2^31 or more)
 * BAD_PARAM      workspace_size is below mluOpGetPolyNmsWorkspaceSize; output, output_size or the workspace overlaps
 *                another buffer; a number in boxes is NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpPolyNms(mluOpHandle_t handle, const mluOpTensorDescriptor_t boxes_desc,
                                         const void* boxes, const float iou_threshold, void* workspace,
                                         size_t workspace_size, const mluOpTensorDescriptor_t output_desc, void* output,
                                         void* output_size);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_POLY_NMS_H_ */
