// What the Get functions of one tensor descriptor give, skip and refuse, and the fields that are kept for the caller.
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "descriptors/descriptor_snapshot.h"
#include "detops.h"
#include "gtest/gtest.h"

namespace {

using detops_test::DescriptorSnapshot;
using detops_test::FreshDescriptor;
using detops_test::Snapshot;

std::string ThreadText() { return detopsGetLastError(nullptr); }

// Places for results, filled with what no descriptor says.
template <typename Integer>
struct Places {
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_TNC;
  mluOpDataType_t type = MLUOP_DTYPE_BOOL;
  int rank = 77;
  Integer extents[4] = {77, 77, 77, 77};
  Integer strides[4] = {77, 77, 77, 77};
};

template <typename Integer>
::testing::AssertionResult Untouched(const Places<Integer>& places) {
  const Places<Integer> initial;
  bool same = places.layout == initial.layout && places.type == initial.type && places.rank == initial.rank;
  for (int i = 0; i < 4; ++i) {
    same = same && places.extents[i] == initial.extents[i] && places.strides[i] == initial.strides[i];
  }
  return same ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << "a refused Get wrote a result";
}

class TensorDescriptorGetTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(mluOpCreateTensorDescriptor(&desc_), MLUOP_STATUS_SUCCESS); }
  void TearDown() override { EXPECT_EQ(mluOpDestroyTensorDescriptor(desc_), MLUOP_STATUS_SUCCESS); }

  void SetShape(const std::vector<int64_t>& extents) {
    ASSERT_EQ(mluOpSetTensorDescriptor_v2(desc_, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_HALF, static_cast<int>(extents.size()),
                                          extents.data()),
              MLUOP_STATUS_SUCCESS);
  }

  mluOpTensorDescriptor_t desc_ = nullptr;
};

TEST_F(TensorDescriptorGetTest, GetGivesShapeTypeAndLayout) {
  SetShape({2, 0, 7});
  Places<int> narrow;
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, &narrow.layout, &narrow.type, &narrow.rank, narrow.extents),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(narrow.layout, MLUOP_LAYOUT_NHWC);
  EXPECT_EQ(narrow.type, MLUOP_DTYPE_HALF);
  EXPECT_EQ(narrow.rank, 3);
  EXPECT_EQ(std::vector<int>(narrow.extents, narrow.extents + 4), (std::vector<int>{2, 0, 7, 77}));
  Places<int64_t> wide;
  EXPECT_EQ(mluOpGetTensorDescriptor_v2(desc_, &wide.layout, &wide.type, &wide.rank, wide.extents),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(wide.layout, MLUOP_LAYOUT_NHWC);
  EXPECT_EQ(wide.type, MLUOP_DTYPE_HALF);
  EXPECT_EQ(wide.rank, 3);
  EXPECT_EQ(std::vector<int64_t>(wide.extents, wide.extents + 4), (std::vector<int64_t>{2, 0, 7, 77}));
}

TEST_F(TensorDescriptorGetTest, GetExGivesStrides) {
  SetShape({2, 3, 4});
  Places<int> narrow;
  EXPECT_EQ(
      mluOpGetTensorDescriptorEx(desc_, &narrow.layout, &narrow.type, &narrow.rank, narrow.extents, narrow.strides),
      MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(narrow.layout, MLUOP_LAYOUT_NHWC);
  EXPECT_EQ(narrow.type, MLUOP_DTYPE_HALF);
  EXPECT_EQ(narrow.rank, 3);
  EXPECT_EQ(std::vector<int>(narrow.extents, narrow.extents + 4), (std::vector<int>{2, 3, 4, 77}));
  EXPECT_EQ(std::vector<int>(narrow.strides, narrow.strides + 4), (std::vector<int>{12, 4, 1, 77}));
}

TEST_F(TensorDescriptorGetTest, GetSkipsNullPlaces) {
  SetShape({2, 3});
  Places<int> p;
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, nullptr, nullptr, nullptr, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, &p.layout, nullptr, nullptr, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, nullptr, &p.type, nullptr, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, nullptr, nullptr, &p.rank, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(p.extents[0], 77);
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, nullptr, nullptr, nullptr, p.extents), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(p.layout, MLUOP_LAYOUT_NHWC);
  EXPECT_EQ(p.type, MLUOP_DTYPE_HALF);
  EXPECT_EQ(p.rank, 2);
  EXPECT_EQ(p.extents[1], 3);
  Places<int64_t> w;
  EXPECT_EQ(mluOpGetTensorDescriptor_v2(desc_, nullptr, nullptr, nullptr, nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptor_v2(desc_, nullptr, nullptr, nullptr, w.extents), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(w.extents[0], 2);
  EXPECT_EQ(w.rank, 77);
}

// The arguments of a GetEx function, with NULL in place `missing`.
template <typename Integer, class Function>
mluOpStatus_t GetExWithout(Function function, mluOpTensorDescriptor_t desc, int missing, Places<Integer>* p) {
  return function(desc, missing == 0 ? nullptr : &p->layout, missing == 1 ? nullptr : &p->type,
                  missing == 2 ? nullptr : &p->rank, missing == 3 ? nullptr : p->extents,
                  missing == 4 ? nullptr : p->strides);
}

TEST_F(TensorDescriptorGetTest, NarrowGettersRefuseExtentsBeyondInt) {
  SetShape({2, int64_t{INT_MAX} + 1, 3});
  const std::string rest = " has extent 2147483648 on axis 1, expected a number that fits int; use the _v2 function.";
  Places<int> p;
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, &p.layout, &p.type, &p.rank, p.extents), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ThreadText(), "mluOpGetTensorDescriptor: desc" + rest);
  EXPECT_TRUE(Untouched(p));
  EXPECT_EQ(mluOpGetTensorDescriptorEx(desc_, &p.layout, &p.type, &p.rank, p.extents, p.strides),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(Untouched(p));
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, &p.layout, &p.type, &p.rank, nullptr), MLUOP_STATUS_SUCCESS)
      << "extents that are not asked for cannot be too large";
  EXPECT_EQ(p.rank, 3);
  SetShape({2, INT_MAX, 1});
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, nullptr, nullptr, nullptr, p.extents), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(p.extents[1], INT_MAX);
}

