// Every exported function that is not named here takes memory and has a test in another file of this program, or is in
// the catalogue, whose functions no_memory_test asks. Those here take none: they succeed while every allocation fails.
// Part of the program allocation_failure.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "allocation/case.h"
#include "allocation/hooks.h"
#include "allocation/subject.h"
#include "detops.h"
#include "gtest/gtest.h"
#include "harness/catalogue.h"

namespace {

using namespace detops_test::hooks;  // NOLINT(google-build-using-namespace): counters of this test alone

// Each has its case in this program. Functions of the catalogue have theirs in no_memory_test.
constexpr const char* kTakeMemory[] = {"cnrtHostMalloc",
                                       "cnrtMalloc",
                                       "cnrtNotifierCreate",
                                       "cnrtQueueCreate",
                                       "mluOpCreate",
                                       "mluOpCreateGroupTensorDescriptors",
                                       "mluOpCreateNmsDescriptor",
                                       "mluOpCreateSparseConvolutionDescriptor",
                                       "mluOpCreateTensorDescriptor",
                                       "mluOpSetGroupTensorDescriptors",
                                       "mluOpSetGroupTensorDescriptors_v2",
                                       "mluOpSetTensorDescriptor",
                                       "mluOpSetTensorDescriptorDim",
                                       "mluOpSetTensorDescriptorDim_v2",
                                       "mluOpSetTensorDescriptorEx",
                                       "mluOpSetTensorDescriptorEx_v2",
                                       "mluOpSetTensorDescriptor_v2"};

// What the calls below need, made before.
class World {
 public:
  World() {
    mluOpCreate(&handle);
    mluOpCreate(&other_handle);
    mluOpCreateTensorDescriptor(&desc);
    mluOpCreateTensorDescriptor(&other_desc);
    mluOpCreateGroupTensorDescriptors(group, 2);
    mluOpCreateSparseConvolutionDescriptor(&conv);
    mluOpCreateSparseConvolutionDescriptor(&other_conv);
    mluOpCreateNmsDescriptor(&nms);
    mluOpCreateNmsDescriptor(&other_nms);
    const int extents[] = {2, 3};
    mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, extents);
    pairs = descs_.Make(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1, 2, 3});
    cnrtQueueCreate(&queue);
    cnrtQueueCreate(&other_queue);
    cnrtNotifierCreate(&notifier);
    cnrtNotifierCreate(&other_notifier);
    cnrtPlaceNotifier(notifier, queue);
    cnrtMalloc(&block, 8);
    cnrtHostMalloc(&host_block, 8);
    const mluOpHandle_t full = NewHandle(1);
    const int32_t indices[] = {0, 1, 2, 0, 1, 2};
    detopsCreateRulebook(full, pairs, indices, kThree, 3, 3, &rulebook);
    detopsCreateRulebook(full, pairs, indices, kThree, 3, 3, &other_rulebook);
    mluOpDestroy(full);
  }
  // What the calls have not destroyed.
  ~World() {
    detopsDestroyRulebook(rulebook);
    cnrtNotifierDestroy(notifier);
    cnrtQueueDestroy(queue);
    mluOpDestroySparseConvolutionDescriptor(conv);
    mluOpDestroyNmsDescriptor(nms);
    mluOpDestroyTensorDescriptor(desc);
    mluOpDestroy(handle);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  static constexpr int64_t kThree[] = {3};
  static constexpr int kOnes[] = {1, 1, 1}, kZeros[] = {0, 0, 0};

  mluOpHandle_t handle = nullptr, other_handle = nullptr;
  mluOpTensorDescriptor_t desc = nullptr, other_desc = nullptr, grouped[2] = {};
  mluOpTensorDescriptor_t* group[2] = {&grouped[0], &grouped[1]};
  mluOpTensorDescriptor_t pairs = nullptr;
  mluOpSparseConvolutionDescriptor_t conv = nullptr, other_conv = nullptr;
  mluOpNmsDescriptor_t nms = nullptr, other_nms = nullptr;
  cnrtQueue_t queue = nullptr, other_queue = nullptr, queue_result = nullptr;
  cnrtNotifier_t notifier = nullptr, other_notifier = nullptr;
  void *block = nullptr, *host_block = nullptr;
  detopsRulebook_t rulebook = nullptr, other_rulebook = nullptr;

  // Places for answers.
  int number = 0, numbers[8] = {}, more_numbers[8] = {};
  int64_t longs[8] = {}, more_longs[8] = {};
  unsigned int count = 0;
  uint64_t wide = 0;
  size_t size = 0;
  float real = 0;
  char text[256] = {}, bytes[4] = {}, more_bytes[4] = {};
  mluOpAtomicsMode_t atomics = {};
  mluOpQuantizeRoundMode_t round = {};
  mluOpTensorLayout_t layout = {};
  mluOpDataType_t type = {};
  mluOpPointerMode_t mode = {};
  detopsProfile_t profile = {};
  CNdev device = {};

 private:
  Descriptors descs_;
};

