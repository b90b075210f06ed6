// Memory runs out in every call that takes some. The program replaces the allocation functions of the C library, so it
// is not built with sanitizers.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "allocation/hooks.h"
#include "allocation/subject.h"
#include "detops.h"
#include "gtest/gtest.h"
#include "handle/align_case.h"
#include "support/tensor.h"

namespace {

using namespace detops_test::hooks;  // counters of this test alone
using detops_test::AlignCase;

// ---- the calls --------------------------------------------------------------------------------

// First, because a process registers its fork handler once.
TEST_F(AllocationFailureTest, NoRoomForTheForkHandler) {
  auto* const mark = reinterpret_cast<mluOpHandle_t>(&g_armed);
  mluOpHandle_t handle = mark;
  ASSERT_EQ(mluOpCreate(nullptr), MLUOP_STATUS_BAD_PARAM);  // this thread's error text is made once and then kept
  const Balance before = Live();
  g_fail_fork_handlers = true;
  const mluOpStatus_t status = mluOpCreate(&handle);
  g_fail_fork_handlers = false;
  EXPECT_EQ(status, MLUOP_STATUS_ALLOC_FAILED);
  EXPECT_EQ(handle, mark);
  EXPECT_EQ(Live(), before);
  EXPECT_STREQ(detopsGetLastError(nullptr), "mluOpCreate: no memory for a fork handler.");
  ASSERT_EQ(mluOpCreate(&handle), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(mluOpDestroy(handle), MLUOP_STATUS_SUCCESS);
}

// A function that makes an object leaves its place alone when it fails. That which destroys it takes no memory.
template <class Object, class Status>
void FailCreation(
    Status (*create)(Object*), Status (*destroy)(Object), int status,
    const std::function<bool()>& also = [] { return true; }) {
  auto* const mark = reinterpret_cast<Object>(&g_armed);
  Object object = mark;
  FailEveryAllocation({[&] { return create(&object); },
                       [&] {
                         EXPECT_EQ(WithoutMemory([&] { return static_cast<int>(destroy(object)); }), 0);
                         object = mark;
                       },
                       [&] { return object == mark && also(); }, status});
}

TEST_F(AllocationFailureTest, Create) { FailCreation(mluOpCreate, mluOpDestroy, MLUOP_STATUS_ALLOC_FAILED); }
TEST_F(AllocationFailureTest, CreateTensorDescriptor) {
  FailCreation(mluOpCreateTensorDescriptor, mluOpDestroyTensorDescriptor, MLUOP_STATUS_ALLOC_FAILED);
}
TEST_F(AllocationFailureTest, CreateSparseConvolutionDescriptor) {
  FailCreation(mluOpCreateSparseConvolutionDescriptor, mluOpDestroySparseConvolutionDescriptor,
               MLUOP_STATUS_ALLOC_FAILED);
}
TEST_F(AllocationFailureTest, CreateIdentityRulebook) {
  const auto create = [](detopsRulebook_t* rulebook) { return detopsCreateIdentityRulebook(7, rulebook); };
  FailCreation<detopsRulebook_t, mluOpStatus_t>(create, detopsDestroyRulebook, MLUOP_STATUS_ALLOC_FAILED);
}
// Made anew, a rulebook takes no memory that it and the handle do not have.
TEST_F(AllocationFailureTest, RebuildRulebookTakesNothing) {
  const detops_test::Descriptor sites(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {4, 4});
  const detops_test::Descriptor rows(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {32, 4});
  constexpr int kSites[] = {0, 2, 1, 0, 0, 0, 1, 1, 0, 2, 1, 1, 0, 0, 0, 0};
  constexpr int kOnes[] = {1, 1, 1}, kSpace[] = {3, 3, 3};
  int outputs[128];
  int64_t count = 0;
  mluOpHandle_t handle = nullptr;
  mluOpCreate(&handle);
  detopsSetProfile(handle, DETOPS_PROFILE_FULL);
  detopsSetNumThreads(handle, 1);
  mluOpSparseConvolutionDescriptor_t conv = nullptr;
  mluOpCreateSparseConvolutionDescriptor(&conv);
  for (const int sub_m : {0, 1}) {
    mluOpSetSparseConvolutionDescriptor(conv, 5, 1, kOnes, kOnes, kOnes, kSpace, kSpace, kSpace, sub_m, 0, 0);
    detopsRulebook_t rulebook = nullptr;
    ASSERT_EQ(detopsBuildRulebook(handle, conv, sites.get(), kSites, rows.get(), outputs, nullptr, nullptr, &count,
                                  &rulebook),
              MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(WithoutMemory([&] {
                return detopsRebuildRulebook(handle, rulebook, conv, sites.get(), kSites, rows.get(), outputs, nullptr,
                                             nullptr, &count);
              }),
              0);
    detopsDestroyRulebook(rulebook);
  }
  mluOpDestroySparseConvolutionDescriptor(conv);
  mluOpDestroy(handle);
}
TEST_F(AllocationFailureTest, CreateNmsDescriptor) {
  FailCreation(mluOpCreateNmsDescriptor, mluOpDestroyNmsDescriptor, MLUOP_STATUS_ALLOC_FAILED);
}
TEST_F(AllocationFailureTest, RuntimeObjects) {
  const auto kept = [] { return cnrtGetLastError() == cnrtErrorSysNoMem; };
  FailCreation(cnrtQueueCreate, cnrtQueueDestroy, cnrtErrorSysNoMem, kept);
  FailCreation(cnrtNotifierCreate, cnrtNotifierDestroy, cnrtErrorSysNoMem, kept);
}

TEST_F(AllocationFailureTest, CreateGroupTensorDescriptors) {
  constexpr int kCount = 5;
  auto* const mark = reinterpret_cast<mluOpTensorDescriptor_t>(&g_armed);
  mluOpTensorDescriptor_t descs[kCount];
  mluOpTensorDescriptor_t* group[kCount];
  for (int i = 0; i < kCount; ++i) group[i] = &descs[i];
  std::fill_n(descs, kCount, mark);
  FailEveryAllocation({[&] { return mluOpCreateGroupTensorDescriptors(group, kCount); },
                       [&] {
                         EXPECT_EQ(WithoutMemory([&] { return mluOpDestroyGroupTensorDescriptors(group, kCount); }), 0);
                         std::fill_n(descs, kCount, mark);
                       },
                       [&] { return std::count(descs, descs + kCount, mark) == kCount; }, MLUOP_STATUS_ALLOC_FAILED});
}

// Whether the descriptor is as SetSmall made it.
void SetSmall(mluOpTensorDescriptor_t desc) {
  const int extents[] = {3, 4};
  mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_NC, MLUOP_DTYPE_INT8, 2, extents);
}
bool IsSmall(mluOpTensorDescriptor_t desc) {
  mluOpTensorLayout_t layout;
  mluOpDataType_t type;
  int rank = 0, extents[20] = {}, strides[20] = {};
  mluOpGetTensorDescriptorEx(desc, &layout, &type, &rank, extents, strides);
  return layout == MLUOP_LAYOUT_NC && type == MLUOP_DTYPE_INT8 && rank == 2 && extents[0] == 3 && extents[1] == 4 &&
         strides[0] == 4 && strides[1] == 1 && mluOpGetTensorElementNum(desc) == 12;
}

TEST_F(AllocationFailureTest, SetWithRankTwenty) {
  const std::vector<int> extents(20, 1);
  const std::vector<int64_t> extents64(20, 1);
  mluOpTensorDescriptor_t desc = nullptr;
  // Memory for a long rank may stay with the descriptor, so each round takes a new one, made outside of the count.
  const auto renew = [&] {
    if (desc != nullptr) mluOpDestroyTensorDescriptor(desc);
    mluOpCreateTensorDescriptor(&desc);
    SetSmall(desc);
  };
  const std::function<int()> calls[] = {
      [&] { return mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 20, extents.data()); },
      [&] { return mluOpSetTensorDescriptor_v2(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 20, extents64.data()); },
      [&] {
        return mluOpSetTensorDescriptorEx(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 20, extents.data(),
                                          extents.data());
      },
      [&] {
        return mluOpSetTensorDescriptorEx_v2(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 20, extents64.data(),
                                             extents64.data());
      },
      [&] { return mluOpSetTensorDescriptorDim(desc, 20, extents.data()); },
      [&] { return mluOpSetTensorDescriptorDim_v2(desc, 20, extents64.data()); },
  };
  for (const auto& call : calls) {
    renew();
    FailEveryAllocation({call, renew, [&] { return IsSmall(desc); }, MLUOP_STATUS_ALLOC_FAILED});
  }
  mluOpDestroyTensorDescriptor(desc);
}

TEST_F(AllocationFailureTest, SetGroupWithLongRanks) {
  mluOpTensorDescriptor_t descs[3] = {};
  mluOpTensorDescriptor_t* group[3] = {&descs[0], &descs[1], &descs[2]};
  const mluOpTensorLayout_t layouts[3] = {MLUOP_LAYOUT_ARRAY, MLUOP_LAYOUT_ARRAY, MLUOP_LAYOUT_ARRAY};
  const mluOpDataType_t types[3] = {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_FLOAT};
  const int ranks[3] = {20, 2, 9};
  const std::vector<int> extents(31, 1);
  const auto renew = [&] {
    if (descs[0] != nullptr) mluOpDestroyGroupTensorDescriptors(group, 3);
    mluOpCreateGroupTensorDescriptors(group, 3);
    for (mluOpTensorDescriptor_t desc : descs) SetSmall(desc);
  };
  // A failed call may keep room in a descriptor for the next try; that is no leak, but no balance either. So after each
  // failure the descriptors are renewed before they are counted.
  const std::vector<int64_t> extents64(31, 1);
  for (const bool wide : {false, true}) {
    bool small = true;
    renew();
    const auto call = [&] {
      const int status = wide ? mluOpSetGroupTensorDescriptors_v2(group, layouts, types, ranks, extents64.data(), 3)
                              : mluOpSetGroupTensorDescriptors(group, layouts, types, ranks, extents.data(), 3);
      if (status != MLUOP_STATUS_SUCCESS) {
        g_armed = false;
        small = IsSmall(descs[0]) && IsSmall(descs[1]) && IsSmall(descs[2]);
        renew();
      }
      return status;
    };
    FailEveryAllocation({call, renew, [&] { return small; }, MLUOP_STATUS_ALLOC_FAILED});
  }
  mluOpDestroyGroupTensorDescriptors(group, 3);
}

TEST_F(AllocationFailureTest, RuntimeMemory) {
  void* const mark = &g_armed;
  for (const size_t bytes : {size_t{100}, size_t{8} << 20}) {
    void* block = mark;
    const auto untouched = [&] { return block == mark && cnrtGetLastError() == cnrtErrorNoMem; };
    FailEveryAllocation({[&] { return cnrtMalloc(&block, bytes); },
                         [&] {
                           EXPECT_EQ(WithoutMemory([&] { return cnrtFree(block); }), 0);
                           block = mark;
                         },
                         untouched, cnrtErrorNoMem});
    FailEveryAllocation({[&] { return cnrtHostMalloc(&block, bytes); },
                         [&] {
                           EXPECT_EQ(WithoutMemory([&] { return cnrtFreeHost(block); }), 0);
                           block = mark;
                         },
                         untouched, cnrtErrorNoMem});
  }
}

// Workers are started, and their memory fails too. The scratch memory stays with the handle: each round takes a new
// one. Calls on one thread, and those of the other operators: no_memory_test.
TEST_F(AllocationFailureTest, CallThatStartsThreads) {
  const AlignCase work({2, 50, 50, 64, 5});
  std::vector<float> expected(work.size()), output(work.size());
  mluOpHandle_t handle = nullptr;
  const auto renew = [&] {
    if (handle != nullptr) mluOpDestroy(handle);
    mluOpCreate(&handle);
    detopsSetNumThreads(handle, 4);
    std::fill(output.begin(), output.end(), 77.0f);
  };
  renew();
  // Also makes the stacks that the C library keeps for later threads.
  ASSERT_EQ(work.Backward(handle, expected.data()), MLUOP_STATUS_SUCCESS);
  renew();
  const auto untouched = [&] {
    return std::count(output.begin(), output.end(), 77.0f) == static_cast<std::ptrdiff_t>(output.size()) &&
           std::string(detopsGetLastError(handle)) ==
               detops_test::kBackwardName + ": no memory for intermediate results.";
  };
  FailEveryAllocation({[&] { return work.Backward(handle, output.data()); }, renew, untouched,
                       MLUOP_STATUS_ALLOC_FAILED, true, [&] { return output == expected; }});
  mluOpDestroy(handle);
}

TEST_F(AllocationFailureTest, ModeOfRecording) {
  EXPECT_EQ(WithoutMemory([] { return mluOpSetGenCaseMode(0), 0; }), 0);
}

// "If the system has no thread left, the call goes on with those there are."
TEST_F(AllocationFailureTest, NoThreadCanBeStarted) {
  const AlignCase work({2, 50, 50, 64, 5});
  std::vector<float> forward(work.size()), backward(work.size());
  mluOpHandle_t handle = nullptr;
  ASSERT_EQ(mluOpCreate(&handle), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(detopsSetNumThreads(handle, 4), MLUOP_STATUS_SUCCESS);
  g_threads_refused = 0;
  g_fail_threads = true;
  const mluOpStatus_t first = work.Forward(handle, forward.data());
  const mluOpStatus_t second = work.Backward(handle, backward.data());
  g_fail_threads = false;
  EXPECT_EQ(first, MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(second, MLUOP_STATUS_SUCCESS);
  EXPECT_GT(g_threads_refused, 0) << "no thread was asked for; the test is blind";
  EXPECT_EQ(detops_test::Disagreement(forward, work.ForwardReference()), "");
  EXPECT_EQ(detops_test::Disagreement(backward, work.BackwardReference()), "");
  EXPECT_EQ(mluOpDestroy(handle), MLUOP_STATUS_SUCCESS);
}

// A refusal must keep its status when there is no room for its text, and the text of a thread must end with it.
TEST_F(AllocationFailureTest, NoMemoryForTheText) {
  std::thread([] {}).join();  // what the C library keeps for later threads
  mluOpHandle_t handle = nullptr;
  ASSERT_EQ(mluOpCreate(&handle), MLUOP_STATUS_SUCCESS);
  const Balance before = Live();
  std::string without, after_success, with;
  mluOpStatus_t status = MLUOP_STATUS_SUCCESS;
  {
    char text[200] = "";
    std::thread([&] {
      g_until_failure = 0;
      g_for_ever = true;
      g_armed = true;
      status = mluOpCreate(nullptr);
      const char* said = detopsGetLastError(nullptr);
      g_armed = false;
      std::snprintf(text, sizeof(text), "%s", said != nullptr ? said : "(NULL)");
      without = text;
      mluOpUpdateContextInformation(handle);
      after_success = detopsGetLastError(nullptr);
      mluOpCreate(nullptr);
      with = detopsGetLastError(nullptr);
    }).join();
  }
  EXPECT_EQ(status, MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(without, "detops: a call failed, and there was no memory to say why.");
  EXPECT_EQ(after_success, "");
  EXPECT_EQ(with, "mluOpCreate: handle is NULL, expected a place for the result.");
  without = after_success = with = std::string();
  without.shrink_to_fit();
  with.shrink_to_fit();
  EXPECT_EQ(Live(), before) << "the text of a thread outlives it";
  EXPECT_EQ(mluOpDestroy(handle), MLUOP_STATUS_SUCCESS);
}

}  // namespace
