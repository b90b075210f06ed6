// mluOpIndiceConvolutionBackwardData, its workspace size and the call on a rulebook: every rule alone, and for every
// two rules a call that breaks both; then what only this way asks of the numbers of pairs.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/errors_rules.h"

namespace detops_test {
namespace {

constexpr Way kWay = Way::kBackwardData;
constexpr unsigned kContractCall = kInCall | kInSize | kContractOnly;

// ---- the order of the rules ----

std::vector<Rule> ArgumentRules() {
  std::vector<Rule> rules = HandleRules();
  // The documents forget indice_num, which is one of the pointers, and the profile, which matters to rulebooks alone.
  std::vector<Rule> pointers = {DescriptorRule(kWay, kOut, kEverywhere),
                                DescriptorRule(kWay, kFilters, kEverywhere),
                                DescriptorRule(kWay, kPairs, kOnPairs),
                                DescriptorRule(kWay, kIn, kEverywhere),
                                Loose(NullNumRule()),
                                Loose(ProfileRule())};
  for (Rule& rule : pointers) rule.kind = "pointers";
  Append(rules, pointers);
  Append(rules, {RankRule(kWay, kOut, 1, kBad, kEverywhere),
                 RankRule(kWay, kFilters, -2, kBad, kEverywhere),
                 RankRule(kWay, kPairs, 1, kBad, kOnPairs),
                 RankRule(kWay, kIn, -1, kBad, kEverywhere),
                 ExtentRule(kWay, kPairs, 1, "", kOnPairs),
                 TypeRule(kWay, kOut, kEverywhere),
                 TypeRule(kWay, kFilters, kEverywhere),
                 TypeRule(kWay, kIn, kEverywhere),
                 TypeRule(kWay, kPairs, kOnPairs),
                 {"layout of nothing", kBad, "filters*layout", kEverywhere,
                  [](BadCall& c) { c.tensors[kFilters].layout = MLUOP_LAYOUT_NTC; }},
                 {"layout of another rank", kBad, "filters*layout", kEverywhere,
                  [](BadCall& c) { c.tensors[kFilters].layout = MLUOP_LAYOUT_NHWC; }},
                 StrideRule(kWay, kOut, kEverywhere),
                 StrideRule(kWay, kFilters, kEverywhere),
                 StrideRule(kWay, kPairs, kOnPairs),
                 StrideRule(kWay, kIn, kEverywhere),
                 {"inverse", kBad, "inverse is 2", kEverywhere, [](BadCall& c) { c.inverse = 2; }},
                 {"sub_m", kBad, "sub_m is 2", kInCall, [](BadCall& c) { c.sub_m = 2; }},
                 // How many numbers there are is known only from the kernel, so a wrong kernel hides them.
                 {"negative number",
                  kBad,
                  "indice_num[3] is -1",
                  kOnPairs,
                  [](BadCall& c) { c.num()[3] = -1; },
                  "",
                  false,
                  {"filters axis 0", "indice_pairs axis 0"}},
                 {"inverse convolution", kLimit, std::string("inverse is 1*") + kLifts, kContractCall,
                  [](BadCall& c) { c.inverse = 1; }}});
  return rules;
}

std::vector<Rule> NumberRules() {
  return {{"large number", kBad, "indice_num[5] is ", kOnPairs, [](BadCall& c) { c.num()[5] = c.sites + 1; }},
          {"rows of a submanifold convolution", kBad, "input_grad|output_grad", kInCall,
           [](BadCall& c) {
             c.sub_m = 1;
             c.rows = kRows;
           }},
          {"middle number", kBad, "indice_num", kInCall,
           [](BadCall& c) {
             c.sub_m = 1;
             c.rows = c.sites;
             c.num()[c.offsets() / 2] = 1;
           }},
          {"rows",
           kBad,
           std::string("output_grad*") + kLifts,
           kContractCall,
           [](BadCall& c) { c.rows = 5; },
           "",
           false,
           {"even kernel"}},  // which asks for as many rows as there are sites
          {"even kernel", kBad, "sub_m|filters|offsets", kInCall,
           [](BadCall& c) {
             c.sub_m = 1;
             c.rows = c.sites;
             c.space = {3, 5, 2};
             c.num()[15] = kSites;
           }},
          {"filters differ", kBad, "filters has type|output_grad has type", kEverywhere,
           [](BadCall& c) { c.tensors[kFilters].type = MLUOP_DTYPE_HALF; }, "types differ", true},
          {"input_grad differs", kBad, "input_grad has type|output_grad has type", kEverywhere,
           [](BadCall& c) { c.tensors[kIn].type = MLUOP_DTYPE_HALF; }, "types differ", true}};
}

// All shapes agree here, because they come before.
std::vector<Rule> CountLimitRules() {
  const auto with = [](int64_t BadCall::* number, int64_t value) { return [=](BadCall& c) { c.*number = value; }; };
  constexpr int64_t kOne = 1;
  std::vector<Rule> rules;
  Append(rules, CountRules(kWay, kIn, kInCall | kInSize, with(&BadCall::sites, kOne << 29),
                           with(&BadCall::sites, kOne << 60)));
  Append(rules,
         CountRules(kWay, kOut, kInCall | kInSize, with(&BadCall::rows, kOne << 30), with(&BadCall::rows, kOne << 60)));
  // Many channels times many sites are too many elements in input_grad.
  Append(rules, CountRules(kWay, kFilters, kEverywhere, with(&BadCall::ci, 7000000), with(&BadCall::ci, kOne << 56),
                           {"indice_pairs count", "indice_pairs bytes"}));
  Append(rules, CountRules(kWay, kPairs, kInCall | kInSize, with(&BadCall::sites, kOne << 28),
                           with(&BadCall::sites, kOne << 56)));
  return rules;
}

std::vector<Rule> RulesInOrder() {
  std::vector<Rule> rules = ArgumentRules();
  Append(rules, {ExtentRule(kWay, kFilters, 0, "|indice_pairs|rulebook", kEverywhere),
                 ExtentRule(kWay, kPairs, 0, "|filters", kOnPairs), ExtentRule(kWay, kOut, 1, "|filters", kEverywhere),
                 ExtentRule(kWay, kIn, 1, "|filters", kEverywhere),
                 ExtentRule(kWay, kIn, 0, "|indice_pairs|rulebook", kEverywhere),
                 ExtentRule(kWay, kOut, 0, "|rulebook", kInRulebook)});
  Append(rules, NumberRules());
  Append(rules, CountLimitRules());
  Append(rules, {DataRule(kWay, kOut, kOnData), DataRule(kWay, kFilters, kOnData), DataRule(kWay, kPairs, kInCall),
                 DataRule(kWay, kIn, kOnData)});
  Append(rules, LastRules(kWay));
  Append(rules, ValueRules());
  return rules;
}

class IndiceConvolutionBackwardDataOrder : public ConvolutionOrder {};
INSTANTIATE_TEST_SUITE_P(Ways, IndiceConvolutionBackwardDataOrder, testing::Values(kWay), WayName);

TEST_P(IndiceConvolutionBackwardDataOrder, EveryRuleAlone) { ExpectEachAlone(kWay, FunctionsOf(kWay), RulesInOrder()); }

TEST_P(IndiceConvolutionBackwardDataOrder, EarlierOfTwoIsReported) {
  ExpectEarlierOfTwo(kWay, FunctionsOf(kWay), RulesInOrder());
}

// ---- the numbers of pairs ----

TEST_P(IndiceConvolutionBackwardDataOrder, MiddleNumberOfASubmanifoldConvolution) {
  for (const detopsProfile_t profile : kProfiles) {
    BadCall call(kWay, {.rows = kSites});
    call.profile = profile;
    call.sub_m = 1;
    Accept(call, Entry::kCall);
    // As large as another is large enough.
    call.num()[kOffsets / 2] = 5;
    Accept(call, Entry::kCall);
    call.num()[kOffsets / 2] = 4;
    Refuse(call, Entry::kCall, kBad,
           "indice_num[" + std::to_string(kOffsets / 2) + "] is 4, expected the largest count, 5, in the middle");
    Accept(call, Entry::kSize);
    call.sub_m = 0;
    Accept(call, Entry::kCall);
  }
}

TEST_P(IndiceConvolutionBackwardDataOrder, RowsOfASubmanifoldConvolution) {
  for (const detopsProfile_t profile : kProfiles) {
    for (const int64_t rows : {kSites - 1, kSites + 1, kSites * 2}) {
      BadCall call(kWay, {.rows = rows});
      call.profile = profile;
      Accept(call, Entry::kCall);
      call.sub_m = 1;
      Refuse(call, Entry::kCall, kBad, "input_grad|output_grad");
    }
  }
}

TEST_P(IndiceConvolutionBackwardDataOrder, EvenKernelOfASubmanifoldConvolution) {
  for (const detopsProfile_t profile : kProfiles) {
    for (const int rank : {4, 5}) {
      BadCall call(kWay, {.rows = kSites});
      call.profile = profile;
      call.filter_rank = rank;
      call.space = {3, 5, 2};
      call.num()[15] = kSites;
      for (int64_t column = 0; column < kSites; ++column) call.Pair(15, 0, column) = call.Pair(15, 1, column) = 0;
      Accept(call, Entry::kSize);
      Accept(call, Entry::kCall);
      call.sub_m = 1;
      Refuse(call, Entry::kCall, kBad, "sub_m|filters|offsets");
    }
  }
}

// The limit that only the contract has, at its edge; and beyond it a right result in the full profile.
TEST_P(IndiceConvolutionBackwardDataOrder, FewerRowsThanPairs) {
  const auto repeat = [](BadCall& call) {
    call.num()[kOffsets / 2] = 6;
    for (int64_t column = 0; column < 6; ++column) {
      call.Pair(kOffsets / 2, 0, column) = static_cast<int32_t>(column);
      call.Pair(kOffsets / 2, 1, column) = static_cast<int32_t>(column % 5);
    }
  };
  for (const Entry entry : {Entry::kCall, Entry::kSize}) {
    BadCall few(kWay, {.rows = 5}), enough(kWay, {.rows = 6});
    repeat(few);
    repeat(enough);
    Refuse(few, entry, kBad, std::string("output_grad*") + kLifts);
    Accept(enough, entry);
    few.profile = DETOPS_PROFILE_FULL;
    Accept(few, entry);
  }
}

// Where the number of offsets is 0 there is no number to read, and no middle one.
TEST_P(IndiceConvolutionBackwardDataOrder, NoOffsets) {
  const GuardedBuffer nothing(0);
  for (const int axis : {0, 1, 2}) {
    BadCall call(kWay, {.rows = kSites});
    call.other_num = static_cast<const int64_t*>(nothing.data());
    call.space[static_cast<size_t>(axis)] = 0;
    Accept(call, Entry::kSize);
    Accept(call, Entry::kCall);
    call.sub_m = 1;
    Refuse(call, Entry::kCall, kBad, "sub_m|filters|offsets");
  }
}

}  // namespace
}  // namespace detops_test
