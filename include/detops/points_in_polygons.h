/* Points in quadrilaterals. Part of detops.h.
 * Rules and numerics: src/ops/points_in_polygons/README.md in the source tree. */
#ifndef DETOPS_DETOPS_POINTS_IN_POLYGONS_H_
#define DETOPS_DETOPS_POINTS_IN_POLYGONS_H_

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** Which points lie inside of which quadrilaterals: inside[i, j] is 1 if point i lies inside of quadrilateral j, 0 if
 * it lies outside or exactly on a side or corner.
 *
 * points: [b, 2] as x, y. quads: [m, 8] as x1, y1, ..., x4, y4 in the order of the boundary, in either direction;
 * corners may be reflex. inside: [b, m]. Types: half, bfloat16, float or double, the same for all, in both profiles.
 *
 * The answer is exact for the numbers that are given. Where sides of a quadrilateral cross, both parts are inside.
 *
 * No workspace; the handle keeps scratch memory of 96 bytes per row of quads for its next call, rounded up to whole
 * pages of 2 MiB from 1 MiB on. Same results for any number of threads and on any SIMD target. With value checks off a
 * point or quadrilateral with a NaN or Inf has 0 everywhere.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; type is not allowed, or not the same; rank is not 2; a shape is not as
 *                above
 * NOT_SUPPORTED  a tensor is not dense
 * success        points or quads has no rows
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a data pointer is NULL; inside overlaps points or quads; a number in points or quads is NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsPointsInPolygons(mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc,
                                     const void* points, const mluOpTensorDescriptor_t quads_desc, const void* quads,
                                     const mluOpTensorDescriptor_t inside_desc, void* inside);

DETOPS_C_END

#endif /* DETOPS_DETOPS_POINTS_IN_POLYGONS_H_ */
