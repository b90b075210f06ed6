/* Voxelisation of point clouds. Part of detops.h.
 * Formulas, comparison with the frameworks and numerics: src/ops/point_to_voxel/README.md in the source tree.
 *
 * detopsPointToVoxel needs the full profile; in the contract profile it answers NOT_SUPPORTED. */
#ifndef DETOPS_DETOPS_POINT_TO_VOXEL_H_
#define DETOPS_DETOPS_POINT_TO_VOXEL_H_

#include "../mlu_op.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** In which order voxels get their rows. Which voxels there are, and what they hold, does not depend on it. */
typedef enum {
  DETOPS_VOXEL_ORDER_FIRST_POINT = 0, /**< By the first point of each voxel: spconv and mmcv on the CPU. */
  DETOPS_VOXEL_ORDER_ASCENDING = 1    /**< By (cloud, ..., z, y, x): what a sorted list of unique voxels gives. */
} detopsVoxelOrder_t;

/** The number of voxels on each axis, as spconv and mmcv compute it: (range_max - range_min) / voxel_size in float,
 * rounded to the nearest whole number, halves away from 0. The arrays hold ndim numbers each, x first.
 *
 * Checked in this order, all BAD_PARAM, and grid is written on success only: ndim is 1 to 4; range_min, range_max,
 * voxel_size, grid are not NULL; then axis by axis: range_min is finite in float; range_max is, and above range_min;
 * voxel_size is, and above 0; the number of voxels is in [1, 2^31). */
mluOpStatus_t detopsGetVoxelGrid(int ndim, const double range_min[], const double range_max[],
                                 const double voxel_size[], int grid[]);

/** Sorts points into voxels: the points of each voxel, their mean, or both.
 *
 * points: [P, F] floating; its first ndim columns are the coordinates x, y, z, ... (F >= ndim). A point lies in voxel
 * floor((p - range_min) / voxel_size) on each axis, in float arithmetic (double tensors: double; the README has the
 * details). Points with an index outside [0, grid) on an axis are dropped, and so are those with a coordinate that is
 * NaN or Inf; both are no error. range_min, voxel_size and grid hold ndim numbers each, x first.
 *
 * cloud_begins: [B + 1] int32, optional: several clouds in one call. Cloud b has the points cloud_begins[b] up to, not
 * including, cloud_begins[b + 1]; the numbers ascend from 0 to P. Clouds share no voxels.
 *
 * Limits, each 0 for none: of the points of a voxel the first max_points_per_voxel are kept; of the voxels of a cloud
 * those with the first max_voxels_per_cloud first points. The M rows of coordinates limit the voxels of all clouds
 * together in the same way. A point of a voxel that has no row is dropped.
 *
 * Results, all of them for the rows [0, *voxel_num); the other rows are left as they were:
 *   coordinates: [M, ndim] int32 = (..., z, y, x); with cloud_begins [M, 1 + ndim] = (cloud, ..., z, y, x), which is
 *                what the sparse convolutions take as indices;
 *   voxels:      [M, max_points_per_voxel, F], type of points: the kept points in their order, zeros behind them;
 *   means:       [M, F], type of points: the mean of the kept points;
 *   num_points:  [M] int32: how many points are kept;
 *   point_voxel: [P] int32, all of it written: the row of each point's voxel, also if the point is beyond
 *                max_points_per_voxel; -1 for dropped points.
 * A NULL descriptor means that a result is not wanted; its data pointer is not looked at then. Only coordinates are
 * needed. Without voxels no memory of that size is touched. *voxel_num is written on success only and may be 0.
 *
 * No workspace; the handle keeps scratch memory of at most 60 bytes per point, 24 bytes per cloud and 256 KiB, rounded
 * up to whole pages of 2 MiB, for its next call. Results have the same bits for any number of threads and on any SIMD
 * target.
 *
 * Checked in this order: voxel_num, handle, descriptors of points and coordinates, range_min, voxel_size, grid are not
 * NULL (BAD_PARAM); the profile (NOT_SUPPORTED); ndim is 1 to 4; ranks: points 2, cloud_begins 1, voxels 3, means 2,
 * coordinates 2, num_points 1, point_voxel 1; shapes, where F >= ndim and cloud_begins has 1 number at least; types;
 * axis by axis: range_min is finite, voxel_size is finite and above 0, both in the type of the arithmetic, grid is
 * above 0; max_points_per_voxel is not negative, and above 0 if voxels is wanted; max_voxels_per_cloud is not negative;
 * order is one of its values (BAD_PARAM); dense; bytes that int64 cannot count; P or B is 2^31 or more; the bits that
 * number the clouds and the voxels of each axis are more than 62 together (NOT_SUPPORTED); data pointers of tensors
 * with elements; overlap of a result with another tensor; numbers in cloud_begins (BAD_PARAM; if value checks are on).
 * ALLOC_FAILED, EXECUTION_FAILED. */
mluOpStatus_t detopsPointToVoxel(mluOpHandle_t handle, int ndim, const double range_min[], const double voxel_size[],
                                 const int grid[], int64_t max_points_per_voxel, int64_t max_voxels_per_cloud,
                                 detopsVoxelOrder_t order, const mluOpTensorDescriptor_t points_desc,
                                 const void* points, const mluOpTensorDescriptor_t cloud_begins_desc,
                                 const void* cloud_begins, const mluOpTensorDescriptor_t voxels_desc, void* voxels,
                                 const mluOpTensorDescriptor_t means_desc, void* means,
                                 const mluOpTensorDescriptor_t coordinates_desc, void* coordinates,
                                 const mluOpTensorDescriptor_t num_points_desc, void* num_points,
                                 const mluOpTensorDescriptor_t point_voxel_desc, void* point_voxel, int64_t* voxel_num);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif /* DETOPS_DETOPS_POINT_TO_VOXEL_H_ */