TEST_F(TensorDescriptorGetTest, NarrowGetterRefusesStridesBeyondInt) {
  SetShape({2, 65536, 32768});
  Places<int> p;
  EXPECT_EQ(mluOpGetTensorDescriptorEx(desc_, &p.layout, &p.type, &p.rank, p.extents, p.strides),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ThreadText(),
            "mluOpGetTensorDescriptorEx: desc has stride 2147483648 on axis 0, expected a number that fits int; use "
            "the _v2 function.");
  EXPECT_TRUE(Untouched(p));
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, &p.layout, &p.type, &p.rank, p.extents), MLUOP_STATUS_SUCCESS)
      << "all extents fit";
  Places<int> q;
  const int64_t one[] = {1}, low[] = {int64_t{INT_MIN} - 1};
  ASSERT_EQ(mluOpSetTensorDescriptorEx_v2(desc_, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 1, one, low),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorDescriptorEx(desc_, &q.layout, &q.type, &q.rank, q.extents, q.strides),
            MLUOP_STATUS_BAD_PARAM);
  EXPECT_TRUE(Untouched(q));
}

TEST_F(TensorDescriptorGetTest, PointerMode) {
  mluOpPointerMode_t mode = MLUOP_POINTER_MODE_HOST;
  EXPECT_EQ(mluOpGetTensorDescriptorPointerMode(desc_, &mode), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mode, MLUOP_POINTER_MODE_DEVICE);
  DescriptorSnapshot expected = FreshDescriptor();
  expected.pointer_mode = MLUOP_POINTER_MODE_HOST;
  EXPECT_EQ(mluOpSetTensorDescriptorPointerMode(desc_, MLUOP_POINTER_MODE_HOST), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Snapshot(desc_), expected);
  for (const int wrong : {2, -1, INT_MAX}) {
    EXPECT_EQ(mluOpSetTensorDescriptorPointerMode(desc_, static_cast<mluOpPointerMode_t>(wrong)),
              MLUOP_STATUS_BAD_PARAM);
    EXPECT_EQ(ThreadText(),
              "mluOpSetTensorDescriptorPointerMode: pointer_mode is " + std::to_string(wrong) + ", expected 0 or 1.");
    EXPECT_EQ(Snapshot(desc_), expected);
  }
  EXPECT_EQ(mluOpGetTensorDescriptorPointerMode(desc_, nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ThreadText(),
            "mluOpGetTensorDescriptorPointerMode: pointer_mode is NULL, expected a place for the result.");
  EXPECT_EQ(mluOpSetTensorDescriptorPointerMode(desc_, MLUOP_POINTER_MODE_DEVICE), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Snapshot(desc_), FreshDescriptor());
}

TEST_F(TensorDescriptorGetTest, OnchipType) {
  DescriptorSnapshot expected = FreshDescriptor();
  for (const int type : {static_cast<int>(MLUOP_DTYPE_INT31), 0, 10, 99}) {
    EXPECT_EQ(mluOpSetTensorDescriptorOnchipDataType(desc_, static_cast<mluOpDataType_t>(type)), MLUOP_STATUS_SUCCESS);
    expected.onchip_type = type;
    EXPECT_EQ(Snapshot(desc_), expected);
  }
  EXPECT_EQ(mluOpSetTensorDescriptorOnchipDataType(desc_, static_cast<mluOpDataType_t>(-1)), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ThreadText(), "mluOpSetTensorDescriptorOnchipDataType: onchip_dtype is -1, expected 0 or more.");
  EXPECT_EQ(Snapshot(desc_), expected);
  EXPECT_EQ(mluOpGetTensorDescriptorOnchipDataType(desc_, nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ThreadText(),
            "mluOpGetTensorDescriptorOnchipDataType: onchip_dtype is NULL, expected a place for the result.");
}

TEST_F(TensorDescriptorGetTest, PositionScaleAndOffset) {
  DescriptorSnapshot expected = FreshDescriptor();
  EXPECT_EQ(mluOpSetTensorDescriptorPosition(desc_, -5), MLUOP_STATUS_SUCCESS);
  expected.position = -5;
  EXPECT_EQ(Snapshot(desc_), expected);
  EXPECT_EQ(mluOpSetTensorDescriptorPositionAndScale(desc_, 6, 0.25f), MLUOP_STATUS_SUCCESS);
  expected.position = 6;
  expected.scale = 0.25f;
  EXPECT_EQ(Snapshot(desc_), expected);
  EXPECT_EQ(mluOpSetTensorDescriptorPositionScaleAndOffset(desc_, INT_MAX, -2.0f, INT_MIN), MLUOP_STATUS_SUCCESS);
  expected.position = INT_MAX;
  expected.scale = -2.0f;
  expected.offset = INT_MIN;
  EXPECT_EQ(Snapshot(desc_), expected);
  int position = 77;
  float scale = 77.0f;
  EXPECT_EQ(mluOpGetTensorDescriptorPosition(desc_, &position), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(position, INT_MAX);
  position = 77;
  EXPECT_EQ(mluOpGetTensorDescriptorPositionAndScale(desc_, &position, &scale), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(position, INT_MAX);
  EXPECT_EQ(scale, -2.0f);
}

}  // namespace
