// Recording without memory: the call goes on, and nothing is recorded.
#include <algorithm>
#include <vector>

#include "allocation/hooks.h"
#include "allocation/subject.h"
#include "detops.h"
#include "gtest/gtest.h"
#include "handle/align_case.h"
#include "recording/gen_case_child.h"

namespace {

using namespace detops_test::hooks;  // counters of this test alone

TEST_F(AllocationFailureTest, Recording) {
  const detops_test::TemporaryFolder folder;
  const detops_test::AlignCase work({1, 4, 5, 3, 5});
  std::vector<float> expected(work.size()), output(work.size());
  mluOpHandle_t handle = NewHandle(1);
  ASSERT_EQ(work.Forward(handle, expected.data()), MLUOP_STATUS_SUCCESS);
  ASSERT_EQ(mluOpSetGenCaseDirectory(folder.path().c_str()), MLUOP_STATUS_SUCCESS);  // with the handlers for forks
  mluOpSetGenCaseMode(1);
  const auto forget = [&] { std::fill(output.begin(), output.end(), 77.0f); };
  int calls = 0;
  FailEveryAllocation({[&] {
                         ++calls;
                         return work.Forward(handle, output.data());
                       },
                       forget, [] { return false; }, MLUOP_STATUS_SUCCESS, true, [&] { return output == expected; }});
  mluOpSetGenCaseMode(0);
  // Two calls had all their memory, each time the last one.
  EXPECT_GT(calls, 2);
  EXPECT_EQ(detops_test::FilesBelow(folder.path()).size(), 2u);
  mluOpDestroy(handle);
}

}  // namespace
