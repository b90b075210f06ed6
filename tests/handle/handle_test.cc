// Handles, versions, sizes and names of mlu_op.h through the C API: values, defaults, refusals and their sentences.
#include <cstdint>
#include <cstring>
#include <string>

#include "detops.h"
#include "gtest/gtest.h"
#include "mlu_op.h"

namespace {

// Programs carry these numbers in their binaries.
static_assert(MLUOP_STATUS_SUCCESS == 0 && MLUOP_STATUS_NOT_INITIALIZED == 1 && MLUOP_STATUS_ALLOC_FAILED == 2);
static_assert(MLUOP_STATUS_BAD_PARAM == 3 && MLUOP_STATUS_INTERNAL_ERROR == 4 && MLUOP_STATUS_ARCH_MISMATCH == 5);
static_assert(MLUOP_STATUS_EXECUTION_FAILED == 6 && MLUOP_STATUS_NOT_SUPPORTED == 7);
static_assert(MLUOP_STATUS_NUMERICAL_OVERFLOW == 8);

static_assert(MLUOP_LAYOUT_NCHW == 0 && MLUOP_LAYOUT_NHWC == 1 && MLUOP_LAYOUT_HWCN == 2 && MLUOP_LAYOUT_NDHWC == 3);
static_assert(MLUOP_LAYOUT_ARRAY == 4 && MLUOP_LAYOUT_NCDHW == 5 && MLUOP_LAYOUT_TNC == 6 && MLUOP_LAYOUT_NTC == 7);
static_assert(MLUOP_LAYOUT_NC == 8 && MLUOP_LAYOUT_NLC == 9 && MLUOP_LAYOUT_NCL == 10);

static_assert(MLUOP_DTYPE_INVALID == 0 && MLUOP_DTYPE_HALF == 1 && MLUOP_DTYPE_FLOAT == 2 && MLUOP_DTYPE_INT8 == 3);
static_assert(MLUOP_DTYPE_INT16 == 4 && MLUOP_DTYPE_INT31 == 5 && MLUOP_DTYPE_INT32 == 6 && MLUOP_DTYPE_UINT8 == 7);
static_assert(MLUOP_DTYPE_BOOL == 8 && MLUOP_DTYPE_INT64 == 9 && MLUOP_DTYPE_UINT32 == 11);
static_assert(MLUOP_DTYPE_UINT64 == 12 && MLUOP_DTYPE_UINT16 == 13 && MLUOP_DTYPE_DOUBLE == 14);
static_assert(MLUOP_DTYPE_COMPLEX_HALF == 15 && MLUOP_DTYPE_COMPLEX_FLOAT == 16 && MLUOP_DTYPE_BFLOAT16 == 17);

static_assert(MLUOP_POINTER_MODE_HOST == 0 && MLUOP_POINTER_MODE_DEVICE == 1);
static_assert(MLUOP_ATOMICS_NOT_ALLOWED == 1 && MLUOP_ATOMICS_ALLOWED == 2);
static_assert(MLUOP_ROUND_HALF_TO_EVEN == 0 && MLUOP_ROUND_HALF_UP == 1 && MLUOP_ROUND_HALF_OFF_ZERO == 2);
static_assert(MLUOP_COMPUTATION_FAST == 0 && MLUOP_COMPUTATION_HIGH_PRECISION == 1);
static_assert(MLUOP_COMPUTATION_ULTRAHIGH_PRECISION == 2);
static_assert(MLUOP_NOT_PROPAGATE_NAN == 0 && MLUOP_PROPAGATE_NAN == 1);

static_assert(MLUOP_MAJOR == 1 && MLUOP_MINOR == 11);
static_assert(MLUOP_PATCHLEVEL == 1 && MLUOP_VERSION == 2101 && MLUOP_DIM_MAX == 8);

constexpr char kNullHandle[] = "handle is NULL, expected a handle of mluOpCreate.";

// The thread's text: "function: sentence".
::testing::AssertionResult ThreadTextIs(const std::string& function, const std::string& sentence) {
  const std::string actual = detopsGetLastError(nullptr);
  const std::string expected = function + ": " + sentence;
  if (actual == expected) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "text is \"" << actual << "\", expected \"" << expected << "\"";
}

class HandleTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS); }
  void TearDown() override { EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS); }

  // After a refusal on the handle: its own text and the thread's say the same.
  ::testing::AssertionResult TextIs(const std::string& function, const std::string& sentence) {
    if (std::strcmp(detopsGetLastError(handle_), detopsGetLastError(nullptr)) != 0) {
      return ::testing::AssertionFailure() << "the handle says \"" << detopsGetLastError(handle_) << "\", the thread \""
                                           << detopsGetLastError(nullptr) << "\"";
    }
    return ThreadTextIs(function, sentence);
  }

  mluOpHandle_t handle_ = nullptr;
};

