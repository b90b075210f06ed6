/* cnrt.h: a small runtime on host memory, so that programs written for the accelerator build and run.
 *
 * "Device" memory is host memory: cnrtMalloc gives ordinary memory that both the program and the
 * operators may touch, and copies in any direction are plain copies.
 *
 * Queues. Every operator and every function below has finished its work when it returns. A queue is
 * therefore always empty, keeps order trivially, and cnrtQueueSync has nothing to wait for. "Async"
 * functions are synchronous. A NULL queue is accepted wherever a queue is.
 *
 * Threads. All functions may be called from any thread. One notifier or queue object must not be
 * destroyed while another thread uses it.
 *
 * Statuses. Each function returns cnrtSuccess or one of the errors its comment names. Nothing prints,
 * throws or aborts; cnrtGetLastError keeps the last error of the calling thread. */
#ifndef DETOPS_CNRT_H_
#define DETOPS_CNRT_H_

#include <stddef.h>
#include <stdint.h>

#include "cn_api.h"
#include "mlu_op/linkage.h"

DETOPS_C_BEGIN

/** Result of a runtime call; the values are the accelerator runtime's. */
typedef enum {
  cnrtSuccess = 0,                 /**< The call succeeded. */
  cnrtErrorNotReady = 1,           /**< The queue or notifier has unfinished work (never on the host). */
  cnrtErrorInit = 100002,          /**< The runtime could not start (never on the host). */
  cnrtErrorNoDevice = 100004,      /**< No device was found (never on the host). */
  cnrtErrorDeviceInvalid = 100005, /**< The device ordinal is not 0. */
  cnrtErrorArgsInvalid = 100006,   /**< A pointer is NULL or a value is outside its range. */
  cnrtErrorSys = 100007,           /**< A system call failed. */
  cnrtErrorSysNoMem = 100010,      /**< The host is out of memory. */
  cnrtErrorNoMem = 100100          /**< The device, here the host too, is out of memory. */
} cnrtRet_t;

/* Spellings of older programs. */
#define CNRT_RET_SUCCESS cnrtSuccess
#define CNRT_RET_ERR_INVALID cnrtErrorArgsInvalid
#define CNRT_RET_ERR_NOMEM cnrtErrorNoMem
#define CNRT_RET_ERR_NOT_READY cnrtErrorNotReady

/** Direction of a copy. On the host all are the same copy. */
typedef enum {
  cnrtMemcpyHostToDev = 0,  /**< Host to device. */
  cnrtMemcpyDevToDev = 1,   /**< Within one device. */
  cnrtMemcpyDevToHost = 2,  /**< Device to host. */
  cnrtMemcpyHostToHost = 3, /**< Host to host. */
  cnrtMemcpyPeerToPeer = 4, /**< Between two devices. */
  cnrtMemcpyNoDirection = 5 /**< The runtime finds out. */
} cnrtMemTransDir_t;

#define CNRT_MEM_TRANS_DIR_HOST2DEV cnrtMemcpyHostToDev
#define CNRT_MEM_TRANS_DIR_DEV2DEV cnrtMemcpyDevToDev
#define CNRT_MEM_TRANS_DIR_DEV2HOST cnrtMemcpyDevToHost
#define CNRT_MEM_TRANS_DIR_HOST2HOST cnrtMemcpyHostToHost

/** What cnrtDeviceGetAttribute tells; the values are the accelerator runtime's. */
typedef enum {
  cnrtAttrClusterCount = 0x205,   /**< Clusters of the device. */
  cnrtAttrMcorePerCluster = 0x206 /**< Cores of a cluster. */
} cnrtDeviceAttr_t;

/** An in-order queue. Owned by the caller from cnrtQueueCreate to cnrtQueueDestroy. */
typedef struct cnrtQueueStruct* cnrtQueue_t;

/** A point in time on a queue. Owned by the caller from cnrtNotifierCreate to cnrtNotifierDestroy. */
typedef struct cnrtNotifierStruct* cnrtNotifier_t;

/* ---- queues --------------------------------------------------------------------------------- */

/** Makes a queue. Errors: cnrtErrorArgsInvalid (queue NULL), cnrtErrorSysNoMem. */
cnrtRet_t cnrtQueueCreate(cnrtQueue_t* queue);

/** Frees a queue. Error: cnrtErrorArgsInvalid (queue NULL). */
cnrtRet_t cnrtQueueDestroy(cnrtQueue_t queue);

/** Waits until the queue is empty: returns at once. NULL is the default queue. */
cnrtRet_t cnrtQueueSync(cnrtQueue_t queue);

/** Asks whether the queue is empty: it is. NULL is the default queue. */
cnrtRet_t cnrtQueueQuery(cnrtQueue_t queue);

/** Older spelling of cnrtQueueSync. */
cnrtRet_t cnrtSyncQueue(cnrtQueue_t queue);

/** Waits until the device is idle: returns at once. */
cnrtRet_t cnrtSyncDevice(void);

