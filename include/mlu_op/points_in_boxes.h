/* points_in_boxes: which box each point lies in. Part of mlu_op.h.
 * Definition, borders and numerics: src/ops/points_in_boxes/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_POINTS_IN_BOXES_H_
#define DETOPS_MLU_OP_POINTS_IN_BOXES_H_

#include "handle.h"
#include "linkage.h"
#include "tensor.h"

DETOPS_C_BEGIN

/** Finds, for every point, the first box of its batch that contains it.
 *
 * points: [B, M, 3] = (x, y, z). boxes: [B, T, 7] = (x, y, z, dx, dy, dz, heading), z the centre of the box, heading in
 * radians, turning the box's own x axis towards +y. points_indices: [B, M], the index of the box in [0, T), -1 for a
 * point that lies in none.
 * With (lx, ly) the point in the box's own directions, from its centre, it is inside if |z - box z| <= dz / 2 and
 * |lx| < dx / 2 + 1e-5 and |ly| < dy / 2 + 1e-5. A box with dx <= 0, dy <= 0 or dz < 0 contains nothing; one with
 * dz = 0 contains the points exactly at its height. A point with a NaN or an Inf lies in no box.
 * Types: points and boxes float, points_indices int32; with the full profile points and boxes also half, bfloat16 or
 * double, both the same, and points_indices also int64. Tensors are dense and stay the caller's; no workspace. The
 * handle keeps scratch memory for its next call: 72 bytes per box (double: 104), and for more than 8 boxes per batch
 * up to 512 KiB per batch, or 5 bytes per box if that is more.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; rank of points or boxes is not 3, of points_indices not 2; type of
 *                points is not float (full profile: nor half, double or bfloat16), of boxes not that of points, of
 *                points_indices not int32 (full profile: nor int64); layout is not ARRAY; batches are not the same;
 *                points_indices has another number of points; points has not 3 numbers, or boxes not 7
 * NOT_SUPPORTED  a tensor is not dense; points or boxes has 2^31 elements or more (full profile: more than int64 bytes
 *                can count); points_indices has more than int64 bytes can count; T is 2^31 or more
 * success        a tensor has no elements: points_indices becomes -1 if it has elements and a data pointer
 * BAD_PARAM      a data pointer is NULL; contract profile: T is above 14042; points_indices overlaps points or boxes;
 *                a number in boxes is NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpPointsInBoxes(mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc,
                                               const void* points, const mluOpTensorDescriptor_t boxes_desc,
                                               const void* boxes, const mluOpTensorDescriptor_t points_indices_desc,
                                               void* points_indices);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_POINTS_IN_BOXES_H_ */
