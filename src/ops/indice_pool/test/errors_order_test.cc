// Every rule alone, and which of two faults is reported: for every pair of rules a call that breaks both. A rule that
// came too early would read what nobody has looked at yet.
#include <algorithm>
#include <string>
#include <vector>

#include "ops/indice_pool/test/errors_rules.h"

namespace detops_test {
namespace {

class IndicePoolOrder : public IndicePoolRefusals {};
INSTANTIATE_TEST_SUITE_P(Functions, IndicePoolOrder, testing::ValuesIn(kCallKinds), KindName);

bool Excludes(const Rule& rule, const Rule& later) {
  return std::find(rule.excludes.begin(), rule.excludes.end(), later.name) != rule.excludes.end();
}

TEST_P(IndicePoolOrder, EveryRuleAlone) {
  for (const Rule& rule : RuleList(GetParam()).rules) {
    SCOPED_TRACE(rule.name);
    ExpectRefused(rule.status, rule.sentence, rule.spoil);
  }
}

// Not only neighbours: a rule may have been moved over several others.
TEST_P(IndicePoolOrder, EarlierOfTwoIsReported) {
  const std::vector<Rule> rules = RuleList(GetParam()).rules;
  for (size_t first = 0; first < rules.size(); ++first) {
    for (size_t second = first + 1; second < rules.size(); ++second) {
      if (Excludes(rules[first], rules[second])) continue;
      SCOPED_TRACE(rules[first].name + ", " + rules[second].name);
      ExpectRefused(rules[first].status, rules[first].sentence, [&](BadCall& call) {
        rules[second].spoil(call);
        rules[first].spoil(call);
      });
    }
  }
}

}  // namespace
}  // namespace detops_test
