/* indice_convolution: sparse convolution on the pairs of mluOpGetIndicePairs, forward and backward. Part of mlu_op.h.
 * Mathematics, algorithm, memory and speed: src/ops/indice_convolution/README.md in the source tree.
 *
 * Words and shapes, the same for all functions here. K kernel offsets, L the last extent of indice_pairs, W_k the
 * filter of offset k as a matrix of Ci rows and Co columns:
 *   indice_pairs  [K, 2, L]  int32, any layout; row 0: input indices, row 1: output indices. Of offset k the first
 *                            indice_num[k] columns count, in any order; the same index may occur again, then the terms
 *                            add up. What stands after them is not read.
 *   indice_num    K numbers of 64 bits in the caller's memory (the accelerator's contract says host memory)
 *   filters       by layout: NDHWC [Co, D, H, W, Ci], NCDHW [Co, Ci, D, H, W], ARRAY of rank 5 [D, H, W, Ci, Co],
 *                 NHWC [Co, H, W, Ci], NCHW [Co, Ci, H, W], HWCN and ARRAY of rank 4 [H, W, Ci, Co];
 *                 K = D * H * W or H * W, offsets are numbered row by row, the last axis fastest
 * Tensors of numbers are all float or all half; in the full profile also all double or all bfloat16. Half and bfloat16
 * are computed in float and rounded once, to nearest even. Rows without any pair become 0. All tensors are dense.
 * Results have the same bits for any number of threads. sub_m (0 or 1) changes checks only, never a result.
 *
 * No workspace is needed: the size functions answer 0, the handle keeps scratch memory for its next call. A workspace
 * that is passed all the same is not touched. Scratch memory is reserved before the indices are looked at, so a call
 * that has both no memory and a wrong index answers ALLOC_FAILED. Indices are looked at also if value checks are off,
 * because that look finds the order of the work. A call with an empty tensor succeeds before overlap is looked at. */
#ifndef DETOPS_MLU_OP_INDICE_CONVOLUTION_H_
#define DETOPS_MLU_OP_INDICE_CONVOLUTION_H_

#include <stddef.h>
#include <stdint.h>

#include "handle.h"
#include "linkage.h"
#include "tensor.h"

DETOPS_C_BEGIN

/** The bytes that mluOpIndiceConvolutionForward needs as workspace: 0. It checks what that function checks
 * before its data pointers. *workspace_size is written on success only.
 *
 * Checked in this order:
 * BAD_PARAM      workspace_size is NULL; handle, a descriptor or indice_num is NULL; a type is not one of those above;
 *                types differ; sub_m is neither 0 nor 1; inverse is neither 0 nor 1
 * NOT_SUPPORTED  contract profile: inverse is 1; the layout of filters is not NDHWC, NCDHW or ARRAY (full profile: nor
 *                NHWC, NCHW, HWCN)
 * BAD_PARAM      ranks of features, indice_pairs, features_out are not 2, 3, 2
 * NOT_SUPPORTED  the rank of filters is not 5 (full profile: nor 4)
 * BAD_PARAM      the layout of filters does not fit its rank
 * NOT_SUPPORTED  a tensor is not dense; a tensor has 2^31 elements or more (full profile: more than int64 bytes can
 *                count); filters has 2^63 - 1 offsets or more
 * BAD_PARAM      a shape is not as above; a number in indice_num is not in [0, L] */
mluOpStatus_t MLUOP_WIN_API mluOpGetIndiceConvolutionForwardWorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc, const mluOpTensorDescriptor_t filters_desc,
    const mluOpTensorDescriptor_t indice_pairs_desc, const mluOpTensorDescriptor_t features_out_desc,
    const int64_t indice_num[], const int64_t num_act_out, const int64_t inverse, const int64_t sub_m,
    size_t* workspace_size);

