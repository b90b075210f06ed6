// The extensions of detops.h through the C API: threads, runner, SIMD targets and the last-error text. Profile and
// value checks are part of the model of core_api_fuzz.
#include <climits>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "detops.h"
#include "gtest/gtest.h"
#include "handle/align_case.h"
#include "support/configurations.h"

namespace {

using detops_test::AlignCase;
using detops_test::SupportedTargets;

static_assert(DETOPS_PROFILE_CONTRACT == 0 && DETOPS_PROFILE_FULL == 1);

std::string ThreadText() { return detopsGetLastError(nullptr); }

class ExtensionsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS); }
  void TearDown() override { EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS); }
  std::string Text() const { return detopsGetLastError(handle_); }

  mluOpHandle_t handle_ = nullptr;
};

TEST(ExtensionsWithoutHandleTest, Version) {
  const std::string numbers = std::to_string(DETOPS_VERSION_MAJOR) + '.' + std::to_string(DETOPS_VERSION_MINOR) + '.' +
                              std::to_string(DETOPS_VERSION_PATCH);
  EXPECT_EQ(detopsGetVersion(), numbers);
}

TEST_F(ExtensionsTest, ArchitectureIs592) {
  int architecture = 0;
  EXPECT_EQ(detopsGetArchitecture(handle_, &architecture), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(architecture, 592);
}

TEST_F(ExtensionsTest, NumThreads) {
  int threads = 0, initial = 0;
  EXPECT_EQ(detopsGetNumThreads(handle_, &initial), MLUOP_STATUS_SUCCESS);
  EXPECT_GE(initial, 1);
  for (const int wanted : {1, 7, 1000, INT_MAX}) {
    EXPECT_EQ(detopsSetNumThreads(handle_, wanted), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(detopsGetNumThreads(handle_, &threads), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(threads, wanted);
  }
  EXPECT_EQ(detopsSetNumThreads(handle_, 0), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(detopsGetNumThreads(handle_, &threads), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(threads, initial) << "0 restores the default, and the number really used is given";
}

TEST_F(ExtensionsTest, FailingRunnerIsExecutionFailed) {
  const AlignCase work({2, 50, 50, 64, 5});
  std::vector<float> output(work.size());
  ASSERT_EQ(detopsSetNumThreads(handle_, 4), MLUOP_STATUS_SUCCESS);
  for (const int result : {1, -1}) {
    int gives = result;
    const auto runner = [](void* opaque, detopsTask_t, void*, int) { return *static_cast<int*>(opaque); };
    ASSERT_EQ(detopsSetParallelRunner(handle_, runner, &gives), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(work.Forward(handle_, output.data()), MLUOP_STATUS_EXECUTION_FAILED) << result;
    EXPECT_EQ(Text(), detops_test::kForwardName + ": the parallel runner failed while bboxes was checked.");
    ASSERT_EQ(detopsSetValueChecks(handle_, 0), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(work.Forward(handle_, output.data()), MLUOP_STATUS_EXECUTION_FAILED) << result;
    EXPECT_EQ(Text(), detops_test::kForwardName + ": the parallel runner failed; the output is incomplete.");
    ASSERT_EQ(detopsSetValueChecks(handle_, 1), MLUOP_STATUS_SUCCESS);
  }
}

class TargetTest : public ExtensionsTest {
 protected:
  void TearDown() override {
    EXPECT_EQ(detopsSetTarget(nullptr), MLUOP_STATUS_SUCCESS);
    ExtensionsTest::TearDown();
  }
};

TEST_F(TargetTest, EverySupportedTargetCanBeForced) {
  const std::vector<std::string> names = SupportedTargets();
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string::npos) << name;
    EXPECT_EQ(detopsSetTarget(name.c_str()), MLUOP_STATUS_SUCCESS) << name;
    EXPECT_EQ(detopsGetTarget(), name);
  }
}

TEST_F(TargetTest, AnyCaseIsAcceptedAndNullRestores) {
  const std::vector<std::string> names = SupportedTargets();
  const std::string automatic = detopsGetTarget();
  std::string upper = names.back();
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(detopsSetTarget(upper.c_str()), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(detopsGetTarget(), names.back());
  EXPECT_EQ(detopsSetTarget(nullptr), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(detopsGetTarget(), automatic);
  if (std::getenv("DETOPS_TARGET") == nullptr) {
    EXPECT_EQ(automatic, names.front()) << "best first";
  }
}

TEST_F(TargetTest, UnknownNamesAreRefusedAndChangeNothing) {
  const std::string last = SupportedTargets().back();
  ASSERT_EQ(detopsSetTarget(last.c_str()), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(detopsSetTarget(detopsGetSupportedTargets()), MLUOP_STATUS_BAD_PARAM) << "a list is no name";
  EXPECT_EQ(detopsSetTarget((last + "x").c_str()), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(detopsSetTarget(std::string(100000, 'x').c_str()), MLUOP_STATUS_BAD_PARAM);
  EXPECT_LT(ThreadText().size(), 512u);
  EXPECT_EQ(detopsGetTarget(), last);
}

// A runner that changes the target of the process when half of a call's tasks are done.
struct Switcher {
  const char* name;
};

int SwitchingRunner(void* opaque, detopsTask_t task, void* context, int count) {
  for (int i = 0; i < count; ++i) {
    if (i == count / 2) detopsSetTarget(static_cast<Switcher*>(opaque)->name);
    task(context, i);
  }
  return 0;
}

TEST_F(TargetTest, ChangeTakesEffectForCallsThatStartAfterwards) {
  const std::vector<std::string> names = SupportedTargets();
  const AlignCase work({2, 50, 50, 64, 5});
  std::vector<float> best(work.size()), other(work.size()), output(work.size());
  Switcher switcher{names.back().c_str()};
  ASSERT_EQ(detopsSetNumThreads(handle_, 4), MLUOP_STATUS_SUCCESS);
  for (const auto function : {&AlignCase::Forward, &AlignCase::Backward}) {
    ASSERT_EQ(detopsSetParallelRunner(handle_, nullptr, nullptr), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(detopsSetTarget(names.back().c_str()), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ((work.*function)(handle_, other.data()), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ(detopsSetTarget(names.front().c_str()), MLUOP_STATUS_SUCCESS);
    ASSERT_EQ((work.*function)(handle_, best.data()), MLUOP_STATUS_SUCCESS);
    if (best == other) GTEST_SKIP() << "the targets of this machine give the same bits";
    for (const int value_checks : {1, 0}) {
      ASSERT_EQ(detopsSetTarget(names.front().c_str()), MLUOP_STATUS_SUCCESS);
      ASSERT_EQ(detopsSetValueChecks(handle_, value_checks), MLUOP_STATUS_SUCCESS);
      ASSERT_EQ(detopsSetParallelRunner(handle_, SwitchingRunner, &switcher), MLUOP_STATUS_SUCCESS);
      ASSERT_EQ((work.*function)(handle_, output.data()), MLUOP_STATUS_SUCCESS);
      EXPECT_EQ(detopsGetTarget(), names.back());
      EXPECT_TRUE(output == best) << "a change of the target reached into a running call, value checks "
                                  << value_checks;
    }
  }
}

TEST_F(ExtensionsTest, TextIsEmptyAtFirstAndAfterEverySuccess) {
  EXPECT_EQ(Text(), "");
  int threads = 0;
  ASSERT_EQ(detopsSetNumThreads(handle_, -5), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(Text(), "detopsSetNumThreads: num_threads is -5, expected 0 or more.");
  EXPECT_EQ(Text(), "detopsSetNumThreads: num_threads is -5, expected 0 or more.") << "reading changed the text";
  EXPECT_EQ(detopsGetNumThreads(handle_, &threads), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Text(), "");
  EXPECT_EQ(ThreadText(), "");
}

TEST_F(ExtensionsTest, EverySuccessfulCallOnTheHandleEmptiesItsText) {
  cnrtQueue_t queue;
  mluOpQuantizeRoundMode_t round_mode;
  mluOpAtomicsMode_t atomics_mode;
  detopsProfile_t profile;
  int number;
  const AlignCase work({1, 2, 2, 3, 1});
  std::vector<float> output(work.size());
#define EXPECT_EMPTIES(call)                                           \
  ASSERT_EQ(detopsSetNumThreads(handle_, -5), MLUOP_STATUS_BAD_PARAM); \
  ASSERT_NE(Text(), "");                                               \
  EXPECT_EQ(call, MLUOP_STATUS_SUCCESS);                               \
  EXPECT_EQ(Text(), "") << #call;                                      \
  EXPECT_EQ(ThreadText(), "") << #call
  EXPECT_EMPTIES(mluOpUpdateContextInformation(handle_));
  EXPECT_EMPTIES(mluOpSetQueue(handle_, nullptr));
  EXPECT_EMPTIES(mluOpGetQueue(handle_, &queue));
  EXPECT_EMPTIES(mluOpSetQuantizeRoundMode(handle_, MLUOP_ROUND_HALF_UP));
  EXPECT_EMPTIES(mluOpGetQuantizeRoundMode(handle_, &round_mode));
  EXPECT_EMPTIES(mluOpSetAtomicsMode(handle_, MLUOP_ATOMICS_ALLOWED));
  EXPECT_EMPTIES(mluOpGetAtomicsMode(handle_, &atomics_mode));
  EXPECT_EMPTIES(mluOpGetDevice(handle_, &number));
  EXPECT_EMPTIES(detopsSetProfile(handle_, DETOPS_PROFILE_FULL));
  EXPECT_EMPTIES(detopsGetProfile(handle_, &profile));
  EXPECT_EMPTIES(detopsSetValueChecks(handle_, 1));
  EXPECT_EMPTIES(detopsGetValueChecks(handle_, &number));
  EXPECT_EMPTIES(detopsSetExactThreshold(handle_, 0.7));
  EXPECT_EMPTIES(detopsGetArchitecture(handle_, &number));
  EXPECT_EMPTIES(detopsSetNumThreads(handle_, 2));
  EXPECT_EMPTIES(detopsGetNumThreads(handle_, &number));
  EXPECT_EMPTIES(detopsSetParallelRunner(handle_, nullptr, nullptr));
  EXPECT_EMPTIES(work.Forward(handle_, output.data()));
  EXPECT_EMPTIES(work.Backward(handle_, output.data()));
#undef EXPECT_EMPTIES
}

TEST_F(ExtensionsTest, FailuresWithoutHandleSetOnlyTheThreadsText) {
  ASSERT_EQ(detopsSetNumThreads(handle_, -5), MLUOP_STATUS_BAD_PARAM);
  const std::string on_handle = Text();
  EXPECT_EQ(mluOpCreateTensorDescriptor(nullptr), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(ThreadText(), "mluOpCreateTensorDescriptor: desc is NULL, expected a place for the result.");
  EXPECT_EQ(Text(), on_handle);
}

// After a failure programs free what they have and print then.
TEST_F(ExtensionsTest, SuccessWithoutHandleLeavesTheTexts) {
  mluOpHandle_t other = nullptr;
  mluOpTensorDescriptor_t desc = nullptr;
  mluOpSparseConvolutionDescriptor_t sparse = nullptr;
  ASSERT_EQ(mluOpCreate(&other), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(detopsSetNumThreads(handle_, -5), MLUOP_STATUS_BAD_PARAM);
  const std::string text = Text();
  const int extents[] = {2, 3};
  size_t bytes = 0;
#define EXPECT_LEAVES(call)               \
  EXPECT_EQ(call, MLUOP_STATUS_SUCCESS);  \
  EXPECT_EQ(ThreadText(), text) << #call; \
  EXPECT_EQ(Text(), text) << #call
  EXPECT_LEAVES(mluOpCreateTensorDescriptor(&desc));
  EXPECT_LEAVES(mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, extents));
  EXPECT_LEAVES(mluOpDestroyTensorDescriptor(desc));
  EXPECT_LEAVES(mluOpCreateSparseConvolutionDescriptor(&sparse));
  EXPECT_LEAVES(mluOpDestroySparseConvolutionDescriptor(sparse));
  EXPECT_LEAVES(mluOpGetSizeOfDataType(MLUOP_DTYPE_FLOAT, &bytes));
  EXPECT_LEAVES(detopsSetTarget(nullptr));
  EXPECT_LEAVES(mluOpDestroy(other));
#undef EXPECT_LEAVES
}

TEST_F(ExtensionsTest, HandlesKeepSeparateTexts) {
  mluOpHandle_t other = nullptr;
  ASSERT_EQ(mluOpCreate(&other), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(detopsSetNumThreads(handle_, -5), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(detopsSetProfile(other, static_cast<detopsProfile_t>(9)), MLUOP_STATUS_BAD_PARAM);
  EXPECT_EQ(Text(), "detopsSetNumThreads: num_threads is -5, expected 0 or more.");
  EXPECT_STREQ(detopsGetLastError(other), "detopsSetProfile: profile is 9, expected 0 or 1.");
  EXPECT_EQ(ThreadText(), "detopsSetProfile: profile is 9, expected 0 or 1.") << "the last one of the thread";
  EXPECT_EQ(detopsSetNumThreads(handle_, 1), MLUOP_STATUS_SUCCESS);
  EXPECT_EQ(Text(), "");
  EXPECT_STREQ(detopsGetLastError(other), "detopsSetProfile: profile is 9, expected 0 or 1.");
  EXPECT_EQ(mluOpDestroy(other), MLUOP_STATUS_SUCCESS);
}

TEST_F(ExtensionsTest, OtherThreadsDoNotSeeTheThreadsText) {
  ASSERT_EQ(mluOpCreate(nullptr), MLUOP_STATUS_BAD_PARAM);
  const std::string mine = ThreadText();
  ASSERT_NE(mine, "");
  std::string at_first, own, of_handle;
  ASSERT_EQ(detopsSetNumThreads(handle_, -5), MLUOP_STATUS_BAD_PARAM);
  std::thread([&] {
    at_first = ThreadText();
    of_handle = Text();
    size_t size;
    mluOpGetSizeOfDataType(MLUOP_DTYPE_INVALID, &size);
    own = ThreadText();
  }).join();
  EXPECT_EQ(at_first, "");
  EXPECT_EQ(of_handle, "detopsSetNumThreads: num_threads is -5, expected 0 or more.") << "a handle's text is its own";
  EXPECT_EQ(own, "mluOpGetSizeOfDataType: data_type is 0, MLUOP_DTYPE_INVALID, expected a type.");
  EXPECT_EQ(ThreadText(), "detopsSetNumThreads: num_threads is -5, expected 0 or more.");
}

}  // namespace
