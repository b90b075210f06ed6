/* Non-maximum suppression. Part of mlu_op.h.
 * Formulas and numerics: src/ops/nms/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_NMS_H_
#define DETOPS_MLU_OP_NMS_H_

#include <stdbool.h>
#include <stddef.h>

#include "handle.h"
#include "linkage.h"
#include "tensor.h"
#include "types.h"

DETOPS_C_BEGIN

/** Says how to suppress. */
typedef struct cnnlNmsStruct* mluOpNmsDescriptor_t;

/** Makes a descriptor, which no function takes before mluOpSetNmsDescriptor. BAD_PARAM: desc is NULL. ALLOC_FAILED: out
 * of memory, *desc is left as it was. */
mluOpStatus_t MLUOP_WIN_API mluOpCreateNmsDescriptor(mluOpNmsDescriptor_t* desc);

/** Frees a descriptor. BAD_PARAM: desc is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpDestroyNmsDescriptor(mluOpNmsDescriptor_t desc);

/** Says how to suppress; boxes of seven numbers need iou_threshold and input_layout only.
 *
 *   box_mode              what the four numbers of a box are
 *   output_mode           what mluOpNms gives of the boxes that stay
 *   algo                  not looked at: offset counts with either
 *   method_mode           what happens to the score of a box that overlaps with a better one
 *   iou_threshold         boxes with a larger IoU lose score; below 0 every box with an area does, from 1 on none
 *   soft_nms_sigma        of the Gaussian; 0: as hard suppression
 *   max_output_size       so many boxes at most, of each class
 *   confidence_threshold  only boxes with a higher score stay
 *   offset                1 where the last pixel belongs to a box, which makes it as much wider and higher, else 0
 *   input_layout          0: boxes are [N, 4], [B, N, 4] or [N, 7]; 1: [4, N], [B, 4, N] or [7, N]
 *   pad_to_max_output_size  the rest of the output becomes 0
 *
 * Checked in this order, all BAD_PARAM, and a failed call leaves the descriptor as it was: nms_desc is not NULL;
 * box_mode, output_mode, algo and method_mode are values of their types; iou_threshold is not NaN; soft_nms_sigma is 0
 * or more and not NaN; max_output_size is 0 or more; confidence_threshold is in [0, 1]; offset is 0 or 1; input_layout
 * is 0 or 1. */
mluOpStatus_t MLUOP_WIN_API mluOpSetNmsDescriptor(mluOpNmsDescriptor_t nms_desc, const mluOpNmsBoxPointMode_t box_mode,
                                                  const mluOpNmsOutputMode_t output_mode, const mluOpNmsAlgo_t algo,
                                                  const mluOpNmsMethodMode_t method_mode, const float iou_threshold,
                                                  const float soft_nms_sigma, const int max_output_size,
                                                  const float confidence_threshold, const float offset,
                                                  const int input_layout, const bool pad_to_max_output_size);

/** Workspace of mluOpNms in bytes: 0. nms_desc may be NULL or not set yet: then input_layout is 0, or 1 if boxes fits
 * only that.
 *
 * Checked in this order:
 * BAD_PARAM      workspace_size is NULL; handle or the descriptor of boxes is NULL; boxes has not rank 2 or 3; a box
 *                has not 4 numbers, or 7 with rank 2; of 4 numbers: the descriptor of confidence is NULL, or confidence
 *                is not [N], or [B, C, N] with rank 3; of 7 numbers: the descriptor of confidence is not NULL (full
 *                profile: it may be [N]) */
mluOpStatus_t MLUOP_WIN_API mluOpGetNmsWorkspaceSize(mluOpHandle_t handle, mluOpNmsDescriptor_t nms_desc,
                                                     const mluOpTensorDescriptor_t boxes_desc,
                                                     const mluOpTensorDescriptor_t confidence_desc,
                                                     size_t* workspace_size);

