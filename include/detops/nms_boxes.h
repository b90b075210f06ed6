/* nms_boxes: suppression of boxes of six kinds. Part of detops.h.
 * Rules and numerics: src/ops/nms_boxes/README.md in the source tree. */
#ifndef DETOPS_DETOPS_NMS_BOXES_H_
#define DETOPS_DETOPS_NMS_BOXES_H_

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** What the numbers of a box are. Angles are in radians and turn +x towards +y. */
typedef enum {
  DETOPS_BOX_FORMAT_XYXY = 0,       /**< x1, y1, x2, y2: two opposite corners */
  DETOPS_BOX_FORMAT_CXCYWH = 1,     /**< x, y, w, h: the centre and the sides */
  DETOPS_BOX_FORMAT_CXCYWHA = 2,    /**< x, y, w, h, angle */
  DETOPS_BOX_FORMAT_QUAD = 3,       /**< x1, y1 .. x4, y4 in the order of the boundary, in either direction */
  DETOPS_BOX_FORMAT_BEV = 4,        /**< x, y, z, dx, dy, dz, heading, seen from above: z and dz do not count */
  DETOPS_BOX_FORMAT_BEV_UPRIGHT = 5 /**< the same with the heading taken as 0 */
} detopsBoxFormat_t;

/** Greedy suppression: in the order of their scores, the first of equal ones first, each box is kept unless its IoU
 * with one of the same label that was kept before is above iou_threshold.
 *
 * boxes: [N, C] with the C = 4, 4, 5, 8, 7 or 7 numbers of the format. scores: [N]; where they or their descriptor are
 * NULL the boxes stand in order already. labels: [N], int32 or int64; where they or their descriptor are NULL all are
 * the same. They are compared as integers; coordinates are never shifted. boxes and scores: float, half, double or
 * bfloat16, each by itself. output: int32 or int64, at least as many elements as can be kept; the indices of those that
 * are kept come first, best first; what is behind them is not written. count: how many they are, written last.
 *
 * offset, 0 or 1, is added to x2 and y2 of XYXY; with other formats it is not looked at. pre_max > 0: only the first
 * pre_max in order take part. post_max > 0: only the first post_max that are kept are given. Thresholds from 1 on
 * suppress nothing; below 0 everything that has an area is suppressed behind the first of its label. A box without area
 * (x2 + offset <= x1 or y2 + offset <= y1; a side not above 0; a quadrilateral of area 0) is kept and suppresses
 * nothing. IoU is exact geometry, compared as a double with the float that is given, or with the double that
 * detopsSetExactThreshold says it stands for.
 *
 * Both profiles. The handle keeps scratch memory for its next call, linear in N. The same result for any number of
 * threads and on any SIMD target. With value checks off a box with a NaN or Inf has no area, and NaN scores come last.
 *
 * Checked in this order:
 * BAD_PARAM      handle, boxes_desc or output_desc is NULL; count is NULL; boxes or scores has none of the types above,
 *                or labels or output is neither int32 nor int64; ranks are not 2, 1, 1, 1; scores or labels has not N
 *                elements; boxes has not the columns of the format; output has fewer elements than can be kept; format
 *                is no value of detopsBoxFormat_t; iou_threshold is NaN; with XYXY
 *                offset is neither 0 nor 1
 * NOT_SUPPORTED  a tensor is not dense; a tensor has 2^31 elements or more (full profile: more than int64 bytes can
 *                count); N is 2^31 or more
 * success        N is 0: count becomes 0
 * BAD_PARAM      boxes or output is NULL; output or count overlaps another buffer; a number in boxes or scores is NaN
 *                or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsNmsBoxes(mluOpHandle_t handle, detopsBoxFormat_t format, float iou_threshold, float offset,
                             int64_t pre_max, int64_t post_max, const mluOpTensorDescriptor_t boxes_desc,
                             const void* boxes, const mluOpTensorDescriptor_t scores_desc, const void* scores,
                             const mluOpTensorDescriptor_t labels_desc, const void* labels,
                             const mluOpTensorDescriptor_t output_desc, void* output, int64_t* count);

DETOPS_C_END

#endif /* DETOPS_DETOPS_NMS_BOXES_H_ */