struct Entry {
  const char* name;
  int (*call)(World& w);  // 0 for success
};

int Is(bool right) { return right ? 0 : -1; }

const Entry kRuntime[] = {
    {"cnrtCheck", [](World&) { return cnrtCheck(cnrtSuccess, "call()", "file.c", 1), 0; }},
    {"cnrtDeviceGetAttribute",
     [](World& w) -> int { return cnrtDeviceGetAttribute(&w.number, cnrtAttrClusterCount, 0); }},
    {"cnrtFree", [](World& w) -> int { return cnrtFree(w.block); }},
    {"cnrtFreeHost", [](World& w) -> int { return cnrtFreeHost(w.host_block); }},
    {"cnrtGetDevice", [](World& w) -> int { return cnrtGetDevice(&w.number); }},
    {"cnrtGetDeviceCount", [](World& w) -> int { return cnrtGetDeviceCount(&w.count); }},
    {"cnrtGetErrorStr", [](World&) { return std::strcmp(cnrtGetErrorStr(cnrtErrorNoMem), "cnrtErrorNoMem"); }},
    {"cnrtGetLastError", [](World&) -> int { return cnrtGetLastError(); }},
    {"cnrtMemcpy", [](World& w) -> int { return cnrtMemcpy(w.bytes, w.more_bytes, 4, cnrtMemcpyHostToHost); }},
    {"cnrtMemcpyAsync",
     [](World& w) -> int { return cnrtMemcpyAsync(w.bytes, w.more_bytes, 4, w.queue, cnrtMemcpyHostToHost); }},
    {"cnrtMemset", [](World& w) -> int { return cnrtMemset(w.bytes, 1, 4); }},
    {"cnrtMemsetAsync", [](World& w) -> int { return cnrtMemsetAsync(w.bytes, 1, 4, w.queue); }},
    {"cnrtNotifierDestroy", [](World& w) -> int { return cnrtNotifierDestroy(w.other_notifier); }},
    {"cnrtNotifierDuration", [](World& w) -> int { return cnrtNotifierDuration(w.notifier, w.notifier, &w.real); }},
    {"cnrtNotifierElapsedTime",
     [](World& w) -> int { return cnrtNotifierElapsedTime(w.notifier, w.notifier, &w.real); }},
    {"cnrtPeekAtLastError", [](World&) -> int { return cnrtPeekAtLastError(); }},
    {"cnrtPlaceNotifier", [](World& w) -> int { return cnrtPlaceNotifier(w.notifier, w.queue); }},
    {"cnrtQueryNotifier", [](World& w) -> int { return cnrtQueryNotifier(w.notifier); }},
    {"cnrtQueueDestroy", [](World& w) -> int { return cnrtQueueDestroy(w.other_queue); }},
    {"cnrtQueueQuery", [](World& w) -> int { return cnrtQueueQuery(w.queue); }},
    {"cnrtQueueSync", [](World& w) -> int { return cnrtQueueSync(w.queue); }},
    {"cnrtQueueWaitNotifier", [](World& w) -> int { return cnrtQueueWaitNotifier(w.notifier, w.queue, 0); }},
    {"cnrtSetDevice", [](World&) -> int { return cnrtSetDevice(0); }},
    {"cnrtSyncDevice", [](World&) -> int { return cnrtSyncDevice(); }},
    {"cnrtSyncQueue", [](World& w) -> int { return cnrtSyncQueue(w.queue); }},
    {"cnrtWaitNotifier", [](World& w) -> int { return cnrtWaitNotifier(w.notifier); }}};

