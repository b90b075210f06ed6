/* Soft non-maximum suppression of upright boxes. Part of detops.h.
 * Formulas and numerics: src/ops/soft_nms/README.md in the source tree. */
#ifndef DETOPS_DETOPS_SOFT_NMS_H_
#define DETOPS_DETOPS_SOFT_NMS_H_

#include <stdint.h>

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** What becomes of the score of a box that overlaps with a better one. */
typedef enum {
  DETOPS_SOFT_NMS_NAIVE = 0,   /**< 0, if IoU >= iou_threshold */
  DETOPS_SOFT_NMS_LINEAR = 1,  /**< score * (1 - IoU), if IoU >= iou_threshold */
  DETOPS_SOFT_NMS_GAUSSIAN = 2 /**< score * exp(-IoU^2 / sigma), whatever IoU is */
} detopsSoftNmsMethod_t;

/** Soft suppression as mmcv defines it. Again and again the box with the highest score is emitted (of equal scores the
 * one with the lowest index) and every other box loses score by the IoU with it; a box whose score is below min_score
 * then is out. So the first box is emitted whatever its score is.
 *
 *   boxes       [N, 4]  x1, y1, x2, y2
 *   scores      [N]
 *   new_scores  [N]     of the emitted boxes, in the order in which they are emitted: with what score. Type of scores
 *   output      [N]     their indices, int32 or int64
 *   count               how many there are; the elements of new_scores and output behind them are not written
 * boxes and scores are float, half, double or bfloat16, and need not have the same type. So element k of a list of
 * detections is box output[k] with score new_scores[k].
 *
 * method is a value of detopsSoftNmsMethod_t; sigma counts for GAUSSIAN only. offset is 1 where corners are pixels that
 * belong to the box (its width is x2 - x1 + 1), else 0. A box without area overlaps with nothing. IoU and scores are
 * computed in double and rounded once; the same bits for any number of threads and on any instruction set. With value
 * checks off a box with a NaN or Inf has no area, one whose score is NaN is never emitted, and infinite scores are
 * numbers: +Inf stays +Inf unless nothing is left of it, -Inf is emitted only as the first.
 *
 * All tensors are dense. No workspace; the handle keeps scratch memory for its next call, at most 128 bytes per box and
 * 16 KiB.
 *
 * Checked in this order:
 * BAD_PARAM      handle, a descriptor or count is NULL; boxes or scores has none of the types above, new_scores has not
 *                the type of scores, or output is neither int32 nor int64; ranks are not 2, 1, 1, 1; boxes has not 4
 *                columns, or another tensor not as many elements as boxes has rows; method is none of its values;
 *                iou_threshold is NaN; with GAUSSIAN: sigma is not finite and above 0; min_score is not finite; offset
 *                is not 0 or 1
 * NOT_SUPPORTED  a tensor is not dense; a tensor has 2^31 elements or more (full profile: more than int64 bytes can
 *                count); output is int32 and cannot number the boxes
 * success        there are no boxes: count is 0
 * BAD_PARAM      a data pointer is NULL; an output or count overlaps another tensor or count; a number in boxes or
 *                scores is NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsSoftNms(mluOpHandle_t handle, int method, float iou_threshold, float sigma, float min_score,
                            float offset, const mluOpTensorDescriptor_t boxes_desc, const void* boxes,
                            const mluOpTensorDescriptor_t scores_desc, const void* scores,
                            const mluOpTensorDescriptor_t new_scores_desc, void* new_scores,
                            const mluOpTensorDescriptor_t output_desc, void* output, int64_t* count);

DETOPS_C_END

#endif /* DETOPS_DETOPS_SOFT_NMS_H_ */
