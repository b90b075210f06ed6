/* What detops adds to indice_convolution: a last step before rounding, and pairs as a rulebook. Part of detops.h.
 *
 * These functions need the full profile; in the contract profile they answer NOT_SUPPORTED. Shapes, types, layouts and
 * the meaning of inverse are those of mlu_op/indice_convolution.h. */
#ifndef DETOPS_DETOPS_INDICE_CONVOLUTION_H_
#define DETOPS_DETOPS_INDICE_CONVOLUTION_H_

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"
#include "../mlu_op/tensor.h"
#include "rulebook.h"

DETOPS_C_BEGIN

/** What is applied to a number as the last step. */
typedef enum {
  DETOPS_ACTIVATION_NONE = 0,
  DETOPS_ACTIVATION_RELU = 1,      /**< x below 0 becomes 0; NaN stays NaN. */
  DETOPS_ACTIVATION_LEAKY_RELU = 2 /**< x below 0 becomes negative_slope * x. */
} detopsActivation_t;

/** mluOpIndiceConvolutionForward, then + bias, then + residual, then the activation, all before the one rounding to the
 * type of the output, without another pass over memory. Batch normalisation is folded into filters and bias by the
 * caller.
 *
 * bias [Co] and residual [num_act_out, Co] have the type of features; a NULL descriptor means there is none.
 * negative_slope is read for LEAKY_RELU only. Where mluOpIndiceConvolutionForward leaves zeros, here stands what bias,
 * residual and activation make of zero; that also holds if features or indice_pairs have no elements.
 *
 * Checked in this order:
 * BAD_PARAM      handle, indice_num or the descriptor of features, filters, indice_pairs or features_out is NULL
 * NOT_SUPPORTED  contract profile
 * BAD_PARAM      a type is not one of those above; types differ; sub_m is neither 0 nor 1; inverse is neither 0 nor 1;
 *                activation is none of its values; with leaky relu: negative_slope is not finite
 * NOT_SUPPORTED  the layout of filters is not NDHWC, NCDHW, ARRAY, NHWC, NCHW or HWCN
 * BAD_PARAM      ranks of features, indice_pairs, features_out, bias, residual are not 2, 3, 2, 1, 2
 * NOT_SUPPORTED  the rank of filters is neither 4 nor 5
 * BAD_PARAM      the layout of filters does not fit its rank
 * NOT_SUPPORTED  a tensor is not dense; int64 cannot count the bytes of a tensor; filters has 2^63 - 1 offsets or more
 * BAD_PARAM      a shape is not as above; a number in indice_num is not in [0, L]
 * success        features, filters, indice_pairs or features_out has no elements: features_out, if it has elements and
 *                a data pointer, becomes what bias, residual and activation make of 0, after their data pointers and
 *                overlap were looked at
 * BAD_PARAM      a data pointer is NULL; features_out overlaps another buffer; a counted index is outside its tensor
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsIndiceConvolutionForwardFused(mluOpHandle_t handle, const mluOpTensorDescriptor_t features_desc,
                                                  const void* features, const mluOpTensorDescriptor_t filters_desc,
                                                  const void* filters, const mluOpTensorDescriptor_t indice_pairs_desc,
                                                  const void* indice_pairs, const int64_t indice_num[],
                                                  int64_t num_act_out, int64_t inverse, int64_t sub_m,
                                                  const mluOpTensorDescriptor_t bias_desc, const void* bias,
                                                  const mluOpTensorDescriptor_t residual_desc, const void* residual,
                                                  detopsActivation_t activation, float negative_slope,
                                                  const mluOpTensorDescriptor_t features_out_desc, void* features_out);

/** detopsIndiceConvolutionForwardFused on a rulebook: features has num_act_in rows, features_out num_act_out
 * (inverse = 1: the other way round), and residual as many as features_out.
 *
 * Checked in this order:
 * BAD_PARAM      handle, rulebook or the descriptor of features, filters or features_out is NULL
 * NOT_SUPPORTED  contract profile
 * BAD_PARAM      a type is not one of those above; types differ; inverse is neither 0 nor 1; activation is none of its
 *                values; with leaky relu: negative_slope is not finite
 * NOT_SUPPORTED  the layout of filters is not NDHWC, NCDHW, ARRAY, NHWC, NCHW or HWCN
 * BAD_PARAM      ranks of features, features_out, bias, residual are not 2, 2, 1, 2
 * NOT_SUPPORTED  the rank of filters is neither 4 nor 5
 * BAD_PARAM      the layout of filters does not fit its rank
 * NOT_SUPPORTED  a tensor is not dense; int64 cannot count the bytes of a tensor; filters has 2^63 - 1 offsets or more
 * BAD_PARAM      filters has another number of offsets than the rulebook; a shape is not as above
 * success        features, filters or features_out has no elements: features_out, if it has elements and a data
 *                pointer, becomes what bias, residual and activation make of 0, after their data pointers and overlap
 *                were looked at
 * BAD_PARAM      a data pointer is NULL; features_out overlaps another buffer
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsRulebookConvolutionForward(mluOpHandle_t handle, detopsRulebook_t rulebook, int64_t inverse,
                                               const mluOpTensorDescriptor_t features_desc, const void* features,
                                               const mluOpTensorDescriptor_t filters_desc, const void* filters,
                                               const mluOpTensorDescriptor_t bias_desc, const void* bias,
                                               const mluOpTensorDescriptor_t residual_desc, const void* residual,
                                               detopsActivation_t activation, float negative_slope,
                                               const mluOpTensorDescriptor_t features_out_desc, void* features_out);

/** mluOpIndiceConvolutionBackwardData on a rulebook: input_grad has num_act_in rows, output_grad num_act_out
 * (inverse = 1: the other way round).
 *
 * Checked in this order:
 * BAD_PARAM      handle, rulebook or a descriptor is NULL
 * NOT_SUPPORTED  contract profile
 * BAD_PARAM      ranks of output_grad, filters, input_grad are not 2, 4 or 5, 2; a type is not one of those above; the
 *                layout of filters is none of the above or does not fit its rank
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      inverse is neither 0 nor 1
 * NOT_SUPPORTED  filters has 2^63 - 1 offsets or more
 * BAD_PARAM      filters has another number of offsets than the rulebook; a shape is not as above; types differ
 * NOT_SUPPORTED  int64 cannot count the bytes of a tensor
 * success        a tensor has no elements: input_grad becomes 0 if it has elements and a data pointer
 * BAD_PARAM      a data pointer is NULL; input_grad overlaps another buffer
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsRulebookConvolutionBackwardData(mluOpHandle_t handle, detopsRulebook_t rulebook, int64_t inverse,
                                                    const mluOpTensorDescriptor_t output_grad_desc,
                                                    const void* output_grad, const mluOpTensorDescriptor_t filters_desc,
                                                    const void* filters, const mluOpTensorDescriptor_t input_grad_desc,
                                                    void* input_grad);

/** mluOpIndiceConvolutionBackwardFilter on a rulebook: features has num_act_in rows, output_grad num_act_out
 * (inverse = 1: the other way round).
 *
 * Checked in this order:
 * BAD_PARAM      handle, rulebook or a descriptor is NULL
 * NOT_SUPPORTED  contract profile
 * BAD_PARAM      inverse is neither 0 nor 1
 * NOT_SUPPORTED  a tensor is not dense
 * BAD_PARAM      a type is not one of those above; types differ; the on-chip type of features or output_grad is set
 *                but is not its type; that of filters_grad is set but is no floating type or is narrower than its type
 * NOT_SUPPORTED  int64 cannot count the bytes of a tensor
 * BAD_PARAM      ranks of features, output_grad, filters_grad are not 2, 2, 4 or 5; the layout of filters_grad is none
 *                of the above or does not fit its rank
 * NOT_SUPPORTED  filters_grad has 2^63 - 1 offsets or more
 * BAD_PARAM      filters_grad has another number of offsets than the rulebook; a shape is not as above
 * success        a tensor has no elements: filters_grad becomes 0 if it has elements and a data pointer
 * BAD_PARAM      a data pointer is NULL; filters_grad overlaps another buffer
 * ALLOC_FAILED   no memory for the scratch
 * EXECUTION_FAILED  the caller's parallel runner failed */
mluOpStatus_t detopsRulebookConvolutionBackwardFilter(mluOpHandle_t handle, detopsRulebook_t rulebook, int64_t inverse,
                                                      const mluOpTensorDescriptor_t features_desc, const void* features,
                                                      const mluOpTensorDescriptor_t output_grad_desc,
                                                      const void* output_grad,
                                                      const mluOpTensorDescriptor_t filters_grad_desc,
                                                      void* filters_grad);

DETOPS_C_END

#endif /* DETOPS_DETOPS_INDICE_CONVOLUTION_H_ */