/** features_out[o] = the sum over all offsets k and all pairs (i, o) of k of features[i] * W_k.
 *
 * features [L, Ci], features_out [num_act_out, Co]. inverse = 1 (full profile) swaps the rows of indice_pairs: the
 * convolution runs back from the outputs of an earlier one to its inputs; then features has any number of rows and
 * features_out has L.
 *
 * Checked in this order:
 * BAD_PARAM      handle, a descriptor or indice_num is NULL; a type is not one of those above; types differ; sub_m is
 *                neither 0 nor 1; inverse is neither 0 nor 1
 * NOT_SUPPORTED  contract profile: inverse is 1; the layout of filters is not NDHWC, NCDHW or ARRAY (full profile: nor
 *                NHWC, NCHW, HWCN)
 * BAD_PARAM      ranks of features, indice_pairs, features_out are not 2, 3, 2
 * NOT_SUPPORTED  the rank of filters is not 5 (full profile: nor 4)
 * BAD_PARAM      the layout of filters does not fit its rank
 * NOT_SUPPORTED  a tensor is not dense; a tensor has 2^31 elements or more (full profile: more than int64 bytes can
 *                count); filters has 2^63 - 1 offsets or more
 * BAD_PARAM      a shape is not as above; a number in indice_num is not in [0, L]
 * success        a tensor has no elements: features_out becomes 0 if it has elements and a data pointer
 * BAD_PARAM      a data pointer is NULL; workspace is NULL but workspace_size is not 0; features_out or the workspace
 *                overlaps another buffer; a counted index is outside its tensor
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpIndiceConvolutionForward(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc, const void* features,
    const mluOpTensorDescriptor_t filters_desc, const void* filters, const mluOpTensorDescriptor_t indice_pairs_desc,
    const void* indice_pairs, const int64_t indice_num[], const int64_t num_act_out, const int64_t inverse,
    const int64_t sub_m, void* workspace, size_t workspace_size, const mluOpTensorDescriptor_t features_out_desc,
    void* features_out);

/** The bytes that mluOpIndiceConvolutionBackwardData needs as workspace: 0. It checks what that function checks
 * before its data pointers, with sub_m = 0. *workspace_size is written on success only.
 *
 * Checked in this order:
 * BAD_PARAM      workspace_size is NULL; handle, a descriptor or indice_num is NULL; ranks of output_grad, filters,
 *                indice_pairs, input_grad are not 2, 4 or 5, 3, 2; indice_pairs has not 2 rows; a type is not one of
 *                those above; the layout of filters is none of the above or does not fit its rank
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      inverse is neither 0 nor 1
 * NOT_SUPPORTED  filters has 2^63 - 1 offsets or more
 * BAD_PARAM      a number in indice_num is negative
 * NOT_SUPPORTED  contract profile: inverse is 1
 * BAD_PARAM      a shape is not as above; a number in indice_num is above L; contract profile: output_grad has fewer
 *                rows than the largest number of indice_num; types differ
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count) */
mluOpStatus_t MLUOP_WIN_API mluOpGetIndiceConvolutionBackwardDataWorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t output_grad_desc, const mluOpTensorDescriptor_t filters_desc,
    const mluOpTensorDescriptor_t indice_pairs_desc, const mluOpTensorDescriptor_t input_grad_desc,
    const int64_t indice_num[], const int64_t inverse, size_t* workspace_size);

