/* mlu_op.h: the C API of MLU-OPS 1.11, for CPUs.
 *
 * A program written against MLU-OPS includes this file and links libdetops; no accelerator and no
 * vendor runtime is needed. What detops adds to the contract is in detops.h.
 *
 * What holds for every function:
 *  - Result. A status is returned; nothing prints (unless mlu_op/gen_case.h is asked to), throws or aborts. After a
 *    failure detopsGetLastError tells in one sentence which argument was wrong, what it was and what was expected.
 *  - A failed call changes nothing: no output byte, no descriptor, no returned size. The only exception is a call
 *    during which the caller's own parallel runner fails (EXECUTION_FAILED): its outputs are undefined.
 *  - Queues. A call is finished when it returns. A queue is accepted everywhere and keeps order trivially.
 *  - Ownership. The library never keeps a data pointer after a call and never frees the caller's memory.
 *    Objects made by Create functions belong to the caller until the matching Destroy.
 *  - Threads. Different handles and descriptors may be used by different threads at the same time. One
 *    handle serves one thread at a time; a descriptor may be read by several threads while none changes it.
 *  - Shapes are given slowest axis first; sizes are elements unless "bytes" is said.
 *
 * The declarations are grouped by topic in the folder mlu_op/. */
#ifndef DETOPS_MLU_OP_H_
#define DETOPS_MLU_OP_H_

#include <stddef.h>
#include <stdint.h>

#include "cn_api.h"
#include "cnrt.h"
#include "mlu_op/bbox_overlaps.h"
#include "mlu_op/box_iou_rotated.h"
#include "mlu_op/diff_iou_rotated_sort_vertices.h"
#include "mlu_op/dynamic_point_to_voxel.h"
#include "mlu_op/gen_case.h"
#include "mlu_op/get_indice_pairs.h"
#include "mlu_op/handle.h"
#include "mlu_op/indice_convolution.h"
#include "mlu_op/nms.h"
#include "mlu_op/nms_rotated.h"
#include "mlu_op/points_in_boxes.h"
#include "mlu_op/poly_nms.h"
#include "mlu_op/psroipool.h"
#include "mlu_op/roiaware_pool3d.h"
#include "mlu_op/rotated_feature_align.h"
#include "mlu_op/sparse_convolution.h"
#include "mlu_op/tensor.h"
#include "mlu_op/types.h"
#include "mlu_op/voxelization.h"

#endif /* DETOPS_MLU_OP_H_ */