const Entry kExtensions[] = {
    {"detopsDestroyRulebook", [](World& w) -> int { return detopsDestroyRulebook(w.other_rulebook); }},
    {"detopsGetArchitecture", [](World& w) -> int { return detopsGetArchitecture(w.handle, &w.number); }},
    {"detopsGetLastError", [](World& w) { return Is(detopsGetLastError(w.handle)[0] == '\0'); }},
    {"detopsGetNumThreads", [](World& w) -> int { return detopsGetNumThreads(w.handle, &w.number); }},
    {"detopsGetProfile", [](World& w) -> int { return detopsGetProfile(w.handle, &w.profile); }},
    {"detopsGetRulebookSize", [](World& w) -> int { return detopsGetRulebookSize(w.rulebook, &w.size); }},
    {"detopsGetSupportedTargets", [](World&) { return Is(detopsGetSupportedTargets()[0] != '\0'); }},
    {"detopsGetTarget", [](World&) { return Is(detopsGetTarget()[0] != '\0'); }},
    {"detopsGetValueChecks", [](World& w) -> int { return detopsGetValueChecks(w.handle, &w.number); }},
    {"detopsGetVersion", [](World&) { return Is(detopsGetVersion()[0] != '\0'); }},
    {"detopsSetLog", [](World& w) -> int { return detopsSetLog(w.handle, DETOPS_LOG_OFF, nullptr, nullptr); }},
    {"detopsSetNumThreads", [](World& w) -> int { return detopsSetNumThreads(w.handle, 1); }},
    {"detopsSetParallelRunner", [](World& w) -> int { return detopsSetParallelRunner(w.handle, nullptr, nullptr); }},
    {"detopsSetProfile", [](World& w) -> int { return detopsSetProfile(w.handle, DETOPS_PROFILE_CONTRACT); }},
    {"detopsSetSparseConvolutionDescriptor",
     [](World& w) -> int {
       return detopsSetSparseConvolutionDescriptor(w.conv, 3, 1, World::kZeros, World::kOnes, World::kOnes, nullptr,
                                                   World::kOnes, World::kOnes, World::kOnes, 0, 0, 0);
     }},
    {"detopsSetTarget", [](World&) -> int { return detopsSetTarget("scalar") + detopsSetTarget(nullptr); }},
    {"detopsSetValueChecks", [](World& w) -> int { return detopsSetValueChecks(w.handle, 1); }}};

