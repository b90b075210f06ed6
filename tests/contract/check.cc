#include "contract/check.h"

#include <gtest/gtest.h>

#include <vector>

#if defined(DETOPS_TEST_COUNTS_ALLOCATIONS)
#include "allocation/subject.h"
#endif

namespace detops_test {
namespace {

using detops_harness::Answer;
using detops_harness::Call;
using detops_harness::Fault;
using detops_harness::PlacedCall;

#if defined(DETOPS_TEST_COUNTS_ALLOCATIONS)
using hooks::Live;
#else
int Live() { return 0; }  // the sanitizers have an allocator, and a search for leaks, of their own
#endif

constexpr unsigned char kCanary = 0xA5;

// A call that breaks no rule on memory that nobody may touch: the runner must be what ends it, unless it ends well
// without work.
void ExpectToRun(PlacedCall& placed, Handle& handle, bool without_work) {
  handle.SetRunner([](void*, detopsTask_t, void*, int) { return 1; }, nullptr);
  const mluOpStatus_t status = placed.Run(handle.get());
  EXPECT_TRUE(status == MLUOP_STATUS_EXECUTION_FAILED || status == MLUOP_STATUS_ALLOC_FAILED ||
              (without_work && status == MLUOP_STATUS_SUCCESS))
      << placed.text();
  handle.SetRunner(nullptr, nullptr);
}

void ExpectSuccess(PlacedCall& placed, const Answer& expected, Handle& handle) {
  bool reserved = false;
  for (const detops_harness::Tensor& tensor : placed.call().tensors) reserved |= tensor.reserved;
  if (reserved) return ExpectToRun(placed, handle, expected.rule != nullptr);
  if (!placed.MemorySuffices()) return;  // the description is good; there is just not so much memory here
  EXPECT_EQ(placed.Run(handle.get()), MLUOP_STATUS_SUCCESS) << placed.text();
  EXPECT_STREQ(handle.LastError(), "");
  EXPECT_TRUE(placed.InputsIntact());
  EXPECT_TRUE(placed.SurroundingsIntact());
}

void ExpectRefusal(PlacedCall& placed, const Answer& expected, Handle& handle) {
  const std::string before = placed.State();
  EXPECT_EQ(placed.Run(handle.get()), expected.status) << placed.text();
  EXPECT_EQ(placed.text(), expected.text);
  if (placed.call().with_handle) {
    EXPECT_EQ(handle.LastError(), placed.text());
  }
  EXPECT_TRUE(placed.State() == before) << "a refused call has written";
  EXPECT_TRUE(placed.SurroundingsIntact());
  // The first call may have given the handle scratch memory, or the thread room for its text. The second needs no more.
  const auto live = Live();
  EXPECT_EQ(placed.Run(handle.get()), expected.status);
  EXPECT_EQ(Live(), live) << "the call leaks";
}

}  // namespace

ContractCheck::ContractCheck(const detops_harness::Function& function)
    : function_(function), good_(function.Good()), placed_good_(good_) {
  const Answer answer = function.contract().Judge(placed_good_.call());
  EXPECT_EQ(answer.text, "") << "the good call is not good";
  Handle fresh(good_.profile, 2);
  EXPECT_EQ(placed_good_.Run(fresh.get()), MLUOP_STATUS_SUCCESS) << placed_good_.text();
  good_outputs_ = placed_good_.Outputs();
}

void ContractCheck::ExpectGoodCall(Handle& handle) {
  placed_good_.Reset(kCanary);
  EXPECT_EQ(placed_good_.Run(handle.get()), MLUOP_STATUS_SUCCESS)
      << "the good call afterwards: " << placed_good_.text();
  EXPECT_EQ(placed_good_.text(), "");
  EXPECT_TRUE(placed_good_.Outputs() == good_outputs_) << "the good call afterwards has another result";
}

const detops_harness::Rule* ContractCheck::Expect(Handle& handle, const std::vector<const Fault*>& faults) {
  Call call = good_;
  for (const Fault* fault : faults) fault->apply(call);
  PlacedCall placed(std::move(call));
  const Answer expected = function_.contract().Judge(placed.call());
  if (expected.undefined) return nullptr;
  if (expected.status == MLUOP_STATUS_SUCCESS) {
    ExpectSuccess(placed, expected, handle);
  } else {
    ExpectRefusal(placed, expected, handle);
    ExpectGoodCall(handle);
  }
  return expected.rule;
}

}  // namespace detops_test
