// The host runtime of cnrt.h: values, notifiers, memory and names of errors. What is refused stands in the table of bad
// input; queues, devices and the last error are part of the model of core_api_fuzz.
#include "cnrt.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace {

static_assert(cnrtSuccess == 0 && cnrtErrorNotReady == 1 && cnrtErrorInit == 100002 && cnrtErrorNoDevice == 100004);
static_assert(cnrtErrorDeviceInvalid == 100005 && cnrtErrorArgsInvalid == 100006 && cnrtErrorSys == 100007);
static_assert(cnrtErrorSysNoMem == 100010 && cnrtErrorNoMem == 100100);
static_assert(cnrtMemcpyHostToDev == 0 && cnrtMemcpyDevToDev == 1 && cnrtMemcpyDevToHost == 2);
static_assert(cnrtMemcpyHostToHost == 3 && cnrtMemcpyPeerToPeer == 4 && cnrtMemcpyNoDirection == 5);
// NOLINTBEGIN(misc-redundant-expression): both sides are the same because the macros are right.
static_assert(CNRT_RET_SUCCESS == cnrtSuccess && CNRT_RET_ERR_INVALID == cnrtErrorArgsInvalid);
static_assert(CNRT_RET_ERR_NOMEM == cnrtErrorNoMem && CNRT_RET_ERR_NOT_READY == cnrtErrorNotReady);
static_assert(CNRT_MEM_TRANS_DIR_HOST2DEV == cnrtMemcpyHostToDev && CNRT_MEM_TRANS_DIR_DEV2DEV == cnrtMemcpyDevToDev);
static_assert(CNRT_MEM_TRANS_DIR_DEV2HOST == cnrtMemcpyDevToHost);
static_assert(CNRT_MEM_TRANS_DIR_HOST2HOST == cnrtMemcpyHostToHost);
// NOLINTEND(misc-redundant-expression)
static_assert(CN_SUCCESS == 0 && cnrtAttrClusterCount == 0x205 && cnrtAttrMcorePerCluster == 0x206);

// Every test starts and ends with no error remembered.
class CnrtTest : public ::testing::Test {
 protected:
  void SetUp() override { cnrtGetLastError(); }
};

TEST_F(CnrtTest, NotifiersMeasureTime) {
  cnrtNotifier_t start = nullptr, end = nullptr;
  ASSERT_EQ(cnrtNotifierCreate(&start), cnrtSuccess);
  ASSERT_EQ(cnrtNotifierCreate(&end), cnrtSuccess);
  cnrtQueue_t queue = nullptr;
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  EXPECT_EQ(cnrtPlaceNotifier(start, queue), cnrtSuccess);
  for (const auto function : {cnrtNotifierDuration, cnrtNotifierElapsedTime}) {
    float time = 77.0f;
    EXPECT_EQ(function(end, start, &time), cnrtErrorArgsInvalid) << "the first is not placed yet";
    EXPECT_EQ(time, 77.0f);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(cnrtPlaceNotifier(end, nullptr), cnrtSuccess) << "the default queue";
  EXPECT_EQ(cnrtWaitNotifier(end), cnrtSuccess);
  EXPECT_EQ(cnrtQueryNotifier(end), cnrtSuccess);
  EXPECT_EQ(cnrtQueueWaitNotifier(end, queue, 0), cnrtSuccess);
  EXPECT_EQ(cnrtQueueWaitNotifier(end, nullptr, 7), cnrtSuccess);
  float us = -1.0f, ms = -1.0f, back = 1.0f, same = -1.0f;
  EXPECT_EQ(cnrtNotifierDuration(start, end, &us), cnrtSuccess);
  EXPECT_EQ(cnrtNotifierElapsedTime(start, end, &ms), cnrtSuccess);
  EXPECT_GE(us, 20000.0f);
  EXPECT_LT(us, 20e6f);
  EXPECT_NEAR(ms, us / 1000.0f, ms * 1e-5f);
  EXPECT_EQ(cnrtNotifierDuration(end, start, &back), cnrtSuccess);
  EXPECT_FLOAT_EQ(back, -us);
  EXPECT_EQ(cnrtNotifierDuration(end, end, &same), cnrtSuccess);
  EXPECT_EQ(same, 0.0f);
  EXPECT_EQ(cnrtPlaceNotifier(start, queue), cnrtSuccess) << "placed anew";
  EXPECT_EQ(cnrtNotifierDuration(end, start, &back), cnrtSuccess);
  EXPECT_GE(back, 0.0f);
  EXPECT_EQ(cnrtNotifierDestroy(start), cnrtSuccess);
  EXPECT_EQ(cnrtNotifierDestroy(end), cnrtSuccess);
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

TEST_F(CnrtTest, MemoryIsAlignedAndUsable) {
  using Malloc = cnrtRet_t (*)(void**, size_t);
  using Free = cnrtRet_t (*)(void*);
  const std::pair<Malloc, Free> pairs[] = {{cnrtMalloc, cnrtFree}, {cnrtHostMalloc, cnrtFreeHost}};
  for (const auto& [allocate, release] : pairs) {
    std::vector<void*> blocks;
    for (const size_t bytes : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{4096}, size_t{1} << 20,
                               (size_t{4} << 20) - 1, size_t{4} << 20, (size_t{5} << 20) + 3}) {
      void* block = nullptr;
      ASSERT_EQ(allocate(&block, bytes), cnrtSuccess) << bytes;
      ASSERT_NE(block, nullptr) << bytes;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u) << bytes;
      std::memset(block, 0x5a, bytes);
      blocks.push_back(block);
    }
    for (void* block : blocks) EXPECT_EQ(release(block), cnrtSuccess);
    EXPECT_EQ(release(nullptr), cnrtSuccess);
  }
}