TEST(LibraryTest, VersionIsTheContracts) {
  int major = -1, minor = -1, patch = -1;
  mluOpGetLibVersion(&major, &minor, &patch);
  EXPECT_EQ(major, 1);
  EXPECT_EQ(minor, 11);
  EXPECT_EQ(patch, 1);
  EXPECT_EQ(mluOpGetVersion(), 2101u);
}

TEST(LibraryTest, VersionSkipsNullPlaces) {
  int minor = -1;
  mluOpGetLibVersion(nullptr, &minor, nullptr);
  EXPECT_EQ(minor, 11);
  int major = -1, patch = -1;
  mluOpGetLibVersion(&major, nullptr, &patch);
  EXPECT_EQ(major, 1);
  EXPECT_EQ(patch, 1);
  mluOpGetLibVersion(nullptr, nullptr, nullptr);
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
  struct Row {
    int type;
    size_t size;
  };
  const Row rows[] = {
      {MLUOP_DTYPE_BOOL, 1},
      {MLUOP_DTYPE_INT8, 1},
      {MLUOP_DTYPE_UINT8, 1},
      {MLUOP_DTYPE_INT16, 2},
      {MLUOP_DTYPE_UINT16, 2},
      {MLUOP_DTYPE_HALF, 2},
      {MLUOP_DTYPE_BFLOAT16, 2},
      {MLUOP_DTYPE_INT31, 4},
      {MLUOP_DTYPE_INT32, 4},
      {MLUOP_DTYPE_UINT32, 4},
      {MLUOP_DTYPE_FLOAT, 4},
      {MLUOP_DTYPE_COMPLEX_HALF, 4},
      {MLUOP_DTYPE_INT64, 8},
      {MLUOP_DTYPE_UINT64, 8},
      {MLUOP_DTYPE_DOUBLE, 8},
      {MLUOP_DTYPE_COMPLEX_FLOAT, 8},
      {10, 0},
      {18, 0},
      {99, 0},
      {INT32_MAX, 0},
      {-1, 0},
      {INT32_MIN, 0},
  };
  for (const Row& row : rows) {
    size_t size = 77;
    EXPECT_EQ(mluOpGetSizeOfDataType(static_cast<mluOpDataType_t>(row.type), &size), MLUOP_STATUS_SUCCESS) << row.type;
    EXPECT_EQ(size, row.size) << row.type;
  }
}

