/* The gradient of box_iou_rotated. Part of detops.h.
 * Formulas and numerics: src/ops/box_iou_rotated/README.md in the source tree. */
#ifndef DETOPS_DETOPS_BOX_IOU_ROTATED_H_
#define DETOPS_DETOPS_BOX_IOU_ROTATED_H_

#include <stdbool.h>

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** Gradient of mluOpBoxIouRotated, and of the overlaps themselves, with respect to the numbers of both boxes.
 *
 * bbox1: [N, 5], bbox2: [M, 5] = (centre x, centre y, width, height, angle); grad: [N, M], with aligned [N] (and M =
 * N): the gradient of the values. mode 0: the values are intersections over unions; 1: intersections over the area of
 * the box of bbox1; 2: areas of intersections. grad1: [N, 5], grad2: [M, 5] become the gradients of bbox1 and bbox2; a
 * NULL descriptor says that one is not asked for, and its data pointer is not looked at. Types: float, half, double or
 * bfloat16 in both profiles, the same for all.
 *
 * Derivatives are those of exact geometry, computed in double, added up in the order of the other list's boxes and
 * rounded once. Parts of sides that lie on a side of the other box count half. Pairs that share no area, or have a box
 * with width <= 0 or height <= 0, add nothing, whatever their grad is; nor does a pair whose grad is 0. All tensors are
 * dense and stay the caller's; no workspace. The handle keeps scratch memory for its next call: 120 bytes for each box
 * of the longer list, none with aligned.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor other than those of grad1 and grad2 is NULL; type is not allowed, or not the
 *                same; rank is not 2, of grad with aligned 1; a shape is not as above; mode is not 0, 1 or 2
 * NOT_SUPPORTED  a tensor is not dense; a tensor has 2^31 elements or more (full profile: more than int64 bytes can
 *                count)
 * success        there is no pair of boxes: grad1 or grad2 becomes 0 if it has elements and a data pointer
 * BAD_PARAM      a data pointer is NULL; grad1 or grad2 overlaps another tensor; a number in bbox1 or bbox2 is NaN or
 *                Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsBoxIouRotatedBackward(mluOpHandle_t handle, int mode, bool aligned,
                                          const mluOpTensorDescriptor_t bbox1_desc, const void* bbox1,
                                          const mluOpTensorDescriptor_t bbox2_desc, const void* bbox2,
                                          const mluOpTensorDescriptor_t grad_desc, const void* grad,
                                          const mluOpTensorDescriptor_t grad1_desc, void* grad1,
                                          const mluOpTensorDescriptor_t grad2_desc, void* grad2);

DETOPS_C_END

#endif /* DETOPS_DETOPS_BOX_IOU_ROTATED_H_ */
