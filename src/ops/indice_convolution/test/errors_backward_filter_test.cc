// mluOpIndiceConvolutionBackwardFilter, its workspace size and the call on a rulebook: every rule alone, and for every
// two rules a call that breaks both; then the types on chip, which only this way looks at.
#include <cstdint>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/errors_rules.h"

namespace detops_test {
namespace {

constexpr Way kWay = Way::kBackwardFilter;

// ---- the order of the rules ----

std::vector<Rule> ArgumentRules() {
  std::vector<Rule> rules = HandleRules();
  std::vector<Rule> pointers = {DescriptorRule(kWay, kIn, kEverywhere),
                                DescriptorRule(kWay, kOut, kEverywhere),
                                DescriptorRule(kWay, kPairs, kOnPairs),
                                DescriptorRule(kWay, kFilters, kEverywhere),
                                NullNumRule(),
                                Loose(ProfileRule())};
  for (Rule& rule : pointers) rule.kind = "pointers";
  Append(rules, pointers);
  Append(rules, {{"inverse", kBad, "inverse is 2", kEverywhere, [](BadCall& c) { c.inverse = 2; }},
                 {"inverse convolution", kBad, std::string("inverse is 1*") + kLifts, kInCall | kInSize | kContractOnly,
                  [](BadCall& c) { c.inverse = 1; }},
                 {"sub_m", kBad, "sub_m is 2", kInCall | kInSize, [](BadCall& c) { c.sub_m = 2; }},
                 StrideRule(kWay, kIn, kEverywhere),
                 StrideRule(kWay, kOut, kEverywhere),
                 StrideRule(kWay, kPairs, kOnPairs),
                 StrideRule(kWay, kFilters, kEverywhere)});
  return rules;
}

std::vector<Rule> TypeRules() {
  std::vector<Rule> rules = {TypeRule(kWay, kPairs, kOnPairs)};
  std::vector<Rule> numbers = {TypeRule(kWay, kIn, kEverywhere), TypeRule(kWay, kOut, kEverywhere),
                               TypeRule(kWay, kFilters, kEverywhere)};
  const std::string anyone = "features has type|output_grad has type|filters_grad has type";
  for (const Role role : kNumbers) {
    numbers.push_back({NameOf(kWay, role) + " differs", kBad, anyone, kEverywhere,
                       [=](BadCall& c) { c.tensors[role].type = MLUOP_DTYPE_HALF; }});
  }
  for (const Role role : kNumbers) {
    const std::string name = NameOf(kWay, role);
    numbers.push_back({name + " on chip", kBad, name + "*on-chip|on-chip*" + name + "|onchip", kEverywhere,
                       [=](BadCall& c) { c.tensors[role].onchip_type = MLUOP_DTYPE_HALF; }});
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i].kind = i < 6 ? "types" : "types on chip";
    numbers[i].loose = true;
  }
  // A tensor that differs is not of the type on chip that another rule gives it, but that comes later all the same.
  Append(rules, numbers);
  return rules;
}

std::vector<Rule> ShapeRules() {
  const auto surplus = [](Role role, size_t axis, int64_t number) {
    return [=](BadCall& c) { c.tensors[role].surplus[axis] = number; };
  };
  constexpr int64_t kOne = 1;
  std::vector<Rule> rules;
  Append(rules, CountRules(kWay, kIn, kEverywhere, surplus(kIn, 0, kOne << 29), surplus(kIn, 0, kOne << 60)));
  Append(rules, CountRules(kWay, kOut, kEverywhere, surplus(kOut, 0, kOne << 30), surplus(kOut, 0, kOne << 60)));
  Append(rules, CountRules(kWay, kPairs, kOnPairs, surplus(kPairs, 2, kOne << 28), surplus(kPairs, 2, kOne << 56)));
  Append(rules,
         CountRules(kWay, kFilters, kEverywhere, surplus(kFilters, 3, 7000000), surplus(kFilters, 3, kOne << 56)));
  for (Rule& rule : rules) rule.loose = true;
  Append(rules, {RankRule(kWay, kIn, 1, kBad, kEverywhere),
                 RankRule(kWay, kOut, 2, kBad, kEverywhere),
                 RankRule(kWay, kPairs, 1, kBad, kOnPairs),
                 RankRule(kWay, kFilters, 1, kBad, kEverywhere),
                 {"layout of nothing", kBad, "filters_grad*layout", kEverywhere | kFullOnly,
                  [](BadCall& c) { c.tensors[kFilters].layout = MLUOP_LAYOUT_NTC; }},
                 {"layout of another rank", kBad, "filters_grad*layout", kEverywhere | kFullOnly,
                  [](BadCall& c) { c.tensors[kFilters].layout = MLUOP_LAYOUT_NHWC; }},
                 ExtentRule(kWay, kIn, 0, "|indice_pairs|rulebook", kEverywhere),
                 ExtentRule(kWay, kIn, 1, "|filters_grad", kEverywhere),
                 ExtentRule(kWay, kOut, 0, "|rulebook", kInRulebook),
                 ExtentRule(kWay, kOut, 1, "|filters_grad", kEverywhere),
                 ExtentRule(kWay, kPairs, 0, "|filters_grad", kOnPairs),
                 ExtentRule(kWay, kPairs, 1, "", kOnPairs),
                 ExtentRule(kWay, kPairs, 2, "|features", kOnPairs),
                 ExtentRule(kWay, kFilters, 0, "|indice_pairs|rulebook", kEverywhere)});
  return rules;
}

std::vector<Rule> RulesInOrder() {
  std::vector<Rule> rules = ArgumentRules();
  Append(rules, TypeRules());
  Append(rules, ShapeRules());
  Append(rules, {DataRule(kWay, kIn, kOnData), DataRule(kWay, kOut, kOnData), DataRule(kWay, kPairs, kInCall),
                 DataRule(kWay, kFilters, kOnData)});
  Append(rules, LastRules(kWay));
  Append(
      rules,
      {{"negative number", kBad, "indice_num[3] is -1", kInCall, [](BadCall& c) { c.num()[3] = -1; }, "number", true},
       {"large number", kBad, "indice_num[5] is 12", kInCall, [](BadCall& c) { c.num()[5] = 12; }, "number", true}});
  Append(rules, ValueRules());
  return rules;
}

class IndiceConvolutionBackwardFilterOrder : public ConvolutionOrder {};
INSTANTIATE_TEST_SUITE_P(Ways, IndiceConvolutionBackwardFilterOrder, testing::Values(kWay), WayName);

TEST_P(IndiceConvolutionBackwardFilterOrder, EveryRuleAlone) {
  ExpectEachAlone(kWay, FunctionsOf(kWay), RulesInOrder());
}

TEST_P(IndiceConvolutionBackwardFilterOrder, EarlierOfTwoIsReported) {
  ExpectEarlierOfTwo(kWay, FunctionsOf(kWay), RulesInOrder());
}

// ---- types on chip ----

// Inputs have the type they are stored in; sums may be kept in a wider one than they are stored in.
TEST_P(IndiceConvolutionBackwardFilterOrder, TypesOnChip) {
  struct Row {
    mluOpDataType_t type, on_chip;
    bool good_for_input, good_for_target;
  };
  const Row rows[] = {{MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_FLOAT, true, true},
                      {MLUOP_DTYPE_HALF, MLUOP_DTYPE_HALF, true, true},
                      {MLUOP_DTYPE_HALF, MLUOP_DTYPE_FLOAT, false, true},
                      {MLUOP_DTYPE_HALF, MLUOP_DTYPE_BFLOAT16, false, true},
                      {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_DOUBLE, false, true},
                      {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_BFLOAT16, false, false},
                      {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_HALF, false, false},
                      {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_INT8, false, false},
                      {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_INT32, false, false},
                      {MLUOP_DTYPE_FLOAT, MLUOP_DTYPE_INT64, false, false},
                      {MLUOP_DTYPE_HALF, MLUOP_DTYPE_INT16, false, false},
                      {MLUOP_DTYPE_HALF, MLUOP_DTYPE_COMPLEX_FLOAT, false, false},
                      {MLUOP_DTYPE_FLOAT, static_cast<mluOpDataType_t>(99), false, false}};
  for (const Row& row : rows) {
    for (const Role role : kNumbers) {
      for (const Entry entry : EntriesOf(kWay)) {
        for (const detopsProfile_t profile : kProfiles) {
          if (entry == Entry::kRulebook && profile == DETOPS_PROFILE_CONTRACT) continue;
          SCOPED_TRACE(NameOf(kWay, role) + ", type " + std::to_string(row.type) + ", on chip " +
                       std::to_string(row.on_chip));
          BadCall call(kWay, {.type = row.type});
          call.profile = profile;
          call.tensors[role].onchip_type = row.on_chip;
          // Double and bfloat16 are types of the full profile.
          const bool wide = row.on_chip == MLUOP_DTYPE_DOUBLE || row.on_chip == MLUOP_DTYPE_BFLOAT16;
          const bool good = role == kFilters ? row.good_for_target : row.good_for_input;
          if (good && (!wide || profile == DETOPS_PROFILE_FULL)) {
            Accept(call, entry);
          } else {
            const std::string name = NameOf(kWay, role), lifts = good ? std::string("*") + kLifts : "";
            Refuse(call, entry, kBad, name + "*on-chip" + lifts);
          }
        }
      }
    }
  }
}

// The other ways, and indices in every way, may have any.
TEST_P(IndiceConvolutionBackwardFilterOrder, TypesOnChipMatterNowhereElse) {
  for (const mluOpDataType_t on_chip : {MLUOP_DTYPE_INT8, MLUOP_DTYPE_HALF, MLUOP_DTYPE_INT32}) {
    for (const Way way : kWays) {
      BadCall call(way);
      for (const Role role : kInEveryWay) {
        if (way != kWay || role == kPairs) call.tensors[role].onchip_type = on_chip;
      }
      Accept(call, Entry::kCall);
      Accept(call, Entry::kSize);
    }
  }
}

}  // namespace
}  // namespace detops_test
