// What the Set functions of one tensor descriptor accept, refuse and leave alone.
#include <climits>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "descriptors/descriptor_snapshot.h"
#include "detops.h"
#include "gtest/gtest.h"

namespace {

using detops_test::DescriptorSnapshot;
using detops_test::FreshDescriptor;
using detops_test::Snapshot;

constexpr int64_t kLarge = int64_t{1} << 40;

std::string ThreadText() { return detopsGetLastError(nullptr); }

class TensorDescriptorTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(mluOpCreateTensorDescriptor(&desc_), MLUOP_STATUS_SUCCESS); }
  void TearDown() override { EXPECT_EQ(mluOpDestroyTensorDescriptor(desc_), MLUOP_STATUS_SUCCESS); }

  // Gives every field a value that no default has.
  void SetEverything() {
    const int64_t extents[] = {2, 3, 4}, strides[] = {100, -7, 0};
    ASSERT_EQ(mluOpSetTensorDescriptorEx_v2(desc_, MLUOP_LAYOUT_NTC, MLUOP_DTYPE_INT16, 3, extents, strides),
              MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(mluOpSetTensorDescriptorPointerMode(desc_, MLUOP_POINTER_MODE_HOST), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(mluOpSetTensorDescriptorOnchipDataType(desc_, MLUOP_DTYPE_INT8), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(mluOpSetTensorDescriptorPositionScaleAndOffset(desc_, -3, 0.5f, 9), MLUOP_STATUS_SUCCESS);
  }

  // A refusal with the given sentence that changes no field, both of a fresh descriptor and of a filled one.
  void ExpectRefused(const std::string& text, const std::function<mluOpStatus_t()>& call) {
    const mluOpPointerMode_t mode = MLUOP_POINTER_MODE_DEVICE;
    for (const bool filled : {false, true}) {
      ASSERT_EQ(mluOpResetTensorDescriptor(desc_), MLUOP_STATUS_SUCCESS);
      if (filled) SetEverything();
      ASSERT_EQ(mluOpSetTensorDescriptorPointerMode(desc_, mode), MLUOP_STATUS_SUCCESS);
      const DescriptorSnapshot before = Snapshot(desc_);
      EXPECT_EQ(call(), MLUOP_STATUS_BAD_PARAM) << text;
      EXPECT_EQ(ThreadText(), text);
      EXPECT_EQ(Snapshot(desc_), before) << text;
    }
  }

  mluOpTensorDescriptor_t desc_ = nullptr;
};

TEST(TensorDescriptorCreateTest, NullIsRefused) {
  EXPECT_EQ(mluOpCreateTensorDescriptor(nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ThreadText(), "mluOpCreateTensorDescriptor: desc is NULL, expected a place for the result.");
  EXPECT_EQ(mluOpDestroyTensorDescriptor(nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ThreadText(), "mluOpDestroyTensorDescriptor: desc is NULL, expected a tensor descriptor.");
  EXPECT_EQ(mluOpResetTensorDescriptor(nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ThreadText(), "mluOpResetTensorDescriptor: desc is NULL, expected a tensor descriptor.");
}

TEST_F(TensorDescriptorTest, FreshState) { EXPECT_EQ(Snapshot(desc_), FreshDescriptor()); }

TEST_F(TensorDescriptorTest, ResetBringsTheFreshStateBack) {
  SetEverything();
  ASSERT_FALSE(Snapshot(desc_) == FreshDescriptor());
  EXPECT_EQ(mluOpResetTensorDescriptor(desc_), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Snapshot(desc_), FreshDescriptor());
  const std::vector<int> many(20, 1);
  ASSERT_EQ(mluOpSetTensorDescriptor(desc_, MLUOP_LAYOUT_NCHW, MLUOP_DTYPE_HALF, 20, many.data()),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpResetTensorDescriptor(desc_), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Snapshot(desc_), FreshDescriptor());
}

TEST_F(TensorDescriptorTest, SetMakesRowMajorStrides) {
  const int extents[] = {2, 3, 4, 5};
  EXPECT_EQ(mluOpSetTensorDescriptor(desc_, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_HALF, 4, extents), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(ThreadText(), "");
  DescriptorSnapshot expected = FreshDescriptor();
  expected.layout = MLUOP_LAYOUT_NHWC;
  expected.type = MLUOP_DTYPE_HALF;
  expected.extents = {2, 3, 4, 5};
  expected.strides = {60, 20, 5, 1};
  expected.elements = 120;
  EXPECT_EQ(Snapshot(desc_), expected);
}

TEST_F(TensorDescriptorTest, SetV2TakesExtentsBeyondInt) {
  const int64_t extents[] = {3, kLarge, 2};
  EXPECT_EQ(mluOpSetTensorDescriptor_v2(desc_, MLUOP_LAYOUT_NTC, MLUOP_DTYPE_INT8, 3, extents), MLUOP_STATUS_SUCCESS);
  const DescriptorSnapshot snapshot = Snapshot(desc_);
  EXPECT_EQ(snapshot.extents, (std::vector<int64_t>{3, kLarge, 2}));
  EXPECT_EQ(snapshot.strides, (std::vector<int64_t>{2 * kLarge, 2, 1}));
  EXPECT_EQ(snapshot.elements, static_cast<size_t>(6 * kLarge));
}

TEST_F(TensorDescriptorTest, SetExKeepsAnyStrides) {
  const int extents[] = {2, 3, 4}, strides[] = {INT_MAX, -3, 0};
  EXPECT_EQ(mluOpSetTensorDescriptorEx(desc_, MLUOP_LAYOUT_NLC, MLUOP_DTYPE_DOUBLE, 3, extents, strides),
            MLUOP_STATUS_SUCCESS);
  DescriptorSnapshot snapshot = Snapshot(desc_);
  EXPECT_EQ(snapshot.layout, MLUOP_LAYOUT_NLC);
  EXPECT_EQ(snapshot.type, MLUOP_DTYPE_DOUBLE);
  EXPECT_EQ(snapshot.strides, (std::vector<int64_t>{INT_MAX, -3, 0}));
  EXPECT_EQ(snapshot.elements, 24u) << "strides do not enter the number of elements";
  const int64_t extents64[] = {5, 6}, strides64[] = {INT64_MAX, INT64_MIN};
  EXPECT_EQ(mluOpSetTensorDescriptorEx_v2(desc_, MLUOP_LAYOUT_NC, MLUOP_DTYPE_BOOL, 2, extents64, strides64),
            MLUOP_STATUS_SUCCESS);
  snapshot = Snapshot(desc_);
  EXPECT_EQ(snapshot.extents, (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(snapshot.strides, (std::vector<int64_t>{INT64_MAX, INT64_MIN}));
  EXPECT_EQ(snapshot.elements, 30u);
}

TEST_F(TensorDescriptorTest, SetDimChangesShapeOnly) {
  SetEverything();
  DescriptorSnapshot expected = Snapshot(desc_);
  const int extents[] = {7, 2};
  EXPECT_EQ(mluOpSetTensorDescriptorDim(desc_, 2, extents), MLUOP_STATUS_SUCCESS);
  expected.extents = {7, 2};
  expected.strides = {2, 1};
  expected.elements = 14;
  EXPECT_EQ(Snapshot(desc_), expected);
  const int64_t extents64[] = {kLarge, 3, 5};
  EXPECT_EQ(mluOpSetTensorDescriptorDim_v2(desc_, 3, extents64), MLUOP_STATUS_SUCCESS);
  expected.extents = {kLarge, 3, 5};
  expected.strides = {15, 5, 1};
  expected.elements = static_cast<size_t>(15 * kLarge);
  EXPECT_EQ(Snapshot(desc_), expected);
}

TEST_F(TensorDescriptorTest, RanksAboveEightWorkAndShrinkAgain) {
  for (const int rank : {8, 9, 20, 100, 3, 21, 8}) {
    std::vector<int> extents(static_cast<size_t>(rank), 1);
    extents.front() = 3;
    extents.back() = 5;
    ASSERT_EQ(mluOpSetTensorDescriptor(desc_, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, rank, extents.data()),
              MLUOP_STATUS_SUCCESS);
    const DescriptorSnapshot snapshot = Snapshot(desc_);
    EXPECT_EQ(snapshot.extents, std::vector<int64_t>(extents.begin(), extents.end())) << rank;
    std::vector<int64_t> strides(static_cast<size_t>(rank), 5);
    strides.back() = 1;
    EXPECT_EQ(snapshot.strides, strides) << rank;
    EXPECT_EQ(snapshot.elements, 15u);
  }
}

TEST_F(TensorDescriptorTest, ElementCounts) {
  struct Row {
    std::vector<int64_t> extents;
    size_t elements;
  };
  constexpr auto kMost = static_cast<size_t>(INT64_MAX);
  const Row rows[] = {{{1}, 1},
                      {{0}, 0},
                      {{5, 0, 7}, 0},
                      {{0, kLarge, kLarge}, 0},
                      {{kLarge, kLarge, 0}, 0},
                      {{kLarge, 0, kLarge}, 0},
                      {{INT64_MAX}, kMost},
                      {{INT64_MAX, 1, 1}, kMost},
                      {{7, 7, 73, 127, 337, 92737, 649657}, kMost},  // the factors of 2^63 - 1
                      {{int64_t{1} << 31, int64_t{1} << 31}, size_t{1} << 62},
                      {{int64_t{1} << 32, int64_t{1} << 31}, kMost},  // 2^63: one too many
                      {{INT64_MAX, 2}, kMost},
                      {{kLarge, kLarge}, kMost},
                      {{INT64_MAX, INT64_MAX, INT64_MAX}, kMost}};
  for (const Row& row : rows) {
    const int rank = static_cast<int>(row.extents.size());
    EXPECT_EQ(mluOpSetTensorDescriptor_v2(desc_, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, rank, row.extents.data()),
              MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(mluOpGetTensorElementNum(desc_), row.elements) << ::testing::PrintToString(row.extents);
  }
  const int ints[] = {INT_MAX, INT_MAX, INT_MAX};
  EXPECT_EQ(mluOpSetTensorDescriptor(desc_, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, ints), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorElementNum(desc_), static_cast<size_t>(INT_MAX) * INT_MAX);
  EXPECT_EQ(mluOpSetTensorDescriptorDim(desc_, 3, ints), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorElementNum(desc_), kMost);
  EXPECT_EQ(mluOpGetTensorElementNum(nullptr), 0u);
}

TEST_F(TensorDescriptorTest, AnyTypeAndLayoutFromZeroOnIsKept) {
  const int extents[] = {2};
  for (const int value : {0, 10, 18, 99, INT_MAX}) {
    EXPECT_EQ(mluOpSetTensorDescriptor(desc_, static_cast<mluOpTensorLayout_t>(value),
                                       static_cast<mluOpDataType_t>(value), 1, extents),
              MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(Snapshot(desc_).layout, value);
    EXPECT_EQ(Snapshot(desc_).type, value);
  }
}

TEST_F(TensorDescriptorTest, RankZeroIsAScalarInPointerModeHost) {
  const int64_t extents64[] = {5}, strides64[] = {5};
  const int extents[] = {5};
  const std::function<mluOpStatus_t()> calls[] = {
      [&] { return mluOpSetTensorDescriptor(desc_, MLUOP_LAYOUT_NC, MLUOP_DTYPE_INT32, 0, nullptr); },
      [&] { return mluOpSetTensorDescriptor(desc_, MLUOP_LAYOUT_NC, MLUOP_DTYPE_INT32, 0, extents); },
      [&] { return mluOpSetTensorDescriptor_v2(desc_, MLUOP_LAYOUT_NC, MLUOP_DTYPE_INT32, 0, nullptr); },
      [&] { return mluOpSetTensorDescriptorEx_v2(desc_, MLUOP_LAYOUT_NC, MLUOP_DTYPE_INT32, 0, extents64, strides64); },
      [&] { return mluOpSetTensorDescriptorDim(desc_, 0, nullptr); },
      [&] { return mluOpSetTensorDescriptorDim_v2(desc_, 0, nullptr); },
  };
  for (const auto& call : calls) {
    SetEverything();
    ASSERT_EQ(mluOpSetTensorDescriptorPointerMode(desc_, MLUOP_POINTER_MODE_HOST), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(call(), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(Snapshot(desc_).extents, std::vector<int64_t>());
    EXPECT_EQ(mluOpGetTensorElementNum(desc_), 1u);
  }
  // Other ranks work in that mode as in the other.
  EXPECT_EQ(mluOpSetTensorDescriptorDim(desc_, 1, extents), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorElementNum(desc_), 5u);
}

TEST_F(TensorDescriptorTest, RefusedSetChangesNothing) {
  const auto layout = MLUOP_LAYOUT_NCHW;
  const auto type = MLUOP_DTYPE_UINT8;
  const auto bad_layout = static_cast<mluOpTensorLayout_t>(-1);
  const auto bad_type = static_cast<mluOpDataType_t>(-2);
  const int good[] = {1, 2, 3}, bad[] = {1, 2, -3};
  const std::string name = "mluOpSetTensorDescriptor: ";
  ExpectRefused(name + "layout is -1, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptor(desc_, bad_layout, type, 3, good); });
  ExpectRefused(name + "dtype is -2, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptor(desc_, layout, bad_type, 3, good); });
  ExpectRefused(name + "dimNb is -1, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptor(desc_, layout, type, -1, good); });
  ExpectRefused(name + "dimNb is -2147483648, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptor(desc_, layout, type, INT_MIN, nullptr); });
  ExpectRefused(name + "dimNb is 0, expected 1 or more unless the pointer mode is HOST.",
                [&] { return mluOpSetTensorDescriptor(desc_, layout, type, 0, good); });
  ExpectRefused(name + "dimSize is NULL, expected an array of dimNb extents.",
                [&] { return mluOpSetTensorDescriptor(desc_, layout, type, 3, nullptr); });
  ExpectRefused(name + "dimSize[2] is -3, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptor(desc_, layout, type, 3, bad); });
}

TEST_F(TensorDescriptorTest, RefusedSetV2ChangesNothing) {
  const auto layout = MLUOP_LAYOUT_NCHW;
  const auto type = MLUOP_DTYPE_UINT8;
  const std::vector<int64_t> bad{INT64_MIN, 2}, many = [] {
    std::vector<int64_t> extents(20, 1);
    extents[19] = -1;
    return extents;
  }();
  const std::string name = "mluOpSetTensorDescriptor_v2: ";
  ExpectRefused(name + "dimSize[0] is -9223372036854775808, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptor_v2(desc_, layout, type, 2, bad.data()); });
  ExpectRefused(name + "dimSize[19] is -1, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptor_v2(desc_, layout, type, 20, many.data()); });
  ExpectRefused(name + "dimNb is 0, expected 1 or more unless the pointer mode is HOST.",
                [&] { return mluOpSetTensorDescriptor_v2(desc_, layout, type, 0, nullptr); });
  ExpectRefused(name + "dimSize is NULL, expected an array of dimNb extents.",
                [&] { return mluOpSetTensorDescriptor_v2(desc_, layout, type, 1, nullptr); });
}

TEST_F(TensorDescriptorTest, RefusedSetExChangesNothing) {
  const auto layout = MLUOP_LAYOUT_NCHW;
  const auto type = MLUOP_DTYPE_UINT8;
  const int good[] = {1, 2}, bad[] = {-1, 2};
  const int64_t good64[] = {1, 2}, bad64[] = {1, -2};
  const std::string name = "mluOpSetTensorDescriptorEx: ", name2 = "mluOpSetTensorDescriptorEx_v2: ";
  ExpectRefused(name + "dimSize is NULL, expected an array of dimNb extents.",
                [&] { return mluOpSetTensorDescriptorEx(desc_, layout, type, 2, nullptr, nullptr); });
  ExpectRefused(name + "dimStride is NULL, expected an array of dimNb strides.",
                [&] { return mluOpSetTensorDescriptorEx(desc_, layout, type, 2, good, nullptr); });
  ExpectRefused(name + "dimNb is 0, expected 1 or more.",
                [&] { return mluOpSetTensorDescriptorEx(desc_, layout, type, 0, good, good); });
  ExpectRefused(name + "dimSize[0] is -1, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptorEx(desc_, layout, type, 2, bad, good); });
  ExpectRefused(name2 + "dimSize is NULL, expected an array of dimNb extents.",
                [&] { return mluOpSetTensorDescriptorEx_v2(desc_, layout, type, 2, nullptr, good64); });
  ExpectRefused(name2 + "dimStride is NULL, expected an array of dimNb strides.",
                [&] { return mluOpSetTensorDescriptorEx_v2(desc_, layout, type, 2, good64, nullptr); });
  ExpectRefused(name2 + "dimNb is -4, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptorEx_v2(desc_, layout, type, -4, good64, good64); });
  ExpectRefused(name2 + "dimSize[1] is -2, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptorEx_v2(desc_, layout, type, 2, bad64, good64); });
}

TEST_F(TensorDescriptorTest, RefusedSetDimChangesNothing) {
  const int bad[] = {3, -1};
  const int64_t bad64[] = {-5};
  ExpectRefused("mluOpSetTensorDescriptorDim: dimSize[1] is -1, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptorDim(desc_, 2, bad); });
  ExpectRefused("mluOpSetTensorDescriptorDim: dimSize is NULL, expected an array of dimNb extents.",
                [&] { return mluOpSetTensorDescriptorDim(desc_, 2, nullptr); });
  ExpectRefused("mluOpSetTensorDescriptorDim: dimNb is -7, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptorDim(desc_, -7, bad); });
  ExpectRefused("mluOpSetTensorDescriptorDim_v2: dimSize[0] is -5, expected 0 or more.",
                [&] { return mluOpSetTensorDescriptorDim_v2(desc_, 1, bad64); });
  ExpectRefused("mluOpSetTensorDescriptorDim_v2: dimNb is 0, expected 1 or more unless the pointer mode is HOST.",
                [&] { return mluOpSetTensorDescriptorDim_v2(desc_, 0, bad64); });
}

TEST(TensorDescriptorNullTest, SetsRefuseANullDescriptor) {
  const int extents[] = {1};
  const int64_t extents64[] = {1};
  const auto layout = MLUOP_LAYOUT_ARRAY;
  const auto type = MLUOP_DTYPE_FLOAT;
#define EXPECT_NULL_DESC(function, ...)                                            \
  EXPECT_EQ(function(nullptr __VA_OPT__(, ) __VA_ARGS__), MLUOP_STATUS_BAD_PARAM); \
  EXPECT_EQ(ThreadText(), #function ": desc is NULL, expected a tensor descriptor.")
  EXPECT_NULL_DESC(mluOpSetTensorDescriptor, layout, type, 1, extents);
  EXPECT_NULL_DESC(mluOpSetTensorDescriptor_v2, layout, type, 1, extents64);
  EXPECT_NULL_DESC(mluOpSetTensorDescriptorEx, layout, type, 1, extents, extents);
  EXPECT_NULL_DESC(mluOpSetTensorDescriptorEx_v2, layout, type, 1, extents64, extents64);
  EXPECT_NULL_DESC(mluOpSetTensorDescriptorDim, 1, extents);
  EXPECT_NULL_DESC(mluOpSetTensorDescriptorDim_v2, 1, extents64);
  EXPECT_NULL_DESC(mluOpSetTensorDescriptorPointerMode, MLUOP_POINTER_MODE_HOST);
  EXPECT_NULL_DESC(mluOpSetTensorDescriptorOnchipDataType, type);
  EXPECT_NULL_DESC(mluOpSetTensorDescriptorPosition, 1);
  EXPECT_NULL_DESC(mluOpSetTensorDescriptorPositionAndScale, 1, 1.0f);
  EXPECT_NULL_DESC(mluOpSetTensorDescriptorPositionScaleAndOffset, 1, 1.0f, 1);
#undef EXPECT_NULL_DESC
}

}  // namespace
