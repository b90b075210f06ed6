/* Handles, queue, versions and names. Part of mlu_op.h. */
#ifndef DETOPS_MLU_OP_HANDLE_H_
#define DETOPS_MLU_OP_HANDLE_H_

#include <stddef.h>
#include <stdint.h>

#include "../cn_api.h"
#include "../cnrt.h"
#include "linkage.h"
#include "types.h"

DETOPS_C_BEGIN

/** The state of one user of the library: settings, threads, scratch memory, last error. */
typedef struct mluOpContext* mluOpHandle_t;

/** Makes a handle: no queue, rounding half-to-even, atomics not allowed, contract profile, value checks
 * on, as many threads as DETOPS_NUM_THREADS says or the process may use.
 * BAD_PARAM: handle is NULL. ALLOC_FAILED: out of memory. On failure *handle is left as it was. */
mluOpStatus_t MLUOP_WIN_API mluOpCreate(mluOpHandle_t* handle);

/** Rereads what the handle knows of its device: nothing can have changed on the host.
 * BAD_PARAM: handle is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpUpdateContextInformation(mluOpHandle_t handle);

/** Frees the handle with its scratch memory; the last one ends the library's threads.
 * The handle must not be in use. BAD_PARAM: handle is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpDestroy(mluOpHandle_t handle);

/** Sets the queue, which stays the caller's; NULL is the default queue. It is kept for mluOpGetQueue:
 * every call is finished when it returns. BAD_PARAM: handle is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpSetQueue(mluOpHandle_t handle, cnrtQueue_t queue);

/** Gives the queue of the last mluOpSetQueue, NULL before. BAD_PARAM: handle or queue is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpGetQueue(mluOpHandle_t handle, cnrtQueue_t* queue);

/** The enumerator's own spelling; "MLUOP_STATUS_UNKNOWN" for other values. Static text, never NULL. */
const char* MLUOP_WIN_API mluOpGetErrorString(mluOpStatus_t status);

/** Bytes of one element; 0 for a number that names no type.
 * BAD_PARAM: size is NULL; data_type is MLUOP_DTYPE_INVALID. */
mluOpStatus_t MLUOP_WIN_API mluOpGetSizeOfDataType(mluOpDataType_t data_type, size_t* size);

/** Version of the contract: MLUOP_MAJOR, MLUOP_MINOR, MLUOP_PATCHLEVEL. NULL pointers are skipped. */
void MLUOP_WIN_API mluOpGetLibVersion(int* major, int* minor, int* patch);

/** MLUOP_VERSION; kept for old programs. */
size_t MLUOP_WIN_API mluOpGetVersion(void);

/** Sets the rounding of quantized values, which is kept only.
 * BAD_PARAM: handle is NULL; round_mode is none of the three. */
mluOpStatus_t MLUOP_WIN_API mluOpSetQuantizeRoundMode(mluOpHandle_t handle, mluOpQuantizeRoundMode_t round_mode);

/** BAD_PARAM: handle or round_mode is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpGetQuantizeRoundMode(mluOpHandle_t handle, mluOpQuantizeRoundMode_t* round_mode);

/** Sets the atomics mode, which is kept only: results are the same bits in both.
 * BAD_PARAM: handle is NULL; atomics_mode is neither value. */
mluOpStatus_t MLUOP_WIN_API mluOpSetAtomicsMode(mluOpHandle_t handle, mluOpAtomicsMode_t atomics_mode);

/** BAD_PARAM: handle or atomics_mode is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpGetAtomicsMode(mluOpHandle_t handle, mluOpAtomicsMode_t* atomics_mode);

/** The device of the handle: 0, the host. BAD_PARAM: handle or device is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpGetDevice(mluOpHandle_t handle, CNdev* device);

/** Bytes of device memory the library reserves: 0. BAD_PARAM: mem_size is NULL. */
mluOpStatus_t MLUOP_WIN_API mluOpGetReservedMemSize(uint64_t* mem_size);

/** The type without its prefix, as "DTYPE_FLOAT"; "DTYPE_INVALID" for other values. Static text. */
const char* MLUOP_WIN_API mluOpGetNameOfDataType(mluOpDataType_t dtype);

/** The layout without its prefix, as "LAYOUT_NHWC"; "LAYOUT_INVALID" for other values. Static text. */
const char* MLUOP_WIN_API mluOpGetNameOfTensorLayout(mluOpTensorLayout_t layout);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_HANDLE_H_ */
