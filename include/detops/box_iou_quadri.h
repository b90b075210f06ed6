/* Overlap of quadrilaterals. Part of detops.h.
 * Formulas and numerics: src/ops/box_iou_quadri/README.md in the source tree. */
#ifndef DETOPS_DETOPS_BOX_IOU_QUADRI_H_
#define DETOPS_DETOPS_BOX_IOU_QUADRI_H_

#include <stdbool.h>

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** How much quadrilaterals overlap: IoU = shared area / area of both together (mode 0), or IoF = shared area / area of
 * the first (mode 1), for all pairs or row by row (aligned).
 *
 * quads1: [N, 8], quads2: [M, 8] (aligned: [N, 8]): x1, y1, ..., x4, y4 in the order of the boundary, in either
 * direction. ious: [N, M] (aligned: [N]). Types: half, bfloat16, float or double, the same for all, in both profiles.
 *
 * The geometry is exact: no margin, computed in double, rounded once. Results lie in [0, 1], have the same bits for
 * (a, b) and (b, a) (IoU), for any corner to begin with and either direction, and are 1 for a quadrilateral of some
 * area with itself, exactly 0 for two that only touch. Corners may be reflex or lie on a side. A quadrilateral without
 * area overlaps nothing, not even itself. Of one whose sides cross, what it goes round in the other direction counts as
 * negative; the README has the rule.
 *
 * No workspace. Unless aligned, the handle keeps scratch memory of 112 bytes per row of quads1 and 152 per row of
 * quads2 for its next call, rounded up to whole pages of 2 MiB from 1 MiB on. Same bits for any number of threads and
 * on any SIMD target. With value checks off a quadrilateral with a NaN or Inf has no area.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; type is not allowed, or not the same; rank of quads1 or quads2 is not
 *                2; rank of ious is not 2, or with aligned 1; quads1 or quads2 has rows of another length than 8; ious
 *                has not the shape that quads1 and quads2 give it; mode is not 0 or 1
 * NOT_SUPPORTED  a tensor is not dense
 * success        there is no pair of quadrilaterals
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a data pointer is NULL; ious overlaps quads1 or quads2; a number in quads1 or quads2 is NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsBoxIouQuadri(mluOpHandle_t handle, int mode, bool aligned,
                                 const mluOpTensorDescriptor_t quads1_desc, const void* quads1,
                                 const mluOpTensorDescriptor_t quads2_desc, const void* quads2,
                                 const mluOpTensorDescriptor_t ious_desc, void* ious);

DETOPS_C_END

#endif /* DETOPS_DETOPS_BOX_IOU_QUADRI_H_ */
