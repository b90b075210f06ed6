/* nms_rotated: suppression of rotated boxes. Part of mlu_op.h.
 * Rules and numerics: src/ops/nms_rotated/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_NMS_ROTATED_H_
#define DETOPS_MLU_OP_NMS_ROTATED_H_

#include "handle.h"
#include "linkage.h"
#include "tensor.h"

DETOPS_C_BEGIN

/** The workspace mluOpNmsRotated needs for these boxes, in bytes: (N * D + N) * the size of their type, as on the
 * accelerator; D is the number of columns. Its contents are not touched here: the handle has the memory.
 *
 * Checked in this order:
 * BAD_PARAM      workspace_size is NULL; handle or boxes_desc is NULL; rank of boxes is not 2; boxes has neither 5
 *                nor 6 columns
 * NOT_SUPPORTED  the workspace has more bytes than int64 can count */
mluOpStatus_t MLUOP_WIN_API mluOpGetNmsRotatedWorkspaceSize(mluOpHandle_t handle,
                                                            const mluOpTensorDescriptor_t boxes_desc,
                                                            size_t* workspace_size);

/** Greedy suppression of rotated boxes: in the order of their scores, the first of equal ones first, each is kept
 * unless its IoU with one that was kept before is above iou_threshold.
 *
 * boxes: [N, 5] = (x, y, w, h, angle) or [N, 6] with a label that is not used, as on the accelerator. x, y: the centre;
 * the angle is in radians and turns +x towards +y. scores: [N]. output: [N]; the indices of those that are kept come
 * first, best first; what is behind them is not written. result_num: one int32, how many they are, written last. Types:
 * boxes and scores float, output int32; with the full profile boxes and scores also half, bfloat16 or double, each by
 * itself, and output also int64.
 *
 * The IoU is that of mluOpBoxIouRotated before it is rounded: exact geometry, no margin. It is compared as a double
 * with the float that is given. At thresholds from 1 on, and NaN, nothing is suppressed; below 0 everything that has an
 * area is, behind the first. A box with w <= 0 or h <= 0 has no area: it is kept and suppresses nothing.
 *
 * The handle keeps scratch memory for its next call, linear in N. The same result for any number of threads and on any
 * SIMD target. With value checks off a box with a NaN or Inf has no area, and NaN scores come last.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; a type is not allowed; ranks are not 2, 1, 1
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      scores or output has not N elements; boxes has neither 5 nor 6 columns
 * NOT_SUPPORTED  boxes has 2^31 elements or more (full profile: 2^31 rows)
 * success        N is 0: result_num becomes 0, if it is not NULL
 * BAD_PARAM      a data pointer is NULL; result_num is NULL; workspace is NULL but workspace_size is not 0;
 *                workspace_size is below mluOpGetNmsRotatedWorkspaceSize; output, result_num or the workspace overlaps
 *                another buffer; a number in boxes or scores is NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpNmsRotated(mluOpHandle_t handle, const float iou_threshold,
                                            const mluOpTensorDescriptor_t boxes_desc, const void* boxes,
                                            const mluOpTensorDescriptor_t scores_desc, const void* scores,
                                            void* workspace, size_t workspace_size,
                                            const mluOpTensorDescriptor_t output_desc, void* output,
                                            int32_t* result_num);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_NMS_ROTATED_H_ */
