/* Scatter reductions: rows with the same index become one. Part of detops.h.
 * Formulas and numerics: src/ops/scatter_reduce/README.md in the source tree.
 *
 * Both functions need the full profile; in the contract profile they answer NOT_SUPPORTED. */
#ifndef DETOPS_DETOPS_SCATTER_REDUCE_H_
#define DETOPS_DETOPS_SCATTER_REDUCE_H_

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"
#include "../mlu_op/types.h"

DETOPS_C_BEGIN

/** Reduces the rows of each group to one: sum, mean or maximum of every column.
 *
 *   src     [N, C] floating
 *   index   [N] int32 or int64: the group of each row, in [0, V), or -1 for none
 *   out     [V, C], type of src; 0 for a group without rows
 *   count   [V] int32 or int64, optional: the number of rows of a group
 *   argmax  [V, C] int32 or int64, optional: the row that has the maximum, of equal ones the first; N if there is none
 *           (and always N for a sum or a mean)
 *
 * A NULL descriptor leaves an optional tensor out; its data pointer is not looked at then. A NaN never is a maximum: a
 * group without any number above -inf has the maximum 0 and no row. Sums are in float in the order of the rows (more
 * than 512: in pieces of 512, and these in double; double tensors: all in double), rounded once; a mean is divided
 * once.
 *
 * With value checks off a row whose index is outside of [0, V) has no group. No workspace; the handle keeps scratch
 * memory of at most 20 bytes per row of src, 8 per row of out and 256 KiB for its next call. The same bits for any
 * number of threads and on any instruction set.
 *
 * Checked in this order:
 * BAD_PARAM      handle or the descriptor of src, index or out is NULL
 * NOT_SUPPORTED  the profile is not the full one
 * BAD_PARAM      mode is none of mluOpReduceMode_t; a rank is not that of the shapes above; a shape is not one of those
 *                above; src is not floating, index neither int32 nor int64, out not of the type of src, count or argmax
 *                neither int32 nor int64
 * NOT_SUPPORTED  a tensor is not dense; a tensor has more bytes than int64 can count
 * BAD_PARAM      the data pointer of a tensor with elements is NULL
 * NOT_SUPPORTED  N or V is 2^31 or more
 * BAD_PARAM      an output overlaps another tensor; a number in index is not in [-1, V) (if value checks are on)
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsScatterReduceForward(mluOpHandle_t handle, mluOpReduceMode_t mode,
                                         const mluOpTensorDescriptor_t src_desc, const void* src,
                                         const mluOpTensorDescriptor_t index_desc, const void* index,
                                         const mluOpTensorDescriptor_t out_desc, void* out,
                                         const mluOpTensorDescriptor_t count_desc, void* count,
                                         const mluOpTensorDescriptor_t argmax_desc, void* argmax);

/** The gradient of detopsScatterReduceForward for src.
 *
 *   grad_out  [V, C] floating
 *   index     [src_rows], as given to the forward pass
 *   count     [V] int32 or int64, as the forward pass gave it; mean only, else it is not looked at and may be left out
 *   argmax    [V, C] int32 or int64, as the forward pass gave it; maximum only, likewise
 *   grad_src  [src_rows, C], type of grad_out, all of it written
 *
 * A row gets the gradient of its group: divided by the number of its rows (0 counts as 1) for a mean, and where argmax
 * names the row for a maximum. A row without a group gets 0.
 *
 * With value checks off a row whose index is outside of [0, V) has no group, and a number in argmax that is no row of
 * its group is nobody's. No memory is kept. The same bits for any number of threads and on any instruction set.
 *
 * Checked in this order:
 * BAD_PARAM      handle, the descriptor of grad_out, index or grad_src, or that of count (mean) or argmax (maximum) is
 *                NULL
 * NOT_SUPPORTED  the profile is not the full one
 * BAD_PARAM      mode is none of mluOpReduceMode_t; src_rows is negative; a rank is not that of the shapes above; a
 *                shape is not one of those above; grad_out is not floating, index, count or argmax neither int32 nor
 *                int64, grad_src not of the type of grad_out
 * NOT_SUPPORTED  a tensor is not dense; a tensor has more bytes than int64 can count
 * BAD_PARAM      the data pointer of a tensor with elements is NULL; grad_src overlaps another tensor; a number in
 *                index is not in [-1, V), or one in argmax not in [0, src_rows] (if value checks are on)
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsScatterReduceBackward(mluOpHandle_t handle, mluOpReduceMode_t mode,
                                          const mluOpTensorDescriptor_t grad_out_desc, const void* grad_out,
                                          const mluOpTensorDescriptor_t index_desc, const void* index,
                                          const mluOpTensorDescriptor_t count_desc, const void* count,
                                          const mluOpTensorDescriptor_t argmax_desc, const void* argmax,
                                          int64_t src_rows, const mluOpTensorDescriptor_t grad_src_desc,
                                          void* grad_src);

DETOPS_C_END

#endif /* DETOPS_DETOPS_SCATTER_REDUCE_H_ */
