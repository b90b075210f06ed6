// Versions, sizes and names of mlu_op.h, and what handles have to do with one another. Refusals, and results that the
// documentation defines, stand in the table of bad input; settings are compared with a model by core_api_fuzz, whose
// kept and random inputs are tests.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "detops.h"
#include "gtest/gtest.h"
#include "mlu_op.h"

namespace {

static_assert(MLUOP_MAJOR == 1 && MLUOP_MINOR == 11);
static_assert(MLUOP_PATCHLEVEL == 1 && MLUOP_VERSION == 2101 && MLUOP_DIM_MAX == 8);

TEST(LibraryTest, VersionIsTheContracts) {
  int major = -1, minor = -1, patch = -1;
  mluOpGetLibVersion(&major, &minor, &patch);
  EXPECT_EQ(major, 1);
  EXPECT_EQ(minor, 11);
  EXPECT_EQ(patch, 1);
  EXPECT_EQ(mluOpGetVersion(), 2101u);
}

TEST(LibraryTest, ErrorStringsAreTheEnumeratorsSpelling) {
#define EXPECT_SPELLING(value) EXPECT_STREQ(mluOpGetErrorString(value), #value)
  EXPECT_SPELLING(MLUOP_STATUS_SUCCESS);
  EXPECT_SPELLING(MLUOP_STATUS_NOT_INITIALIZED);
  EXPECT_SPELLING(MLUOP_STATUS_ALLOC_FAILED);
  EXPECT_SPELLING(MLUOP_STATUS_BAD_PARAM);
  EXPECT_SPELLING(MLUOP_STATUS_INTERNAL_ERROR);
  EXPECT_SPELLING(MLUOP_STATUS_ARCH_MISMATCH);
  EXPECT_SPELLING(MLUOP_STATUS_EXECUTION_FAILED);
  EXPECT_SPELLING(MLUOP_STATUS_NOT_SUPPORTED);
  EXPECT_SPELLING(MLUOP_STATUS_NUMERICAL_OVERFLOW);
#undef EXPECT_SPELLING
  for (const int unknown : {9, 100, -1, INT32_MAX, INT32_MIN}) {
    EXPECT_STREQ(mluOpGetErrorString(static_cast<mluOpStatus_t>(unknown)), "MLUOP_STATUS_UNKNOWN") << unknown;
  }
}

TEST(LibraryTest, SizesOfAllTypes) {
  const std::pair<size_t, std::vector<int>> rows[] = {
      {1, {MLUOP_DTYPE_BOOL, MLUOP_DTYPE_INT8, MLUOP_DTYPE_UINT8}},
      {2, {MLUOP_DTYPE_INT16, MLUOP_DTYPE_UINT16, MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16}},
      {4, {MLUOP_DTYPE_INT31, MLUOP_DTYPE_INT32, MLUOP_DTYPE_UINT32, MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_COMPLEX_HALF}},
      {8, {MLUOP_DTYPE_INT64, MLUOP_DTYPE_UINT64, MLUOP_DTYPE_DOUBLE, MLUOP_DTYPE_COMPLEX_FLOAT}},
      {0, {10, 18, 99, INT32_MAX, -1, INT32_MIN}}};
  for (const auto& [expected, types] : rows) {
    for (const int type : types) {
      size_t size = 77;
      EXPECT_EQ(mluOpGetSizeOfDataType(static_cast<mluOpDataType_t>(type), &size), MLUOP_STATUS_SUCCESS) << type;
      EXPECT_EQ(size, expected) << type;
    }
  }
}

TEST(LibraryTest, NamesOfTypes) {
  const char* const names[] = {"DTYPE_INVALID",       "DTYPE_HALF",     "DTYPE_FLOAT",   "DTYPE_INT8",
                               "DTYPE_INT16",         "DTYPE_INT31",    "DTYPE_INT32",   "DTYPE_UINT8",
                               "DTYPE_BOOL",          "DTYPE_INT64",    "DTYPE_INVALID", "DTYPE_UINT32",
                               "DTYPE_UINT64",        "DTYPE_UINT16",   "DTYPE_DOUBLE",  "DTYPE_COMPLEX_HALF",
                               "DTYPE_COMPLEX_FLOAT", "DTYPE_BFLOAT16", "DTYPE_INVALID"};
  for (int i = 0; i < 19; ++i) EXPECT_STREQ(mluOpGetNameOfDataType(static_cast<mluOpDataType_t>(i)), names[i]) << i;
  EXPECT_STREQ(mluOpGetNameOfDataType(static_cast<mluOpDataType_t>(-1)), "DTYPE_INVALID");
}

TEST(LibraryTest, NamesOfLayouts) {
  const char* const names[] = {"LAYOUT_NCHW",  "LAYOUT_NHWC",  "LAYOUT_HWCN", "LAYOUT_NDHWC",
                               "LAYOUT_ARRAY", "LAYOUT_NCDHW", "LAYOUT_TNC",  "LAYOUT_NTC",
                               "LAYOUT_NC",    "LAYOUT_NLC",   "LAYOUT_NCL",  "LAYOUT_INVALID"};
  for (int i = 0; i < 12; ++i) {
    EXPECT_STREQ(mluOpGetNameOfTensorLayout(static_cast<mluOpTensorLayout_t>(i)), names[i]) << i;
  }
  EXPECT_STREQ(mluOpGetNameOfTensorLayout(static_cast<mluOpTensorLayout_t>(-1)), "LAYOUT_INVALID");
}

TEST(LibraryTest, ReservedMemory) {
  uint64_t bytes = 77;
  EXPECT_EQ(mluOpGetReservedMemSize(&bytes), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(bytes, 0u);
}

// Also where the other argument is wrong too.
TEST(LibraryTest, NullHandleIsRefusedFirst) {
#define EXPECT_NULL_HANDLE(function, argument)                    \
  EXPECT_EQ(function(nullptr, argument), MLUOP_STATUS_BAD_PARAM); \
  EXPECT_EQ(std::string(detopsGetLastError(nullptr)), #function ": handle is NULL, expected a handle of mluOpCreate.")
  EXPECT_NULL_HANDLE(mluOpSetQuantizeRoundMode, static_cast<mluOpQuantizeRoundMode_t>(99));
  EXPECT_NULL_HANDLE(mluOpSetAtomicsMode, static_cast<mluOpAtomicsMode_t>(99));
  EXPECT_NULL_HANDLE(mluOpGetQuantizeRoundMode, nullptr);
  EXPECT_NULL_HANDLE(mluOpGetAtomicsMode, nullptr);
  EXPECT_NULL_HANDLE(mluOpGetQueue, nullptr);
  EXPECT_NULL_HANDLE(mluOpGetDevice, nullptr);
#undef EXPECT_NULL_HANDLE
}

TEST(LibraryTest, HandlesAreDistinctAndOutliveEachOther) {
  mluOpHandle_t first = nullptr, second = nullptr;
  ASSERT_EQ(mluOpCreate(&first), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(mluOpCreate(&second), MLUOP_STATUS_SUCCESS);
  EXPECT_NE(first, second);
  EXPECT_EQ(mluOpSetQuantizeRoundMode(first, MLUOP_ROUND_HALF_UP), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpDestroy(first), MLUOP_STATUS_SUCCESS);
  mluOpQuantizeRoundMode_t mode = MLUOP_ROUND_HALF_OFF_ZERO;
  EXPECT_EQ(mluOpGetQuantizeRoundMode(second, &mode), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mode, MLUOP_ROUND_HALF_TO_EVEN);
  EXPECT_EQ(mluOpDestroy(second), MLUOP_STATUS_SUCCESS);
}

}  // namespace
