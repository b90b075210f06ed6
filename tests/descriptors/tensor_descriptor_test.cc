// Tensor descriptors at the ends of what they hold. Whatever else their functions set, give, skip and refuse is
// compared with a model by core_api_fuzz, whose kept and random inputs are tests; its numbers are small, and ranks up
// to 10.
#include <climits>
#include <cstdint>
#include <set>
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

class TensorDescriptorTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(mluOpCreateTensorDescriptor(&desc_), MLUOP_STATUS_SUCCESS); }
  void TearDown() override { EXPECT_EQ(mluOpDestroyTensorDescriptor(desc_), MLUOP_STATUS_SUCCESS); }

  mluOpTensorDescriptor_t desc_ = nullptr;
};

TEST_F(TensorDescriptorTest, FreshState) { EXPECT_EQ(Snapshot(desc_), FreshDescriptor()); }

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

// What fits int is given as int; what does not is refused, but only where it is asked for, and nothing is written.
TEST_F(TensorDescriptorTest, NarrowGetters) {
  const auto set = [&](const std::vector<int64_t>& extents, const std::vector<int64_t>& strides) {
    ASSERT_EQ(mluOpSetTensorDescriptorEx_v2(desc_, MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_HALF,
                                            static_cast<int>(extents.size()), extents.data(), strides.data()),
              MLUOP_STATUS_SUCCESS);
  };
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_TNC;
  mluOpDataType_t type = MLUOP_DTYPE_BOOL;
  int rank = 77, extents[] = {77, 77}, strides[] = {77, 77};
  const auto get = [&] { return mluOpGetTensorDescriptorEx(desc_, &layout, &type, &rank, extents, strides); };
  set({2, int64_t{INT_MAX} + 1}, {1, 1});
  EXPECT_EQ(get(), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, nullptr, nullptr, nullptr, extents), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(mluOpGetTensorDescriptor(desc_, nullptr, nullptr, nullptr, nullptr), MLUOP_STATUS_SUCCESS);
  for (const int64_t stride : {int64_t{INT_MAX} + 1, int64_t{INT_MIN} - 1}) {
    set({65536, 32768}, {stride, 1});
    EXPECT_EQ(get(), MLUOP_STATUS_BAD_PARAM);
    EXPECT_EQ(detopsGetLastError(nullptr), "mluOpGetTensorDescriptorEx: desc has stride " + std::to_string(stride) +
                                               " on axis 0, expected a number that fits int; use the _v2 function.");
  }
  EXPECT_TRUE(layout == MLUOP_LAYOUT_TNC && type == MLUOP_DTYPE_BOOL && rank == 77 && extents[0] == 77 &&
              extents[1] == 77 && strides[0] == 77 && strides[1] == 77);
  set({2, INT_MAX}, {INT_MIN, INT_MAX});
  EXPECT_EQ(get(), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(extents[1], INT_MAX);
  EXPECT_EQ(strides[0], INT_MIN);
}

TEST_F(TensorDescriptorTest, Fields) {
  DescriptorSnapshot expected = FreshDescriptor();
  EXPECT_EQ(mluOpSetTensorDescriptorOnchipDataType(desc_, static_cast<mluOpDataType_t>(99)), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpSetTensorDescriptorPositionScaleAndOffset(desc_, INT_MAX, -2.0f, INT_MIN), MLUOP_STATUS_SUCCESS);
  expected.onchip_type = 99;
  expected.position = INT_MAX;
  expected.scale = -2.0f;
  expected.offset = INT_MIN;
  EXPECT_EQ(Snapshot(desc_), expected);
}

// ---- groups ----

// `count` places for descriptors and the array of pointers to them that the functions take.
struct Group {
  explicit Group(int count) : descs(static_cast<size_t>(count), nullptr) {
    for (mluOpTensorDescriptor_t& desc : descs) pointers.push_back(&desc);
    EXPECT_EQ(mluOpCreateGroupTensorDescriptors(pointers.data(), count), MLUOP_STATUS_SUCCESS);
  }
  ~Group() {
    EXPECT_EQ(mluOpDestroyGroupTensorDescriptors(pointers.data(), static_cast<int>(descs.size())),
              MLUOP_STATUS_SUCCESS);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  std::vector<mluOpTensorDescriptor_t> descs;
  std::vector<mluOpTensorDescriptor_t*> pointers;
};

TEST(TensorDescriptorGroup, MakesFreshDistinctDescriptors) {
  const Group group(100);
  EXPECT_EQ(std::set<mluOpTensorDescriptor_t>(group.descs.begin(), group.descs.end()).size(), 100u);
  for (mluOpTensorDescriptor_t desc : group.descs) EXPECT_EQ(Snapshot(desc), FreshDescriptor());
}

TEST(TensorDescriptorGroup, MembersMayBeFreedOneByOneAndMadeOneByOne) {
  Group group(2);
  EXPECT_EQ(mluOpDestroyTensorDescriptor(group.descs[0]), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(mluOpCreateTensorDescriptor(&group.descs[0]), MLUOP_STATUS_SUCCESS);
}

TEST(TensorDescriptorGroup, SetV2TakesExtentsBeyondIntAndLongRanks) {
  Group group(3);
  const mluOpTensorLayout_t layouts[] = {MLUOP_LAYOUT_NHWC, MLUOP_LAYOUT_ARRAY, MLUOP_LAYOUT_NTC};
  const mluOpDataType_t types[] = {MLUOP_DTYPE_HALF, MLUOP_DTYPE_INT32, MLUOP_DTYPE_DOUBLE};
  const int ranks[] = {1, 20, 2};
  std::vector<int64_t> extents(23, 1);
  extents[0] = int64_t{1} << 40;
  extents[20] = 11;
  extents[21] = 12;
  extents[22] = 13;
  EXPECT_EQ(mluOpSetGroupTensorDescriptors_v2(group.pointers.data(), layouts, types, ranks, extents.data(), 3),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Snapshot(group.descs[0]).elements, size_t{1} << 40);
  EXPECT_EQ(Snapshot(group.descs[1]).extents.size(), 20u);
  EXPECT_EQ(Snapshot(group.descs[1]).elements, 11u);
  EXPECT_EQ(Snapshot(group.descs[2]).extents, (std::vector<int64_t>{12, 13}));
}

}  // namespace
