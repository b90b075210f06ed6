/* What detops adds to get_indice_pairs. Part of detops.h. */
#ifndef DETOPS_DETOPS_GET_INDICE_PAIRS_H_
#define DETOPS_DETOPS_GET_INDICE_PAIRS_H_

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/sparse_convolution.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** mluOpSetSparseConvolutionDescriptor for everything the CPU can do: ndim = 1 to 4 spatial dimensions, transposed and
 * inverse convolutions. The arrays hold ndim numbers each, slowest axis first, and are copied; output_padding may be
 * NULL (zeros): it is kept with the descriptor, but what counts is output_space. transpose and inverse are 0 or 1;
 * sub_m: 0 for the regular convolution, anything else for submanifold. On a handle in the contract profile operators
 * answer a descriptor that is transposed, inverse or not 3-dimensional with NOT_SUPPORTED.
 *
 * Checked in this order, all BAD_PARAM, and a failed call leaves the descriptor as it was: desc, pad, stride, dilation,
 * input_space, filter_space, output_space are not NULL; ndim is 1 to 4; batch is above 0; transpose and inverse are 0
 * or 1; not submanifold and transposed together; then axis by axis: pad is 0 or more; stride, dilation, input_space,
 * filter_space, output_space are 1 or more; output_padding is 0 or more. */
mluOpStatus_t detopsSetSparseConvolutionDescriptor(mluOpSparseConvolutionDescriptor_t desc, int ndim, int batch,
                                                   const int pad[], const int stride[], const int dilation[],
                                                   const int output_padding[], const int input_space[],
                                                   const int filter_space[], const int output_space[], int sub_m,
                                                   int transpose, int inverse);

/** The number of output sites that mluOpGetIndicePairs will find for these indices, so that out_indices can be made
 * with exactly as many rows. *count is written on success only; the descriptor's own number stays as it was.
 * Submanifold: L. No workspace; the handle keeps the scratch memory for its next call.
 *
 * Checked in this order:
 * BAD_PARAM      count is NULL; handle or a descriptor is NULL
 * NOT_SUPPORTED  contract profile: sparse_conv_desc is transposed, inverse or not 3-dimensional
 * BAD_PARAM      rank is not 2; indices has not D + 1 columns; contract profile: more input sites than batch times
 *                input space has; contract profile: stride and dilation of an axis are both above 1
 * NOT_SUPPORTED  indices is not dense; indices has 2^31 elements or more (full profile: more than int64 bytes can
 *                count); L does not fit int32; the batch times the input or the output space has 2^63 - 1 sites or
 *                more; filter_space has 2^63 - 1 offsets or more
 * BAD_PARAM      the type is not int32; submanifold: on an axis the spaces differ, stride is not 1, or, contract
 *                profile, dilation is not 1
 * success        indices has no elements: the count is 0
 * BAD_PARAM      the data pointer is NULL; a batch id is outside the batch or a coordinate outside the input space
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsCountIndicePairOutputs(mluOpHandle_t handle,
                                           const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                           const mluOpTensorDescriptor_t indices_desc, const void* indices,
                                           int64_t* count);

DETOPS_C_END

#endif /* DETOPS_DETOPS_GET_INDICE_PAIRS_H_ */
