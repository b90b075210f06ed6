/* roiaware_pool3d with OpenPCDet's conventions, and with compact results. Part of detops.h.
 * Formulas, the differences between the conventions and numerics: src/ops/roiaware_pool3d/README.md in the source tree.
 *
 * These functions need the full profile; in the contract profile they answer NOT_SUPPORTED. */
#ifndef DETOPS_DETOPS_ROIAWARE_POOL3D_H_
#define DETOPS_DETOPS_ROIAWARE_POOL3D_H_

#include "../mlu_op/linkage.h"
#include "../mlu_op/roiaware_pool3d.h"

DETOPS_C_BEGIN

/** What the third number of a box is. */
typedef enum {
  DETOPS_Z_BOTTOM = 0, /**< The bottom of the box: mluOpRoiAwarePool3dForward, mmcv. */
  DETOPS_Z_CENTER = 1  /**< Its centre: OpenPCDet. */
} detopsZOrigin_t;

/** mluOpRoiAwarePool3dForward with two switches: z_origin, and xy_margin, by which the sides of a box are moved
 * outwards when it is decided whether a point is inside (0: mmcv; 1e-5: OpenPCDet); what the margin adds belongs to the
 * outer voxels. Sizes are read from the tensors, which are as there: rois [B, 7], pts [P, 3], pts_feature [P, C],
 * pts_idx_of_voxels [B, X, Y, Z, M], pooled_features and argmax [B, X, Y, Z, C]. There is no workspace.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor other than argmax_desc is NULL
 * NOT_SUPPORTED  the handle has not the full profile
 * BAD_PARAM      ranks are not 2, 2, 2, 5, 5; a shape is not as above, or not that of the tensors before it; a type
 *                is not allowed, or not the same; pool_method is not 0 or 1; z_origin is none of its values;
 *                xy_margin is not finite, or below 0; rois, pts, pts_feature or pts_idx_of_voxels has no elements
 * NOT_SUPPORTED  a tensor is not dense; a tensor other than argmax has more than int64 bytes can count
 * BAD_PARAM      a data pointer other than argmax is NULL; with maximum: argmax_desc is NULL, or argmax has not rank
 *                5, its shape or int32
 * NOT_SUPPORTED  argmax, if it is written, has more than int64 bytes can count
 * BAD_PARAM      with maximum: argmax is NULL; an output overlaps another tensor; a number in rois is NaN or Inf
 * NOT_SUPPORTED  B or P is 2^31 or more, or a box has more than 2^32 voxels
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsRoiAwarePool3dForward(mluOpHandle_t handle, int pool_method, detopsZOrigin_t z_origin,
                                          double xy_margin, const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                          const mluOpTensorDescriptor_t pts_desc, const void* pts,
                                          const mluOpTensorDescriptor_t pts_feature_desc, const void* pts_feature,
                                          const mluOpTensorDescriptor_t argmax_desc, void* argmax,
                                          const mluOpTensorDescriptor_t pts_idx_of_voxels_desc, void* pts_idx_of_voxels,
                                          const mluOpTensorDescriptor_t pooled_features_desc, void* pooled_features);

/** How large the results of detopsRoiAwarePool3dCompactForward will be: *voxel_num voxels that hold points, and
 * *point_num points in them (a point counts once per box it is in; max_pts_each_voxel - 1 per voxel at most). Both are
 * written on success only.
 *
 * Checked in this order:
 * BAD_PARAM      voxel_num, point_num, handle or a descriptor is NULL
 * NOT_SUPPORTED  the handle has not the full profile
 * BAD_PARAM      rank is not 2; rois is not [B, 7], or pts not [P, 3]; a type is not allowed, or not the same;
 *                z_origin is none of its values; xy_margin is not finite, or below 0; max_pts_each_voxel, out_x,
 *                out_y or out_z is not above 0; B or P is 0
 * NOT_SUPPORTED  a tensor is not dense; B or P is 2^31 or more, or a box has more than 2^32 voxels
 * BAD_PARAM      a data pointer is NULL; a number in rois is NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsCountRoiAwareVoxels(mluOpHandle_t handle, detopsZOrigin_t z_origin, double xy_margin,
                                        int max_pts_each_voxel, int out_x, int out_y, int out_z,
                                        const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                        const mluOpTensorDescriptor_t pts_desc, const void* pts, int64_t* voxel_num,
                                        int64_t* point_num);

/** The same pooling, but only the voxels that hold points, in ascending order: the dense tensors of
 * mluOpRoiAwarePool3dForward are mostly zeros, and writing them is most of its time.
 *
 * voxels: [V, 4] int32 = (box, x, y, z), which is also what the sparse convolutions take as indices. voxel_begins:
 * [V + 1] int32 and pts_idx: [E] int32: voxel v holds the points pts_idx[voxel_begins[v]] up to, not including,
 * pts_idx[voxel_begins[v + 1]], ascending. pooled_features: [V, C], argmax: [V, C] int32 (with average: NULL, or filled
 * with 0). V and E are capacities: they may be larger than needed, and what stands after *voxel_num voxels and
 * *point_num points is left as it was; voxel_begins has V + 1 entries. *voxel_num and *point_num may be 0.
 *
 * Checked in this order:
 * BAD_PARAM      voxel_num, point_num, handle or a descriptor other than argmax_desc is NULL
 * NOT_SUPPORTED  the handle has not the full profile
 * BAD_PARAM      ranks are not 2, 2, 2, 2, 1, 1, 2; a shape is not as above, or not that of the tensors before it; a
 *                type is not allowed, or not the same; pool_method is not 0 or 1; z_origin is none of its values;
 *                xy_margin is not finite, or below 0; max_pts_each_voxel, out_x, out_y or out_z is not above 0; B, P
 *                or C is 0
 * NOT_SUPPORTED  a tensor other than argmax is not dense; B or P is 2^31 or more, or a box has more than 2^32 voxels
 * BAD_PARAM      with maximum: argmax_desc is NULL; with maximum, or if argmax_desc is not NULL: argmax has not rank
 *                2, its shape or int32
 * NOT_SUPPORTED  argmax is not dense; a tensor has more than int64 bytes can count
 * BAD_PARAM      a data pointer of a tensor with elements is NULL, that of argmax with maximum only; an output
 *                overlaps another tensor; a number in rois is NaN or Inf; V or E is too small, and the message says
 *                what is needed
 * NOT_SUPPORTED  the voxels hold 2^31 points or more
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsRoiAwarePool3dCompactForward(
    mluOpHandle_t handle, int pool_method, detopsZOrigin_t z_origin, double xy_margin, int max_pts_each_voxel,
    int out_x, int out_y, int out_z, const mluOpTensorDescriptor_t rois_desc, const void* rois,
    const mluOpTensorDescriptor_t pts_desc, const void* pts, const mluOpTensorDescriptor_t pts_feature_desc,
    const void* pts_feature, const mluOpTensorDescriptor_t voxels_desc, void* voxels,
    const mluOpTensorDescriptor_t voxel_begins_desc, void* voxel_begins, const mluOpTensorDescriptor_t pts_idx_desc,
    void* pts_idx, const mluOpTensorDescriptor_t argmax_desc, void* argmax,
    const mluOpTensorDescriptor_t pooled_features_desc, void* pooled_features, int64_t* voxel_num, int64_t* point_num);

/** Gradient of detopsRoiAwarePool3dCompactForward with respect to pts_feature.
 *
 * voxel_begins: [V + 1] int32, pts_idx: [E] int32, argmax: [V, C] int32, grad_out: [V, C], grad_in: [P, C], where
 * V = voxel_num rows are used: the tensors may have more. With maximum only argmax is read, with average voxel_begins
 * and pts_idx; descriptors of the others may be NULL. grad_in is overwritten.
 *
 * Checked in this order:
 * BAD_PARAM      handle, or a descriptor that the method needs, is NULL
 * NOT_SUPPORTED  the handle has not the full profile
 * BAD_PARAM      pool_method is not 0 or 1; ranks are not 1, 1, 2, 2, 2; a type is not allowed, or not the same;
 *                voxel_num is not in [0, rows of grad_out]; voxel_begins has not more than voxel_num entries, argmax
 *                not the shape of grad_out, or grad_in not as many columns; P or C is 0
 * NOT_SUPPORTED  a tensor is not dense; a tensor has more than int64 bytes can count
 * BAD_PARAM      a data pointer of a tensor with elements is NULL; grad_in overlaps another tensor
 * NOT_SUPPORTED  P is 2^31 or more
 * BAD_PARAM      with maximum: a value of argmax is outside [-1, P); with average: voxel_begins does not ascend from
 *                0 to at most E, or a value of pts_idx that it lists is outside [0, P)
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsRoiAwarePool3dCompactBackward(mluOpHandle_t handle, int pool_method, int64_t voxel_num,
                                                  const mluOpTensorDescriptor_t voxel_begins_desc,
                                                  const void* voxel_begins, const mluOpTensorDescriptor_t pts_idx_desc,
                                                  const void* pts_idx, const mluOpTensorDescriptor_t argmax_desc,
                                                  const void* argmax, const mluOpTensorDescriptor_t grad_out_desc,
                                                  const void* grad_out, const mluOpTensorDescriptor_t grad_in_desc,
                                                  void* grad_in);

DETOPS_C_END

#endif /* DETOPS_DETOPS_ROIAWARE_POOL3D_H_ */