TEST_F(CnrtTest, CopiesInEveryDirection) {
  cnrtQueue_t queue = nullptr;
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  for (int direction = cnrtMemcpyHostToDev; direction <= cnrtMemcpyNoDirection; ++direction) {
    char from[] = "abcdef", to[] = "------", later[] = "------";
    EXPECT_EQ(cnrtMemcpy(to, from, 3, static_cast<cnrtMemTransDir_t>(direction)), cnrtSuccess);
    EXPECT_STREQ(to, "abc---");
    EXPECT_EQ(cnrtMemcpyAsync(later, from, 4, queue, static_cast<cnrtMemTransDir_t>(direction)), cnrtSuccess);
    EXPECT_STREQ(later, "abcd--") << "finished on return";
    EXPECT_EQ(cnrtMemcpyAsync(later, from, 6, nullptr, static_cast<cnrtMemTransDir_t>(direction)), cnrtSuccess);
    EXPECT_STREQ(later, "abcdef");
    EXPECT_STREQ(from, "abcdef");
  }
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

TEST_F(CnrtTest, CopiesMayOverlap) {
  char up[] = "0123456789", down[] = "0123456789";
  EXPECT_EQ(cnrtMemcpy(up + 2, up, 8, cnrtMemcpyDevToDev), cnrtSuccess);
  EXPECT_STREQ(up, "0101234567");
  EXPECT_EQ(cnrtMemcpy(down, down + 2, 8, cnrtMemcpyDevToDev), cnrtSuccess);
  EXPECT_STREQ(down, "2345678989");
}

TEST_F(CnrtTest, Memset) {
  unsigned char bytes[] = {1, 2, 3, 4};
  EXPECT_EQ(cnrtMemset(bytes, 0x1ff, 2), cnrtSuccess);
  EXPECT_EQ(std::vector<int>(bytes, bytes + 4), (std::vector<int>{255, 255, 3, 4}));
  EXPECT_EQ(cnrtMemsetAsync(bytes, 7, 1, nullptr), cnrtSuccess);
  EXPECT_EQ(bytes[0], 7);
  EXPECT_EQ(cnrtMemset(nullptr, 0, 0), cnrtSuccess);
}

// The driver's part, as helpers of accelerator programs ask it: how much may one task take?
TEST_F(CnrtTest, ContextOfTheDriver) {
  static_assert(CN_ERROR_INVALID_VALUE == 100006 && CN_KERNEL_CLASS_BLOCK == 1 && CN_KERNEL_CLASS_UNION == 4);
  static_assert(CN_KERNEL_CLASS_UNION2 == 8 && CN_KERNEL_CLASS_UNION4 == 16 && CN_KERNEL_CLASS_UNION8 == 32);
  static_assert(CN_KERNEL_CLASS_UNION16 == 64 && CN_KERNEL_CLASS_NONE == 255);
  static_assert(CN_CTX_CONFIG_VISIBLE_CLUSTER == 0 && CN_CTX_CONFIG_VISIBLE_CLUSTER_NUM == 1);
  static_assert(CN_CTX_CONFIG_UNION_LIMIT == 2);
  CNcontext context;
  EXPECT_EQ(cnCtxGetCurrent(nullptr), CN_ERROR_INVALID_VALUE);
  ASSERT_EQ(cnCtxGetCurrent(&context), CN_SUCCESS);
  CNctxConfigParam param;
  EXPECT_EQ(cnGetCtxConfigParam(context, CN_CTX_CONFIG_VISIBLE_CLUSTER, &param), CN_SUCCESS);
  EXPECT_EQ(param.visibleCluster, 1u);
  param.visibleClusterNumber = 7;
  EXPECT_EQ(cnGetCtxConfigParam(context, static_cast<CNctxConfigParamType>(3), &param), CN_ERROR_INVALID_VALUE);
  EXPECT_EQ(cnGetCtxConfigParam(reinterpret_cast<CNcontext>(&param), CN_CTX_CONFIG_UNION_LIMIT, &param),
            CN_ERROR_INVALID_VALUE);
  EXPECT_EQ(cnGetCtxConfigParam(context, CN_CTX_CONFIG_UNION_LIMIT, nullptr), CN_ERROR_INVALID_VALUE);
  EXPECT_EQ(param.visibleClusterNumber, 7u) << "a refused call wrote";
  EXPECT_EQ(cnGetCtxConfigParam(context, CN_CTX_CONFIG_VISIBLE_CLUSTER_NUM, &param), CN_SUCCESS);
  EXPECT_EQ(param.visibleClusterNumber, 1u);
  EXPECT_EQ(cnGetCtxConfigParam(context, CN_CTX_CONFIG_UNION_LIMIT, &param), CN_SUCCESS);
  EXPECT_EQ(param.unionLimit, CN_KERNEL_CLASS_BLOCK);
}

TEST_F(CnrtTest, ErrorStringsAreTheEnumeratorsSpelling) {
#define EXPECT_SPELLING(value) EXPECT_STREQ(cnrtGetErrorStr(value), #value)
  EXPECT_SPELLING(cnrtSuccess);
  EXPECT_SPELLING(cnrtErrorNotReady);
  EXPECT_SPELLING(cnrtErrorInit);
  EXPECT_SPELLING(cnrtErrorNoDevice);
  EXPECT_SPELLING(cnrtErrorDeviceInvalid);
  EXPECT_SPELLING(cnrtErrorArgsInvalid);
  EXPECT_SPELLING(cnrtErrorSys);
  EXPECT_SPELLING(cnrtErrorSysNoMem);
  EXPECT_SPELLING(cnrtErrorNoMem);
#undef EXPECT_SPELLING
  for (const int unknown : {2, -1, 100003, 200000}) {
    EXPECT_STREQ(cnrtGetErrorStr(static_cast<cnrtRet_t>(unknown)), "cnrtErrorUnknown") << unknown;
  }
}

TEST_F(CnrtTest, LastErrorBelongsToTheThread) {
  EXPECT_EQ(cnrtSetDevice(3), cnrtErrorDeviceInvalid);
  cnrtRet_t at_first = cnrtErrorSys, own = cnrtErrorSys;
  std::thread([&] {
    at_first = cnrtPeekAtLastError();
    cnrtQueueDestroy(nullptr);
    own = cnrtGetLastError();
  }).join();
  EXPECT_EQ(at_first, cnrtSuccess);
  EXPECT_EQ(own, cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtGetLastError(), cnrtErrorDeviceInvalid);
}

TEST_F(CnrtTest, CheckRemembersFailures) {
  CNRT_CHECK(cnrtSuccess);
  EXPECT_EQ(cnrtPeekAtLastError(), cnrtSuccess);
  CNRT_CHECK(cnrtErrorSys);
  EXPECT_EQ(cnrtPeekAtLastError(), cnrtErrorSys);
  CNRT_CHECK(cnrtSuccess);
  EXPECT_EQ(cnrtGetLastError(), cnrtErrorSys);
}

}  // namespace
