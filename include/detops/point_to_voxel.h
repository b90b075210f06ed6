/* Voxelisation of point clouds. Part of detops.h.
 * Formulas, comparison with the frameworks and numerics: src/ops/point_to_voxel/README.md in the source tree.
 *
 * detopsPointToVoxel needs the full profile; in the contract profile it answers NOT_SUPPORTED. */
#ifndef DETOPS_DETOPS_POINT_TO_VOXEL_H_
#define DETOPS_DETOPS_POINT_TO_VOXEL_H_

#include "../mlu_op.h"
#include "../mlu_op/linkage.h"

DETOPS_C_BEGIN

/** In which order voxels get their rows. Which voxels there are, and what they hold, does not depend on it. */
typedef enum {
  DETOPS_VOXEL_ORDER_FIRST_POINT = 0, /**< By the first point of each voxel: spconv and mmcv on the CPU. */
  DETOPS_VOXEL_ORDER_ASCENDING = 1    /**< By (cloud, ..., z, y, x): what a sorted list of unique voxels gives. */
} detopsVoxelOrder_t;

/** The number of voxels on each axis, as spconv and mmcv compute it: (range_max - range_min) / voxel_size in float,
 * rounded to the nearest whole number, halves away from 0. The arrays hold ndim numbers each, x first.
 *
 * grid is written on success only. Checked in this order:
 * BAD_PARAM  ndim is not 1 to 4; range_min, range_max, voxel_size or grid is NULL; axis by axis: range_min is not
 *            finite in float, range_max is not or not above it, voxel_size is not or not above 0, the number of
 *            voxels is not in [1, 2^31) */
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
 *   voxels:      [M, max_points_per_voxel, F], type of points: the kept points in their order, zeros after them;
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
 * Checked in this order:
 * BAD_PARAM      voxel_num, handle, the descriptor of points or coordinates, range_min, voxel_size or grid is NULL
 * NOT_SUPPORTED  the profile is not the full one
 * BAD_PARAM      ndim is not 1 to 4; a rank is not that of the shapes above; F is below ndim; cloud_begins has no
 *                elements; coordinates, voxels, means, num_points or point_voxel has another shape than above; points
 *                is not floating, voxels or means not of its type, another tensor not int32; axis by axis: range_min
 *                is not finite, voxel_size is not or not above 0, both in the type of the arithmetic, grid is not
 *                above 0; max_points_per_voxel is negative, or 0 if voxels is wanted; max_voxels_per_cloud is
 *                negative; order is none of its values
 * NOT_SUPPORTED  a tensor is not dense; a tensor has more bytes than int64 can count; P or B is 2^31 or more; the grid
 *                has 2^63 voxels or more in all clouds
 * BAD_PARAM      the data pointer of a tensor with elements is NULL; a result overlaps another tensor; the numbers in
 *                cloud_begins do not ascend from 0 to P (if value checks are on)
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsPointToVoxel(mluOpHandle_t handle, int ndim, const double range_min[], const double voxel_size[],
                                 const int grid[], int64_t max_points_per_voxel, int64_t max_voxels_per_cloud,
                                 detopsVoxelOrder_t order, const mluOpTensorDescriptor_t points_desc,
                                 const void* points, const mluOpTensorDescriptor_t cloud_begins_desc,
                                 const void* cloud_begins, const mluOpTensorDescriptor_t voxels_desc, void* voxels,
                                 const mluOpTensorDescriptor_t means_desc, void* means,
                                 const mluOpTensorDescriptor_t coordinates_desc, void* coordinates,
                                 const mluOpTensorDescriptor_t num_points_desc, void* num_points,
                                 const mluOpTensorDescriptor_t point_voxel_desc, void* point_voxel, int64_t* voxel_num);

DETOPS_C_END

#endif /* DETOPS_DETOPS_POINT_TO_VOXEL_H_ */
