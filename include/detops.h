/* detops.h: what detops adds to mlu_op.h. Pure C.
 *
 * Threads: functions that take a handle follow the handle's rule (one thread at a time); the target
 * functions act on the whole process and may be called from any thread, best before work starts. */
#ifndef DETOPS_DETOPS_H_
#define DETOPS_DETOPS_H_

#include "detops/box_iou_quadri.h"
#include "detops/box_iou_rotated.h"
#include "detops/boxes_iou_bev.h"
#include "detops/convex_iou.h"
#include "detops/indice_pool.h"
#include "detops/min_area_polygons.h"
#include "detops/nms_boxes.h"
#include "detops/nms_match.h"
#include "detops/point_to_voxel.h"
#include "detops/points_in_polygons.h"
#include "detops/psroipool.h"
#include "detops/roiaware_pool3d.h"
#include "detops/rulebook.h"
#include "detops/soft_nms.h"
#include "mlu_op.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** Version of the library, "major.minor.patch". The SONAME carries the major number. */
#define DETOPS_VERSION_MAJOR 0
#define DETOPS_VERSION_MINOR 1
#define DETOPS_VERSION_PATCH 0

/** The version of the library that runs, as "0.1.0". Static text. */
const char* detopsGetVersion(void);

/* ---- errors --------------------------------------------------------------------------------- */

/** One English sentence about the last failed call on this handle; with NULL, about the last failed call of
 * this thread, with or without a handle. A call with a handle that succeeds empties both texts; one without (also
 * mluOpDestroy, whose handle is gone) leaves the thread's alone, so that a program may free what it has and print then.
 * Never NULL. The text lives until the next call with the handle (with NULL: of this thread). */
const char* detopsGetLastError(mluOpHandle_t handle);

/* ---- profile and checks --------------------------------------------------------------------- */

/** What the operators of a handle accept. */
typedef enum {
  DETOPS_PROFILE_CONTRACT = 0, /**< Exactly what the accelerator's contract accepts; the default. */
  DETOPS_PROFILE_FULL = 1      /**< Everything the CPU can do: double, bfloat16, 2^31 elements and more. */
} detopsProfile_t;

/** BAD_PARAM: handle is NULL; profile is neither value. */
mluOpStatus_t detopsSetProfile(mluOpHandle_t handle, detopsProfile_t profile);

/** BAD_PARAM: handle or profile is NULL. */
mluOpStatus_t detopsGetProfile(mluOpHandle_t handle, detopsProfile_t* profile);

/** Switches the checks of values in tensors (NaN in boxes, indices out of range) on (non-zero, the default) or
 * off (0). Off is for callers who vouch for their data: what a wrong value then does is undefined.
 * BAD_PARAM: handle is NULL. */
mluOpStatus_t detopsSetValueChecks(mluOpHandle_t handle, int on);

/** 1 or 0. BAD_PARAM: handle or on is NULL. */
mluOpStatus_t detopsGetValueChecks(mluOpHandle_t handle, int* on);

/** The architecture number operators are checked against: always 592, so that no operator is refused.
 * BAD_PARAM: handle or architecture is NULL. */
mluOpStatus_t detopsGetArchitecture(mluOpHandle_t handle, int* architecture);

/* ---- threads -------------------------------------------------------------------------------- */

/** Sets the number of threads that work on a call, the caller's included; 0 is as many as the process may use
 * (its CPU affinity), or as the environment variable DETOPS_NUM_THREADS says if that is a whole number above 0.
 * Results have the same bits for any number. BAD_PARAM: handle is NULL; num_threads is negative. */
mluOpStatus_t detopsSetNumThreads(mluOpHandle_t handle, int num_threads);

/** The number in use; never 0. BAD_PARAM: handle or num_threads is NULL. */
mluOpStatus_t detopsGetNumThreads(mluOpHandle_t handle, int* num_threads);

/** One piece of work. */
typedef void (*detopsTask_t)(void* context, int index);

/** A caller's own way to run work: calls task(context, i) once for every i in [0, count), in any order, on any
 * threads, and returns 0 when all are done. Another value, or a task left out, makes the operator answer
 * EXECUTION_FAILED; its outputs are then undefined. When the runner returns, whatever it returns, no task may still
 * run. It must not throw and not call the library with the same handle. */
typedef int (*detopsRunner_t)(void* opaque, detopsTask_t task, void* context, int count);

/** Lets the caller's threads do the work; opaque is handed to the runner. NULL restores the library's own
 * threads. The number of threads still tells into how many pieces work is cut. BAD_PARAM: handle is NULL. */
mluOpStatus_t detopsSetParallelRunner(mluOpHandle_t handle, detopsRunner_t runner, void* opaque);

/* ---- instruction sets ----------------------------------------------------------------------- */

/** The instruction set in use, as "avx2". Static text. There are avx3 (AVX-512), avx2, sse4, ssse3 and scalar on
 * x86-64, and neon on 64-bit ARM. The environment variable DETOPS_TARGET, if it names a supported one, forces it from
 * the start; otherwise the best is used. */
const char* detopsGetTarget(void);

/** Those this machine can run, comma-separated, best first, as "avx2,sse4,ssse3,scalar". Static text. */
const char* detopsGetSupportedTargets(void);

/** Forces one of them, upper or lower case; NULL restores the automatic choice (DETOPS_TARGET, else the best).
 * It takes effect for calls that start afterwards. BAD_PARAM: unknown or not supported; nothing changes. */
mluOpStatus_t detopsSetTarget(const char* name);

/* ---- log ------------------------------------------------------------------------------------ */

/** What a handle tells about its calls. */
typedef enum {
  DETOPS_LOG_OFF = 0,     /**< Nothing; the default. */
  DETOPS_LOG_DISPATCH = 1 /**< Per call of an operator that can choose: one line, which algorithm runs and why. While
                             calls are recorded (mlu_op/gen_case.h) also what became of each record. */
} detopsLogLevel_t;

/** Gets one line without a line break, as "mluOpIndiceConvolutionForward: ..."; the text lives during the call only.
 * It runs on the thread that called the operator, before the work starts (about the outputs of a record: after it),
 * and must not use the same handle. */
typedef void (*detopsLogSink_t)(void* opaque, detopsLogLevel_t level, const char* line);

/** Sends the lines up to `level` to the caller's sink; opaque is handed to it. OFF or a NULL sink stops it. The library
 * itself prints nothing, unless MLUOP_GEN_CASE is 3 (mlu_op/gen_case.h) and the handle has no sink.
 * BAD_PARAM: handle is NULL; level is none of the values. */
mluOpStatus_t detopsSetLog(mluOpHandle_t handle, detopsLogLevel_t level, detopsLogSink_t sink, void* opaque);

/* ---- sparse convolution --------------------------------------------------------------------- */

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

/* ---- more convolutions -----------------------------------------------------------------------
 *
 * These functions need the full profile; in the contract profile they answer NOT_SUPPORTED. Shapes, types, layouts and
 * the meaning of inverse are those of mlu_op/indice_convolution.h. */

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

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif /* DETOPS_DETOPS_H_ */
