/* Index pairs that are kept for many calls. Part of detops.h. */
#ifndef DETOPS_DETOPS_RULEBOOK_H_
#define DETOPS_DETOPS_RULEBOOK_H_

#include <stddef.h>
#include <stdint.h>

#include "../mlu_op/handle.h"
#include "../mlu_op/tensor.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** The pairs of a convolution, checked once and kept in the order in which the engine reads them, for forward and
 * backward. It is made once per pairs and serves any number of convolutions and poolings, whatever their channels;
 * layers that share pairs share it. Results have the same bits as those of the functions that take indice_pairs. After
 * its creation it is read only, so several threads may use it at the same time, each with its own handle. */
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

/** Frees it. BAD_PARAM: rulebook is NULL. */
mluOpStatus_t detopsDestroyRulebook(detopsRulebook_t rulebook);

/** The memory it holds, in bytes. BAD_PARAM: rulebook or bytes is NULL. */
mluOpStatus_t detopsGetRulebookSize(detopsRulebook_t rulebook, size_t* bytes);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif /* DETOPS_DETOPS_RULEBOOK_H_ */
