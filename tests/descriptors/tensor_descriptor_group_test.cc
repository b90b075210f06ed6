// Groups of tensor descriptors: all or none are made, set and freed.
#include <climits>
#include <cstdint>
#include <functional>
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

  void ExpectRefused(const std::string& text, const std::function<mluOpStatus_t()>& call) {
    const std::vector<DescriptorSnapshot> before = Snapshots(group_);
    EXPECT_EQ(call(), MLUOP_STATUS_BAD_PARAM) << text;
    EXPECT_EQ(ThreadText(), text);
    EXPECT_EQ(Snapshots(group_), before) << text;
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

TEST(GroupCreateTest, RefusalsMakeNone) {
  const std::string name = "mluOpCreateGroupTensorDescriptors: ";
  Group group(3);
  EXPECT_EQ(mluOpCreateGroupTensorDescriptors(nullptr, 3), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ThreadText(), name + "group_desc is NULL, expected an array of pointers to descriptors.");
  for (const int count : {0, -1, INT_MIN}) {
    EXPECT_EQ(mluOpCreateGroupTensorDescriptors(group.pointers.data(), count), MLUOP_STATUS_BAD_PARAM);
    EXPECT_EQ(ThreadText(), name + "desc_num is " + std::to_string(count) + ", expected 1 or more.");
  }
  group.pointers[2] = nullptr;
  EXPECT_EQ(mluOpCreateGroupTensorDescriptors(group.pointers.data(), 3), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ThreadText(), name + "group_desc[2] is NULL, expected a pointer to a descriptor.");
  for (mluOpTensorDescriptor_t desc : group.descs) EXPECT_EQ(desc, nullptr);
}

TEST_F(GroupTest, DestroyRefusalsFreeNone) {
  const std::string name = "mluOpDestroyGroupTensorDescriptors: ";
  EXPECT_EQ(mluOpDestroyGroupTensorDescriptors(nullptr, 3), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ThreadText(), name + "group_desc is NULL, expected an array of pointers to descriptors.");
  ExpectRefused(name + "desc_num is 0, expected 1 or more.",
                [&] { return mluOpDestroyGroupTensorDescriptors(group_.pointers.data(), 0); });
  std::vector<mluOpTensorDescriptor_t*> pointers = group_.pointers;
  pointers[1] = nullptr;
  ExpectRefused(name + "group_desc[1] is NULL, expected a pointer to a descriptor.",
                [&] { return mluOpDestroyGroupTensorDescriptors(pointers.data(), 3); });
  mluOpTensorDescriptor_t none = nullptr;
  pointers = group_.pointers;
  pointers[2] = &none;
  ExpectRefused(name + "*group_desc[2] is NULL, expected a tensor descriptor.",
                [&] { return mluOpDestroyGroupTensorDescriptors(pointers.data(), 3); });
  // All three are still there: TearDown frees them, and a sanitizer would see a second free.
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

TEST_F(GroupTest, SetRefusalsSetNone) {
  mluOpTensorDescriptor_t** g = group_.pointers.data();
  const std::string name = "mluOpSetGroupTensorDescriptors: ";
  ExpectRefused(name + "group_desc is NULL, expected an array of pointers to descriptors.",
                [&] { return mluOpSetGroupTensorDescriptors(nullptr, layouts_, types_, ranks_, extents_, 3); });
  ExpectRefused(name + "desc_num is -3, expected 1 or more.",
                [&] { return mluOpSetGroupTensorDescriptors(g, layouts_, types_, ranks_, extents_, -3); });
  ExpectRefused(name + "group_layout is NULL, expected an array of desc_num layouts.",
                [&] { return mluOpSetGroupTensorDescriptors(g, nullptr, types_, ranks_, extents_, 3); });
  ExpectRefused(name + "group_dtype is NULL, expected an array of desc_num types.",
                [&] { return mluOpSetGroupTensorDescriptors(g, layouts_, nullptr, ranks_, extents_, 3); });
  ExpectRefused(name + "group_dimNb is NULL, expected an array of desc_num ranks.",
                [&] { return mluOpSetGroupTensorDescriptors(g, layouts_, types_, nullptr, extents_, 3); });
  ExpectRefused(name + "group_dimSize is NULL, expected the extents of all descriptors.",
                [&] { return mluOpSetGroupTensorDescriptors(g, layouts_, types_, ranks_, nullptr, 3); });
  std::vector<mluOpTensorDescriptor_t*> pointers = group_.pointers;
  pointers[2] = nullptr;
  ExpectRefused(name + "group_desc[2] is NULL, expected a pointer to a descriptor.",
                [&] { return mluOpSetGroupTensorDescriptors(pointers.data(), layouts_, types_, ranks_, extents_, 3); });
  mluOpTensorDescriptor_t none = nullptr;
  pointers[2] = &none;
  ExpectRefused(name + "*group_desc[2] is NULL, expected a tensor descriptor.",
                [&] { return mluOpSetGroupTensorDescriptors(pointers.data(), layouts_, types_, ranks_, extents_, 3); });
}

// The last member is wrong: those before it must stay as they were.
TEST_F(GroupTest, SetRefusesABadMemberAndSetsNone) {
  mluOpTensorDescriptor_t** g = group_.pointers.data();
  const mluOpTensorLayout_t layouts[] = {layouts_[0], layouts_[1], static_cast<mluOpTensorLayout_t>(-1)};
  const mluOpDataType_t types[] = {types_[0], types_[1], static_cast<mluOpDataType_t>(-1)};
  const int negative_rank[] = {4, 1, -1}, zero_rank[] = {4, 1, 0}, long_ranks[] = {1, 12, 1};
  const int extents[] = {2, 3, 4, 5, 6, 7, 8, -9};
  std::vector<int64_t> extents64(14, 1);
  extents64[13] = -1;
  ExpectRefused("mluOpSetGroupTensorDescriptors: layout is -1, expected 0 or more.",
                [&] { return mluOpSetGroupTensorDescriptors(g, layouts, types_, ranks_, extents_, 3); });
  ExpectRefused("mluOpSetGroupTensorDescriptors: dtype is -1, expected 0 or more.",
                [&] { return mluOpSetGroupTensorDescriptors(g, layouts_, types, ranks_, extents_, 3); });
  ExpectRefused("mluOpSetGroupTensorDescriptors: dimNb is -1, expected 0 or more.",
                [&] { return mluOpSetGroupTensorDescriptors(g, layouts_, types_, negative_rank, extents_, 3); });
  ExpectRefused("mluOpSetGroupTensorDescriptors: dimNb is 0, expected 1 or more unless the pointer mode is HOST.",
                [&] { return mluOpSetGroupTensorDescriptors(g, layouts_, types_, zero_rank, extents_, 3); });
  ExpectRefused("mluOpSetGroupTensorDescriptors: dimSize[2] is -9, expected 0 or more.",
                [&] { return mluOpSetGroupTensorDescriptors(g, layouts_, types_, ranks_, extents, 3); });
  ExpectRefused("mluOpSetGroupTensorDescriptors_v2: dimSize[0] is -1, expected 0 or more.", [&] {
    return mluOpSetGroupTensorDescriptors_v2(g, layouts_, types_, long_ranks, extents64.data(), 3);
  });
}

}  // namespace
