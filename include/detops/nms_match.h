/* Which detections non-maximum suppression puts together. Part of detops.h.
 * Formulas and numerics: src/ops/nms_match/README.md in the source tree. */
#ifndef DETOPS_DETOPS_NMS_MATCH_H_
#define DETOPS_DETOPS_NMS_MATCH_H_

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** Groups boxes: the box with the highest score (of equal scores the one with the lowest index) is the head of a group,
 * and all boxes without a group whose IoU with it is iou_threshold or more belong to it; and so on with those that are
 * left.
 *
 *   boxes   [N, 4]  x1, y1, x2, y2
 *   scores  [N]
 *   group   [N]     of each box the index of its head, int32 or int64; a head's own is its index
 * boxes and scores are float, half, double or bfloat16, and need not have the same type.
 *
 * A box without area overlaps with nothing and is a group of its own, whatever iou_threshold is. IoU is computed in
 * double; the same bits for any number of threads and on any instruction set. With value checks off a box with a NaN or
 * Inf has no area, and one whose score is NaN is a group of its own.
 *
 * All tensors are dense. No workspace; the handle keeps scratch memory for its next call, at most 128 bytes per box and
 * 16 KiB.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; boxes or scores has none of the types above, or group is neither int32
 *                nor int64; ranks are not 2, 1, 1; boxes has not 4 columns, or another tensor not as many elements as
 *                boxes has rows; iou_threshold is NaN
 * NOT_SUPPORTED  a tensor is not dense; a tensor has 2^31 elements or more (full profile: more than int64 bytes can
 *                count); group is int32 and cannot number the boxes
 * success        there are no boxes
 * BAD_PARAM      a data pointer is NULL; group overlaps another tensor; a number in boxes or scores is NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsNmsMatch(mluOpHandle_t handle, float iou_threshold, const mluOpTensorDescriptor_t boxes_desc,
                             const void* boxes, const mluOpTensorDescriptor_t scores_desc, const void* scores,
                             const mluOpTensorDescriptor_t group_desc, void* group);

DETOPS_C_END

#endif /* DETOPS_DETOPS_NMS_MATCH_H_ */
