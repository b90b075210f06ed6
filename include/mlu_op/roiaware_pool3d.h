/* roiaware_pool3d, forward and backward. Part of mlu_op.h.
 * Formulas, border rules and numerics: src/ops/roiaware_pool3d/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_ROIAWARE_POOL3D_H_
#define DETOPS_MLU_OP_ROIAWARE_POOL3D_H_

#include "handle.h"
#include "linkage.h"
#include "tensor.h"

DETOPS_C_BEGIN

/** The workspace mluOpRoiAwarePool3dForward needs, in bytes: 0, since scratch memory stays with the handle.
 * rois_desc and pts_desc are not looked at.
 *
 * Checked in this order:
 * BAD_PARAM      workspace_size, handle or pts_feature_desc is NULL */
mluOpStatus_t MLUOP_WIN_API mluOpGetRoiAwarePool3dForwardWorkspaceSize(mluOpHandle_t handle,
                                                                       const mluOpTensorDescriptor_t rois_desc,
                                                                       const mluOpTensorDescriptor_t pts_desc,
                                                                       const mluOpTensorDescriptor_t pts_feature_desc,
                                                                       size_t* workspace_size);

/** Cuts every box into X x Y x Z voxels and pools the features of the points in each voxel.
 *
 * rois: [B, 7] = (cx, cy, cz, dx, dy, dz, rz), cz the bottom of the box, rz in radians, anticlockwise from x to y;
 * pts: [P, 3] = (x, y, z); pts_feature: [P, C]. A point is inside if it lies strictly between the sides and between or
 * on bottom and top. pool_method: 0 = maximum, 1 = average.
 * pts_idx_of_voxels: [B, X, Y, Z, M] int32, M = max_pts_each_voxel: first the number of points n, then n point indices,
 * ascending, then zeros; points beyond M - 1 are left out, also of the pooling. pooled_features: [B, X, Y, Z, C], 0 for
 * empty voxels. argmax: [B, X, Y, Z, C] int32, the point with the (first) maximum, -1 if there is none, as in an empty
 * voxel; NaN and -Inf never win. With average, argmax is filled with 0, and may be left out (NULL); NaN and Inf
 * propagate. Points with NaN or Inf lie in no box.
 * Types: float or half, the same for rois, pts, pts_feature and pooled_features; with the full profile also double and
 * bfloat16. Any layout; dense. The handle keeps scratch memory for its next call: 24 bytes per point and 2 per
 * point and thread (of 8 at most; double: 12 more), 192 per box, and for the points found in boxes 16 * B * P bytes,
 * but no more than 64 MiB, or 16 bytes per point if that is more.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor other than argmax_desc is NULL; ranks are not 2, 2, 2, 5, 5; a shape does
 *                not agree with the arguments; a type is not allowed, or not the same; pool_method is not 0 or 1;
 *                boxes_num, pts_num, channels, max_pts_each_voxel, out_x, out_y or out_z is not above 0
 * NOT_SUPPORTED  a tensor is not dense; contract profile: boxes_num or channels is 65536 or more, or
 *                max_pts_each_voxel above 2976 (half: 2944); a tensor other than argmax has 2^31 elements or more
 *                (full profile: more than int64 bytes can count); contract profile: boxes_num * pts_num is 2^31 or
 *                more
 * BAD_PARAM      workspace is NULL and workspace_size is not 0; a data pointer other than argmax is NULL; with
 *                maximum: argmax_desc is NULL, or argmax has not rank 5, its shape or int32
 * NOT_SUPPORTED  argmax, if it is written, has more than int64 bytes can count
 * BAD_PARAM      with maximum: argmax is NULL; an output or the workspace overlaps another tensor; a number in rois
 *                is NaN or Inf
 * NOT_SUPPORTED  a box has more than 2^32 voxels
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpRoiAwarePool3dForward(
    mluOpHandle_t handle, const int pool_method, const int boxes_num, const int pts_num, const int channels,
    const mluOpTensorDescriptor_t rois_desc, const void* rois, const mluOpTensorDescriptor_t pts_desc, const void* pts,
    const mluOpTensorDescriptor_t pts_feature_desc, const void* pts_feature, void* workspace, size_t workspace_size,
    const int max_pts_each_voxel, const int out_x, const int out_y, const int out_z,
    const mluOpTensorDescriptor_t argmax_desc, void* argmax, const mluOpTensorDescriptor_t pts_idx_of_voxels_desc,
    void* pts_idx_of_voxels, const mluOpTensorDescriptor_t pooled_features_desc, void* pooled_features);

/** Gradient of mluOpRoiAwarePool3dForward with respect to pts_feature.
 *
 * grad_out: [B, X, Y, Z, C], grad_in: [P, C], both float or half (full profile: also double and bfloat16); argmax and
 * pts_idx_of_voxels as forward wrote them. With maximum grad_in[argmax] += grad_out where argmax is not -1; with
 * average every listed point gets grad_out / n. Only the tensor the method uses is read; both must be there. grad_in is
 * overwritten, not added to; sums are double and rounded once. Scratch memory: 8 bytes per element of grad_in and 1 bit
 * per voxel.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; ranks are not 5, 5, 5, 2; a shape does not agree with the
 *                arguments; a type is not allowed, or not the same; pool_method is not 0 or 1; boxes_num, P,
 *                channels, max_pts_each_voxel, out_x, out_y or out_z is not above 0
 * NOT_SUPPORTED  a tensor is not dense; contract profile: boxes_num or channels is 65536 or more, or
 *                max_pts_each_voxel above 2048; a tensor has 2^31 elements or more (full profile: more than int64
 *                bytes can count)
 * BAD_PARAM      a data pointer is NULL; grad_in overlaps another tensor
 * NOT_SUPPORTED  P is 2^31 or more
 * BAD_PARAM      with maximum: a value of argmax is outside [-1, P); with average: a count of pts_idx_of_voxels is
 *                outside [0, max_pts_each_voxel - 1], or a listed point is outside [0, P)
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpRoiAwarePool3dBackward(
    mluOpHandle_t handle, const int pool_method, const int boxes_num, const int out_x, const int out_y, const int out_z,
    const int channels, const int max_pts_each_voxel, const mluOpTensorDescriptor_t pts_idx_of_voxels_desc,
    const void* pts_idx_of_voxels, const mluOpTensorDescriptor_t argmax_desc, const void* argmax,
    const mluOpTensorDescriptor_t grad_out_desc, const void* grad_out, const mluOpTensorDescriptor_t grad_in_desc,
    void* grad_in);

/** The older spelling of the three. */
mluOpStatus_t MLUOP_WIN_API mluOpGetRoiawarePool3dForwardWorkspaceSize(mluOpHandle_t handle,
                                                                       const mluOpTensorDescriptor_t rois_desc,
                                                                       const mluOpTensorDescriptor_t pts_desc,
                                                                       const mluOpTensorDescriptor_t pts_feature_desc,
                                                                       size_t* workspace_size);
