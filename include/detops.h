/* detops.h: what detops adds to mlu_op.h. Pure C.
 *
 * Threads: functions that take a handle follow the handle's rule (one thread at a time); the target
 * functions act on the whole process and may be called from any thread, best before work starts. */
#ifndef DETOPS_DETOPS_H_
#define DETOPS_DETOPS_H_

#include "detops/box_iou_quadri.h"
#include "detops/box_iou_rotated.h"
#include "detops/boxes_iou_bev.h"
#include "detops/convex_iou.h"
#include "detops/get_indice_pairs.h"
#include "detops/handle.h"
#include "detops/indice_convolution.h"
#include "detops/indice_pool.h"
#include "detops/min_area_polygons.h"
#include "detops/nms_boxes.h"
#include "detops/nms_match.h"
#include "detops/point_to_voxel.h"
#include "detops/points_in_polygons.h"
#include "detops/psroipool.h"
#include "detops/roiaware_pool3d.h"
#include "detops/rulebook.h"
#include "detops/scatter_reduce.h"
#include "detops/soft_nms.h"
#include "detops/sort_sites.h"
#include "detops/voxel_coordinates.h"
#include "mlu_op.h"
#include "mlu_op/linkage.h"

DETOPS_C_BEGIN

/** Version of the library, "major.minor.patch". The SONAME carries the major number. */
#define DETOPS_VERSION_MAJOR 0
#define DETOPS_VERSION_MINOR 2
#define DETOPS_VERSION_PATCH 0

/** The version of the library that runs, as "0.2.0". Static text. */
const char* detopsGetVersion(void);

DETOPS_C_END

#endif /* DETOPS_DETOPS_H_ */
