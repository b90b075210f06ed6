/* Dynamic scatter: points with the same voxel become one row. Part of mlu_op.h.
 * Formulas and numerics: src/ops/dynamic_point_to_voxel/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_DYNAMIC_POINT_TO_VOXEL_H_
#define DETOPS_MLU_OP_DYNAMIC_POINT_TO_VOXEL_H_

#include <stddef.h>

#include "handle.h"
#include "linkage.h"
#include "tensor.h"
#include "types.h"

DETOPS_C_BEGIN

/** Workspace of mluOpDynamicPointToVoxelForward in bytes: 0.
 *
 * Checked in this order:
 * BAD_PARAM      workspace_size, handle or a descriptor is NULL */
mluOpStatus_t MLUOP_WIN_API mluOpGetDynamicPointToVoxelForwardWorkspaceSize(mluOpHandle_t handle,
                                                                            const mluOpTensorDescriptor_t feats_desc,
                                                                            const mluOpTensorDescriptor_t coors_desc,
                                                                            size_t* workspace_size);

/** Reduces the features of all points that have the same voxel to one row.
 *
 *   feats                [N, C]
 *   coors                [N, 3]: the voxel of each point, read only; a point with a negative coordinate has none
 *   voxel_feats          [V, C]: the maximum, mean or sum of the features of a voxel's points
 *   voxel_coors          [V, 3]: the voxels, ascending by their first number, then the second, then the third
 *   point2voxel_map      [N]: the row of each point's voxel, -1 without one
 *   voxel_points_count   [V]: the number of points of a voxel
 *   voxel_num            [1]: how many voxels there are, R
 *
 * V may be larger than R: rows behind have voxel_feats -inf (maximum) or 0, voxel_coors -1 and voxel_points_count 0. A
 * NaN never is a maximum: without any number above -inf it is -inf. Sums are in float in the order of the points (more
 * than 512: in pieces of 512, and these in double; double tensors: all in double), rounded once; a mean is divided
 * once.
 *
 * reduce_type: MLUOP_REDUCE_DMAX or MLUOP_REDUCE_DMEAN; in the full profile also MLUOP_REDUCE_DSUM. feats and
 * voxel_feats are float, in the full profile also half, double or bfloat16, all others int32. All tensors are dense. No
 * workspace; the handle keeps scratch memory of at most 48 bytes per point and 256 KiB for its next call. The same bits
 * for any number of threads and on any instruction set.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; a rank is not that of the shapes above
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      feats is not float (full profile: nor half, double or bfloat16), coors or point2voxel_map not int32,
 *                voxel_feats not of the type of feats, voxel_coors, voxel_points_count or voxel_num not int32;
 *                reduce_type is neither maximum nor mean (full profile: nor sum); an extent is not that of the shapes
 *                above; V is above N
 * NOT_SUPPORTED  feats or coors has 2^31 elements or more (full profile: more than int64 bytes can count); C is 0 and N
 *                is 2^31 or more
 * BAD_PARAM      N or C is 0 and an output or the workspace overlaps another buffer; C is 0 and there are more voxels
 *                than V
 * success        N or C is 0: the results are as above, but for those whose data pointer is NULL; without coors no
 *                point has a voxel
 * BAD_PARAM      workspace is NULL but workspace_size is not 0; a data pointer is NULL
 * NOT_SUPPORTED  N is 2^31 or more
 * BAD_PARAM      an output or the workspace overlaps another buffer; there are more voxels than V
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpDynamicPointToVoxelForward(
    const mluOpHandle_t handle, const mluOpReduceMode_t reduce_type, const mluOpTensorDescriptor_t feats_desc,
    const void* feats, const mluOpTensorDescriptor_t coors_desc, void* coors, void* workspace,
    const size_t workspace_size, const mluOpTensorDescriptor_t voxel_feats_desc, void* voxel_feats,
    const mluOpTensorDescriptor_t voxel_coors_desc, void* voxel_coors,
    const mluOpTensorDescriptor_t point2voxel_map_desc, void* point2voxel_map,
    const mluOpTensorDescriptor_t voxel_points_count_desc, void* voxel_points_count,
    const mluOpTensorDescriptor_t voxel_num_desc, void* voxel_num);

/** Workspace of mluOpDynamicPointToVoxelBackward in bytes: 0. Shapes are not looked at.
 *
 * Checked in this order:
 * BAD_PARAM      workspace_size, handle or a descriptor is NULL */
