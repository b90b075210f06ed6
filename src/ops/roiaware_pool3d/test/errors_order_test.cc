// Which of two faults is reported: for every pair of rules a call that breaks both. Programs written for the
// accelerator rely on its order, and so does every check on those above it: a rule that came too early would read what
// nobody has looked at yet.
#include <algorithm>
#include <string>
#include <vector>

#include "ops/roiaware_pool3d/test/bad_call.h"
#include "ops/roiaware_pool3d/test/errors_rules.h"

namespace detops_test {
namespace {

class RoiAwarePool3dOrder : public RoiAwarePool3dRefusals {};
INSTANTIATE_TEST_SUITE_P(Functions, RoiAwarePool3dOrder, testing::ValuesIn(kCallKinds), KindName);

bool Excludes(const Rule& rule, const Rule& later) {
  return std::find(rule.excludes.begin(), rule.excludes.end(), later.name) != rule.excludes.end();
}

TEST_P(RoiAwarePool3dOrder, EveryRuleAlone) {
  for (const Rule& rule : RuleList(GetParam()).rules) {
    SCOPED_TRACE(rule.name);
    ExpectRefused(rule.status, rule.sentence, rule.spoil);
  }
}

// Not only neighbours: a rule may have been moved over several others.
TEST_P(RoiAwarePool3dOrder, EarlierOfTwoIsReported) {
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