/** input_grad[i] = the sum over all offsets k and all pairs (i, o) of k of output_grad[o] * transposed W_k: the
 * gradient of a forward convolution with respect to its features.
 *
 * output_grad [Y, Co], input_grad [L, Ci]. inverse = 1 (full profile): the gradient of an inverse convolution; the rows
 * of indice_pairs are swapped, output_grad has L rows and input_grad any number.
 *
 * Checked in this order:
 * BAD_PARAM      handle, a descriptor or indice_num is NULL; ranks of output_grad, filters, indice_pairs, input_grad
 *                are not 2, 4 or 5, 3, 2; indice_pairs has not 2 rows; a type is not one of those above; the layout of
 *                filters is none of the above or does not fit its rank
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      inverse is neither 0 nor 1; sub_m is neither 0 nor 1
 * NOT_SUPPORTED  filters has 2^63 - 1 offsets or more
 * BAD_PARAM      a number in indice_num is negative
 * NOT_SUPPORTED  contract profile: inverse is 1
 * BAD_PARAM      a shape is not as above; a number in indice_num is above L; sub_m is 1 and output_grad has not as
 *                many rows as input_grad; sub_m is 1 and the middle number of indice_num is not the largest; contract
 *                profile: output_grad has fewer rows than the largest number of indice_num; sub_m is 1 and K is even;
 *                types differ
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * success        a tensor has no elements: input_grad becomes 0 if it has elements and a data pointer
 * BAD_PARAM      a data pointer is NULL; workspace is NULL but workspace_size is not 0; input_grad or the workspace
 *                overlaps another buffer; a counted index is outside its tensor
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpIndiceConvolutionBackwardData(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t output_grad_desc, const void* output_grad,
    const mluOpTensorDescriptor_t filters_desc, const void* filters, const mluOpTensorDescriptor_t indice_pairs_desc,
    const void* indice_pairs, const int64_t indice_num[], const int64_t inverse, const int64_t sub_m, void* workspace,
    const size_t workspace_size, const mluOpTensorDescriptor_t input_grad_desc, void* input_grad);

/** The bytes that mluOpIndiceConvolutionBackwardFilter needs as workspace: 0. It checks what that function checks
 * before its data pointers. *workspace_size is written on success only.
 *
 * Checked in this order:
 * BAD_PARAM      workspace_size is NULL; handle, a descriptor or indice_num is NULL; inverse is not 0 (full profile:
 *                nor 1); sub_m is neither 0 nor 1
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      indice_pairs is not int32; a type is not one of those above; types differ; the on-chip type of
 *                features or output_grad is set but is not its type; that of filters_grad is set but is neither float
 *                nor half (full profile: no floating type) or is narrower than its type
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      ranks of features, output_grad, indice_pairs, filters_grad are not 2, 2, 3, 4 or 5; full profile: the
 *                layout of filters_grad is none of the above or does not fit its rank
 * NOT_SUPPORTED  filters_grad has 2^63 - 1 offsets or more
 * BAD_PARAM      a shape is not as above */
mluOpStatus_t MLUOP_WIN_API mluOpGetIndiceConvolutionBackwardFilterWorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc, const mluOpTensorDescriptor_t output_grad_desc,
    const mluOpTensorDescriptor_t indice_pairs_desc, const mluOpTensorDescriptor_t filters_grad_desc,
    const int64_t indice_num[], const int64_t inverse, const int64_t sub_m, size_t* workspace_size);

/** filters_grad: the matrix of offset k becomes the sum over all pairs (i, o) of k of
 * features[i] (as a column) * output_grad[o] (as a row): the gradient of a forward convolution with respect to its
 * filters.
 *
 * features [L, Ci], output_grad [Y, Co]. filters_grad is [kd,] kh, kw, Ci, Co whatever its layout says, as in every
 * release of the contract; in the full profile it is in a layout of its own. Offsets without pairs become 0.
 * inverse = 1 (full profile): the gradient of an inverse convolution; the rows of indice_pairs are swapped, output_grad
 * has L rows and features any number.
 *
 * Checked in this order:
 * BAD_PARAM      handle, a descriptor or indice_num is NULL; inverse is not 0 (full profile: nor 1); sub_m is neither
 *                0 nor 1
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      indice_pairs is not int32; a type is not one of those above; types differ; the on-chip type of
 *                features or output_grad is set but is not its type; that of filters_grad is set but is neither float
 *                nor half (full profile: no floating type) or is narrower than its type
 * NOT_SUPPORTED  a tensor has 2^31 elements or more (full profile: more than int64 bytes can count)
 * BAD_PARAM      ranks of features, output_grad, indice_pairs, filters_grad are not 2, 2, 3, 4 or 5; full profile: the
 *                layout of filters_grad is none of the above or does not fit its rank
 * NOT_SUPPORTED  filters_grad has 2^63 - 1 offsets or more
 * BAD_PARAM      a shape is not as above
 * success        a tensor has no elements: filters_grad becomes 0 if it has elements and a data pointer
 * BAD_PARAM      a data pointer is NULL; workspace is NULL but workspace_size is not 0; filters_grad or the workspace
 *                overlaps another buffer; a number in indice_num is not in [0, L]; a counted index is outside its
 *                tensor
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpIndiceConvolutionBackwardFilter(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc, const void* features,
    const mluOpTensorDescriptor_t output_grad_desc, const void* output_grad,
    const mluOpTensorDescriptor_t indice_pairs_desc, const void* indice_pairs, const int64_t indice_num[],
    const int64_t inverse, const int64_t sub_m, void* workspace, const size_t workspace_size,
    const mluOpTensorDescriptor_t filters_grad_desc, void* filters_grad);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_INDICE_CONVOLUTION_H_ */
