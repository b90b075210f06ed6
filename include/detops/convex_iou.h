/* Overlap of convex hulls of point sets with quadrilaterals. Part of detops.h.
 * Formulas and numerics: src/ops/convex_iou/README.md in the source tree. */
#ifndef DETOPS_DETOPS_CONVEX_IOU_H_
#define DETOPS_DETOPS_CONVEX_IOU_H_

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** IoU of the convex hull of each point set with each quadrilateral: shared area / area of both together.
 *
 * points: [n, 18] as x1, y1, ..., x9, y9 in any order; points may be equal or lie on a line. quads: [k, 8] as x1, y1,
 * ..., x4, y4 in the order of the boundary, in either direction. ious: [n, k]. Types: half, bfloat16, float or double,
 * the same for all, in both profiles.
 *
 * The geometry is exact: no margin, computed in double, rounded once. Results lie in [0, 1]. They are 1 where hull and
 * quadrilateral are the same, exactly 0 where they only touch or one has no area. Where sides of a quadrilateral cross,
 * the rule of detopsBoxIouQuadri holds.
 *
 * No workspace; the handle keeps scratch memory of 208 bytes per row of points and 152 per row of quads for its next
 * call, rounded up to whole pages of 2 MiB from 1 MiB on. Same bits for any number of threads and on any SIMD target.
 * With value checks off a row with a NaN or Inf has no area.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; type is not allowed, or not the same; rank is not 2; a shape is not as
 *                above
 * NOT_SUPPORTED  a tensor is not dense
 * success        points or quads has no rows
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a data pointer is NULL; ious overlaps points or quads; a number in points or quads is NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsConvexIou(mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc, const void* points,
                              const mluOpTensorDescriptor_t quads_desc, const void* quads,
                              const mluOpTensorDescriptor_t ious_desc, void* ious);

/** GIoU of the convex hull of each point set with the quadrilateral of the same row, and its gradient by the points:
 * GIoU = IoU - (C - U) / C, where U is the area of both together and C that of their common convex hull.
 *
 * points: [n, 18], quads: [n, 8], as above. gious: [n], in [-1, 1]; 0 if C is 0. grad: [n, 18], the partial derivatives
 * of the GIoU by the numbers of points: 0 for points that are not corners of the hull, and of equal points the first
 * has them. Where a derivative from one side is another than that from the other, the README says what is taken.
 *
 * Types and numerics as above. No workspace and no scratch memory. With value checks off a row with a NaN or Inf has
 * GIoU 0 and gradient 0.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; type is not allowed, or not the same; rank of gious is not 1, or that
 *                of another tensor not 2; a shape is not as above
 * NOT_SUPPORTED  a tensor is not dense
 * success        there are no rows
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a data pointer is NULL; gious overlaps points or quads; grad overlaps points, quads or gious; a number
 *                in points or quads is NaN or Inf
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsConvexGiou(mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc, const void* points,
                               const mluOpTensorDescriptor_t quads_desc, const void* quads,
                               const mluOpTensorDescriptor_t gious_desc, void* gious,
                               const mluOpTensorDescriptor_t grad_desc, void* grad);

DETOPS_C_END

#endif /* DETOPS_DETOPS_CONVEX_IOU_H_ */
