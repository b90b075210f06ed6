/* The sparse-convolution descriptor. Part of mlu_op.h.
 *
 * It holds the geometry of a sparse convolution (batch, spaces, kernel, padding, stride, dilation, mode), and the
 * number of output sites that the last mluOpGetIndicePairs with it has found. */
#ifndef DETOPS_MLU_OP_SPARSE_CONVOLUTION_H_
#define DETOPS_MLU_OP_SPARSE_CONVOLUTION_H_

#include "linkage.h"
#include "types.h"

DETOPS_C_BEGIN

/** Describes a sparse convolution. */
typedef struct mluOpSparseConvolutionStruct* mluOpSparseConvolutionDescriptor_t;

/** Makes a descriptor: 3 spatial dimensions, batch 1, all extents, strides and dilations 1, no padding, number of
 * output sites 0. NOT_INITIALIZED: desc is NULL. ALLOC_FAILED: out of memory, *desc is left as it was. */
mluOpStatus_t MLUOP_WIN_API mluOpCreateSparseConvolutionDescriptor(mluOpSparseConvolutionDescriptor_t* desc);

/** Frees a descriptor. EXECUTION_FAILED: desc is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpDestroySparseConvolutionDescriptor(mluOpSparseConvolutionDescriptor_t desc);

/** Describes a convolution over 3 spatial dimensions, axes in the order depth, height, width; the arrays hold 3 numbers
 * each and are copied. dimNb counts batch and channels too. sub_m: 0 for the regular convolution, anything else for
 * submanifold. The number of output sites stays as it was. More kinds: detopsSetSparseConvolutionDescriptor.
 *
 * Checked in this order, all BAD_PARAM, and a failed call leaves the descriptor as it was: desc, pad, stride, dilation,
 * input_space, filter_space, output_space are not NULL; dimNb is 5; batch_size is above 0; transpose is 0; inverse is
 * 0; then for depth, height, width: pad is 0 or more; stride, dilation, input_space, filter_space and output_space are
 * 1 or more. */
mluOpStatus_t MLUOP_WIN_API mluOpSetSparseConvolutionDescriptor(mluOpSparseConvolutionDescriptor_t desc, int dimNb,
                                                                int batch_size, const int pad[], const int stride[],
                                                                const int dilation[], const int input_space[],
                                                                const int filter_space[], const int output_space[],
                                                                const int sub_m, const int transpose,
                                                                const int inverse);

/** The number of output sites that the last successful mluOpGetIndicePairs with this descriptor found; 0 before.
 * NOT_INITIALIZED: desc or num_act_out is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpGetSparseConvolutionNumActOut(mluOpSparseConvolutionDescriptor_t desc,
                                                               int* num_act_out);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_SPARSE_CONVOLUTION_H_ */
