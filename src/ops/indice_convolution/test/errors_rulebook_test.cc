// Making and destroying rulebooks: every rule alone, every two together, every value. What convolutions on a rulebook
// refuse is tested with the other functions of their way.
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/errors_rules.h"

namespace detops_test {
namespace {

constexpr Way kWay = Way::kForward;
constexpr int64_t kTwoTo31 = int64_t{1} << 31;

class RulebookErrors : public ConvolutionOrder {
 protected:
  static std::vector<Function> Create() { return {{Entry::kCreate, DETOPS_PROFILE_FULL}}; }

  static void InFull(BadCall& call) { call.profile = DETOPS_PROFILE_FULL; }

  void ExpectRefused(const std::string& said, const Spoil& spoil) {
    for (const bool value_checks : {true, false}) {  // this is the one time that values are looked at
      BadCall call(kWay);
      InFull(call);
      call.value_checks = value_checks;
      spoil(call);
      Refuse(call, Entry::kCreate, kBad, said);
    }
  }

  void ExpectAccepted(const Spoil& spoil) {
    BadCall call(kWay);
    InFull(call);
    spoil(call);
    Accept(call, Entry::kCreate);
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, RulebookErrors, testing::Values(kWay), WayName);

// ---- the order of the rules ----

std::vector<Rule> RulesInOrder() {
  std::vector<Rule> rules = {
      {"rulebook", kBad, "rulebook is NULL", kInCreate, [](BadCall& c) { c.with_result = false; }},
      {"handle", kBad, "handle is NULL", kInCreate, [](BadCall& c) { c.with_handle = false; }},
      DescriptorRule(kWay, kPairs, kInCreate),
      NullNumRule(),
      ProfileRule(),
      TypeRule(kWay, kPairs, kInCreate),
      RankRule(kWay, kPairs, 1, kBad, kInCreate),
      ExtentRule(kWay, kPairs, 1, "", kInCreate),
      StrideRule(kWay, kPairs, kInCreate),
      CountRules(kWay, kPairs, kInCreate, nullptr,
                 [](BadCall& c) { c.tensors[kPairs].surplus[2] = int64_t{1} << 56; })[1],
      {"num_act_in", kBad, "num_act_in is -1", kInCreate, [](BadCall& c) { c.num_act_in = -1; }},
      {"num_act_out", kBad, "num_act_out is 2147483648", kInCreate, [](BadCall& c) { c.num_act_out = kTwoTo31; }},
      {"negative number", kBad, "indice_num[3] is -1", kInCreate, [](BadCall& c) { c.num()[3] = -1; }, "number", true},
      {"large number", kBad, "indice_num[5] is ", kInCreate, [](BadCall& c) { c.num()[5] = kSites + 1; }, "number",
       true},
      DataRule(kWay, kPairs, kInCreate)};
  for (Rule& rule : rules) {
    if (rule.name == "num" || rule.name == "profile") rule.where = kInCreate;
  }
  Append(rules, ValueRules());
  for (size_t i = rules.size() - 2; i < rules.size(); ++i) rules[i].where = kInCreate;
  return rules;
}

TEST_P(RulebookErrors, EveryRuleAlone) { ExpectEachAlone(kWay, Create(), RulesInOrder()); }

TEST_P(RulebookErrors, EarlierOfTwoIsReported) { ExpectEarlierOfTwo(kWay, Create(), RulesInOrder()); }

// ---- numbers ----

TEST_P(RulebookErrors, RowsAreBelowTwoTo31) {
  for (const int64_t wrong : {int64_t{-1}, kTwoTo31, kTwoTo31 * 2, kTwoTo31 * 2 + 20, INT64_MIN, INT64_MAX}) {
    ExpectRefused("num_act_in is " + std::to_string(wrong), [&](BadCall& call) { call.num_act_in = wrong; });
    ExpectRefused("num_act_out is " + std::to_string(wrong), [&](BadCall& call) { call.num_act_out = wrong; });
  }
  // More rows than indices reach are no fault, nor have they to do with the columns of the pairs.
  for (const int64_t right : {int64_t{13}, int64_t{1000}}) {
    ExpectAccepted([&](BadCall& call) { call.num_act_in = call.num_act_out = right; });
  }
}

TEST_P(RulebookErrors, NumbersOfPairs) {
  for (const int64_t offset : {int64_t{0}, kOffsets / 2, kOffsets - 1}) {
    for (const int64_t wrong : {int64_t{-1}, kSites + 1, int64_t{1} << 32, INT64_MIN, INT64_MAX}) {
      ExpectRefused("indice_num[" + std::to_string(offset) + "] is " + std::to_string(wrong),
                    [&](BadCall& call) { call.num()[offset] = wrong; });
    }
  }
}

TEST_P(RulebookErrors, IndexOutOfRange) {
  const struct {
    int64_t offset, column;
  } positions[] = {{0, 0}, {0, 2}, {22, 0}, {22, 5}, {22, 10}, {44, 0}, {44, 4}};
  for (const auto& at : positions) {
    for (const int64_t row : {0, 1}) {
      const int64_t end = row == 0 ? kSites : kRows;
      for (const int64_t wrong : {int64_t{-1}, end, int64_t{INT_MIN}, int64_t{INT_MAX}}) {
        ExpectRefused("indice_pairs[" + std::to_string(at.offset) + ", " + std::to_string(row) + ", " +
                          std::to_string(at.column) + "] is " + std::to_string(wrong),
                      [&](BadCall& call) { call.Pair(at.offset, row, at.column) = static_cast<int32_t>(wrong); });
      }
    }
  }
}

// With fewer rows than before, indices that were right are outside.
TEST_P(RulebookErrors, IndicesAreComparedWithTheGivenRows) {
  ExpectRefused("indice_pairs[", [](BadCall& call) { call.num_act_in = kSites - 1; });
  ExpectRefused("indice_pairs[", [](BadCall& call) { call.num_act_out = kRows - 1; });
  ExpectRefused("indice_pairs[", [](BadCall& call) { call.num_act_in = 0; });
  ExpectRefused("indice_pairs[", [](BadCall& call) { call.num_act_out = 0; });
}

TEST_P(RulebookErrors, WithoutPairs) {
  const auto no_pairs = [](BadCall& call) { std::fill_n(call.num(), kOffsets, 0); };
  ExpectAccepted([&](BadCall& call) {
    no_pairs(call);
    call.num_act_in = call.num_act_out = 0;
  });
  ExpectAccepted([&](BadCall& call) {
    no_pairs(call);
    call.num_act_in = call.num_act_out = kTwoTo31 - 1;
  });
  // Elements that nobody counts are elements all the same.
  ExpectRefused("the data pointer of indice_pairs is NULL", [&](BadCall& call) {
    no_pairs(call);
    call.tensors[kPairs].data = nullptr;
  });
  for (const bool offsets : {true, false}) {
    const GuardedBuffer nothing(0);
    ExpectAccepted([&](BadCall& call) {
      no_pairs(call);
      call.tensors[kPairs].data = nullptr;
      if (offsets) call.sites = 0;
      if (!offsets) call.space = {3, 0, 3};
      if (!offsets) call.other_num = static_cast<const int64_t*>(nothing.data());
    });
  }
}

TEST_P(RulebookErrors, AnyLayoutIsAccepted) {
  for (const int layout : {0, 3, 5, 10, 99}) {
    ExpectAccepted([&](BadCall& call) { call.tensors[kPairs].layout = static_cast<mluOpTensorLayout_t>(layout); });
  }
}

// ---- the small functions ----

TEST(Rulebook, NullIsRefused) {
  size_t bytes = kSizeMark;
  EXPECT_EQ(detopsDestroyRulebook(nullptr), kBad);
  EXPECT_TRUE(Says(detopsGetLastError(nullptr), "detopsDestroyRulebook: *rulebook is NULL"));
  EXPECT_EQ(detopsGetRulebookSize(nullptr, &bytes), kBad);
  EXPECT_TRUE(Says(detopsGetLastError(nullptr), "detopsGetRulebookSize: *rulebook is NULL"));
  EXPECT_EQ(bytes, kSizeMark);
  EXPECT_EQ(detopsGetRulebookSize(nullptr, nullptr), kBad);
}

}  // namespace
}  // namespace detops_test
