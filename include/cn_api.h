/* cn_api.h: the few driver types that mlu_op.h's users mention. Host version of detops.
 *
 * The accelerator's driver header declares hundreds of functions; a program that only calls
 * mluOp* operators needs none of them, so this file declares types alone. */
#ifndef DETOPS_CN_API_H_
#define DETOPS_CN_API_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Result of a driver call. The host has no driver, so nothing but success occurs. */
typedef enum {
  CN_SUCCESS = 0 /**< The call succeeded. */
} CNresult;

/** A device of the driver. The host is device 0. */
typedef int CNdev;

#ifdef __cplusplus
}
#endif

#endif /* DETOPS_CN_API_H_ */