/* ---- notifiers ------------------------------------------------------------------------------ */

/** Makes a notifier that has not been placed yet. Errors: cnrtErrorArgsInvalid, cnrtErrorSysNoMem. */
cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier);

/** Frees a notifier. Error: cnrtErrorArgsInvalid (notifier NULL). */
cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier);

/** Records the present moment in the notifier. Error: cnrtErrorArgsInvalid (notifier NULL). */
cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue);

/** Waits for the notifier: returns at once. Error: cnrtErrorArgsInvalid (notifier NULL). */
cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier);

/** Makes a queue wait for the notifier: nothing to do. Error: cnrtErrorArgsInvalid (notifier NULL). */
cnrtRet_t cnrtQueueWaitNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue, unsigned int flags);

/** Asks whether the notifier has been reached: yes. Error: cnrtErrorArgsInvalid (notifier NULL). */
cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier);

/** Microseconds from the placing of start to the placing of end.
 * Error: cnrtErrorArgsInvalid (a pointer is NULL, or a notifier was never placed). */
cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* us);

/** As cnrtNotifierDuration, in milliseconds. */
cnrtRet_t cnrtNotifierElapsedTime(cnrtNotifier_t start, cnrtNotifier_t end, float* ms);

/* ---- memory --------------------------------------------------------------------------------- */

/** Allocates `bytes` of memory, aligned to 64 bytes, to be freed by cnrtFree. 0 bytes give a pointer
 * that may be freed but not read. Errors: cnrtErrorArgsInvalid (pointer NULL), cnrtErrorNoMem
 * (*pointer is left as it was). */
cnrtRet_t cnrtMalloc(void** pointer, size_t bytes);

/** Frees memory of cnrtMalloc. NULL is accepted. */
cnrtRet_t cnrtFree(void* pointer);

/** As cnrtMalloc, for memory named "host" by the program; freed by cnrtFreeHost. */
cnrtRet_t cnrtHostMalloc(void** pointer, size_t bytes);

/** Frees memory of cnrtHostMalloc. NULL is accepted. */
cnrtRet_t cnrtFreeHost(void* pointer);

/** Copies `bytes` from src to dst; the two may overlap. src is not changed (it lacks const as the
 * original does). Errors: cnrtErrorArgsInvalid (a pointer is NULL while bytes > 0, unknown direction). */
cnrtRet_t cnrtMemcpy(void* dst, void* src, size_t bytes, cnrtMemTransDir_t direction);

/** As cnrtMemcpy; finished on return. */
cnrtRet_t cnrtMemcpyAsync(void* dst, void* src, size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t direction);

/** Sets `bytes` bytes to the low 8 bits of value. Error: cnrtErrorArgsInvalid (dst NULL while bytes > 0). */
cnrtRet_t cnrtMemset(void* dst, int value, size_t bytes);

/** As cnrtMemset; finished on return. */
cnrtRet_t cnrtMemsetAsync(void* dst, int value, size_t bytes, cnrtQueue_t queue);

/* ---- devices -------------------------------------------------------------------------------- */

/** There is one device, the host. Error: cnrtErrorArgsInvalid (count NULL). */
cnrtRet_t cnrtGetDeviceCount(unsigned int* count);

/** The current device: 0. Error: cnrtErrorArgsInvalid (ordinal NULL). */
cnrtRet_t cnrtGetDevice(int* ordinal);

/** Chooses the device. Error: cnrtErrorDeviceInvalid (ordinal is not 0). */
cnrtRet_t cnrtSetDevice(int ordinal);

/** The host is one cluster of one core: *value becomes 1. Errors: cnrtErrorArgsInvalid (value is NULL, or attribute is
 * none of the above), cnrtErrorDeviceInvalid (ordinal is not 0). */
cnrtRet_t cnrtDeviceGetAttribute(int* value, cnrtDeviceAttr_t attribute, int ordinal);

/* ---- errors --------------------------------------------------------------------------------- */

/** The enumerator's own spelling; "cnrtErrorUnknown" for other values. Static text, never NULL. */
const char* cnrtGetErrorStr(cnrtRet_t code);

/** The last error of this thread, which becomes cnrtSuccess. */
cnrtRet_t cnrtGetLastError(void);

/** The last error of this thread, which stays. */
cnrtRet_t cnrtPeekAtLastError(void);

/** Used by CNRT_CHECK: remembers a failed result for cnrtGetLastError, and does nothing else. The
 * original ends the process here; a library that promises never to abort leaves that to the program. */
void cnrtCheck(cnrtRet_t result, const char* expression, const char* file, int line);

/** Programs that want another reaction may define CNRT_CHECK before or after this header. */
#ifndef CNRT_CHECK
#define CNRT_CHECK(expression) cnrtCheck((expression), #expression, __FILE__, __LINE__)
#endif

DETOPS_C_END

#endif /* DETOPS_CNRT_H_ */
