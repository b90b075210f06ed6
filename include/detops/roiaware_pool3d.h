/* roiaware_pool3d with OpenPCDet's conventions, and with compact results. Part of detops.h.
 * Formulas, the differences between the conventions and numerics: src/ops/roiaware_pool3d/README.md in the source tree.
 *
 * These functions need the full profile; in the contract profile they answer NOT_SUPPORTED. */
#ifndef DETOPS_DETOPS_ROIAWARE_POOL3D_H_
#define DETOPS_DETOPS_ROIAWARE_POOL3D_H_

#include "../mlu_op/roiaware_pool3d.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** What the third number of a box is. */
typedef enum {
  DETOPS_Z_BOTTOM = 0, /**< The bottom of the box: mluOpRoiAwarePool3dForward, mmcv. */
  DETOPS_Z_CENTER = 1  /**< Its centre: OpenPCDet. */
} detopsZOrigin_t;

/** mluOpRoiAwarePool3dForward with two switches: z_origin, and xy_margin, by which the sides of a box are moved
 * outwards when it is decided whether a point is inside (0: mmcv; 1e-5: OpenPCDet); what the margin adds belongs to the
 * outer voxels. Sizes are read from the tensors; there is no workspace.
 *
 * Checked in this order: handle and descriptors except argmax_desc are not NULL (BAD_PARAM); the profile
 * (NOT_SUPPORTED); then as mluOpRoiAwarePool3dForward, where behind pool_method z_origin is one of its values, and
 * xy_margin is finite and not below 0 (BAD_PARAM). */
mluOpStatus_t detopsRoiAwarePool3dForward(mluOpHandle_t handle, int pool_method, detopsZOrigin_t z_origin,
                                          double xy_margin, const mluOpTensorDescriptor_t rois_desc, const void* rois,
                                          const mluOpTensorDescriptor_t pts_desc, const void* pts,
                                          const mluOpTensorDescriptor_t pts_feature_desc, const void* pts_feature,
                                          const mluOpTensorDescriptor_t argmax_desc, void* argmax,
                                          const mluOpTensorDescriptor_t pts_idx_of_voxels_desc, void* pts_idx_of_voxels,
                                          const mluOpTensorDescriptor_t pooled_features_desc, void* pooled_features);

/** How large the results of detopsRoiAwarePool3dCompactForward will be: *voxel_num voxels that hold points, and
 * *point_num points in them (a point counts once per box it is in; max_pts_each_voxel - 1 per voxel at most).
 *
 * Checks: voxel_num and point_num are not NULL; then those of detopsRoiAwarePool3dCompactForward that concern rois, pts
 * and the numbers. Both are written on success only. */
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
 * with 0). V and E are capacities: they may be larger than needed, and what stands behind *voxel_num voxels and
 * *point_num points is left as it was; voxel_begins has V + 1 entries. *voxel_num and *point_num may be 0.
 *
 * Checked in this order: voxel_num, point_num, handle and descriptors except argmax_desc are not NULL (BAD_PARAM); the
 * profile (NOT_SUPPORTED); ranks 2, 2, 2, 2, 1, 1, 2; rois [B, 7], pts [P, 3], pts_feature [P, C], voxels [V, 4],
 * voxel_begins [V + 1], pooled_features [V, C]; types as dense; pool_method, z_origin, xy_margin; max_pts_each_voxel,
 * out_x, out_y, out_z, B, P and C are above 0 (BAD_PARAM); dense; B or P is 2^31 or more, or a box has more than
 * 2^32 voxels (NOT_SUPPORTED); with maximum, or if argmax_desc is not NULL: argmax has rank 2, its shape, int32
 * (BAD_PARAM); bytes that int64 cannot count (NOT_SUPPORTED); data pointers of tensors with elements; overlap; numbers
 * in rois; V or E is too small, and the message says what is needed (BAD_PARAM). ALLOC_FAILED, EXECUTION_FAILED. */
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
 * Checked in this order: handle, the descriptors the method needs, grad_out_desc and grad_in_desc are not NULL
 * (BAD_PARAM); the profile (NOT_SUPPORTED); pool_method; ranks; types; voxel_num is in [0, rows of grad_out]; shapes:
 * voxel_begins has more than voxel_num entries, argmax the shape of grad_out, grad_in as many columns; P and C are
 * above 0 (BAD_PARAM); dense; bytes that int64 cannot count (NOT_SUPPORTED); data pointers of tensors with elements;
 * overlap; values: argmax in [-1, P); voxel_begins ascends from 0 and ends within pts_idx, pts_idx in [0, P)
 * (BAD_PARAM). ALLOC_FAILED, EXECUTION_FAILED. */
mluOpStatus_t detopsRoiAwarePool3dCompactBackward(mluOpHandle_t handle, int pool_method, int64_t voxel_num,
                                                  const mluOpTensorDescriptor_t voxel_begins_desc,
                                                  const void* voxel_begins, const mluOpTensorDescriptor_t pts_idx_desc,
                                                  const void* pts_idx, const mluOpTensorDescriptor_t argmax_desc,
                                                  const void* argmax, const mluOpTensorDescriptor_t grad_out_desc,
                                                  const void* grad_out, const mluOpTensorDescriptor_t grad_in_desc,
                                                  void* grad_in);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif /* DETOPS_DETOPS_ROIAWARE_POOL3D_H_ */
