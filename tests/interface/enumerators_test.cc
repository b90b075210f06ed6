// Every enumerator of the released contract (MLU-OPS 1.11.1) exists with its type and its value: programs are compiled
// with these numbers, and case files and other libraries use them.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>

#include "mlu_op.h"

namespace {

struct Enumerator {
  const char* type;
  const char* name;
};

// In C the enumerators of a header are int constants; their own type they have in C++.
#define ENUMERATOR(type, name, value)                                                         \
  [] {                                                                                        \
    static_assert(std::is_same_v<decltype(name), type> && static_cast<int>(name) == (value)); \
    return Enumerator{#type, #name};                                                          \
  }()

// clang-format off: a table
const Enumerator kReleased[] = {
    ENUMERATOR(mluOpStatus_t, MLUOP_STATUS_SUCCESS, 0),
    ENUMERATOR(mluOpStatus_t, MLUOP_STATUS_NOT_INITIALIZED, 1),
    ENUMERATOR(mluOpStatus_t, MLUOP_STATUS_ALLOC_FAILED, 2),
    ENUMERATOR(mluOpStatus_t, MLUOP_STATUS_BAD_PARAM, 3),
    ENUMERATOR(mluOpStatus_t, MLUOP_STATUS_INTERNAL_ERROR, 4),
    ENUMERATOR(mluOpStatus_t, MLUOP_STATUS_ARCH_MISMATCH, 5),
    ENUMERATOR(mluOpStatus_t, MLUOP_STATUS_EXECUTION_FAILED, 6),
    ENUMERATOR(mluOpStatus_t, MLUOP_STATUS_NOT_SUPPORTED, 7),
    ENUMERATOR(mluOpStatus_t, MLUOP_STATUS_NUMERICAL_OVERFLOW, 8),
    ENUMERATOR(mluOpTensorLayout_t, MLUOP_LAYOUT_NCHW, 0),
    ENUMERATOR(mluOpTensorLayout_t, MLUOP_LAYOUT_NHWC, 1),
    ENUMERATOR(mluOpTensorLayout_t, MLUOP_LAYOUT_HWCN, 2),
    ENUMERATOR(mluOpTensorLayout_t, MLUOP_LAYOUT_NDHWC, 3),
    ENUMERATOR(mluOpTensorLayout_t, MLUOP_LAYOUT_ARRAY, 4),
    ENUMERATOR(mluOpTensorLayout_t, MLUOP_LAYOUT_NCDHW, 5),
    ENUMERATOR(mluOpTensorLayout_t, MLUOP_LAYOUT_TNC, 6),
    ENUMERATOR(mluOpTensorLayout_t, MLUOP_LAYOUT_NTC, 7),
    ENUMERATOR(mluOpTensorLayout_t, MLUOP_LAYOUT_NC, 8),
    ENUMERATOR(mluOpTensorLayout_t, MLUOP_LAYOUT_NLC, 9),
    ENUMERATOR(mluOpTensorLayout_t, MLUOP_LAYOUT_NCL, 10),
    ENUMERATOR(mluOpSeqDataLayout_t, MLUOP_SEQDATA_TNC, 0),
    ENUMERATOR(mluOpSeqDataLayout_t, MLUOP_SEQDATA_TNC_PACKED, 1),
    ENUMERATOR(mluOpSeqDataLayout_t, MLUOP_SEQDATA_NTC, 2),
    ENUMERATOR(mluOpSeqDataLayout_t, MLUOP_SEQDATA_NC, 3),
    ENUMERATOR(mluOpSeqDataLayout_t, MLUOP_SEQDATA_TNBC, 4),
    ENUMERATOR(mluOpSeqDataLayout_t, MLUOP_SEQDATA_TBNC, 5),
    ENUMERATOR(mluOpSeqDataLayout_t, MLUOP_SEQDATA_NBTC, 6),
    ENUMERATOR(mluOpSeqDataLayout_t, MLUOP_SEQDATA_NTBC, 7),
    ENUMERATOR(mluOpSeqDataLayout_t, MLUOP_SEQDATA_BNTC, 8),
    ENUMERATOR(mluOpSeqDataLayout_t, MLUOP_SEQDATA_BTNC, 9),
    ENUMERATOR(mluOpSeqDataLayout_t, MLUOP_SEQDATA_TN, 10),
    ENUMERATOR(mluOpSeqDataLayout_t, MLUOP_SEQDATA_NT, 11),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_INVALID, 0),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_HALF, 1),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_FLOAT, 2),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_DOUBLE, 14),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_INT8, 3),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_INT16, 4),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_INT31, 5),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_INT32, 6),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_INT64, 9),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_UINT8, 7),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_UINT16, 13),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_UINT32, 11),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_UINT64, 12),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_BOOL, 8),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_COMPLEX_HALF, 15),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_COMPLEX_FLOAT, 16),
    ENUMERATOR(mluOpDataType_t, MLUOP_DTYPE_BFLOAT16, 17),
    ENUMERATOR(mluOpNanPropagation_t, MLUOP_NOT_PROPAGATE_NAN, 0),
    ENUMERATOR(mluOpNanPropagation_t, MLUOP_PROPAGATE_NAN, 1),
    ENUMERATOR(mluOpComputationPreference_t, MLUOP_COMPUTATION_FAST, 0),
    ENUMERATOR(mluOpComputationPreference_t, MLUOP_COMPUTATION_HIGH_PRECISION, 1),
    ENUMERATOR(mluOpComputationPreference_t, MLUOP_COMPUTATION_ULTRAHIGH_PRECISION, 2),
    ENUMERATOR(mluOpAtomicsMode_t, MLUOP_ATOMICS_NOT_ALLOWED, 1),
    ENUMERATOR(mluOpAtomicsMode_t, MLUOP_ATOMICS_ALLOWED, 2),
    ENUMERATOR(mluOpQuantizeRoundMode_t, MLUOP_ROUND_HALF_TO_EVEN, 0),
    ENUMERATOR(mluOpQuantizeRoundMode_t, MLUOP_ROUND_HALF_UP, 1),
    ENUMERATOR(mluOpQuantizeRoundMode_t, MLUOP_ROUND_HALF_OFF_ZERO, 2),
    ENUMERATOR(mluOpQuantizeMode_t, MLUOP_QUANTIZE_POSITION, 0),
    ENUMERATOR(mluOpQuantizeMode_t, MLUOP_QUANTIZE_POSITION_SCALE, 1),
    ENUMERATOR(mluOpQuantizeMode_t, MLUOP_QUANTIZE_POSITION_SCALE_OFFSET, 2),
    ENUMERATOR(mluOpLogBase_t, MLUOP_LOG_E, 0),
    ENUMERATOR(mluOpLogBase_t, MLUOP_LOG_2, 1),
    ENUMERATOR(mluOpLogBase_t, MLUOP_LOG_10, 2),
    ENUMERATOR(mluOpPointerMode_t, MLUOP_POINTER_MODE_HOST, 0),
    ENUMERATOR(mluOpPointerMode_t, MLUOP_POINTER_MODE_DEVICE, 1),
    ENUMERATOR(mluOpNmsBoxPointMode_t, MLUOP_NMS_BOX_DIAGONAL, 0),
    ENUMERATOR(mluOpNmsBoxPointMode_t, MLUOP_NMS_BOX_CENTER, 1),
    ENUMERATOR(mluOpNmsOutputMode_t, MLUOP_NMS_OUTPUT_TARGET_INDICES, 0),
    ENUMERATOR(mluOpNmsOutputMode_t, MLUOP_NMS_OUTPUT_TARGET_CONFIDENCE_AND_POS_1, 1),
    ENUMERATOR(mluOpNmsOutputMode_t, MLUOP_NMS_OUTPUT_TARGET_CONFIDENCE_AND_POS_2, 2),
    ENUMERATOR(mluOpNmsOutputMode_t, MLUOP_NMS_OUTPUT_TARGET_BATCH_AND_CLASS, 3),
    ENUMERATOR(mluOpNmsMethodMode_t, MLUOP_NMS_HARD_NMS, 0),
    ENUMERATOR(mluOpNmsMethodMode_t, MLUOP_NMS_SOFT_NMS_LINEAR, 1),
    ENUMERATOR(mluOpNmsMethodMode_t, MLUOP_NMS_SOFT_NMS_GAUSSIAN, 2),
    ENUMERATOR(mluOpNmsAlgo_t, MLUOP_NMS_ALGO_EXCLUDE_BOUNDARY, 0),
    ENUMERATOR(mluOpNmsAlgo_t, MLUOP_NMS_ALGO_INCLUDE_BOUNDARY, 1),
    ENUMERATOR(mluOpIndicesType_t, MLUOP_32BIT_INDICES, 0),
    ENUMERATOR(mluOpIndicesType_t, MLUOP_16BIT_INDICES, 1),
    ENUMERATOR(mluOpLossReduction_t, MLUOP_LOSS_REDUCTION_NONE, 0),
    ENUMERATOR(mluOpLossReduction_t, MLUOP_LOSS_REDUCTION_SUM, 1),
    ENUMERATOR(mluOpLossReduction_t, MLUOP_LOSS_REDUCTION_MEAN, 2),
    ENUMERATOR(mluOpReduceMode_t, MLUOP_REDUCE_DSUM, 0),
    ENUMERATOR(mluOpReduceMode_t, MLUOP_REDUCE_DMEAN, 1),
    ENUMERATOR(mluOpReduceMode_t, MLUOP_REDUCE_DMAX, 2),
    ENUMERATOR(mluOpPoolingMode_t, MLUOP_POOLING_MAX, 0),
    ENUMERATOR(mluOpPoolingMode_t, MLUOP_POOLING_AVERAGE_COUNT_INCLUDE_PADDING, 1),
    ENUMERATOR(mluOpPoolingMode_t, MLUOP_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING, 2),
    ENUMERATOR(mluOpPoolingMode_t, MLUOP_POOLING_FIXED, 3),
    ENUMERATOR(mluOpAdamWDescAttribute_t, MLUOP_ADAMW_WEIGHT_DECAY, 0),
    ENUMERATOR(mluOpAdamWDescAttribute_t, MLUOP_ADAMW_GRAD_SCALE, 1),
    ENUMERATOR(mluOpAdamWDescAttribute_t, MLUOP_ADAMW_USE_NESTEROV, 2),
    ENUMERATOR(mluOpAdamWDescAttribute_t, MLUOP_ADAMW_NEED_REMOVE_NAN, 3),
};
// clang-format on

TEST(Enumerators, AreThoseOfTheRelease) {
  std::set<std::string> types, names;
  for (const Enumerator& enumerator : kReleased) {
    types.insert(enumerator.type);
    names.insert(enumerator.name);
  }
  EXPECT_EQ(types.size(), 20u);
  EXPECT_EQ(names.size(), 94u) << "a row twice";
}

}  // namespace