TEST(LibraryTest, SizeRefusesInvalidTypesAndNull) {
  constexpr char kFunction[] = "mluOpGetSizeOfDataType";
  size_t size = 77;
  EXPECT_EQ(mluOpGetSizeOfDataType(MLUOP_DTYPE_INVALID, &size), MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(ThreadTextIs(kFunction, "data_type is 0, MLUOP_DTYPE_INVALID, expected a type."));
  EXPECT_EQ(size, 77u) << "a failed call wrote its result";
  EXPECT_EQ(mluOpGetSizeOfDataType(MLUOP_DTYPE_FLOAT, nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(ThreadTextIs(kFunction, "size is NULL, expected a place for the result."));
  EXPECT_EQ(mluOpGetSizeOfDataType(MLUOP_DTYPE_FLOAT, &size), MLUOP_STATUS_SUCCESS);
  EXPECT_TRUE(ThreadTextIs(kFunction, "size is NULL, expected a place for the result.")) << "a success changed it";
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
  EXPECT_EQ(mluOpGetReservedMemSize(nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(ThreadTextIs("mluOpGetReservedMemSize", "mem_size is NULL, expected a place for the result."));
}

// Also where the other argument is wrong too.
TEST(LibraryTest, NullHandleIsRefusedFirst) {
#define EXPECT_NULL_HANDLE(function, argument)                    \
  EXPECT_EQ(function(nullptr, argument), MLUOP_STATUS_BAD_PARAM); \
  EXPECT_TRUE(ThreadTextIs(#function, kNullHandle))
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

TEST_F(HandleTest, UpdateSucceeds) { EXPECT_EQ(mluOpUpdateContextInformation(handle_), MLUOP_STATUS_SUCCESS); }

TEST_F(HandleTest, QueueIsNullUntilSetAndKept) {
  cnrtQueue_t queue = nullptr, got = nullptr;
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  got = queue;
  EXPECT_EQ(mluOpGetQueue(handle_, &got), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(got, nullptr);
  EXPECT_EQ(mluOpSetQueue(handle_, queue), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetQueue(handle_, &got), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(got, queue);
  EXPECT_EQ(mluOpGetQueue(handle_, nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(TextIs("mluOpGetQueue", "queue is NULL, expected a place for the result."));
  EXPECT_EQ(mluOpSetQueue(handle_, nullptr), MLUOP_STATUS_SUCCESS) << "NULL is the default queue";
  EXPECT_EQ(mluOpGetQueue(handle_, &got), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(got, nullptr);
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

TEST_F(HandleTest, RoundMode) {
  constexpr char kSet[] = "mluOpSetQuantizeRoundMode";
  mluOpQuantizeRoundMode_t mode = MLUOP_ROUND_HALF_UP;
  EXPECT_EQ(mluOpGetQuantizeRoundMode(handle_, &mode), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mode, MLUOP_ROUND_HALF_TO_EVEN);
  for (const auto wanted : {MLUOP_ROUND_HALF_OFF_ZERO, MLUOP_ROUND_HALF_TO_EVEN, MLUOP_ROUND_HALF_UP}) {
    EXPECT_EQ(mluOpSetQuantizeRoundMode(handle_, wanted), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(mluOpGetQuantizeRoundMode(handle_, &mode), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(mode, wanted);
  }
  for (const int wrong : {3, -1, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(mluOpSetQuantizeRoundMode(handle_, static_cast<mluOpQuantizeRoundMode_t>(wrong)), MLUOP_STATUS_BAD_PARAM);
    EXPECT_TRUE(TextIs(kSet, "round_mode is " + std::to_string(wrong) + ", expected 0, 1 or 2."));
  }
  EXPECT_EQ(mluOpGetQuantizeRoundMode(handle_, &mode), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mode, MLUOP_ROUND_HALF_UP) << "a refused mode was kept";
  EXPECT_EQ(mluOpGetQuantizeRoundMode(handle_, nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(TextIs("mluOpGetQuantizeRoundMode", "round_mode is NULL, expected a place for the result."));
}

TEST_F(HandleTest, AtomicsMode) {
  constexpr char kSet[] = "mluOpSetAtomicsMode";
  mluOpAtomicsMode_t mode = MLUOP_ATOMICS_ALLOWED;
  EXPECT_EQ(mluOpGetAtomicsMode(handle_, &mode), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mode, MLUOP_ATOMICS_NOT_ALLOWED);
  EXPECT_EQ(mluOpSetAtomicsMode(handle_, MLUOP_ATOMICS_ALLOWED), MLUOP_STATUS_SUCCESS);
  for (const int wrong : {0, 3, -1, INT32_MAX}) {
    EXPECT_EQ(mluOpSetAtomicsMode(handle_, static_cast<mluOpAtomicsMode_t>(wrong)), MLUOP_STATUS_BAD_PARAM);
    EXPECT_TRUE(TextIs(kSet, "atomics_mode is " + std::to_string(wrong) + ", expected 1 or 2."));
  }
  EXPECT_EQ(mluOpGetAtomicsMode(handle_, &mode), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mode, MLUOP_ATOMICS_ALLOWED) << "a refused mode was kept";
  EXPECT_EQ(mluOpSetAtomicsMode(handle_, MLUOP_ATOMICS_NOT_ALLOWED), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetAtomicsMode(handle_, &mode), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mode, MLUOP_ATOMICS_NOT_ALLOWED);
  EXPECT_EQ(mluOpGetAtomicsMode(handle_, nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(TextIs("mluOpGetAtomicsMode", "atomics_mode is NULL, expected a place for the result."));
}

TEST_F(HandleTest, DeviceIsTheHost) {
  CNdev device = 77;
  EXPECT_EQ(mluOpGetDevice(handle_, &device), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(mluOpGetDevice(handle_, nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(TextIs("mluOpGetDevice", "device is NULL, expected a place for the result."));
}

}  // namespace