mluOpStatus_t MLUOP_WIN_API mluOpGetDynamicPointToVoxelBackwardWorkspaceSize(
    const mluOpHandle_t handle, const mluOpReduceMode_t reduce_type,
    const mluOpTensorDescriptor_t grad_voxel_feats_desc, const mluOpTensorDescriptor_t feats_desc,
    const mluOpTensorDescriptor_t voxel_feats_desc, const mluOpTensorDescriptor_t point2voxel_map_desc,
    const mluOpTensorDescriptor_t voxel_points_count_desc, const mluOpTensorDescriptor_t voxel_num_desc,
    size_t* workspace_size);

/** The gradient of mluOpDynamicPointToVoxelForward for feats.
 *
 *   grad_voxel_feats     [V, C]
 *   feats                [N, C], as given to the forward pass; maximum only, else its numbers are not looked at
 *   voxel_feats          [V, C], as the forward pass gave it; likewise
 *   point2voxel_map      [N], as the forward pass gave it
 *   voxel_points_count   [V], likewise; mean only, else its numbers are not looked at
 *   voxel_num            [1], likewise: R
 *   grad_feats           [N, C], all of it written
 *
 * Maximum: the gradient of a voxel's column goes to its first point that has the maximum there, and to nobody if there
 * is none, or if it is -inf. Mean: to all its points, divided by their number. Sum: to all its points. A point without
 * a voxel gets 0.
 *
 * reduce_type: MLUOP_REDUCE_DMAX; in the full profile also the others. The floating tensors are float, in the full
 * profile also half, double or bfloat16, all the same; the others int32. All tensors are dense. No workspace; the
 * handle keeps scratch memory of at most 20 bytes per point, 8 per row of grad_voxel_feats and 256 KiB for its next
 * call. The same bits for any number of threads and on any instruction set. With value checks off a point whose number
 * in point2voxel_map is none of a voxel gets 0.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      grad_voxel_feats is not float (full profile: nor half, double or bfloat16), feats, voxel_feats or
 *                grad_feats not of its type, another tensor not int32; a rank is not that of the shapes above; an
 *                extent is not that of the shapes above; V is above N; reduce_type is not maximum (full profile: nor
 *                mean nor sum)
 * NOT_SUPPORTED  grad_voxel_feats or feats has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      contract profile: 5 * N + 20 * C + 4 is above 389120
 * success        grad_feats has no elements
 * BAD_PARAM      the data pointer of grad_voxel_feats, voxel_feats or voxel_points_count is NULL and it has elements,
 *                or that of another tensor is NULL; workspace is NULL but workspace_size is not 0
 * NOT_SUPPORTED  reduce_type is maximum and N is 2^31 or more
 * BAD_PARAM      grad_feats or the workspace overlaps another buffer; voxel_num is not in [0, V], a number in
 *                point2voxel_map not in [-1, R), or, with a mean, one of the first R in voxel_points_count below 1 (if
 *                value checks are on)
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpDynamicPointToVoxelBackward(
    const mluOpHandle_t handle, const mluOpReduceMode_t reduce_type,
    const mluOpTensorDescriptor_t grad_voxel_feats_desc, const void* grad_voxel_feats,
    const mluOpTensorDescriptor_t feats_desc, const void* feats, const mluOpTensorDescriptor_t voxel_feats_desc,
    const void* voxel_feats, const mluOpTensorDescriptor_t point2voxel_map_desc, const void* point2voxel_map,
    const mluOpTensorDescriptor_t voxel_points_count_desc, const void* voxel_points_count,
    const mluOpTensorDescriptor_t voxel_num_desc, const void* voxel_num, void* workspace, const size_t workspace_size,
    const mluOpTensorDescriptor_t grad_feats_desc, void* grad_feats);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_DYNAMIC_POINT_TO_VOXEL_H_ */
