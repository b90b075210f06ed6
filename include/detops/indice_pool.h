/* indice_pool: pooling on the index pairs of a sparse convolution, maximum and average, forward and backward. Part of
 * detops.h. Mathematics, algorithm, memory and speed: src/ops/indice_pool/README.md in the source tree.
 *
 * Words and shapes, the same for all functions here. N input rows, Y output rows, C channels, K kernel offsets:
 *   features, input_grad       [N, C]
 *   features_out, output_grad  [Y, C]
 *   indice_pairs               [K, 2, L]  int32, any layout; row 0: input indices, row 1: output indices. Of offset k
 *                              the first indice_num[k] columns count, in any order; what stands after them is not
 *                              read. L and N need not be equal. A pair that occurs again counts again.
 *   indice_num                 K numbers of 64 bits in the caller's memory
 * Tensors of numbers are all float, all half, all double or all bfloat16. Half and bfloat16 are computed in float and
 * rounded once, to nearest even. All tensors are dense. Results have the same bits for any number of threads, on any
 * instruction set, and with pairs or a rulebook.
 *
 * These functions need the full profile; in the contract profile they answer NOT_SUPPORTED. No workspace: the handle
 * keeps scratch memory for its next call: at most 12 bytes per counted pair (average backward: 20, and 8 per output
 * row), 36 KiB per thread and, for each side of the pairs whose order is looked for (average backward: both), 64 * K +
 * 8 * (K + 1) * (rows / 256 + 2) bytes; on a rulebook 4 bytes per pair, 36 KiB per thread and the 8 per output row. */
#ifndef DETOPS_DETOPS_INDICE_POOL_H_
#define DETOPS_DETOPS_INDICE_POOL_H_

#include <stdint.h>

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"
#include "rulebook.h"

DETOPS_C_BEGIN

/** What becomes of the input rows of an output row. */
typedef enum {
  DETOPS_POOL_MAXIMUM = 0, /**< The largest, channel by channel. */
  DETOPS_POOL_AVERAGE = 1  /**< Their sum divided by their number. */
} detopsPoolMethod_t;

/** What a maximum begins with. */
typedef enum {
  DETOPS_MAXIMUM_FROM_ZERO = 0,  /**< Zero, as mmcv and spconv do: rows whose inputs are all negative become 0. */
  DETOPS_MAXIMUM_FROM_LOWEST = 1 /**< Nothing: the largest of the inputs that are numbers. */
} detopsMaximumStart_t;

/** Over all pairs (i, o) of all offsets:
 *   maximum  features_out[o] = the largest features[i], and 0 if start says so. NaN is not larger than anything and so
 *            ignored. Of +0 and -0 the first in order of offsets and columns stays.
 *   average  features_out[o] = the sum of features[i] / the number of pairs of o. start is not read.
 * A row without pairs becomes 0; so does, FROM_LOWEST too, a channel of a row in which all inputs are NaN.
 *
 * Checked in this order:
 * BAD_PARAM      handle, a descriptor or indice_num is NULL
 * NOT_SUPPORTED  contract profile
 * BAD_PARAM      method is none of its values; with maximum: start is none of its values; ranks of features,
 *                indice_pairs and features_out are not 2, 3, 2; features has none of the types above, indice_pairs is
 *                not int32, or features_out has not its type
 * NOT_SUPPORTED  a tensor is not dense, or int64 cannot count its bytes
 * BAD_PARAM      indice_pairs is not [K, 2, L]; features_out is not [num_act_out, C]; a number in indice_num is not in
 *                [0, L]; the data pointer of a tensor that has elements is NULL; features_out overlaps another tensor
 *                or indice_num
 * success        features_out has no elements: indices are not looked at
 * BAD_PARAM      a counted index is not a row of its tensor, also if value checks are off
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed
 * Scratch memory is reserved before the indices are looked at, and finding the order of the pairs looks at each of them
 * anyway. */
mluOpStatus_t detopsIndicePoolForward(mluOpHandle_t handle, detopsPoolMethod_t method, detopsMaximumStart_t start,
                                      const mluOpTensorDescriptor_t features_desc, const void* features,
                                      const mluOpTensorDescriptor_t indice_pairs_desc, const void* indice_pairs,
                                      const int64_t indice_num[], int64_t num_act_out,
                                      const mluOpTensorDescriptor_t features_out_desc, void* features_out);