const Entry kHandles[] = {
    {"mluOpDestroy", [](World& w) -> int { return mluOpDestroy(w.other_handle); }},
    {"mluOpGetAtomicsMode", [](World& w) -> int { return mluOpGetAtomicsMode(w.handle, &w.atomics); }},
    {"mluOpGetDevice", [](World& w) -> int { return mluOpGetDevice(w.handle, &w.device); }},
    {"mluOpGetErrorString", [](World&) { return Is(mluOpGetErrorString(MLUOP_STATUS_SUCCESS)[0] != '\0'); }},
    {"mluOpGetGenCaseDirectory",
     [](World& w) { return Is(mluOpGetGenCaseDirectory(w.text, sizeof(w.text), nullptr, nullptr) == w.text); }},
    {"mluOpGetLibVersion",
     [](World& w) { return mluOpGetLibVersion(&w.numbers[0], &w.numbers[1], &w.numbers[2]), Is(w.numbers[0] == 1); }},
    {"mluOpGetNameOfDataType", [](World&) { return Is(mluOpGetNameOfDataType(MLUOP_DTYPE_HALF)[0] != '\0'); }},
    {"mluOpGetNameOfTensorLayout", [](World&) { return Is(mluOpGetNameOfTensorLayout(MLUOP_LAYOUT_NC)[0] != '\0'); }},
    {"mluOpGetQuantizeRoundMode", [](World& w) -> int { return mluOpGetQuantizeRoundMode(w.handle, &w.round); }},
    {"mluOpGetQueue", [](World& w) -> int { return mluOpGetQueue(w.handle, &w.queue_result); }},
    {"mluOpGetReservedMemSize", [](World& w) -> int { return mluOpGetReservedMemSize(&w.wide); }},
    {"mluOpGetSizeOfDataType", [](World& w) -> int { return mluOpGetSizeOfDataType(MLUOP_DTYPE_HALF, &w.size); }},
    {"mluOpGetVersion", [](World&) { return Is(mluOpGetVersion() == MLUOP_VERSION); }},
    {"mluOpSetAtomicsMode", [](World& w) -> int { return mluOpSetAtomicsMode(w.handle, MLUOP_ATOMICS_ALLOWED); }},
    {"mluOpSetGenCaseDirectory", [](World&) -> int { return mluOpSetGenCaseDirectory("."); }},
    {"mluOpSetGenCaseMode", [](World&) { return mluOpSetGenCaseMode(0), 0; }},
    {"mluOpSetQuantizeRoundMode",
     [](World& w) -> int { return mluOpSetQuantizeRoundMode(w.handle, MLUOP_ROUND_HALF_UP); }},
    {"mluOpSetQueue",
     [](World& w) -> int { return mluOpSetQueue(w.handle, w.queue) + mluOpSetQueue(w.handle, nullptr); }},
    {"mluOpUpdateContextInformation", [](World& w) -> int { return mluOpUpdateContextInformation(w.handle); }}};

