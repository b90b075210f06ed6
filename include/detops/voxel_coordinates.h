/* Dynamic voxelisation: the voxel of every point. Part of detops.h.
 * Formulas and numerics: src/ops/voxel_coordinates/README.md in the source tree.
 *
 * Needs the full profile; in the contract profile it answers NOT_SUPPORTED. */
#ifndef DETOPS_DETOPS_VOXEL_COORDINATES_H_
#define DETOPS_DETOPS_VOXEL_COORDINATES_H_

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** The voxel that each point lies in.
 *
 * points: [P, F] floating; its first ndim columns are the coordinates x, y, z, ... (F >= ndim). coordinates: [P, ndim]
 * int32, (..., z, y, x) of floor((p - range_min) / voxel_size) in float arithmetic (double tensors: double), each
 * operation rounded by itself; all -1 for a point that is not in [0, grid) on an axis, or has a NaN or an Inf in a
 * coordinate. range_min, voxel_size and grid hold ndim numbers each, x first (detopsGetVoxelGrid makes grid from a
 * range).
 *
 * No memory is kept. The same bits for any number of threads and on any instruction set.
 *
 * Checked in this order:
 * BAD_PARAM      handle, a descriptor, range_min, voxel_size or grid is NULL
 * NOT_SUPPORTED  the profile is not the full one
 * BAD_PARAM      ndim is not 1 to 4; axis by axis: range_min is not finite, voxel_size is not or not above 0, both in
 *                the type of the arithmetic, grid is not above 0; a rank is not 2; F is below ndim; coordinates has
 *                another shape than above; points is not floating, coordinates not int32
 * NOT_SUPPORTED  a tensor is not dense; a tensor has more bytes than int64 can count
 * BAD_PARAM      the data pointer of a tensor with elements is NULL; coordinates overlaps points
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsVoxelCoordinates(mluOpHandle_t handle, int ndim, const double range_min[],
                                     const double voxel_size[], const int grid[],
                                     const mluOpTensorDescriptor_t points_desc, const void* points,
                                     const mluOpTensorDescriptor_t coordinates_desc, void* coordinates);

DETOPS_C_END

#endif /* DETOPS_DETOPS_VOXEL_COORDINATES_H_ */