/** Non-maximum suppression: again and again the box with the highest score stays (of equal scores the one with the
 * lowest index), and those that overlap with it lose score, until max_output_size boxes stay or no score is above
 * confidence_threshold. Of boxes of seven numbers no score is looked at: they are in order already.
 *
 *   boxes        [N, 4] or [4, N], [B, N, 4] or [B, 4, N], or [N, 7] or [7, N], see mluOpSetNmsDescriptor
 *   confidence   [N]; with [B, N, 4] it is [B, C, N]: C classes, which have nothing to do with one another and share
 *                the boxes; NULL, descriptor too, with seven numbers
 *   output       with k boxes that stay, in the order in which they are found, classes and images in theirs, by
 *                output_mode:
 *                0  k indices of boxes
 *                1  k rows: score and the four numbers of boxes
 *                2  five planes of max_output_size, the first k elements of each: scores, first numbers, ...
 *                3  k rows: image, class, index (0, 0 for boxes of rank 2)
 *                of seven numbers: k indices, ascending, or by their scores if they have some
 *   output_size  one int32: k, written last
 *
 * The shape of output does not matter, but its elements do: see the checks. What lies behind the k is not written, or 0
 * up to max_output_size (of each class) if the descriptor says so.
 *
 * Four numbers: opposite corners, in any order, or centre, width and height (box_mode); a soft method gives the score
 * that is left. Seven numbers are x, y, z, dx, dy, dz, heading; IoU is that of the boxes seen from above, and only
 * iou_threshold and input_layout of the descriptor count. A box without area overlaps with nothing. IoU and scores are
 * computed in double and rounded once; the same bits for any number of threads and on any instruction set.
 *
 * Types: boxes and confidence float or half, both the same, or float boxes of rank 2 and half confidence; in the full
 * profile also double and bfloat16, in any pair. output int32 or uint32 (full profile: or int64) where it holds
 * indices, else the type of boxes. With value checks off a box with a NaN or Inf has no area, and one whose score is
 * NaN does not stay. In the full profile boxes of seven numbers may have scores, which order them and the result.
 *
 * All tensors are dense. No workspace; the handle keeps scratch memory for its next call: 16 bytes for each box that
 * may stay, and at most 256 bytes per box of an image and 256 KiB, for each thread if there are several images or
 * classes.
 *
 * Checked in this order:
 * BAD_PARAM      handle, the descriptor of boxes, of nms or of output is NULL, nms was never set, or boxes, output or
 *                output_size is NULL (full profile: boxes and output may be if boxes has no elements); boxes has not
 *                rank 2 or 3; a box has not 4 numbers, or 7 with rank 2; of 4 numbers: the descriptor or the data
 *                pointer of confidence is NULL (full profile: the latter may be if boxes has no elements), or
 *                confidence is not [N], or [B, C, N] with rank 3; of 7 numbers: confidence or its descriptor is not
 *                NULL (full profile: it may be [N]); a type is not one of those above; output_mode is not 3 and there
 *                is not one image with one class
 * NOT_SUPPORTED  contract profile, four numbers: method_mode is not hard
 * BAD_PARAM      output has too few elements: with m = min(max_output_size, N), or max_output_size if padded, m, 5 * m,
 *                4 * max_output_size + m or 3 * B * C * m by output_mode, of 7 numbers N
 * NOT_SUPPORTED  a tensor is not dense; a tensor has 2^31 elements or more (full profile: more than int64 bytes can
 *                count); there are 2^31 boxes or more, or more may stay
 * success        N, B or C is 0, or, of 4 numbers, max_output_size is: output_size is 0, and output padded
 * BAD_PARAM      workspace is NULL but workspace_size is not 0; output, output_size or workspace overlaps another
 *                buffer; a number in boxes or confidence is NaN or Inf
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpNms(mluOpHandle_t handle, const mluOpNmsDescriptor_t nms_desc,
                                     const mluOpTensorDescriptor_t boxes_desc, const void* boxes,
                                     const mluOpTensorDescriptor_t confidence_desc, const void* confidence,
                                     void* workspace, size_t workspace_size, const mluOpTensorDescriptor_t output_desc,
                                     void* output, void* output_size);

#ifdef __cplusplus
/** As older releases have it. Programs may include this file inside extern "C". */
extern "C++" {
inline mluOpStatus_t mluOpGetNmsWorkspaceSize(mluOpHandle_t handle, const mluOpTensorDescriptor_t boxes_desc,
                                              const mluOpTensorDescriptor_t confidence_desc, size_t* workspace_size) {
  return mluOpGetNmsWorkspaceSize(handle, NULL, boxes_desc, confidence_desc, workspace_size);
}
}
#endif

DETOPS_C_END

#endif /* DETOPS_MLU_OP_NMS_H_ */