const Entry kDescriptors[] = {
    {"mluOpDestroyGroupTensorDescriptors",
     [](World& w) -> int { return mluOpDestroyGroupTensorDescriptors(w.group, 2); }},
    {"mluOpDestroyNmsDescriptor", [](World& w) -> int { return mluOpDestroyNmsDescriptor(w.other_nms); }},
    {"mluOpDestroySparseConvolutionDescriptor",
     [](World& w) -> int { return mluOpDestroySparseConvolutionDescriptor(w.other_conv); }},
    {"mluOpDestroyTensorDescriptor", [](World& w) -> int { return mluOpDestroyTensorDescriptor(w.other_desc); }},
    {"mluOpGetSparseConvolutionNumActOut",
     [](World& w) -> int { return mluOpGetSparseConvolutionNumActOut(w.conv, &w.number); }},
    {"mluOpGetTensorDescriptor",
     [](World& w) -> int { return mluOpGetTensorDescriptor(w.desc, &w.layout, &w.type, &w.number, w.numbers); }},
    {"mluOpGetTensorDescriptor_v2",
     [](World& w) -> int { return mluOpGetTensorDescriptor_v2(w.desc, &w.layout, &w.type, &w.number, w.longs); }},
    {"mluOpGetTensorDescriptorEx",
     [](World& w) -> int {
       return mluOpGetTensorDescriptorEx(w.desc, &w.layout, &w.type, &w.number, w.numbers, w.more_numbers);
     }},
    {"mluOpGetTensorDescriptorEx_v2",
     [](World& w) -> int {
       return mluOpGetTensorDescriptorEx_v2(w.desc, &w.layout, &w.type, &w.number, w.longs, w.more_longs);
     }},
    {"mluOpGetTensorDescriptorOnchipDataType",
     [](World& w) -> int { return mluOpGetTensorDescriptorOnchipDataType(w.desc, &w.type); }},
    {"mluOpGetTensorDescriptorPointerMode",
     [](World& w) -> int { return mluOpGetTensorDescriptorPointerMode(w.desc, &w.mode); }},
    {"mluOpGetTensorDescriptorPosition",
     [](World& w) -> int { return mluOpGetTensorDescriptorPosition(w.desc, &w.number); }},
    {"mluOpGetTensorDescriptorPositionAndScale",
     [](World& w) -> int { return mluOpGetTensorDescriptorPositionAndScale(w.desc, &w.number, &w.real); }},
    {"mluOpGetTensorDescriptorPositionScaleAndOffset",
     [](World& w) -> int {
       return mluOpGetTensorDescriptorPositionScaleAndOffset(w.desc, &w.number, &w.real, w.numbers);
     }},
    {"mluOpGetTensorElementNum", [](World& w) { return Is(mluOpGetTensorElementNum(w.desc) == 6); }},
    {"mluOpSetNmsDescriptor",
     [](World& w) -> int {
       return mluOpSetNmsDescriptor(w.nms, MLUOP_NMS_BOX_DIAGONAL, MLUOP_NMS_OUTPUT_TARGET_INDICES,
                                    MLUOP_NMS_ALGO_EXCLUDE_BOUNDARY, MLUOP_NMS_HARD_NMS, 0.5f, 0.0f, 1, 0.0f, 0.0f, 0,
                                    false);
     }},
    {"mluOpSetSparseConvolutionDescriptor",
     [](World& w) -> int {
       return mluOpSetSparseConvolutionDescriptor(w.conv, 5, 1, World::kZeros, World::kOnes, World::kOnes, World::kOnes,
                                                  World::kOnes, World::kOnes, 0, 0, 0);
     }},
    {"mluOpSetTensorDescriptorOnchipDataType",
     [](World& w) -> int { return mluOpSetTensorDescriptorOnchipDataType(w.desc, MLUOP_DTYPE_FLOAT); }},
    {"mluOpSetTensorDescriptorPointerMode",
     [](World& w) -> int { return mluOpSetTensorDescriptorPointerMode(w.desc, MLUOP_POINTER_MODE_DEVICE); }},
    {"mluOpSetTensorDescriptorPosition", [](World& w) -> int { return mluOpSetTensorDescriptorPosition(w.desc, 1); }},
    {"mluOpSetTensorDescriptorPositionAndScale",
     [](World& w) -> int { return mluOpSetTensorDescriptorPositionAndScale(w.desc, 1, 2.0f); }},
    {"mluOpSetTensorDescriptorPositionScaleAndOffset",
     [](World& w) -> int { return mluOpSetTensorDescriptorPositionScaleAndOffset(w.desc, 1, 2.0f, 3); }},
    // Behind all that look at the shape.
    {"mluOpResetTensorDescriptor", [](World& w) -> int { return mluOpResetTensorDescriptor(w.desc); }}};

std::vector<Entry> AllEntries() {
  std::vector<Entry> entries;
  const auto add = [&](const auto& list) {
    for (const Entry& entry : list) entries.push_back(entry);
  };
  add(kRuntime);
  add(kExtensions);
  add(kHandles);
  add(kDescriptors);
  return entries;
}

TEST_F(AllocationFailureTest, FunctionsThatTakeNoMemory) {
  const std::vector<Entry> entries = AllEntries();
  World world;
  for (const Entry& entry : entries) {
    SCOPED_TRACE(entry.name);
    g_failures = 0;
    g_until_failure = 0;
    g_for_ever = true;
    g_armed = true;
    const int status = entry.call(world);
    g_armed = false;
    EXPECT_EQ(status, 0);
    EXPECT_EQ(g_failures, 0) << "it asked for memory";
  }
}

TEST_F(AllocationFailureTest, EveryExportedFunctionIsInOneOfTheLists) {
  std::ifstream list(DETOPS_EXPORTED_SYMBOLS);
  std::vector<std::string> symbols, listed;
  for (std::string name; std::getline(list, name);) {
    if (name != "DETOPS_0") symbols.push_back(name);  // the version of the others, no function
  }
  for (const Entry& entry : AllEntries()) listed.emplace_back(entry.name);
  listed.insert(listed.end(), std::begin(kTakeMemory), std::end(kTakeMemory));
  for (const auto& function : detops_harness::WholeCatalogue().functions()) listed.push_back(function->name());
  std::sort(symbols.begin(), symbols.end());
  std::sort(listed.begin(), listed.end());
  EXPECT_EQ(listed, symbols);
}

}  // namespace