/** The gradient of detopsIndicePoolForward with respect to features. Over all pairs (i, o) of all offsets:
 *   maximum  input_grad[i] = the sum of output_grad[o] in the channels where features[i] == features_out[o]: inputs
 *            that tie all get the whole gradient, an input that occurs again gets it again, NaN gets none. With
 *            FROM_ZERO, rows clamped to 0 pass nothing but to inputs that are 0 themselves.
 *   average  input_grad[i] = the sum of output_grad[o] / the number of pairs of o. features and features_out are not
 *            looked at; their descriptors may be NULL.
 * features_out is the result of the forward pass. input_grad is overwritten; rows without pairs become 0.
 *
 * Checked in this order:
 * BAD_PARAM      handle, with maximum the descriptor of features or features_out, another descriptor, or indice_num is
 *                NULL
 * NOT_SUPPORTED  contract profile
 * BAD_PARAM      method is none of its values; ranks of features, features_out, output_grad, indice_pairs and
 *                input_grad are not 2, 2, 2, 3, 2; output_grad has none of the types above, indice_pairs is not int32,
 *                or another tensor has not the type of output_grad
 * NOT_SUPPORTED  a tensor is not dense, or int64 cannot count its bytes
 * BAD_PARAM      indice_pairs is not [K, 2, L]; input_grad is not [N, C] for output_grad [Y, C]; with maximum:
 *                features has not the shape of input_grad, or features_out not that of output_grad; a number in
 *                indice_num is not in [0, L]; the data pointer of a tensor that has elements is NULL; input_grad
 *                overlaps another tensor or indice_num
 * success        input_grad has no elements: indices are not looked at
 * BAD_PARAM      a counted index is not a row of its tensor, also if value checks are off
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed
 * Scratch memory is reserved before the indices are looked at, and finding the order of the pairs looks at each of them
 * anyway. */
mluOpStatus_t detopsIndicePoolBackward(mluOpHandle_t handle, detopsPoolMethod_t method,
                                       const mluOpTensorDescriptor_t features_desc, const void* features,
                                       const mluOpTensorDescriptor_t features_out_desc, const void* features_out,
                                       const mluOpTensorDescriptor_t output_grad_desc, const void* output_grad,
                                       const mluOpTensorDescriptor_t indice_pairs_desc, const void* indice_pairs,
                                       const int64_t indice_num[], const mluOpTensorDescriptor_t input_grad_desc,
                                       void* input_grad);

/** detopsIndicePoolForward on a rulebook: features has num_act_in rows, features_out num_act_out.
 *
 * Checked in this order:
 * BAD_PARAM      handle, rulebook or a descriptor is NULL
 * NOT_SUPPORTED  contract profile
 * BAD_PARAM      method is none of its values; with maximum: start is none of its values; ranks of features and
 *                features_out are not 2, 2; features has none of the types above, or features_out has not its type
 * NOT_SUPPORTED  a tensor is not dense, or int64 cannot count its bytes
 * BAD_PARAM      features is not [rows of the inputs, C]; features_out is not [rows of the outputs, C]; the data
 *                pointer of a tensor that has elements is NULL; features_out overlaps another tensor
 * success        features_out has no elements
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsRulebookPoolForward(mluOpHandle_t handle, detopsRulebook_t rulebook, detopsPoolMethod_t method,
                                        detopsMaximumStart_t start, const mluOpTensorDescriptor_t features_desc,
                                        const void* features, const mluOpTensorDescriptor_t features_out_desc,
                                        void* features_out);

/** detopsIndicePoolBackward on a rulebook: input_grad has num_act_in rows, output_grad num_act_out. With an average
 * features and features_out are not looked at there either.
 *
 * Checked in this order:
 * BAD_PARAM      handle, rulebook, with maximum the descriptor of features or features_out, or another descriptor is
 *                NULL
 * NOT_SUPPORTED  contract profile
 * BAD_PARAM      method is none of its values; ranks of features, features_out, output_grad and input_grad are not 2,
 *                2, 2, 2; output_grad has none of the types above, or another tensor has not the type of output_grad
 * NOT_SUPPORTED  a tensor is not dense, or int64 cannot count its bytes
 * BAD_PARAM      output_grad is not [rows of the outputs, C]; input_grad is not [rows of the inputs, C]; with maximum:
 *                features has not the shape of input_grad, or features_out not that of output_grad; the data pointer
 *                of a tensor that has elements is NULL; input_grad overlaps another tensor
 * success        input_grad has no elements
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsRulebookPoolBackward(mluOpHandle_t handle, detopsRulebook_t rulebook, detopsPoolMethod_t method,
                                         const mluOpTensorDescriptor_t features_desc, const void* features,
                                         const mluOpTensorDescriptor_t features_out_desc, const void* features_out,
                                         const mluOpTensorDescriptor_t output_grad_desc, const void* output_grad,
                                         const mluOpTensorDescriptor_t input_grad_desc, void* input_grad);

DETOPS_C_END

#endif /* DETOPS_DETOPS_INDICE_POOL_H_ */