mluOpStatus_t MLUOP_WIN_API mluOpRoiawarePool3dForward(
    mluOpHandle_t handle, const int pool_method, const int boxes_num, const int pts_num, const int channels,
    const mluOpTensorDescriptor_t rois_desc, const void* rois, const mluOpTensorDescriptor_t pts_desc, const void* pts,
    const mluOpTensorDescriptor_t pts_feature_desc, const void* pts_feature, void* workspace, size_t workspace_size,
    const int max_pts_each_voxel, const int out_x, const int out_y, const int out_z,
    const mluOpTensorDescriptor_t argmax_desc, void* argmax, const mluOpTensorDescriptor_t pts_idx_of_voxels_desc,
    void* pts_idx_of_voxels, const mluOpTensorDescriptor_t pooled_features_desc, void* pooled_features);
mluOpStatus_t MLUOP_WIN_API mluOpRoiawarePool3dBackward(
    mluOpHandle_t handle, const int pool_method, const int boxes_num, const int out_x, const int out_y, const int out_z,
    const int channels, const int max_pts_each_voxel, const mluOpTensorDescriptor_t pts_idx_of_voxels_desc,
    const void* pts_idx_of_voxels, const mluOpTensorDescriptor_t argmax_desc, const void* argmax,
    const mluOpTensorDescriptor_t grad_out_desc, const void* grad_out, const mluOpTensorDescriptor_t grad_in_desc,
    void* grad_in);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_ROIAWARE_POOL3D_H_ */
