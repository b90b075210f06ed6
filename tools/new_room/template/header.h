/* @room@. Part of detops.h.
 * Formulas and numerics: src/ops/@room@/README.md in the source tree. */
#ifndef DETOPS_DETOPS_@ROOM@_H_
#define DETOPS_DETOPS_@ROOM@_H_

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** Multiplies every element of input by factor.
 *
 * input, output: [N, C], any layout. Types: float or half, the same for both; with the full profile also double and
 * bfloat16. Products are rounded once. NaN and Inf propagate. Both tensors are dense and stay the caller's; no
 * workspace, and no scratch memory.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL; rank is not 2; type is not allowed, or not the same
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      output has not the shape of input
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      a tensor has no elements; factor is not finite and above 0; a data pointer is NULL; output overlaps
 *                input
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t @function@(mluOpHandle_t handle, const mluOpTensorDescriptor_t input_desc, const void* input, float factor,
    const mluOpTensorDescriptor_t output_desc, void* output);

DETOPS_C_END

#endif /* DETOPS_DETOPS_@ROOM@_H_ */
