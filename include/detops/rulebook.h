/* Index pairs that are kept for many calls. Part of detops.h. */
#ifndef DETOPS_DETOPS_RULEBOOK_H_
#define DETOPS_DETOPS_RULEBOOK_H_

#include <stddef.h>
#include <stdint.h>

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/sparse_convolution.h"
#include "../mlu_op/tensor.h"

DETOPS_C_BEGIN

/** The pairs of a convolution, checked once and kept in the order in which the engine reads them, for forward and
 * backward. It is made once per pairs and serves any number of convolutions and poolings, whatever their channels;
 * layers that share pairs share it. Results have the same bits as those of the functions that take indice_pairs. Those
 * who use it only read it, so several threads may do so at the same time, each with its own handle. */
typedef struct detopsRulebookStruct* detopsRulebook_t;

/** Makes a rulebook of pairs between num_act_in input rows and num_act_out output rows. It copies what it needs:
 * indice_pairs and indice_num may be freed afterwards. indice_pairs is [K, 2, any number >= the largest of indice_num].
 *
 * Memory: 8 bytes per counted pair if the input and the output indices of every offset ascend, as they do if the sites
 * were given in ascending order, and at most 16 otherwise, besides at most
 * 512 * (K + 2) + (8 * K + 1) * (num_act_in / 256 + num_act_out / 256 + 4) bytes; the sum is rounded up to large pages
 * of 2 MiB if it is 1 MiB or more; and 4 KiB. While it is made, nothing more is allocated but the handle's scratch.
 *
 * Checked in this order:
 * BAD_PARAM      rulebook, handle, the descriptor of indice_pairs or indice_num is NULL
 * NOT_SUPPORTED  contract profile
 * BAD_PARAM      indice_pairs is not int32, has not rank 3, or has not 2 rows
 * NOT_SUPPORTED  indice_pairs is not dense, or int64 cannot count its bytes
 * BAD_PARAM      num_act_in or num_act_out is not in [0, 2^31); a number in indice_num is not in [0, L]; indice_pairs
 *                has elements, but its data pointer is NULL; a counted index is not a row of its side, also if value
 *                checks are off
 * ALLOC_FAILED   no memory for the scratch or the rulebook
 * EXECUTION_FAILED  the caller's parallel runner failed
 * Scratch memory is reserved before the indices are looked at; this is the one time they are. *rulebook is written on
 * success only. */
mluOpStatus_t detopsCreateRulebook(mluOpHandle_t handle, const mluOpTensorDescriptor_t indice_pairs_desc,
                                   const void* indice_pairs, const int64_t indice_num[], int64_t num_act_in,
                                   int64_t num_act_out, detopsRulebook_t* rulebook);

/** Makes a rulebook straight from the coordinates of sites, with one search: that of mluOpGetIndicePairs, detops-
 * CountIndicePairOutputs and detopsCreateRulebook together, without [K, 2, L] indices of pairs. Convolutions on it have
 * the same bits.
 *
 * indices [L, D + 1] and out_indices [rows, D + 1] are as in mluOpGetIndicePairs: rows after the output sites become
 * -1. Of a submanifold convolution the descriptor of out_indices may be NULL, as its output sites are its input sites.
 * indice_num [K] becomes the number of pairs of each offset; a NULL descriptor means that nobody wants it. *count
 * becomes the number of output sites, also if out_indices has too few rows for them: so a caller may try with as many
 * as it has. The number in the descriptor of the convolution stays as it was.
 *
 * Memory: 8 bytes per pair and, in submanifold mode with a kernel that has a centre and no equal sites, 4 if the sites
 * ascend; else 8 more are set aside, which are touched only if the sites do not ascend; besides that what
 * detopsCreateRulebook has, and 40 bytes per offset; three blocks that are rounded up to large pages like that one's.
 * The handle's scratch is that of mluOpGetIndicePairs with its workspace, and in submanifold mode or for enormous
 * spaces room for pairs of 8 bytes per offset and site, of which as much is touched as there are pairs.
 *
 * Checked in this order:
 * BAD_PARAM      count or rulebook is NULL; handle or a descriptor is NULL
 * NOT_SUPPORTED  contract profile
 * BAD_PARAM      ranks are not 2, 2, 1; indices or out_indices have not D + 1 columns
 * NOT_SUPPORTED  filter_space has 2^24 offsets or more
 * BAD_PARAM      indice_num has not K elements
 * NOT_SUPPORTED  a tensor is not dense; int64 cannot count the bytes of a tensor; L does not fit int32; the batch times
 *                the input or the output space has 2^63 - 1 sites or more
 * BAD_PARAM      a type is not int32; submanifold: on an axis the spaces differ or stride is not 1; a tensor has
 *                elements, but its data pointer is NULL; an output overlaps another buffer; a batch id is outside the
 *                batch or a coordinate outside the input space; out_indices has fewer rows than there are output sites
 * NOT_SUPPORTED  there are 2^31 output sites or more
 * ALLOC_FAILED   no memory for the scratch or the rulebook
 * EXECUTION_FAILED  the caller's parallel runner failed
 * *rulebook is written on success only. */
