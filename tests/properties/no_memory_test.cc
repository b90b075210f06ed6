// Memory runs out in every operator: allocation k fails, for k = 1, 2, ... until the call needs no more. Each time the
// status says so, no result has been written and nothing leaks, and the same call succeeds afterwards. Operators that
// take no memory succeed while every allocation fails.
#include <gtest/gtest.h>

#include <string>

#include "allocation/subject.h"
#include "properties/calls.h"
#include "support/runner.h"

namespace detops_test {
namespace {

using detops_harness::Call;
using detops_harness::Function;
using detops_harness::PlacedCall;
using detops_harness::Sample;
using namespace hooks;  // counters of this test alone

class NoMemory : public testing::TestWithParam<const Function*> {
 protected:
  // This thread's error text is made once and then kept.
  void SetUp() override { ASSERT_EQ(mluOpCreate(nullptr), MLUOP_STATUS_BAD_PARAM); }
};

// A fresh handle has no scratch memory yet. How many allocations failed.
int CallWithout(PlacedCall& placed, int k, bool for_ever, int threads) {
  placed.Reset(kFirstFill);
  Handle handle(DETOPS_PROFILE_FULL, threads);
  handle.SetRunner(RunBackwards, nullptr);  // starting threads takes memory of the C library, which cannot do without
  Must(detopsSetValueChecks(handle.get(), placed.call().value_checks ? 1 : 0), "detopsSetValueChecks");
  const std::string before = placed.State();
  g_failures = 0;
  g_until_failure = k - 1;
  g_for_ever = for_ever;
  g_armed = true;
  const mluOpStatus_t status = placed.RunAlone(handle.get());
  g_armed = false;
  if (g_failures == 0 || status == MLUOP_STATUS_SUCCESS) {
    EXPECT_EQ(status, MLUOP_STATUS_SUCCESS) << detopsGetLastError(handle.get());
    return g_failures;
  }
  EXPECT_EQ(status, MLUOP_STATUS_ALLOC_FAILED) << detopsGetLastError(handle.get());
  EXPECT_NE(std::string(detopsGetLastError(handle.get())), "");
  EXPECT_TRUE(placed.State() == before) << "a call without memory has written";
  EXPECT_TRUE(placed.SurroundingsIntact());
  EXPECT_EQ(placed.RunAlone(handle.get()), MLUOP_STATUS_SUCCESS) << "the same call, with memory";
  return g_failures;
}

TEST_P(NoMemory, EveryAllocationFails) {
  const Function& function = *GetParam();
  for (const Sample& sample : function.samples()) {
    for (const int threads : {1, 3}) {
      if (threads == 3 && !sample.large) continue;
      SCOPED_TRACE(sample.shape);
      PlacedCall placed(function.MakeSample(sample.shape, function.full_types().at(0), DETOPS_PROFILE_FULL, 1));
      const Handle handle(DETOPS_PROFILE_FULL, 1);
      placed.Reset(kFirstFill);
      ASSERT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
      const std::string expected = placed.Outputs();
      for (const bool for_ever : {false, true}) {
        for (int k = 1;; ++k) {
          SCOPED_TRACE("allocation " + std::to_string(k) + (for_ever ? " and all later ones fail" : " fails"));
          ASSERT_LT(k, 1000) << "the call never stops allocating";
          const Balance before = Live();
          const int failures = CallWithout(placed, k, for_ever, threads);
          EXPECT_EQ(Live(), before) << "the call leaks";
          ASSERT_TRUE(placed.Outputs() == expected);
          if (HasFailure() || failures == 0) break;
        }
      }
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, NoMemory, testing::ValuesIn(AllFunctions()), NameOfFunction);

}  // namespace
}  // namespace detops_test
