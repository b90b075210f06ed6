// Groups of tensor descriptors: all or none are made, set and freed.
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

std::string ThreadText() { return detopsGetLastError(nullptr); }

// `count` places for descriptors and the array of pointers to them that the functions take.
struct Group {
  explicit Group(int count) : descs(static_cast<size_t>(count), nullptr) {
    for (mluOpTensorDescriptor_t& desc : descs) pointers.push_back(&desc);
  }
  int count() const { return static_cast<int>(descs.size()); }

  std::vector<mluOpTensorDescriptor_t> descs;
  std::vector<mluOpTensorDescriptor_t*> pointers;
};

std::vector<DescriptorSnapshot> Snapshots(const Group& group) {
  std::vector<DescriptorSnapshot> snapshots;
  snapshots.reserve(group.descs.size());
  for (mluOpTensorDescriptor_t desc : group.descs) snapshots.push_back(Snapshot(desc));
  return snapshots;
}

// Three descriptors in pointer mode DEVICE, HOST, DEVICE that say something already.
class GroupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(mluOpCreateGroupTensorDescriptors(group_.pointers.data(), 3), MLUOP_STATUS_SUCCESS);
    const int extents[] = {9, 8};
    for (mluOpTensorDescriptor_t desc : group_.descs) {
      ASSERT_EQ(mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_NC, MLUOP_DTYPE_INT8, 2, extents), MLUOP_STATUS_SUCCESS);
    }
    ASSERT_EQ(mluOpSetTensorDescriptorPointerMode(group_.descs[1], MLUOP_POINTER_MODE_HOST), MLUOP_STATUS_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(mluOpDestroyGroupTensorDescriptors(group_.pointers.data(), 3), MLUOP_STATUS_SUCCESS);
  }

  Group group_{3};
  const mluOpTensorLayout_t layouts_[3] = {MLUOP_LAYOUT_NHWC, MLUOP_LAYOUT_ARRAY, MLUOP_LAYOUT_NTC};
  const mluOpDataType_t types_[3] = {MLUOP_DTYPE_HALF, MLUOP_DTYPE_INT32, MLUOP_DTYPE_DOUBLE};
  const int ranks_[3] = {4, 1, 3};
  const int extents_[8] = {2, 3, 4, 5, 6, 7, 8, 9};
};

TEST(GroupCreateTest, MakesFreshDistinctDescriptors) {
  Group group(100);
  ASSERT_EQ(mluOpCreateGroupTensorDescriptors(group.pointers.data(), 100), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(std::set<mluOpTensorDescriptor_t>(group.descs.begin(), group.descs.end()).size(), 100u);
  for (mluOpTensorDescriptor_t desc : group.descs) {
    ASSERT_NE(desc, nullptr);
    EXPECT_EQ(Snapshot(desc), FreshDescriptor());
  }
  EXPECT_EQ(mluOpDestroyGroupTensorDescriptors(group.pointers.data(), 100), MLUOP_STATUS_SUCCESS);
}

TEST(GroupCreateTest, MembersMayBeFreedOneByOneAndMadeOneByOne) {
  Group group(2);
  ASSERT_EQ(mluOpCreateGroupTensorDescriptors(group.pointers.data(), 2), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpDestroyTensorDescriptor(group.descs[0]), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(mluOpCreateTensorDescriptor(&group.descs[0]), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpDestroyGroupTensorDescriptors(group.pointers.data(), 2), MLUOP_STATUS_SUCCESS);
}

TEST_F(GroupTest, SetGivesEachItsShare) {
  EXPECT_EQ(mluOpSetGroupTensorDescriptors(group_.pointers.data(), layouts_, types_, ranks_, extents_, 3),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(ThreadText(), "");
  const std::vector<DescriptorSnapshot> snapshots = Snapshots(group_);
  EXPECT_EQ(snapshots[0].layout, MLUOP_LAYOUT_NHWC);
  EXPECT_EQ(snapshots[0].type, MLUOP_DTYPE_HALF);
  EXPECT_EQ(snapshots[0].extents, (std::vector<int64_t>{2, 3, 4, 5}));
  EXPECT_EQ(snapshots[0].strides, (std::vector<int64_t>{60, 20, 5, 1}));
  EXPECT_EQ(snapshots[0].elements, 120u);
  EXPECT_EQ(snapshots[1].layout, MLUOP_LAYOUT_ARRAY);
  EXPECT_EQ(snapshots[1].type, MLUOP_DTYPE_INT32);
  EXPECT_EQ(snapshots[1].extents, (std::vector<int64_t>{6}));
  EXPECT_EQ(snapshots[1].pointer_mode, MLUOP_POINTER_MODE_HOST) << "the pointer mode is not the Set's business";
  EXPECT_EQ(snapshots[2].layout, MLUOP_LAYOUT_NTC);
  EXPECT_EQ(snapshots[2].type, MLUOP_DTYPE_DOUBLE);
  EXPECT_EQ(snapshots[2].extents, (std::vector<int64_t>{7, 8, 9}));
  EXPECT_EQ(snapshots[2].elements, 504u);
}

TEST_F(GroupTest, SetV2TakesExtentsBeyondIntAndLongRanks) {
  const int ranks[] = {1, 20, 2};
  std::vector<int64_t> extents(23, 1);
  extents[0] = int64_t{1} << 40;
  extents[20] = 11;
  extents[21] = 12;
  extents[22] = 13;
  EXPECT_EQ(mluOpSetGroupTensorDescriptors_v2(group_.pointers.data(), layouts_, types_, ranks, extents.data(), 3),
            MLUOP_STATUS_SUCCESS);
  const std::vector<DescriptorSnapshot> snapshots = Snapshots(group_);
  EXPECT_EQ(snapshots[0].elements, size_t{1} << 40);
  EXPECT_EQ(snapshots[1].extents.size(), 20u);
  EXPECT_EQ(snapshots[1].elements, 11u);
  EXPECT_EQ(snapshots[2].extents, (std::vector<int64_t>{12, 13}));
}

TEST_F(GroupTest, RankZeroTakesNoExtents) {
  const int ranks[] = {2, 0, 1};  // the second is in pointer mode HOST
  EXPECT_EQ(mluOpSetGroupTensorDescriptors(group_.pointers.data(), layouts_, types_, ranks, extents_, 3),
            MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpGetTensorElementNum(group_.descs[0]), 6u);
  EXPECT_EQ(mluOpGetTensorElementNum(group_.descs[1]), 1u);
  EXPECT_EQ(mluOpGetTensorElementNum(group_.descs[2]), 4u);
}

}  // namespace
