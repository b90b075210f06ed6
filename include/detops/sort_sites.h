/* Sites in ascending order. Part of detops.h.
 * How: src/ops/sort_sites/README.md in the source tree. */
#ifndef DETOPS_DETOPS_SORT_SITES_H_
#define DETOPS_DETOPS_SORT_SITES_H_

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** Brings sites into ascending order by (batch, coordinates), equal ones in the order that they have: put sites in
 * order once, at the entrance of a network, and searches for pairs and the first layers on them take less time.
 *
 * indices [L, D + 1], D = 1 to 4, with any numbers; out_indices [L, D + 1] becomes the sites in order and order [L] the
 * row of indices that each was: out_indices[i] = indices[order[i]]. All are int32 and dense, and stay the caller's.
 * The handle keeps the scratch memory: 16 bytes per site and 128 KiB, nothing if the sites ascend.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; ranks are not 2, 2, 1; a type is not int32
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      indices has not 2 to 5 columns; another tensor has not the shape above
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count); L does not fit
 *                int32
 * success        there are no sites
 * BAD_PARAM      a data pointer is NULL; an output overlaps another tensor
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsSortSites(mluOpHandle_t handle, const mluOpTensorDescriptor_t indices_desc, const void* indices,
                              const mluOpTensorDescriptor_t out_indices_desc, void* out_indices,
                              const mluOpTensorDescriptor_t order_desc, void* order);

/** Copies rows in another order: output[i] = input[order[i]]. A row may be copied several times, or not at all.
 *
 * input [N, C] and output [M, C] are float, half, double or bfloat16, the same for both; order [M] is int32 in [0, N).
 * All are dense and stay the caller's; no workspace, and no scratch memory.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; ranks are not 2, 1, 2; a type is not one of those above, or not the
 *                same
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      a shape is not as above
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * success        output has no elements
 * BAD_PARAM      a data pointer is NULL; output overlaps another tensor; a number in order is not a row of input, also
 *                if value checks are off
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsGatherRows(mluOpHandle_t handle, const mluOpTensorDescriptor_t input_desc, const void* input,
                               const mluOpTensorDescriptor_t order_desc, const void* order,
                               const mluOpTensorDescriptor_t output_desc, void* output);

DETOPS_C_END

#endif /* DETOPS_DETOPS_SORT_SITES_H_ */
