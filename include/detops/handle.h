/* What detops adds to handles: the text of errors, profile, value checks, threads, log; and the instruction set of the
 * process. Part of detops.h. */
#ifndef DETOPS_DETOPS_HANDLE_H_
#define DETOPS_DETOPS_HANDLE_H_

#include "../mlu_op/handle.h"
#include "../mlu_op/linkage.h"

DETOPS_C_BEGIN

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

/** For callers whose thresholds are double: iou_threshold of detopsNmsBoxes, detopsSoftNms and detopsNmsMatch stands
 * for `threshold` from now on where it is `threshold` rounded to float; another float counts as it is. An IoU is a
 * double too: that of (0, 0, 10, 10) and (0, 0, 10, 7) is above 0.7f, but not above 0.7. 0 at first. BAD_PARAM: handle
 * is NULL. */
mluOpStatus_t detopsSetExactThreshold(mluOpHandle_t handle, double threshold);

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

DETOPS_C_END

#endif /* DETOPS_DETOPS_HANDLE_H_ */
