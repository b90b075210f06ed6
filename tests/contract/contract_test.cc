// Every function of the catalogue against its contract: every rule broken alone on every instruction set, and every two
// rules together, which shows their order. Programs written for the accelerator rely on the order, and so does every
// check on those before it: a rule that came too early would read what nobody has looked at yet.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "contract/check.h"
#include "harness/catalogue.h"
#include "support/configurations.h"

namespace detops_test {
namespace {

using detops_harness::Contract;
using detops_harness::Fault;
using detops_harness::Faults;
using detops_harness::Function;
using detops_harness::Rule;

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
