/* Hard voxelisation of point clouds. Part of mlu_op.h.
 * Formulas and numerics: src/ops/voxelization/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_VOXELIZATION_H_
#define DETOPS_MLU_OP_VOXELIZATION_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "handle.h"
#include "linkage.h"
#include "tensor.h"

DETOPS_C_BEGIN

/** Workspace of mluOpVoxelization in bytes: 0.
 *
 * Checked in this order:
 * BAD_PARAM      size, handle or a descriptor is NULL; deterministic is false; a rank is not that of the shapes of
 *                mluOpVoxelization, or an extent another one; NDim is not 3; F is below 3
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      points is not float (full profile: nor half, double or bfloat16), voxel_size or coors_range neither
 *                float nor of the type of points, voxels not of the type of points, another tensor not int32
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      points has no elements */
mluOpStatus_t MLUOP_WIN_API mluOpGetVoxelizationWorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc, const mluOpTensorDescriptor_t voxel_size_desc,
    const mluOpTensorDescriptor_t coors_range_desc, const int32_t max_points, const int32_t max_voxels,
    const int32_t NDim, const bool deterministic, const mluOpTensorDescriptor_t voxels_desc,
    const mluOpTensorDescriptor_t coors_desc, const mluOpTensorDescriptor_t num_points_per_voxel_desc,
    const mluOpTensorDescriptor_t voxel_num_desc, size_t* size);

/** Sorts points into the voxels of a regular grid, and keeps the first max_points points of each of the first
 * max_voxels voxels.
 *
 *   points                [P, F]: x, y, z and other features
 *   voxel_size            [3]: along x, y, z
 *   coors_range           [6]: the lowest x, y, z, then the highest
 *   voxels                [max_voxels, max_points, F]: the points of each voxel in their order, zeros behind them
 *   coors                 [max_voxels, 3]: z, y, x of each voxel
 *   num_points_per_voxel  [max_voxels]: how many points are kept
 *   voxel_num             [1]: how many voxels there are
 *
 * A point lies in voxel floor((p - lowest) / voxel_size) on each axis, in float arithmetic (double points: double). An
 * axis has round((highest - lowest) / voxel_size) voxels, in float. Points outside on an axis, and points with a NaN or
 * an Inf in a coordinate, are dropped. Voxels are in the order of their first points. When max_voxels of them are
 * there, points of further ones are dropped, but not later points of those that are. All rows behind voxel_num are
 * zero.
 *
 * Types: float, and int32 for coors, num_points_per_voxel and voxel_num; in the full profile points and voxels may be
 * half, double or bfloat16, and voxel_size and coors_range of that type or float. All tensors are dense. No workspace;
 * the handle keeps scratch memory of at most 60 bytes per point and 256 KiB for its next call. The same bits for any
 * number of threads and on any instruction set.
 *
 * The numbers of voxel_size and coors_range are looked at also with value checks off: there is no result for wrong
 * ones.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; deterministic is false; a rank is not that of the shapes above, or an
 *                extent another one; NDim is not 3; F is below 3
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      points is not float (full profile: nor half, double or bfloat16), voxel_size or coors_range neither
 *                float nor of the type of points, voxels not of the type of points, another tensor not int32
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      points has no elements; workspace is NULL but workspace_size is not 0; max_points or max_voxels is 0
 *                and an output or the workspace overlaps another buffer
 * success        max_points or max_voxels is 0: coors, num_points_per_voxel and voxel_num become 0, but for those
 *                whose data pointer is NULL
 * BAD_PARAM      a data pointer is NULL
 * NOT_SUPPORTED  P is 2^31 or more
 * BAD_PARAM      an output or the workspace overlaps another buffer; a number in voxel_size is not finite and above 0;
 *                a number in coors_range is not finite, or a highest one not above the lowest; an axis has not at least
 *                one and fewer than 2^31 voxels
 * NOT_SUPPORTED  the grid has 2^63 voxels or more
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpVoxelization(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t points_desc, const void* points,
    const mluOpTensorDescriptor_t voxel_size_desc, const void* voxel_size,
    const mluOpTensorDescriptor_t coors_range_desc, const void* coors_range, const int32_t max_points,
    const int32_t max_voxels, const int32_t NDim, const bool deterministic, void* workspace, size_t workspace_size,
    const mluOpTensorDescriptor_t voxels_desc, void* voxels, const mluOpTensorDescriptor_t coors_desc, void* coors,
    const mluOpTensorDescriptor_t num_points_per_voxel_desc, void* num_points_per_voxel,
    const mluOpTensorDescriptor_t voxel_num_desc, void* voxel_num);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_VOXELIZATION_H_ */