mluOpStatus_t detopsBuildRulebook(mluOpHandle_t handle, const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                  const mluOpTensorDescriptor_t indices_desc, const void* indices,
                                  const mluOpTensorDescriptor_t out_indices_desc, void* out_indices,
                                  const mluOpTensorDescriptor_t indice_num_desc, void* indice_num, int64_t* count,
                                  detopsRulebook_t* rulebook);

/** Makes another rulebook out of one, as detopsBuildRulebook does, in the memory that it has: nothing is allocated as
 * long as no table of it must be larger than it was: for the same convolution that is, as long as there are no more
 * sites and pairs than before, and sites repeat only if they did before; and the handle's scratch is large enough. It
 * may be one of any function here, and of other sites and another convolution. Nobody else may use it meanwhile.
 *
 * Checked in this order:
 * BAD_PARAM      count or rulebook is NULL; handle or a descriptor is NULL
 * NOT_SUPPORTED  contract profile
 * BAD_PARAM      ranks are not 2, 2, 1; indices or out_indices have not D + 1 columns
 * NOT_SUPPORTED  filter_space has 2^24 offsets or more
 * BAD_PARAM      indice_num has not K elements
 * NOT_SUPPORTED  a tensor is not dense; int64 cannot count the bytes of a tensor; L does not fit int32; the batch times
 *                the input or the output space has 2^63 - 1 sites or more
 * BAD_PARAM      a type is not int32; submanifold: on an axis the spaces differ or stride is not 1; a tensor has
 *                elements, but its data pointer is NULL; an output overlaps another buffer; a batch id is outside the
 *                batch or a coordinate outside the input space; out_indices has fewer rows than there are output sites
 * NOT_SUPPORTED  there are 2^31 output sites or more
 * ALLOC_FAILED   no memory for the scratch or the rulebook
 * EXECUTION_FAILED  the caller's parallel runner failed
 * The rulebook stays as it was if a check fails; after ALLOC_FAILED or EXECUTION_FAILED it has no pairs and no rows. */
mluOpStatus_t detopsRebuildRulebook(mluOpHandle_t handle, detopsRulebook_t rulebook,
                                    const mluOpSparseConvolutionDescriptor_t sparse_conv_desc,
                                    const mluOpTensorDescriptor_t indices_desc, const void* indices,
                                    const mluOpTensorDescriptor_t out_indices_desc, void* out_indices,
                                    const mluOpTensorDescriptor_t indice_num_desc, void* indice_num, int64_t* count);

/** Makes a rulebook of one offset that pairs each of `rows` rows with itself: a convolution on it is a product of all
 * rows with one matrix. It takes 4 bytes per row, and the tables of a rulebook.
 *
 * BAD_PARAM      rulebook is NULL; rows is not in [0, 2^31)
 * ALLOC_FAILED   no memory for the rulebook */
mluOpStatus_t detopsCreateIdentityRulebook(int64_t rows, detopsRulebook_t* rulebook);

/** Frees it. BAD_PARAM: rulebook is NULL. */
mluOpStatus_t detopsDestroyRulebook(detopsRulebook_t rulebook);

/** The memory it holds, in bytes. BAD_PARAM: rulebook or bytes is NULL. */
mluOpStatus_t detopsGetRulebookSize(detopsRulebook_t rulebook, size_t* bytes);

DETOPS_C_END

#endif /* DETOPS_DETOPS_RULEBOOK_H_ */
