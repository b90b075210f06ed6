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

/** What the four numbers of a box are. */
typedef enum {
  MLUOP_NMS_BOX_DIAGONAL = 0, /**< x1, y1, x2, y2: two opposite corners */
  MLUOP_NMS_BOX_CENTER = 1    /**< x, y, width, height: the centre and the extents */
} mluOpNmsBoxPointMode_t;

/** What non-maximum suppression gives for the boxes it keeps. */
typedef enum {
  MLUOP_NMS_OUTPUT_TARGET_INDICES = 0,              /**< their indices */
  MLUOP_NMS_OUTPUT_TARGET_CONFIDENCE_AND_POS_1 = 1, /**< a row per box: score, then its four numbers */
  MLUOP_NMS_OUTPUT_TARGET_CONFIDENCE_AND_POS_2 = 2, /**< all scores, then all first numbers, all second, ... */
  MLUOP_NMS_OUTPUT_TARGET_BATCH_AND_CLASS = 3       /**< a row per box: image, class, index */
} mluOpNmsOutputMode_t;

/** What happens to the score of a box that overlaps a better one. */
typedef enum {
  MLUOP_NMS_HARD_NMS = 0,         /**< above the threshold it becomes 0 */
  MLUOP_NMS_SOFT_NMS_LINEAR = 1,  /**< above the threshold it is multiplied by 1 - overlap */
  MLUOP_NMS_SOFT_NMS_GAUSSIAN = 2 /**< it is multiplied by exp(-overlap^2 / (2 sigma)) */
} mluOpNmsMethodMode_t;

/** Whether a box's last pixel belongs to it. Not looked at: a width is x2 - x1 + offset, whatever it says. */
typedef enum {
  MLUOP_NMS_ALGO_EXCLUDE_BOUNDARY = 0, /**< no */
  MLUOP_NMS_ALGO_INCLUDE_BOUNDARY = 1  /**< yes */
} mluOpNmsAlgo_t;

/** What a reduction computes. */
typedef enum {
  MLUOP_REDUCE_DSUM = 0,  /**< sum */
  MLUOP_REDUCE_DMEAN = 1, /**< mean */
  MLUOP_REDUCE_DMAX = 2   /**< maximum */
} mluOpReduceMode_t;

/* ---- Enumerators of operators that are not here ----
 * No function of mlu_op.h takes them yet; they are declared so that sources and headers that mention them compile. */

/** Axes of a batch of sequences: N batch, B beam, T time, C embedding. */
typedef enum {
  MLUOP_SEQDATA_TNC = 0,        /**< time, batch, embedding */
  MLUOP_SEQDATA_TNC_PACKED = 1, /**< the same without the gaps of shorter sequences */
  MLUOP_SEQDATA_NTC = 2,        /**< batch, time, embedding */
  MLUOP_SEQDATA_NC = 3,         /**< batch, embedding */
  MLUOP_SEQDATA_TNBC = 4,       /**< time, batch, beam, embedding */
  MLUOP_SEQDATA_TBNC = 5,       /**< time, beam, batch, embedding */
  MLUOP_SEQDATA_NBTC = 6,       /**< batch, beam, time, embedding */
  MLUOP_SEQDATA_NTBC = 7,       /**< batch, time, beam, embedding */
  MLUOP_SEQDATA_BNTC = 8,       /**< beam, batch, time, embedding */
  MLUOP_SEQDATA_BTNC = 9,       /**< beam, time, batch, embedding */
  MLUOP_SEQDATA_TN = 10,        /**< time, batch */
  MLUOP_SEQDATA_NT = 11         /**< batch, time */
} mluOpSeqDataLayout_t;

/** What describes a quantized value. */
typedef enum {
  MLUOP_QUANTIZE_POSITION = 0,             /**< a power of two */
  MLUOP_QUANTIZE_POSITION_SCALE = 1,       /**< and a factor */
  MLUOP_QUANTIZE_POSITION_SCALE_OFFSET = 2 /**< and a zero point */
} mluOpQuantizeMode_t;

/** Base of a logarithm. */
typedef enum {
  MLUOP_LOG_E = 0, /**< e */
  MLUOP_LOG_2 = 1, /**< 2 */
  MLUOP_LOG_10 = 2 /**< 10 */
} mluOpLogBase_t;

/** Type of the indices that a reduction gives. */
typedef enum {
  MLUOP_32BIT_INDICES = 0, /**< 32-bit unsigned integers */
  MLUOP_16BIT_INDICES = 1  /**< 16-bit unsigned integers */
} mluOpIndicesType_t;

/** What becomes of the elements of a loss. */
typedef enum {
  MLUOP_LOSS_REDUCTION_NONE = 0, /**< they stay */
  MLUOP_LOSS_REDUCTION_SUM = 1,  /**< their sum */
  MLUOP_LOSS_REDUCTION_MEAN = 2  /**< their weighted mean */
} mluOpLossReduction_t;

/** What a pooling window gives. */
typedef enum {
  MLUOP_POOLING_MAX = 0,                           /**< maximum */
  MLUOP_POOLING_AVERAGE_COUNT_INCLUDE_PADDING = 1, /**< mean, padding counted as zeros */
  MLUOP_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING = 2, /**< mean of what is not padding */
  MLUOP_POOLING_FIXED = 3                          /**< of unpooling: the window's centre */
} mluOpPoolingMode_t;

/** Settings of the AdamW optimiser. */
typedef enum {
  MLUOP_ADAMW_WEIGHT_DECAY = 0,   /**< weight decay */
  MLUOP_ADAMW_GRAD_SCALE = 1,     /**< factor of the gradient */
  MLUOP_ADAMW_USE_NESTEROV = 2,   /**< Nesterov's momentum */
  MLUOP_ADAMW_NEED_REMOVE_NAN = 3 /**< NaN in the result becomes 0 */
} mluOpAdamWDescAttribute_t;

#endif /* DETOPS_MLU_OP_TYPES_H_ */
