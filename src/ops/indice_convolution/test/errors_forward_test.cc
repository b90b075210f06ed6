// mluOpIndiceConvolutionForward, its workspace size, the fused call and the call on a rulebook: every rule alone, and
// for every two rules a call that breaks both. Programs written for the accelerator rely on its order, and so does
// every check on those above it: a rule that came too early would read what nobody has looked at yet.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/indice_convolution/test/errors_rules.h"

namespace detops_test {
namespace {

constexpr Way kWay = Way::kForward;

std::vector<Rule> ArgumentRules() {
  std::vector<Rule> rules = HandleRules();
  Append(rules, {DescriptorRule(kWay, kIn, kEverywhere), DescriptorRule(kWay, kFilters, kEverywhere),
                 DescriptorRule(kWay, kPairs, kOnPairs), NullNumRule(), Loose(ProfileRule()),
                 DescriptorRule(kWay, kOut, kEverywhere)});
  // The documents put the profile behind indice_num, and do not say where that is seen from features_out.
  rules[rules.size() - 2].kind = rules.back().kind = "behind indice_num";
  Append(rules, {TypeRule(kWay, kIn, kEverywhere), TypeRule(kWay, kFilters, kEverywhere),
                 TypeRule(kWay, kPairs, kOnPairs), TypeRule(kWay, kOut, kEverywhere)});
  const auto differs = [](Role role) {
    return Rule{NameOf(kWay, role) + " differs",
                kBad,
                "features has type|features_out has type|filters has type",
                kEverywhere,
                [=](BadCall& c) { c.tensors[role].type = MLUOP_DTYPE_HALF; },
                "types"};
  };
  std::vector<Rule> later = {TypeRule(kWay, kBias, kExtended), TypeRule(kWay, kResidual, kExtended), differs(kFilters),
                             differs(kOut)};
  for (Rule& rule : later) {
    rule.kind = "types";
    rule.loose = true;
  }
  Append(rules, later);
  const Rule numbers[] = {
      {"sub_m", kBad, "sub_m is 2", kOnPairs, [](BadCall& c) { c.sub_m = 2; }},
      {"inverse", kBad, "inverse is 2", kEverywhere, [](BadCall& c) { c.inverse = 2; }},
      {"activation", kBad, "activation is 77", kExtended,
       [](BadCall& c) { c.activation = static_cast<detopsActivation_t>(77); }},
      {"negative_slope", kBad, "negative_slope is nan", kExtended,
       [](BadCall& c) {
         c.activation = DETOPS_ACTIVATION_LEAKY_RELU;
         c.negative_slope = NAN;
       }},
      {"inverse convolution", kLimit, std::string("inverse is 1*") + kLifts, kInCall | kInSize | kContractOnly,
       [](BadCall& c) { c.inverse = 1; }},
  };
  rules.insert(rules.end(), std::begin(numbers), std::end(numbers));
  return rules;
}

std::vector<Rule> ShapeRules() {
  constexpr unsigned kContractCall = kInCall | kInSize | kContractOnly;
  std::vector<Rule> rules = {{"layout of nothing", kLimit, "filters has layout NTC|filters*layout", kEverywhere,
                              [](BadCall& c) { c.tensors[kFilters].layout = MLUOP_LAYOUT_NTC; }},
                             {"layout of rank 4",
                              kLimit,
                              std::string("filters*layout*") + kLifts,
                              kContractCall,
                              [](BadCall& c) {
                                c.tensors[kFilters].layout = MLUOP_LAYOUT_NHWC;
                                c.filter_rank = 4;
                              },
                              "",
                              false,
                              {"filters rank"}},  // of a rank that no profile takes
                             RankRule(kWay, kIn, 1, kBad, kEverywhere),
                             RankRule(kWay, kPairs, -1, kBad, kOnPairs),
                             RankRule(kWay, kOut, -1, kBad, kEverywhere),
                             Loose(RankRule(kWay, kBias, 1, kBad, kExtended)),
                             Loose(RankRule(kWay, kResidual, -1, kBad, kExtended)),
                             RankRule(kWay, kFilters, -2, kLimit, kEverywhere),
                             {"filters of rank 4", kLimit, std::string("filters has rank 4*") + kLifts, kContractCall,
                              [](BadCall& c) { c.filter_rank = 4; }},
                             {"layout of another rank", kBad, "filters*layout", kEverywhere | kFullOnly,
                              [](BadCall& c) { c.tensors[kFilters].layout = MLUOP_LAYOUT_NHWC; }},
                             StrideRule(kWay, kIn, kEverywhere),
                             StrideRule(kWay, kFilters, kEverywhere),
                             StrideRule(kWay, kPairs, kOnPairs),
                             StrideRule(kWay, kOut, kEverywhere),
                             Loose(StrideRule(kWay, kBias, kExtended)),
                             Loose(StrideRule(kWay, kResidual, kExtended))};
  rules[8].kind = "rank";
  const auto surplus = [](Role role, size_t axis, int64_t number) {
    return [=](BadCall& c) { c.tensors[role].surplus[axis] = number; };
  };
  constexpr int64_t kOne = 1;
  Append(rules, CountRules(kWay, kIn, kEverywhere, surplus(kIn, 0, kOne << 29), surplus(kIn, 0, kOne << 60)));
  Append(rules,
         CountRules(kWay, kFilters, kEverywhere, surplus(kFilters, 3, 7000000), surplus(kFilters, 3, kOne << 56)));
  Append(rules, CountRules(kWay, kPairs, kOnPairs, surplus(kPairs, 2, kOne << 28), surplus(kPairs, 2, kOne << 56)));
  Append(rules, CountRules(kWay, kOut, kEverywhere, surplus(kOut, 0, kOne << 30), surplus(kOut, 0, kOne << 60)));
  for (const Role role : {kBias, kResidual}) {
    rules.push_back(CountRules(kWay, role, kExtended, nullptr, surplus(role, 0, kOne << 62))[1]);
  }
  for (Rule& rule : rules) rule.loose = rule.loose || rule.kind == "count";
  return rules;
}

std::vector<Rule> RulesInOrder() {
  std::vector<Rule> rules = ArgumentRules();
  Append(rules, ShapeRules());
  Append(
      rules,
      {ExtentRule(kWay, kIn, 0, "|indice_pairs", kEverywhere),
       ExtentRule(kWay, kIn, 1, "|filters", kEverywhere),
       ExtentRule(kWay, kFilters, 0, "|indice_pairs|rulebook", kEverywhere),
       ExtentRule(kWay, kPairs, 0, "|filters", kOnPairs),
       ExtentRule(kWay, kPairs, 1, "", kOnPairs),
       ExtentRule(kWay, kPairs, 2, "|features", kOnPairs),
       ExtentRule(kWay, kOut, 0, "|num_act_out|rulebook", kEverywhere),
       {"num_act_out", kBad, "features_out|num_act_out", kOnPairs, [](BadCall& c) { c.num_act_out = kRows - 2; },
        "shape", true},
       ExtentRule(kWay, kOut, 1, "|filters", kEverywhere),
       ExtentRule(kWay, kBias, 0, "|filters|features_out", kExtended),
       ExtentRule(kWay, kResidual, 0, "|features_out", kExtended),
       ExtentRule(kWay, kResidual, 1, "|features_out|filters", kExtended),
       {"negative number", kBad, "indice_num[3] is -1", kOnPairs, [](BadCall& c) { c.num()[3] = -1; }, "number", true},
       {"large number", kBad, "indice_num[5] is 12", kOnPairs, [](BadCall& c) { c.num()[5] = 12; }, "number", true},
       DataRule(kWay, kIn, kOnData),
       DataRule(kWay, kFilters, kOnData),
       DataRule(kWay, kPairs, kInCall | kInFused),
       DataRule(kWay, kOut, kOnData),
       Loose(DataRule(kWay, kBias, kExtended)),
       Loose(DataRule(kWay, kResidual, kExtended))});
  Append(rules, LastRules(kWay));
  for (const Role role : {kBias, kResidual}) {
    const std::string name = NameOf(kWay, role);
    rules.push_back({name + " overlap", kBad, "features_out overlaps " + name + "|" + name + " overlaps features_out",
                     kExtended, [=](BadCall& c) { c.tensors[role].data = c.tensors[kOut].data; }, "overlap", true});
  }
  Append(rules, ValueRules());
  return rules;
}

class IndiceConvolutionForwardOrder : public ConvolutionOrder {};
INSTANTIATE_TEST_SUITE_P(Ways, IndiceConvolutionForwardOrder, testing::Values(kWay), WayName);

TEST_P(IndiceConvolutionForwardOrder, EveryRuleAlone) { ExpectEachAlone(kWay, FunctionsOf(kWay), RulesInOrder()); }

TEST_P(IndiceConvolutionForwardOrder, EarlierOfTwoIsReported) {
  ExpectEarlierOfTwo(kWay, FunctionsOf(kWay), RulesInOrder());
}

// ---- what is fused ----

TEST_P(IndiceConvolutionForwardOrder, ActivationIsOneOfThree) {
  for (const int wrong : {3, 4, -1, INT32_MAX, INT32_MIN}) {
    for (const Entry entry : {Entry::kFused, Entry::kRulebook}) {
      BadCall call(kWay);
      call.profile = DETOPS_PROFILE_FULL;
      call.activation = static_cast<detopsActivation_t>(wrong);
      Refuse(call, entry, kBad, "activation is " + std::to_string(wrong));
    }
  }
}

TEST_P(IndiceConvolutionForwardOrder, SlopeIsFiniteWhereItIsRead) {
  for (const float wrong : {NAN, -NAN, INFINITY, -INFINITY}) {
    for (const Entry entry : {Entry::kFused, Entry::kRulebook}) {
      BadCall call(kWay);
      call.profile = DETOPS_PROFILE_FULL;
      call.negative_slope = wrong;
      for (const detopsActivation_t activation : {DETOPS_ACTIVATION_NONE, DETOPS_ACTIVATION_RELU}) {
        call.activation = activation;
        Accept(call, entry);
      }
      call.activation = DETOPS_ACTIVATION_LEAKY_RELU;
      Refuse(call, entry, kBad,
             std::isnan(wrong) ? "negative_slope is nan"
             : wrong > 0       ? "negative_slope is inf"
                               : "negative_slope is -inf");
      for (const float right : {0.0f, -3.0f, 3e38f, 1e-45f}) {
        call.negative_slope = right;
        Accept(call, entry);
      }
    }
  }
}

// Without a descriptor there is no tensor, whatever the pointer says; and one does not need the other.
TEST_P(IndiceConvolutionForwardOrder, BiasAndResidualMayBeMissing) {
  for (const Entry entry : {Entry::kFused, Entry::kRulebook}) {
    for (const bool bias : {true, false}) {
      for (const bool pointers : {true, false}) {
        BadCall call(kWay);
        call.profile = DETOPS_PROFILE_FULL;
        call.tensors[kBias].described = bias;
        call.tensors[kResidual].described = !bias;
        if (!pointers) call.tensors[bias ? kResidual : kBias].data = nullptr;
        Accept(call, entry);
        // An address that is not read overlaps nothing.
        call.tensors[bias ? kResidual : kBias].data = call.tensors[kOut].data;
        Accept(call, entry);
        call.tensors[bias ? kBias : kResidual].data = nullptr;
        Refuse(call, entry, kBad, std::string("the data pointer of ") + (bias ? "bias" : "residual") + " is NULL");
      }
    }
  }
}

}  // namespace
}  // namespace detops_test
