// Every function of the catalogue against its contract: every rule broken alone on every instruction set, and every two
// rules together, which shows their order. Programs written for the accelerator rely on the order, and so does every
// check on those before it: a rule that came too early would read what nobody has looked at yet.
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "harness/catalogue.h"
#include "harness/placed_call.h"
#include "support/configurations.h"
#include "support/handle.h"

#if defined(DETOPS_TEST_COUNTS_ALLOCATIONS)
#include "allocation/subject.h"
#endif

namespace detops_test {
namespace {

using detops_harness::Answer;
using detops_harness::Call;
using detops_harness::Contract;
using detops_harness::Fault;
using detops_harness::Faults;
using detops_harness::Function;
using detops_harness::PlacedCall;
using detops_harness::Rule;

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

// What every call must keep that its contract judges: the status and the sentence word for word; and of a refused one
// that nothing was written, nothing leaked, and that the handle serves the good call as before.
class ContractCheck {
 public:
  explicit ContractCheck(const Function& function);

  const Call& good() const { return good_; }

  // Applies the faults one after the other to the good call, and carries it out. Gives the rule that decided.
  const Rule* Expect(Handle& handle, const std::vector<const Fault*>& faults);

 private:
  void ExpectGoodCall(Handle& handle);

  const Function& function_;
  const Call good_;
  PlacedCall placed_good_;
  std::string good_outputs_;
};

ContractCheck::ContractCheck(const Function& function)
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

const Rule* ContractCheck::Expect(Handle& handle, const std::vector<const Fault*>& faults) {
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

class ContractTest : public testing::TestWithParam<const Function*> {
 protected:
  const Function& function() const { return *GetParam(); }
  const Contract& contract() const { return function().contract(); }
};

TEST_P(ContractTest, EveryRuleAlone) {
  ForEachTarget(function().profile(), [&](Handle& handle) {
    ContractCheck check(function());
    for (const Rule& rule : contract().rules()) {
      if (rule.checked == detops_harness::Checked::kNever) continue;
      bool broken = false;
      for (const Fault& fault : contract().FaultsOf(&rule, check.good())) {
        SCOPED_TRACE(rule.about + ": " + fault.text);
        broken |= check.Expect(handle, {&fault}) == &rule;
        if (HasFailure()) return;
      }
      EXPECT_NE(broken, rule.implied) << rule.about << ": a rule is implied, or a fault must break it";
    }
    for (const Fault& fault : contract().FaultsOf(nullptr, check.good())) {
      SCOPED_TRACE(fault.text);
      EXPECT_NE(check.Expect(handle, {&fault}), nullptr);
    }
  });
}

// For each rule the first fault that breaks it; then all pairs of them, in both orders of applying.
TEST_P(ContractTest, EarlierOfTwoIsReported) {
  ContractCheck check(function());
  Handle handle(function().profile(), 1);
  Faults faults;
  for (const Rule& rule : contract().rules()) {
    for (const Fault& fault : contract().FaultsOf(&rule, check.good())) {
      if (check.Expect(handle, {&fault}) != &rule) continue;
      faults.push_back(fault);
      break;
    }
  }
  for (const Fault& first : faults) {
    for (const Fault& second : faults) {
      if (&first == &second) continue;
      SCOPED_TRACE(first.text + ", then " + second.text);
      check.Expect(handle, {&first, &second});
      if (HasFailure()) return;
    }
  }
}

std::vector<const Function*> AllFunctions() {
  std::vector<const Function*> functions;
  for (const auto& function : detops_harness::WholeCatalogue().functions()) functions.push_back(function.get());
  return functions;
}

INSTANTIATE_TEST_SUITE_P(Functions, ContractTest, testing::ValuesIn(AllFunctions()),
                         [](const auto& test) { return test.param->name(); });

}  // namespace
}  // namespace detops_test

// contract_test --catalogue ROOM lists the functions of a room, for scripts.
int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--catalogue") == 0) {
    for (const auto& function : detops_harness::WholeCatalogue().functions()) {
      if (function->room() == argv[2]) std::cout << function->name() << '\n';
    }
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
