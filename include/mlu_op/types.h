/* Constants and enumerators of mlu_op.h, with the values of MLU-OPS 1.11.1. */
#ifndef DETOPS_MLU_OP_TYPES_H_
#define DETOPS_MLU_OP_TYPES_H_

/** Version of the contract that is implemented (detopsGetVersion gives the library's own). */
#define MLUOP_MAJOR 1
#define MLUOP_MINOR 11
#define MLUOP_PATCHLEVEL 1
/** One number for the three above; kept for old programs. */
#define MLUOP_VERSION (MLUOP_MAJOR * 1000 + MLUOP_MINOR * 100 + MLUOP_PATCHLEVEL)

/** Ranks up to this are stored inside a tensor descriptor; larger ones work too. */
#define MLUOP_DIM_MAX 8

#if defined(_WIN32)
#define MLUOP_WIN_API __stdcall
#else
#define MLUOP_WIN_API
#endif

/** Result of a call. */
typedef enum {
  MLUOP_STATUS_SUCCESS = 0,           /**< The call did what it should. */
  MLUOP_STATUS_NOT_INITIALIZED = 1,   /**< The library or an object is not ready. */
  MLUOP_STATUS_ALLOC_FAILED = 2,      /**< Out of memory; all objects stay usable. */
  MLUOP_STATUS_BAD_PARAM = 3,         /**< An argument, a relation of arguments or a value is wrong. */
  MLUOP_STATUS_INTERNAL_ERROR = 4,    /**< A defect of the library. */
  MLUOP_STATUS_ARCH_MISMATCH = 5,     /**< The device lacks the operator (never on the host). */
  MLUOP_STATUS_EXECUTION_FAILED = 6,  /**< The caller's own parallel runner failed. */
  MLUOP_STATUS_NOT_SUPPORTED = 7,     /**< A sensible request beyond a limit; the text names the limit. */
  MLUOP_STATUS_NUMERICAL_OVERFLOW = 8 /**< Unused by the operators here. */
} mluOpStatus_t;

/** Meaning of a tensor's axes. */
typedef enum {
  MLUOP_LAYOUT_NCHW = 0,  /**< batch, channel, height, width */
  MLUOP_LAYOUT_NHWC = 1,  /**< batch, height, width, channel */
  MLUOP_LAYOUT_HWCN = 2,  /**< height, width, channel, batch */
  MLUOP_LAYOUT_NDHWC = 3, /**< batch, depth, height, width, channel */
  MLUOP_LAYOUT_ARRAY = 4, /**< no names; what the operator says */
  MLUOP_LAYOUT_NCDHW = 5, /**< batch, channel, depth, height, width */
  MLUOP_LAYOUT_TNC = 6,   /**< time, batch, channel */
  MLUOP_LAYOUT_NTC = 7,   /**< batch, time, channel */
  MLUOP_LAYOUT_NC = 8,    /**< batch, channel */
  MLUOP_LAYOUT_NLC = 9,   /**< batch, length, channel */
  MLUOP_LAYOUT_NCL = 10   /**< batch, channel, length */
} mluOpTensorLayout_t;

/** Type of a tensor's elements. */
typedef enum {
  MLUOP_DTYPE_INVALID = 0,        /**< no type */
  MLUOP_DTYPE_HALF = 1,           /**< IEEE 754 binary16 */
  MLUOP_DTYPE_FLOAT = 2,          /**< IEEE 754 binary32 */
  MLUOP_DTYPE_INT8 = 3,           /**< 8-bit signed integer */
  MLUOP_DTYPE_INT16 = 4,          /**< 16-bit signed integer */
  MLUOP_DTYPE_INT31 = 5,          /**< 31-bit quantized value, stored in 4 bytes */
  MLUOP_DTYPE_INT32 = 6,          /**< 32-bit signed integer */
  MLUOP_DTYPE_UINT8 = 7,          /**< 8-bit unsigned integer */
  MLUOP_DTYPE_BOOL = 8,           /**< truth value, stored in 1 byte */
  MLUOP_DTYPE_INT64 = 9,          /**< 64-bit signed integer */
  MLUOP_DTYPE_UINT32 = 11,        /**< 32-bit unsigned integer */
  MLUOP_DTYPE_UINT64 = 12,        /**< 64-bit unsigned integer */
  MLUOP_DTYPE_UINT16 = 13,        /**< 16-bit unsigned integer */
  MLUOP_DTYPE_DOUBLE = 14,        /**< IEEE 754 binary64 */
  MLUOP_DTYPE_COMPLEX_HALF = 15,  /**< two halves */
  MLUOP_DTYPE_COMPLEX_FLOAT = 16, /**< two floats */
  MLUOP_DTYPE_BFLOAT16 = 17       /**< upper 16 bits of a float */
} mluOpDataType_t;

/** Whether NaN passes through an operator. */
typedef enum {
  MLUOP_NOT_PROPAGATE_NAN = 0, /**< NaN is dropped. */
  MLUOP_PROPAGATE_NAN = 1      /**< NaN passes. */
} mluOpNanPropagation_t;

/** Trade of speed for accuracy. */
typedef enum {
  MLUOP_COMPUTATION_FAST = 0,               /**< fastest */
  MLUOP_COMPUTATION_HIGH_PRECISION = 1,     /**< more accurate */
  MLUOP_COMPUTATION_ULTRAHIGH_PRECISION = 2 /**< most accurate */
} mluOpComputationPreference_t;

/** Whether the accelerator may add with atomics. Operators here never do on floats; the mode is kept only. */
typedef enum {
  MLUOP_ATOMICS_NOT_ALLOWED = 1, /**< default */
  MLUOP_ATOMICS_ALLOWED = 2      /**< allowed */
} mluOpAtomicsMode_t;

/** Rounding of quantized values. No operator here quantizes; the mode is kept only. */
typedef enum {
  MLUOP_ROUND_HALF_TO_EVEN = 0, /**< default: ties to even */
  MLUOP_ROUND_HALF_UP = 1,      /**< ties upwards */
  MLUOP_ROUND_HALF_OFF_ZERO = 2 /**< ties away from zero */
} mluOpQuantizeRoundMode_t;

/** Where a tensor of rank 0, a scalar, lives. */
typedef enum {
  MLUOP_POINTER_MODE_HOST = 0,  /**< host memory; allows rank 0 */
  MLUOP_POINTER_MODE_DEVICE = 1 /**< device memory; default */
} mluOpPointerMode_t;

#endif /* DETOPS_MLU_OP_TYPES_H_ */
