/* cn_api.h: the few driver names that mlu_op.h's users mention. Host version of detops.
 *
 * The accelerator's driver header declares hundreds of functions; a program that only calls mluOp* operators needs none
 * of them. Here are the types, and the questions that helper headers of such programs ask to choose a size of work. */
#ifndef DETOPS_CN_API_H_
#define DETOPS_CN_API_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Result of a driver call; the values are the driver's. */
typedef enum {
  CN_SUCCESS = 0,                 /**< The call succeeded. */
  CN_ERROR_INVALID_VALUE = 100006 /**< An argument is wrong. */
} CNresult;

/** A device of the driver. The host is device 0. */
typedef int CNdev;

/** A context of the driver. The host has one, NULL, which is current in every thread. */
typedef struct CNcontextStruct* CNcontext;

/** How many cores a task takes at once. */
typedef enum {
  CN_KERNEL_CLASS_BLOCK = 1,    /**< one core */
  CN_KERNEL_CLASS_UNION = 4,    /**< one cluster */
  CN_KERNEL_CLASS_UNION2 = 8,   /**< 2 clusters */
  CN_KERNEL_CLASS_UNION4 = 16,  /**< 4 clusters */
  CN_KERNEL_CLASS_UNION8 = 32,  /**< 8 clusters */
  CN_KERNEL_CLASS_UNION16 = 64, /**< 16 clusters */
  CN_KERNEL_CLASS_NONE = 255    /**< none of them */
} KernelClass;

/** What cnGetCtxConfigParam tells. */
typedef enum {
  CN_CTX_CONFIG_VISIBLE_CLUSTER = 0,     /**< a bit per cluster that may be used */
  CN_CTX_CONFIG_VISIBLE_CLUSTER_NUM = 1, /**< how many of them */
  CN_CTX_CONFIG_UNION_LIMIT = 2          /**< the largest task */
} CNctxConfigParamType;

/** Its answer. */
typedef union {
  uint64_t visibleCluster;       /**< for CN_CTX_CONFIG_VISIBLE_CLUSTER */
  uint64_t visibleClusterNumber; /**< for CN_CTX_CONFIG_VISIBLE_CLUSTER_NUM */
  KernelClass unionLimit;        /**< for CN_CTX_CONFIG_UNION_LIMIT */
} CNctxConfigParam;

/** Gives the context of this thread, the host's. CN_ERROR_INVALID_VALUE: context is NULL. */
static inline CNresult cnCtxGetCurrent(CNcontext* context) {
  if (context == NULL) return CN_ERROR_INVALID_VALUE;
  *context = NULL;
  return CN_SUCCESS;
}

/** The host is one cluster of one core: the answers are 1, 1 and CN_KERNEL_CLASS_BLOCK. CN_ERROR_INVALID_VALUE: context
 * is not that of cnCtxGetCurrent, type is none of the three, or param is NULL; nothing is written then. */
static inline CNresult cnGetCtxConfigParam(CNcontext context, CNctxConfigParamType type, CNctxConfigParam* param) {
  if (context != NULL || param == NULL) return CN_ERROR_INVALID_VALUE;
  switch (type) {
    case CN_CTX_CONFIG_VISIBLE_CLUSTER:
      param->visibleCluster = 1;
      return CN_SUCCESS;
    case CN_CTX_CONFIG_VISIBLE_CLUSTER_NUM:
      param->visibleClusterNumber = 1;
      return CN_SUCCESS;
    case CN_CTX_CONFIG_UNION_LIMIT:
      param->unionLimit = CN_KERNEL_CLASS_BLOCK;
      return CN_SUCCESS;
    default:
      return CN_ERROR_INVALID_VALUE;
  }
}

#ifdef __cplusplus
}
#endif

#endif /* DETOPS_CN_API_H_ */
