/* get_indice_pairs: which input site meets which output site under which kernel offset. Part of mlu_op.h.
 * Rules, order, algorithms and memory: src/ops/get_indice_pairs/README.md in the source tree. */
#ifndef DETOPS_MLU_OP_GET_INDICE_PAIRS_H_
#define DETOPS_MLU_OP_GET_INDICE_PAIRS_H_

#include <stddef.h>

#include "handle.h"
#include "linkage.h"
#include "sparse_convolution.h"
#include "tensor.h"

DETOPS_C_BEGIN

/** The name of the status type in the design document. */
typedef mluOpStatus_t mluopStatus_t;

/** The bytes that mluOpGetIndicePairs needs as workspace for these shapes; 0 if a tensor has no elements.
 *
 * Checked in this order:
 * BAD_PARAM      workspace_size is NULL; handle or a descriptor is NULL
 * success        a tensor has no elements: the size is 0
 * NOT_SUPPORTED  contract profile: sparse_conv_desc is transposed, inverse or not 3-dimensional
 * BAD_PARAM      ranks are not 2, 3, 2, 1; indices or out_indices have not D + 1 columns; indice_pairs has not 2 rows
 *                and L columns; indice_num has not the first extent of indice_pairs; contract profile: more input sites
 *                than batch times input space has; contract profile: stride and dilation of an axis are both above 1;
 *                indice_pairs has not K first; out_indices has more rows than batch times output space has sites (full
 *                profile, submanifold: and more than L too)
 * NOT_SUPPORTED  a tensor is not dense; a tensor has 2^31 elements or more (full profile: more than int64 bytes can
 *                count); L does not fit int32; the batch times the input or the output space has 2^63 - 1 sites or more
 * BAD_PARAM      a type is not int32; submanifold: on an axis the spaces differ, stride is not 1, or, contract profile,
 *                dilation is not 1 */
mluOpStatus_t MLUOP_WIN_API mluOpGetIndicePairsWorkspaceSize(mluOpHandle_t handle,
                                                             const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                                             const mluOpTensorDescriptor_t indices_desc,
                                                             const mluOpTensorDescriptor_t indice_pairs_desc,
                                                             const mluOpTensorDescriptor_t out_indices_desc,
                                                             const mluOpTensorDescriptor_t indice_num_desc,
                                                             size_t* workspace_size);

/** Finds the pairs (input site, output site) of every kernel offset, and the output sites.
 *
 * All tensors are int32, dense, in any layout. L input sites, K kernel offsets, D spatial dimensions (3, in the full
 * profile 1 to 4):
 *   indices       [L, D + 1]     (batch, depth, height, width) of each input site; any order, duplicates allowed
 *   indice_pairs  [K, 2, L]      row 0: input indices, ascending; row 1: the output index of each; after the pairs -1
 *   out_indices   [rows, D + 1]  the output sites; rows after the last are -1
 *   indice_num    [K]            the number of pairs of each offset (in the caller's memory, as every tensor)
 * The input site i meets the output site o under the offset k if on every axis
 * o * stride = i + pad - k * dilation, 0 <= o < output_space. Offsets are numbered row by row, the last axis fastest.
 *
 * Regular: output sites are those that some input meets, ascending by (batch, depth, height, width), each once.
 * Submanifold: the output sites are the input sites in their order, and a pair exists only if the site met is one of
 * them; among equal input sites the last is the one that is met. Transposed (full profile):
 * o = i * stride - pad + k * dilation. The flag inverse changes nothing here: the convolutions swap the two rows.
 *
 * The number of output sites (submanifold: L) is kept in sparse_conv_desc for mluOpGetSparseConvolutionNumActOut, so
 * the descriptor belongs to one call at a time. The handle keeps scratch memory for its next call. Workspace, scratch
 * and what a call frees again take at most 64 * (L + output sites) bytes + 64 MiB together, whatever the spaces.
 *
 * Checked in this order:
 * BAD_PARAM      handle or a descriptor is NULL
 * NOT_SUPPORTED  contract profile: sparse_conv_desc is transposed, inverse or not 3-dimensional
 * BAD_PARAM      ranks are not 2, 3, 2, 1; indices or out_indices have not D + 1 columns; indice_pairs has not 2 rows
 *                and L columns; indice_num has not the first extent of indice_pairs; contract profile: more input sites
 *                than batch times input space has; contract profile: stride and dilation of an axis are both above 1;
 *                indice_pairs has not K first; out_indices has more rows than batch times output space has sites (full
 *                profile, submanifold: and more than L too)
 * NOT_SUPPORTED  a tensor is not dense; a tensor has 2^31 elements or more (full profile: more than int64 bytes can
 *                count); L does not fit int32; the batch times the input or the output space has 2^63 - 1 sites or more
 * BAD_PARAM      a type is not int32; submanifold: on an axis the spaces differ, stride is not 1, or, contract profile,
 *                dilation is not 1
 * success        a tensor has no elements: indice_num becomes 0, the other outputs -1, where they have elements and a
 *                data pointer (overlap is not looked at); the number of output sites becomes 0
 * BAD_PARAM      a data pointer is NULL; workspace is NULL but workspace_size is not 0; workspace_size is below
 *                mluOpGetIndicePairsWorkspaceSize; an output or the workspace overlaps another buffer; a batch id is
 *                outside the batch or a coordinate outside the input space; out_indices has fewer rows than there are
 *                output sites
 * NOT_SUPPORTED  there are 2^31 output sites or more
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t MLUOP_WIN_API mluOpGetIndicePairs(mluOpHandle_t handle,
                                                const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                                const mluOpTensorDescriptor_t indices_desc, const void* indices,
                                                void* workspace, const size_t workspace_size,
                                                const mluOpTensorDescriptor_t indice_pairs_desc, void* indice_pairs,
                                                const mluOpTensorDescriptor_t out_indices_desc, void* out_indices,
                                                const mluOpTensorDescriptor_t indice_num_desc, void* indice_num);

/** mluOpGetIndicePairsWorkspaceSize under the name of the design document. */
mluopStatus_t MLUOP_WIN_API mluopGetIndicePairsWorkspaceSize(mluOpHandle_t handle,
                                                             const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                                             const mluOpTensorDescriptor_t indices_desc,
                                                             const mluOpTensorDescriptor_t indice_pairs_desc,
                                                             const mluOpTensorDescriptor_t out_indices_desc,
                                                             const mluOpTensorDescriptor_t indice_num_desc,
                                                             size_t* workspace_size);

/** mluOpGetIndicePairs under the name of the design document. */
mluopStatus_t MLUOP_WIN_API mluopGetIndicePairs(mluOpHandle_t handle,
                                                const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                                const mluOpTensorDescriptor_t indices_desc, const void* indices,
                                                void* workspace, size_t workspace_size,
                                                const mluOpTensorDescriptor_t indice_pairs_desc, void* indice_pairs,
                                                const mluOpTensorDescriptor_t out_indices_desc, void* out_indices,
                                                const mluOpTensorDescriptor_t indice_num_desc, void* indice_num);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_GET_INDICE_PAIRS_H_ */
