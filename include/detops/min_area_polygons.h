/* Least rectangles around point sets. Part of detops.h.
 * Rules and numerics: src/ops/min_area_polygons/README.md in the source tree. */
#ifndef DETOPS_DETOPS_MIN_AREA_POLYGONS_H_
#define DETOPS_DETOPS_MIN_AREA_POLYGONS_H_

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** The rectangle of least area around each set of nine points, turned as it likes.
 *
 * points: [n, 18] as x1, y1, ..., x9, y9 in any order; points may be equal or lie on a line. quads: [n, 8], the corners
 * (x_max, y_min), (x_min, y_min), (x_min, y_max), (x_max, y_max) in the frame of the rectangle, whose x axis is turned
 * by an angle in [0, pi/2) from +x towards +y. Of rectangles of equal area the one with the least angle. Points on a
 * line give a rectangle without height or width along it, nine equal points that point four times. Types: half,
 * bfloat16, float or double, the same for both, in both profiles.
 *
 * Computed in double, rounded once. No workspace and no scratch memory. Same bits for any order of the points, any
 * number of threads and on any SIMD target. With value checks off a set with a NaN or Inf gives eight NaN.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; type is not allowed, or not the same; rank is not 2; a shape is not as
 *                above
 * NOT_SUPPORTED  a tensor is not dense
 * success        there are no rows
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a data pointer is NULL; quads overlaps points; a number in points is NaN or Inf
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsMinAreaPolygons(mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc, const void* points,
                                    const mluOpTensorDescriptor_t quads_desc, void* quads);

DETOPS_C_END

#endif /* DETOPS_DETOPS_MIN_AREA_POLYGONS_H_ */
