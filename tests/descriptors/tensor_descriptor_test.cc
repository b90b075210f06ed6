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

  mluOpTensorDescriptor_t desc_ = nullptr;
};

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

}  // namespace
