/* Boxes seen from above (bird's eye view) and in space: what pairs of them share. Part of detops.h.
 * Formulas and numerics: src/ops/boxes_iou_bev/README.md in the source tree.
 *
 * A box is a row of 7 numbers (x, y, z, dx, dy, dz, heading): centre, sizes, and the angle in radians by which its own
 * x axis is turned from +x towards +y; or of 5 numbers (x, y, dx, dy, heading). z is the centre, unless a function is
 * told otherwise. Functions take all pairs of two lists, [N, ...] and [M, ...] to [N, M], or with aligned boxes of the
 * same number, [N, ...] and [N, ...] to [N].
 *
 * Types: float, half, double or bfloat16 in both profiles, the same for all three tensors. Values are those of exact
 * geometry, computed in double and rounded once. IoU is in [0, 1], 1 for equal boxes, 0 for boxes that touch or are
 * apart, and the same for (a, b) and (b, a). A box with dx <= 0 or dy <= 0 (in space also dz <= 0) has nothing in
 * common with any box, itself included. All tensors are dense and stay the caller's. A handle keeps scratch memory for
 * its next call: 96 bytes for each box of boxes_b (of boxes_a, if boxes_b has fewer than 16 boxes and boxes_a has
 * more), none with aligned. */
#ifndef DETOPS_DETOPS_BOXES_IOU_BEV_H_
#define DETOPS_DETOPS_BOXES_IOU_BEV_H_

#include <stdbool.h>

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** What the third number of a box is. */
typedef enum {
  DETOPS_BOX_Z_CENTRE = 0, /**< The middle of its height. */
  DETOPS_BOX_Z_BOTTOM = 1  /**< Its lowest height. */
} detopsBoxZ_t;

/** The area that boxes share seen from above; z and dz do not count. An area that the type of overlaps cannot hold
 * becomes infinity.
 *
 * boxes_a: [N, 7], boxes_b: [M, 7], overlaps: [N, M], with aligned [N].
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; type is not allowed, or not the same; rank of boxes_a or boxes_b is
 *                not 2; rank of overlaps is not 2, or with aligned 1; boxes_a or boxes_b has rows of another length
 *                than 7; overlaps has not the shape that boxes_a and boxes_b give it
 * NOT_SUPPORTED  a tensor is not dense
 * success        there is no pair of boxes
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a data pointer is NULL; overlaps overlaps boxes_a or boxes_b; a number in boxes_a or boxes_b is NaN
 *                or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsBoxesOverlapBev(mluOpHandle_t handle, bool aligned, const mluOpTensorDescriptor_t boxes_a_desc,
                                    const void* boxes_a, const mluOpTensorDescriptor_t boxes_b_desc,
                                    const void* boxes_b, const mluOpTensorDescriptor_t overlaps_desc, void* overlaps);

/** The area that boxes share seen from above, over the area of both together.
 *
 * boxes_a: [N, 5] or [N, 7], boxes_b: [M, 5] or [M, 7] as boxes_a has, ious: [N, M], with aligned [N].
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; type is not allowed, or not the same; rank of boxes_a or boxes_b is
 *                not 2; rank of ious is not 2, or with aligned 1; boxes_a has rows of another length than 5 or 7;
 *                boxes_b has rows of another length than boxes_a; ious has not the shape that boxes_a and boxes_b give
 *                it
 * NOT_SUPPORTED  a tensor is not dense
 * success        there is no pair of boxes
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a data pointer is NULL; ious overlaps boxes_a or boxes_b; a number in boxes_a or boxes_b is NaN or
 *                Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsBoxesIouBev(mluOpHandle_t handle, bool aligned, const mluOpTensorDescriptor_t boxes_a_desc,
                                const void* boxes_a, const mluOpTensorDescriptor_t boxes_b_desc, const void* boxes_b,
                                const mluOpTensorDescriptor_t ious_desc, void* ious);

/** The volume that boxes share, over the volume of both together.
 *
 * boxes_a: [N, 7], boxes_b: [M, 7], ious: [N, M], with aligned [N].
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; type is not allowed, or not the same; rank of boxes_a or boxes_b is
 *                not 2; rank of ious is not 2, or with aligned 1; boxes_a or boxes_b has rows of another length than
 *                7; ious has not the shape that boxes_a and boxes_b give it; z has no such value
 * NOT_SUPPORTED  a tensor is not dense
 * success        there is no pair of boxes
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a data pointer is NULL; ious overlaps boxes_a or boxes_b; a number in boxes_a or boxes_b is NaN or
 *                Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsBoxesIou3d(mluOpHandle_t handle, bool aligned, detopsBoxZ_t z,
                               const mluOpTensorDescriptor_t boxes_a_desc, const void* boxes_a,
                               const mluOpTensorDescriptor_t boxes_b_desc, const void* boxes_b,
                               const mluOpTensorDescriptor_t ious_desc, void* ious);

/** Gradient of detopsBoxesIou3d with respect to the numbers of both boxes.
 *
 * boxes_a: [N, 7], boxes_b: [M, 7]; grad: [N, M], with aligned [N] (and M = N): the gradient of the values. grad_a:
 * [N, 7], grad_b: [M, 7] become the gradients of boxes_a and boxes_b; a NULL descriptor says that one is not asked for,
 * and its data pointer is not looked at.
 *
 * Derivatives are those of exact geometry, added up in the order of the other list's boxes and rounded once. Parts of
 * sides that lie on a side of the other box count half, and so do equal tops and equal bottoms. Pairs that share no
 * volume, or have a box without volume, add nothing, whatever their grad is; nor does a pair whose grad is 0. The
 * handle keeps scratch memory for its next call: 120 bytes for each box of the longer list, none with aligned.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor other than those of grad_a and grad_b is NULL; type is not allowed, or not the
 *                same; rank is not 2, of grad with aligned 1; a shape is not as above; z has no such value
 * NOT_SUPPORTED  a tensor is not dense; a tensor has 2^31 elements or more (full profile: more than int64 bytes can
 *                count)
 * success        there is no pair of boxes: grad_a or grad_b becomes 0 if it has elements and a data pointer
 * BAD_PARAM      a data pointer is NULL; grad_a or grad_b overlaps another tensor; a number in boxes_a or boxes_b is
 *                NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsBoxesIou3dBackward(mluOpHandle_t handle, bool aligned, detopsBoxZ_t z,
                                       const mluOpTensorDescriptor_t boxes_a_desc, const void* boxes_a,
                                       const mluOpTensorDescriptor_t boxes_b_desc, const void* boxes_b,
                                       const mluOpTensorDescriptor_t grad_desc, const void* grad,
                                       const mluOpTensorDescriptor_t grad_a_desc, void* grad_a,
                                       const mluOpTensorDescriptor_t grad_b_desc, void* grad_b);

DETOPS_C_END

#endif /* DETOPS_DETOPS_BOXES_IOU_BEV_H_ */
